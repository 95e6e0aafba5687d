/* SPDX-License-Identifier: GPL-2.0-or-later */
/* state.c - the state of the cluster before a gang comes */

#include <string.h>
#include <time.h>

#include "client.h"
#include "run.h"

#define SETTLE_MS 90000.0 /* ordinary jobs have begun by then */

/* Slurm requeues the jobs of a drained node that is still being powered up, so
 * only nodes are drained that have none. */
static int drain_some(struct lr_run *r, uint64_t *random)
{
	/* one that has been powered up for nothing takes no job after a drain
	 */
	if (r->c.weighed)
		return 0;
	for (uint32_t i = 0; i < r->c.n_nodes; i++) {
		struct lr_node *node = &r->c.node[i];
		uint32_t dice = lr_random(random, 100);
		bool away = node->away ? dice < 60 :
					 dice < 5 && !node->used[LR_CPU] &&
						 !node->reserved;

		if (!(r->c.kinds & LR_DRAIN) || away == node->away)
			continue;
		node->away = away;
		if (lr_drain(node, away))
			return -1;
	}
	return 0;
}

/* As with drained nodes: only those that have no job. */
static int reserve_some(struct lr_run *r, uint64_t *random)
{
	for (uint32_t i = 0; i < r->c.n_nodes && r->c.kinds & LR_RESERVE; i++) {
		struct lr_node *node = &r->c.node[i];
		uint32_t dice = lr_random(random, 100);
		bool reserved = node->reserved ?
					dice < 50 :
					dice < 3 && !node->used[LR_CPU] &&
						!node->away;

		if (reserved == node->reserved)
			continue;
		node->reserved = reserved;
		if (lr_reserve(node, reserved))
			return -1;
	}
	return 0;
}

static void forget(struct lr_run *r, uint32_t from, uint32_t to)
{
	r->blocker[to] = r->blocker[from];
	r->blocks[to] = r->blocks[from];
	memcpy(r->block_use[to], r->block_use[from], sizeof(r->block_use[to]));
}

/* End a random half of what is there. */
static int end_some(struct lr_run *r, uint64_t *random)
{
	uint32_t gone[LR_NODES * 2], n_gone = 0, n = 0;

	for (uint32_t i = 0; i < r->n_blockers; i++) {
		uint32_t *used = r->c.node[r->blocks[i]].used;

		if (lr_random(random, 100) >= 50) {
			forget(r, i, n++);
			continue;
		}
		for (uint32_t d = 0; d < LR_DIMS; d++)
			used[d] -= r->block_use[i][d];
		gone[n_gone++] = r->blocker[i];
	}
	r->n_blockers = n;
	return lr_cancel(&r->c, NULL, gone, n_gone);
}

static int block(struct lr_run *r, uint32_t i, uint64_t *random)
{
	struct lr_node *node = &r->c.node[i];
	uint32_t use[LR_DIMS] = { 0 }, minutes, n = r->n_blockers;
	bool whole = !(r->c.kinds & LR_SHARE) || lr_random(random, 100) < 40;

	whole &= !r->c.force;
	use[LR_CPU] = whole ? node->has[LR_CPU] :
			      1 + lr_random(random, node->has[LR_CPU]);
	if (r->c.rows > 1 && !whole) {
		use[LR_CPU] = 1u << (31 - __builtin_clz(use[LR_CPU]));
		use[LR_SHARERS] = r->c.force || lr_random(random, 2);
	}
	use[LR_MEM] = 10;
	if (r->c.kinds & LR_MEMORY)
		use[LR_MEM] = 100 *
			      (1 + lr_random(random, node->has[LR_MEM] / 100));
	if (node->has[LR_GPU] && !whole)
		use[LR_GPU] = lr_random(random, node->has[LR_GPU] + 1);
	minutes = lr_random(random, 100) < 20 ?
			  0 :
			  60 * (1 + lr_random(random, 20));
	r->blocker[n] = lr_block(&r->c, i, use, whole, minutes);
	if (!r->blocker[n])
		return -1;
	if (whole)
		use[LR_GPU] = node->has[LR_GPU];
	r->blocks[n] = i;
	memcpy(r->block_use[n], use, sizeof(use));
	for (uint32_t d = 0; d < LR_DIMS; d++)
		node->used[d] += use[d];
	r->n_blockers++;
	return 0;
}

int lr_wake(const struct lr_cluster *c)
{
	double deadline = lr_now_ms() + SETTLE_MS;
	uint32_t n;

	if (!c->weighed)
		return 0;
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		if (lr_power_up(&c->node[i]))
			return -1;
	}
	do {
		lr_nap();
		if (lr_powered_down(&n))
			return -1;
	} while (n && lr_now_ms() < deadline);
	if (n)
		fprintf(stderr, "live_random: %u nodes are powered down\n", n);
	return n ? -1 : 0;
}

int lr_fill(struct lr_run *r, uint64_t *random)
{
	uint32_t load = lr_random(random, 80);

	if (end_some(r, random) || drain_some(r, random) ||
	    reserve_some(r, random))
		return -1;
	for (uint32_t i = 0; i < r->c.n_nodes; i++) {
		struct lr_node *node = &r->c.node[i];

		if (lr_random(random, 100) < load &&
		    r->n_blockers < LR_NODES * 2 && !node->used[LR_CPU] &&
		    !node->away && !node->reserved && block(r, i, random))
			return -1;
	}
	return 0;
}

/* The node that has other CPUs in use than we think, or LR_NONE. */
static uint32_t other_use(const struct lr_run *r, const uint32_t *cpus)
{
	for (uint32_t i = 0; i < r->c.n_nodes; i++) {
		if (cpus[i] != r->c.node[i].used[LR_CPU])
			return i;
	}
	return LR_NONE;
}

/* Wait until all that is to be in the way has begun. */
int lr_settle(struct lr_run *r)
{
	double deadline = lr_now_ms() + SETTLE_MS;
	uint32_t cpus[LR_NODES], node;

	do {
		if (lr_cpus_in_use(&r->c, cpus))
			return -1;
		node = other_use(r, cpus);
		if (node == LR_NONE)
			return 0;
		lr_nap();
	} while (lr_now_ms() < deadline);
	fprintf(stderr, "live_random: %s has %u CPUs in use, not %u\n",
		r->c.node[node].name, cpus[node], r->c.node[node].used[LR_CPU]);
	return -1;
}
