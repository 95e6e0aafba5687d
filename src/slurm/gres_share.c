/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gres_share.c - no more GRES of a node than a member's share there */

#include "config.h"

#include <string.h>

#include "release.h"

#include "gres_share.h"
#include "inside.h"
#include "layout.h"

/* What a node's record said. */
struct was {
	gres_node_state_t *ns;
	uint64_t count;
	bitstr_t *index; /* NULL: they have none */
	uint64_t *topo, *type;
};

struct sgang_gres_bound {
	struct was *node;
	int n;
};

/* The record of its only kind of GRES. */
static const gres_state_t *only_kind(const job_record_t *job_ptr)
{
	list_t *list = sgang_inside_gres(job_ptr);

	return (list && list_count(list) == 1) ? list_peek(list) : NULL;
}

static const gres_job_state_t *request(const gres_state_t *kind)
{
	return kind ? sgang_layout_gres(kind->gres_data,
					sizeof(gres_job_state_t)) :
		      NULL;
}

bool sgang_gres_share_exceeded(const struct job_record *job_ptr,
			       const uint32_t *share)
{
	const gres_job_state_t *js = request(only_kind(job_ptr));
	bitstr_t *nodes;
	bitoff_t last;

	if (!js || !js->gres_cnt_node_select || !job_ptr->job_resrcs)
		return false;
	nodes = job_ptr->job_resrcs->node_bitmap;
	last = bit_fls(nodes);
	for (bitoff_t n = bit_ffs(nodes); n >= 0 && n <= last; n++) {
		if (bit_test(nodes, n) && share[n] &&
		    js->gres_cnt_node_select[n] > share[n])
			return true;
	}
	return false;
}

/* ---- a node's record ---- */

static void remember(gres_node_state_t *ns, struct was *was)
{
	*was = (struct was){
		.ns = ns,
		.count = ns->gres_cnt_alloc,
		.index = ns->gres_bit_alloc ? bit_copy(ns->gres_bit_alloc) :
					      NULL,
		.topo = xcalloc(ns->topo_cnt + 1, sizeof(*was->topo)),
		.type = xcalloc(ns->type_cnt + 1, sizeof(*was->type)),
	};
	if (ns->topo_gres_cnt_alloc)
		memcpy(was->topo, ns->topo_gres_cnt_alloc,
		       ns->topo_cnt * sizeof(*was->topo));
	if (ns->type_cnt_alloc)
		memcpy(was->type, ns->type_cnt_alloc,
		       ns->type_cnt * sizeof(*was->type));
}

static void restore(struct was *was)
{
	gres_node_state_t *ns = was->ns;

	ns->gres_cnt_alloc = was->count;
	if (was->index)
		bit_copybits(ns->gres_bit_alloc, was->index);
	if (ns->topo_gres_cnt_alloc)
		memcpy(ns->topo_gres_cnt_alloc, was->topo,
		       ns->topo_cnt * sizeof(*was->topo));
	if (ns->type_cnt_alloc)
		memcpy(ns->type_cnt_alloc, was->type,
		       ns->type_cnt * sizeof(*was->type));
	FREE_NULL_BITMAP(was->index);
	xfree(was->topo);
	xfree(was->type);
}

/* ---- those beyond the share are in use ---- */

static bool asks_for(const gres_job_state_t *js, uint32_t type)
{
	return !js->type_name || js->type_id == type;
}

/* Of these counts no more than 'left' are free together. */
static void fill_counts(const gres_job_state_t *js, const uint32_t *type,
			const uint64_t *avail, uint64_t *alloc, int n,
			uint64_t left)
{
	for (int i = 0; i < n; i++) {
		uint64_t free = (avail[i] > alloc[i]) ? avail[i] - alloc[i] : 0;

		if (!asks_for(js, type[i]))
			continue;
		if (free > left)
			alloc[i] = avail[i] - left;
		left -= MIN(free, left);
	}
}

/* The first ones of 'among' that are free, until 'left' is 0. */
static void keep(const gres_node_state_t *ns, int t, bitstr_t *among,
		 uint64_t *left, bitstr_t *kept)
{
	bitstr_t *of = ns->topo_gres_bitmap[t];

	for (bitoff_t i = 0; *left && i < bit_size(kept); i++) {
		if (!bit_test(of, i) || bit_test(kept, i) ||
		    bit_test(ns->gres_bit_alloc, i) ||
		    (among && !bit_test(among, i)))
			continue;
		bit_set(kept, i);
		--*left;
	}
}

static void fill_entry(gres_node_state_t *ns, int t, bitstr_t *kept)
{
	bitstr_t *of = ns->topo_gres_bitmap[t];

	for (bitoff_t i = 0; i < bit_size(kept); i++) {
		if (!bit_test(of, i) || bit_test(kept, i) ||
		    bit_test(ns->gres_bit_alloc, i))
			continue;
		bit_set(ns->gres_bit_alloc, i);
		ns->topo_gres_cnt_alloc[t]++;
	}
}

/* 'answer': those that Slurm has chosen; NULL: not known. */
static void fill_by_index(gres_node_state_t *ns, const gres_job_state_t *js,
			  bitstr_t *answer, uint64_t left)
{
	bitstr_t *kept = bit_alloc(bit_size(ns->gres_bit_alloc));

	for (int t = 0; answer && t < ns->topo_cnt; t++) {
		if (asks_for(js, ns->topo_type_id[t]))
			keep(ns, t, answer, &left, kept);
	}
	for (int t = 0; t < ns->topo_cnt; t++) {
		if (asks_for(js, ns->topo_type_id[t]))
			keep(ns, t, NULL, &left, kept);
	}
	for (int t = 0; t < ns->topo_cnt; t++) {
		if (asks_for(js, ns->topo_type_id[t]))
			fill_entry(ns, t, kept);
	}
	FREE_NULL_BITMAP(kept);
}

/* One of them for each index, which those that are shared have not. */
static bool has_index(const gres_node_state_t *ns)
{
	if (!ns->gres_bit_alloc || !ns->topo_gres_bitmap)
		return false;
	for (int t = 0; t < ns->topo_cnt; t++) {
		bitstr_t *of = ns->topo_gres_bitmap[t];

		if (!of || bit_size(of) != bit_size(ns->gres_bit_alloc) ||
		    (uint64_t)bit_set_count(of) != ns->topo_gres_cnt_avail[t])
			return false;
	}
	return true;
}

static bitstr_t *answer_on(const gres_job_state_t *js, int n,
			   const gres_node_state_t *ns)
{
	bitstr_t *answer = js->gres_bit_select ? js->gres_bit_select[n] : NULL;

	return (answer && bit_size(answer) == bit_size(ns->gres_bit_alloc)) ?
		       answer :
		       NULL;
}

static void fill(gres_node_state_t *ns, const gres_job_state_t *js, int n,
		 uint64_t share)
{
	if (ns->topo_cnt && has_index(ns))
		fill_by_index(ns, js, answer_on(js, n, ns), share);
	else if (ns->topo_cnt)
		fill_counts(js, ns->topo_type_id, ns->topo_gres_cnt_avail,
			    ns->topo_gres_cnt_alloc, ns->topo_cnt, share);
	fill_counts(js, ns->type_id, ns->type_cnt_avail, ns->type_cnt_alloc,
		    ns->type_cnt, share);
	if (ns->gres_cnt_avail > ns->gres_cnt_alloc + share)
		ns->gres_cnt_alloc = ns->gres_cnt_avail - share;
}

/* ---- */

struct sgang_gres_bound *sgang_gres_share_bind(const struct job_record *job_ptr,
					       const int64_t *nodes,
					       const uint32_t *share)
{
	bitstr_t *of = (bitstr_t *)nodes;
	const gres_state_t *kind = only_kind(job_ptr);
	const gres_job_state_t *js = request(kind);
	struct sgang_gres_bound *bound;
	bitoff_t last = bit_fls(of);

	if (!js)
		return NULL;
	bound = xcalloc(1, sizeof(*bound));
	bound->node = xcalloc(bit_set_count(of) + 1, sizeof(*bound->node));
	for (bitoff_t n = bit_ffs(of); n >= 0 && n <= last; n++) {
		gres_node_state_t *ns =
			(bit_test(of, n) && share[n]) ?
				sgang_layout_node_gres((uint32_t)n,
						       kind->plugin_id) :
				NULL;

		if (!ns || ns->no_consume)
			continue;
		remember(ns, &bound->node[bound->n++]);
		fill(ns, js, (int)n, share[n]);
	}
	return bound;
}

void sgang_gres_share_unbind(struct sgang_gres_bound *bound)
{
	if (!bound)
		return;
	for (int i = 0; i < bound->n; i++)
		restore(&bound->node[i]);
	xfree(bound->node);
	xfree(bound);
}
