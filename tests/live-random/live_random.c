/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live_random.c - random gangs on a private cluster, against a search of our own
 *
 * live_random nodes|topology|conf SEED KINDS
 *	print the node lines of slurm.conf, topology.conf, or gang.conf
 * live_random shape CORES ISLANDS
 *	print an hwloc file of such a node
 * live_random gangs SEED KINDS FIRST COUNT SECONDS FACTS
 *	submit gangs FIRST to FIRST+COUNT-1 of that seed, one after the other,
 *	for at most SECONDS. For each violation a line "violation ...". The last
 *	line: "N gangs, N checked, N violations". What tests/judge/judge has yet
 *	to look at is in the file FACTS then.
 */

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "run.h"

/* What gang the next lines are about, once. */
void lr_tell(struct lr_run *r)
{
	if (!r->told) {
		printf("# seed %llu ", (unsigned long long)r->c.seed);
		lr_print_gang(&r->c, &r->g, stdout);
	}
	r->told = true;
}

/* Where found[] has put it, and what is free there. */
void lr_tell_found(struct lr_run *r, const char *what)
{
	uint32_t all = 0;

	lr_tell(r);
	printf("# seed %llu gang %u: %s", (unsigned long long)r->c.seed,
	       r->g.number, what);
	for (uint32_t m = 0; m < r->g.n_members; m++) {
		printf("%s", m ? " |" : "");
		for (uint32_t i = 0; i < r->c.n_nodes; i++) {
			if (r->found[m] >> i & 1)
				printf(" %s", r->c.node[i].name);
		}
		all |= r->found[m];
	}
	printf("; free are");
	for (uint32_t i = 0; i < r->c.n_nodes; i++) {
		const struct lr_node *n = &r->c.node[i];

		if (all >> i & 1)
			printf(" %s:cpu=%u/%u,mem=%u,gpu=%u", n->name,
			       n->has[LR_CPU] - n->used[LR_CPU], n->has[LR_CPU],
			       n->has[LR_MEM] - n->used[LR_MEM],
			       n->has[LR_GPU] - n->used[LR_GPU]);
	}
	printf("\n");
}

void lr_violation(struct lr_run *r, const char *format, ...)
{
	va_list args;

	lr_tell(r);
	printf("violation: seed %llu gang %u: ", (unsigned long long)r->c.seed,
	       r->g.number);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
	fflush(stdout);
	r->violations++;
}

/* The value of a word of the record; NULL: it is not there. Static. */
const char *lr_word(const char *record, const char *word)
{
	static char value[600];
	size_t length = strlen(word);

	for (const char *p = record; p; p = strchr(p, ' ')) {
		p += *p == ' ';
		if (!strncmp(p, word, length) && p[length] == '=') {
			snprintf(value, sizeof(value), "%.*s",
				 (int)strcspn(p + length + 1, " "),
				 p + length + 1);
			return value;
		}
	}
	return NULL;
}

uint32_t lr_number(const char *record, const char *word)
{
	const char *text = lr_word(record, word);

	return text ? (uint32_t)strtoul(text, NULL, 10) : LR_NONE;
}

bool lr_same(const struct lr_gang *g)
{
	for (uint32_t i = 1; i < g->n_members; i++) {
		if (memcmp(&g->member[i], &g->member[0], sizeof(g->member[0])))
			return false;
	}
	return true;
}

bool lr_alike(const struct lr_gang *g)
{
	return lr_same(g) && g->member[0].nodes && !g->member[0].least;
}

uint32_t lr_with_nodes(const struct lr_run *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->g.n_members; i++)
		n += r->jobs[i].has_nodes;
	return n;
}

/* -- one gang -- */

/* Whether these are enough says the judge. */
static void check_partial(struct lr_run *r, uint32_t first)
{
	uint32_t n = lr_with_nodes(r);

	r->checked++;
	if (lr_fits(&r->c, &r->g, r->found) == 1)
		lr_violation(r, "all fit, and %u of %u start", n,
			     r->g.n_members);
	else if (r->g.late && n >= r->g.min &&
		 n == (uint32_t)__builtin_popcount(first))
		lr_check_some(r, first);
}

/* All have started; or that is all there will be. Those that were seen first
 * are a bit mask. */
static void began(struct lr_run *r, uint32_t first, double ms)
{
	uint32_t n = lr_with_nodes(r);

	if (!lr_in_turn(&r->g, first))
		lr_violation(r,
			     "the first to start are %#x, not by "
			     "--gang-order",
			     first);
	r->started++;
	r->ms += ms;
	lr_tell_states(r);
	if (n == r->g.n_members)
		lr_check_start(r);
	else
		check_partial(r, first);
	lr_tell_end(r);
}

static uint32_t who_has_nodes(const struct lr_run *r)
{
	uint32_t set = 0;

	for (uint32_t i = 0; i < r->g.n_members; i++)
		set |= (uint32_t)r->jobs[i].has_nodes << i;
	return set;
}

static int watch(struct lr_run *r, double since)
{
	double partial = 0;
	uint32_t first = 0;

	for (;;) {
		double now = lr_now_ms();
		uint32_t n;

		if (lr_look_members(&r->c, &r->g, r->ids, r->jobs))
			return -1;
		n = lr_with_nodes(r);
		if (n && !partial) {
			partial = now;
			first = who_has_nodes(r);
		}
		partial = n ? partial : 0;
		if (n == r->g.n_members || (n && now > partial + REST_MS)) {
			began(r, first, now - since);
			return 0;
		}
		if (!n && lr_says_why(r) && now > since + 100)
			return lr_check_wait(r, now);
		if (now > since + START_MS) {
			lr_check_silent(r);
			return 0;
		}
		lr_nap();
	}
}

static int one_gang(struct lr_run *r, uint64_t seed, uint32_t number, bool skip)
{
	uint64_t random = seed * UINT64_C(0x2545f4914f6cdd1d) + number;
	double since;
	int rc;

	lr_random(&random, 2);
	lr_random(&random, 2);
	r->told = false;
	r->g.number = number;
	since = lr_now_ms();
	if (lr_fill(r, &random) || lr_settle(r))
		return -1;
	r->fill_ms += lr_now_ms() - since;
	lr_make_gang(&r->c, &r->g, &random);
	if (skip)
		return 0;
	r->gangs++;
	since = lr_now_ms();
	memset(r->ids, 0, sizeof(r->ids));
	if (lr_submit(&r->c, &r->g, r->ids)) {
		r->refused++;
		rc = 0;
		lr_check_refused(r);
	} else {
		rc = watch(r, since);
	}
	r->wait_ms += lr_now_ms() - since;
	if (r->told && getenv("ASK")) {
		fflush(stdout);
		if (system(getenv("ASK")))
			printf("# ASK failed\n");
	}
	since = lr_now_ms();
	if (!rc)
		rc = lr_cancel(&r->c, &r->g, r->ids, r->g.n_members);
	r->cancel_ms += lr_now_ms() - since;
	return rc;
}

static int gangs(char **args)
{
	static struct lr_run r;
	uint64_t seed = strtoull(args[0], NULL, 10);
	uint32_t first = (uint32_t)atoi(args[2]),
		 count = (uint32_t)atoi(args[3]);
	double end = lr_now_ms() + atof(args[4]) * 1e3;
	int rc = 0;

	r.facts = fopen(args[5], "w");
	if (!r.facts) {
		perror(args[5]);
		return 2;
	}
	lr_begin();
	lr_make_cluster(&r.c, seed, lr_kinds(args[1]));
	rc = lr_wake(&r.c);
	for (uint32_t i = 0; i < first + count && !rc && lr_now_ms() < end; i++)
		rc = one_gang(&r, seed, i, i < first);
	printf("# seed %llu: %u nodes, %u started, %u waited, %u refused, "
	       "%u optimal, %u not proved, %u exact, %u not decided, "
	       "%u start times, %u shown, %u on too few nodes, "
	       "%u laid out, %u with islands, auto: %u started (%u chances), %u waited, mean cost %.4f, %.0f ms\n",
	       (unsigned long long)seed, r.c.n_nodes, r.started, r.waited,
	       r.refused, r.optimal, r.unproved, r.exact, r.undecided, r.starts,
	       r.shown, r.fewer, r.laid_out, r.divided, r.chosen, r.chances,
	       r.patient, r.started ? r.over / r.started : 1,
	       r.started ? r.ms / r.started : 0);
	printf("# seed %llu: ms for blockers %.0f, gangs %.0f, cancel %.0f\n",
	       (unsigned long long)seed, r.fill_ms, r.wait_ms, r.cancel_ms);
	printf("%u gangs, %u checked, %u violations\n", r.gangs, r.checked,
	       r.violations);
	fclose(r.facts);
	return rc ? 2 : r.violations > 0;
}

int main(int argc, char **argv)
{
	static struct lr_cluster c;

	if (argc == 8 && !strcmp(argv[1], "gangs"))
		return gangs(argv + 2);
	if (argc != 4) {
		fprintf(stderr, "live_random: see its source\n");
		return 2;
	}
	if (!strcmp(argv[1], "shape")) {
		lr_print_shape((uint32_t)atoi(argv[2]), (uint32_t)atoi(argv[3]),
			       stdout);
		return 0;
	}
	lr_make_cluster(&c, strtoull(argv[2], NULL, 10), lr_kinds(argv[3]));
	if (!strcmp(argv[1], "nodes"))
		lr_print_nodes(&c, stdout);
	else if (!strcmp(argv[1], "conf"))
		lr_print_conf(&c, stdout);
	else
		lr_print_topology(&c, stdout);
	return 0;
}
