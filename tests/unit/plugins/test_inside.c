/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_inside.c - what is used and free inside nodes, by Slurm's own records
 *
 * The records are made here; Slurm's library has the bitmaps and lists. Looks
 * at bits of a bitmap are counted, which is what counting cores costs.
 */

#include "config.h"

#include "../unit.h"
#include "src/common/slurm_xlator.h"
#include "src/common/bitstring.h"
#include "src/common/gres.h"
#include "src/common/job_resources.h"
#include "src/common/list.h"
#include "src/common/select.h"
#include "src/slurmctld/slurmctld.h"

#include "slurm/glue.h"
#include "slurm/gres_share.h"
#include "slurm/inside.h"
#include "slurm/layout.h"
#include "slurm/seats.h"
#include "../core/node_shape.h"

#define NODES_TEST(name) TEST_WITH(name, setup, teardown)

#define NODES 10000
#define CORES 8
#define GPUS 8
#define TYPE_A 1
#define TYPE_B 2

/* ---- slurmctld's own ---- */

List job_list;
int node_record_count = NODES;
node_record_t **node_record_table_ptr;
atomic_uint_fast64_t sgang_events;

extern uint32_t gres_build_id(char *name)
{
	return name[0];
}

extern uint32_t cr_get_coremap_offset(uint32_t node)
{
	return node * CORES;
}

static uint16_t cpus_used;
static uint64_t memory_used;

/* By all jobs, of whatever node. */
extern int select_g_select_nodeinfo_get(dynamic_plugin_data_t *info,
					enum select_nodedata_type what,
					enum node_states state, void *data)
{
	if (what == SELECT_NODEDATA_MEM_ALLOC)
		*(uint64_t *)data = memory_used;
	else
		*(uint16_t *)data = cpus_used;
	return 0;
}

static uint64_t looks;
extern int __real_slurm_bit_test(bitstr_t *bitmap, bitoff_t bit);
extern int __wrap_slurm_bit_test(bitstr_t *bitmap, bitoff_t bit);

int __wrap_slurm_bit_test(bitstr_t *bitmap, bitoff_t bit)
{
	looks++;
	return __real_slurm_bit_test(bitmap, bit);
}

/* ---- a cluster: two islands of four cores and four GPUs in each node ---- */

static struct sgang_fabric *fabric;
static struct sgang_devices *devices;
static struct sgang_node_topo *topo;
static const struct sgang_node_topo **topos;
static node_record_t nodes[NODES];
/* The records here are no memory of Slurm's. */
const void *sgang_layout_gres(const void *record, size_t size)
{
	return record;
}

static gres_node_state_t gpus_of_node;
struct gres_node_state *sgang_layout_node_gres(uint32_t node, uint32_t kind)
{
	return &gpus_of_node;
}

/* GPUs 0 and 1 of each island are of type A, 2 and 3 of type B. */
static uint64_t of_type[2];
static uint32_t type_of[2] = { TYPE_A, TYPE_B };
static bitstr_t *gpu_bitmap[2];

static void make_gpus(void)
{
	gpus_of_node = (gres_node_state_t){
		.topo_cnt = 2,
		.topo_type_id = type_of,
		.topo_gres_bitmap = gpu_bitmap,
		.topo_gres_cnt_alloc = of_type,
	};
	gpus_of_node.gres_bit_alloc = bit_alloc(GPUS);
	for (int t = 0; t < 2; t++)
		gpu_bitmap[t] = bit_alloc(GPUS);
	for (int i = 0; i < GPUS; i++)
		bit_set(gpu_bitmap[i % 4 / 2], i);
}

static int setup(void **state)
{
	static char name[NODES][8];
	static const char *names[NODES];
	uint32_t islands[NODES];

	for (int n = 0; n < NODES; n++) {
		snprintf(name[n], sizeof(name[n]), "n%d", n);
		names[n] = name[n];
		islands[n] = 2;
	}
	fabric = sgang_fabric_flat(names, NODES, NULL);
	devices = sgang_devices_create(fabric, islands, NULL);
	topo = node_shape("two", 2, 4, 4);
	topos = calloc(NODES, sizeof(*topos));
	node_record_table_ptr = calloc(NODES, sizeof(*node_record_table_ptr));
	make_gpus();
	job_list = list_create(NULL);
	for (int n = 0; n < NODES; n++) {
		nodes[n] = (node_record_t){ .tot_cores = CORES, .tpc = 1 };
		node_record_table_ptr[n] = &nodes[n];
		topos[n] = topo;
	}
	sgang_inside_set(devices, topos);
	return 0;
}

static int teardown(void **state)
{
	sgang_inside_set(NULL, NULL);
	for (int n = 0; n < NODES; n++)
		FREE_NULL_BITMAP(nodes[n].node_spec_bitmap);
	FREE_NULL_BITMAP(gpus_of_node.gres_bit_alloc);
	for (int t = 0; t < 2; t++)
		FREE_NULL_BITMAP(gpu_bitmap[t]);
	FREE_NULL_LIST(job_list);
	free(node_record_table_ptr);
	free(topos);
	sgang_node_topo_destroy(topo);
	sgang_devices_destroy(devices);
	sgang_fabric_destroy(fabric);
	return 0;
}

struct job {
	job_record_t record;
	job_resources_t res;
};

/* A job that runs on nodes first to last, on these cores of each. */
static void start(struct job *job, int first, int last, const char *cores)
{
	int from, upto, n = last - first + 1;

	assert_int_equal(sscanf(cores, "%d-%d", &from, &upto), 2);
	memset(job, 0, sizeof(*job));
	job->res.node_bitmap = bit_alloc(NODES);
	job->res.core_bitmap = bit_alloc(n * CORES);
	bit_nset(job->res.node_bitmap, first, last);
	for (int i = 0; i < n; i++)
		bit_nset(job->res.core_bitmap, i * CORES + from,
			 i * CORES + upto);
	job->record.job_state = JOB_RUNNING;
	job->record.job_resrcs = &job->res;
	list_append(job_list, &job->record);
	sgang_events++;
}

static void end(struct job *job)
{
	FREE_NULL_BITMAP(job->res.node_bitmap);
	FREE_NULL_BITMAP(job->res.core_bitmap);
	job->record.job_state = JOB_COMPLETE;
	sgang_events++;
}

/* units(): of a piece of so many cores, and of GPUs by type (0: any). */
struct ask {
	uint64_t cores;
	uint32_t most;
	uint64_t gpus, a, b;
	uint32_t expected[2];
};

static void check_units(const struct ask *ask, const char *what)
{
	const uint64_t counts[] = { ask->gpus, ask->a, ask->b };
	gres_job_state_t js[3] = {
		{ .type_id = 0 },
		{ .type_id = TYPE_A, .type_name = (char *)"a" },
		{ .type_id = TYPE_B, .type_name = (char *)"b" },
	};
	gres_state_t gres[3];
	job_record_t record = { .gres_list_req = list_create(NULL) };
	struct sgang_inside_need need = {
		.job = &record, .cores = ask->cores, .tasks = 1, .nodes = 1
	};
	uint32_t units[2] = { 9, 9 };

	for (int i = 0; i < 3; i++) {
		js[i].gres_per_node = counts[i];
		gres[i] = (gres_state_t){ .plugin_id = 'g',
					  .gres_data = &js[i] };
		if (counts[i])
			list_append(record.gres_list_req, &gres[i]);
	}
	assert_int_equal(sgang_inside_gpus_needed(&record, 1, 1),
			 ask->gpus + ask->a + ask->b);
	sgang_inside_refresh();
	sgang_inside_units(&need, 3, false, ask->most, units);
	if (memcmp(units, ask->expected, sizeof(units)))
		fail_msg("%s: %u and %u fit, expected %u and %u", what,
			 units[0], units[1], ask->expected[0],
			 ask->expected[1]);
	FREE_NULL_LIST(record.gres_list_req);
}

/* So many fit into the two islands. */
#define UNITS(what, first, second, ...)                           \
	check_units(&(struct ask){ .expected = { first, second }, \
				   __VA_ARGS__ },                 \
		    what)

/* 4.20: cores of the islands, and what else is to be had of the node. */
NODES_TEST(test_cores)
{
	struct job job;

	UNITS("empty", 2, 2, .cores = 2, .most = 4);
	/* the rest of the node is for two: they share an island */
	start(&job, 2, 4, "0-1");
	UNITS("half of one", 1, 2, .cores = 2, .most = 3);
	UNITS("two at most", 0, 2, .cores = 2, .most = 2);
	UNITS("one at most", 1, 0, .cores = 2, .most = 1);
	end(&job);
	UNITS("it has ended", 1, 1, .cores = 3, .most = 2);
}

/* Cores that Slurm keeps for itself are no room. */
NODES_TEST(test_special_cores)
{
	nodes[3].node_spec_bitmap = bit_alloc(CORES);
	bit_nset(nodes[3].node_spec_bitmap, 0, CORES - 1);
	bit_clear(nodes[3].node_spec_bitmap, 6);
	UNITS("one of eight", 1, 0, .cores = 4, .most = 1);
	UNITS("single cores", 4, 3, .cores = 1, .most = 7);
}

/* 4.20: every type that is asked for counts, and all together. */
NODES_TEST(test_types)
{
	UNITS("four of any", 1, 1, .most = 4, .gpus = 4);
	UNITS("a:2", 1, 1, .most = 4, .a = 2);
	UNITS("a:2,b:2", 1, 1, .most = 4, .a = 2, .b = 2);
	bit_set(gpus_of_node.gres_bit_alloc, 3);
	UNITS("one b is taken", 0, 1, .most = 4, .a = 2, .b = 2);
	UNITS("a:1,b:1", 1, 2, .most = 4, .a = 1, .b = 1);
	bit_set(gpus_of_node.gres_bit_alloc, 4);
	UNITS("and one a", 0, 0, .most = 4, .a = 2, .b = 2);
}

/* Busy cores are counted again only after a job began or ended. */
NODES_TEST(test_cache)
{
	struct ask ask = { .cores = 4, .most = 2, .expected = { 0, 1 } };
	struct job job;

	start(&job, 0, NODES - 1, "0-0");
	looks = 0;
	check_units(&ask, "first");
	assert_true(looks >= NODES * CORES);
	looks = 0;
	check_units(&ask, "again");
	assert_int_equal(looks, 0);
	end(&job);
	ask.expected[0] = 1;
	check_units(&ask, "ended");
}

/* What a job has of its nodes is found in a time that grows as they do. */
NODES_TEST(test_of_job)
{
	struct job job, other;
	uint32_t part[SGANG_ISLANDS_MAX];

	start(&job, 10, NODES - 1, "3-5");
	start(&other, 5, 12, "6-7");
	bit_clear(job.res.core_bitmap, (7000 - 10) * CORES + 3);
	looks = 0;
	for (uint32_t i = 0; i < NODES - 10; i++) {
		uint32_t n = 10 + (i * 7) % (NODES - 10);

		assert_true(sgang_inside_of_job(&job.record, n, part));
		if (part[0] != (n != 7000) || part[1] != 2)
			fail_msg("node %u: %u and %u", n, part[0], part[1]);
	}
	assert_true(looks < (uint64_t)NODES * (CORES + 4));
	assert_true(sgang_inside_of_job(&other.record, 5, part));
	assert_int_equal(part[0], 0);
	assert_int_equal(part[1], 2);
	assert_false(sgang_inside_of_job(&other.record, 4, part));
	end(&job);
	end(&other);
}

/* GPUs of two types are two records. */
NODES_TEST(test_gpus_of_job)
{
	bitstr_t *bits[2] = { bit_alloc(GPUS), bit_alloc(GPUS) };
	gres_job_state_t js[2] = {
		{ .node_cnt = 1, .gres_bit_alloc = &bits[0] },
		{ .node_cnt = 1, .gres_bit_alloc = &bits[1] },
	};
	gres_state_t gres[2] = {
		{ .plugin_id = 'g', .gres_data = &js[0] },
		{ .plugin_id = 'g', .gres_data = &js[1] },
	};
	uint32_t part[SGANG_ISLANDS_MAX];
	struct job job;

	start(&job, 3, 3, "0-0");
	job.record.gres_list_alloc = list_create(NULL);
	list_append(job.record.gres_list_alloc, &gres[0]);
	list_append(job.record.gres_list_alloc, &gres[1]);
	bit_nset(bits[0], 0, 1);
	bit_set(bits[1], 6);
	assert_true(sgang_inside_of_job(&job.record, 3, part));
	assert_int_equal(part[0], 2);
	assert_int_equal(part[1], 1);
	FREE_NULL_LIST(job.record.gres_list_alloc);
	FREE_NULL_BITMAP(bits[0]);
	FREE_NULL_BITMAP(bits[1]);
	end(&job);
}

/* ---- jobs that are left out (seats.h) ---- */

static void leave_out(const struct job *const *jobs, size_t n)
{
	sgang_seats_refresh();
	sgang_seats_keep_all();
	for (size_t i = 0; i < n; i++)
		sgang_seats_leave_out(&jobs[i]->record);
	sgang_seats_left_out();
}

static uint32_t cpus_gone(uint32_t node)
{
	const struct sgang_gone *gone = sgang_seats_gone(node);

	return gone ? gone->cpus : UINT32_MAX;
}

/* 3.29: cores of islands, CPUs and memory; and all is as before afterwards. */
NODES_TEST(test_left_out)
{
	struct ask ask = { .cores = 4, .most = 2, .expected = { 0, 0 } };
	uint64_t memory[] = { 100, 200, 300 };
	struct job a, b;

	start(&a, 2, 4, "0-3");
	start(&b, 3, 3, "4-5");
	a.res.memory_allocated = memory;
	a.res.nhosts = 3;
	cpus_used = 6;
	check_units(&ask, "both");
	leave_out((const struct job *[]){ &a }, 1);
	ask.expected[0] = 1;
	check_units(&ask, "without the first");
	assert_int_equal(cpus_gone(3), 4);
	assert_int_equal(sgang_seats_gone(3)->memory, 200);
	assert_int_equal(sgang_seats_gone(3)->running, 1);
	assert_null(sgang_seats_gone(5));
	leave_out((const struct job *[]){ &a, &b, &a }, 3);
	ask.expected[1] = 1;
	check_units(&ask, "without both");
	assert_int_equal(cpus_gone(3), 6);
	assert_int_equal(sgang_seats_gone(3)->running, 2);
	leave_out(NULL, 0);
	ask.expected[0] = ask.expected[1] = 0;
	check_units(&ask, "both again");
	assert_null(sgang_seats_gone(3));
	end(&a);
	end(&b);
	/* the first node is one like others */
	start(&a, 0, 1, "0-3");
	leave_out((const struct job *[]){ &a }, 1);
	assert_int_equal(cpus_gone(0), 4);
	assert_int_equal(cpus_gone(1), 4);
	leave_out(NULL, 0);
	end(&a);
}

/* 3.29: a core is free when the last that has it is left out; what scontrol
 * suspend has stopped has none. */
NODES_TEST(test_left_out_shared)
{
	struct job a, b, c;

	start(&a, 3, 3, "0-3");
	start(&b, 3, 3, "2-5");
	start(&c, 3, 3, "0-7");
	a.record.priority = b.record.priority = 1;
	c.record.job_state = JOB_SUSPENDED;
	cpus_used = 6;
	leave_out((const struct job *[]){ &a }, 1);
	assert_int_equal(cpus_gone(3), 2);
	leave_out((const struct job *[]){ &c }, 1);
	assert_int_equal(cpus_gone(3), 0);
	assert_int_equal(sgang_seats_gone(3)->running, 0);
	leave_out((const struct job *[]){ &a, &b, &c }, 3);
	assert_int_equal(cpus_gone(3), 6);
	end(&a);
	end(&b);
	end(&c);
}

/* Of what is not known nothing is free, and nothing breaks. */
NODES_TEST(test_left_out_unknown)
{
	job_record_t without_resources = { .job_state = JOB_RUNNING };
	job_record_t pending = { .job_state = JOB_PENDING };
	struct job a, small;

	start(&a, 1, 4, "0-1");
	start(&small, 5, 6, "0-1");
	FREE_NULL_BITMAP(small.res.core_bitmap);
	small.res.core_bitmap = bit_alloc(CORES + 1);
	node_record_table_ptr[2] = NULL;
	cpus_used = 2;
	list_append(job_list, &without_resources);
	leave_out((const struct job *[]){ &a, &small }, 2);
	assert_int_equal(cpus_gone(1), 2);
	assert_null(sgang_seats_gone(2));
	assert_null(sgang_seats_gone(3));
	assert_int_equal(cpus_gone(5), 0);
	assert_null(sgang_seats_gone(6));
	sgang_seats_leave_out(&without_resources);
	sgang_seats_leave_out(&pending);
	/* a job that has ended has no seats any more */
	end(&a);
	leave_out((const struct job *[]){ &a }, 1);
	assert_null(sgang_seats_gone(1));
	node_record_table_ptr[2] = &nodes[2];
	end(&small);
}

/* 3.29: where a job is completing it has nothing any more but the node. */
NODES_TEST(test_left_out_completing)
{
	struct job a;

	start(&a, 3, 4, "0-3");
	a.record.job_state = JOB_COMPLETE | JOB_COMPLETING;
	a.record.node_bitmap_cg = bit_alloc(NODES);
	bit_set(a.record.node_bitmap_cg, 4);
	sgang_events++;
	cpus_used = 0;
	leave_out((const struct job *[]){ &a }, 1);
	assert_null(sgang_seats_gone(3));
	assert_int_equal(cpus_gone(4), 0);
	assert_int_equal(sgang_seats_gone(4)->completing, 1);
	assert_int_equal(sgang_seats_gone(4)->running, 0);
	FREE_NULL_BITMAP(a.record.node_bitmap_cg);
	end(&a);
}

/* 3.29: GPUs by index are those of the jobs that stay. */
NODES_TEST(test_left_out_gpus)
{
	bitstr_t *bits = bit_alloc(GPUS);
	gres_job_state_t js = { .node_cnt = 1, .gres_bit_alloc = &bits };
	gres_state_t gres = { .plugin_id = 'g', .gres_data = &js };
	struct ask ask = { .most = 4, .gpus = 4, .expected = { 0, 1 } };
	struct job job;

	start(&job, 3, 3, "0-0");
	job.record.gres_list_alloc = list_create(NULL);
	list_append(job.record.gres_list_alloc, &gres);
	bit_nset(bits, 0, 2);
	bit_nset(gpus_of_node.gres_bit_alloc, 0, 2);
	check_units(&ask, "taken");
	leave_out((const struct job *[]){ &job }, 1);
	ask.expected[0] = 1;
	check_units(&ask, "without the job");
	assert_int_equal(sgang_seats_gres_gone(3, 'g', false, 0), 3);
	assert_int_equal(sgang_seats_gres_gone(3, 'g', true, TYPE_A), 2);
	assert_int_equal(sgang_seats_gres_gone(3, 'g', true, TYPE_B), 1);
	assert_int_equal(sgang_seats_gres_gone(3, 'x', false, 0), 0);
	assert_int_equal(sgang_seats_gres_gone(4, 'g', false, 0), 0);
	leave_out(NULL, 0);
	assert_int_equal(sgang_seats_gres_gone(3, 'g', false, 0), 0);
	FREE_NULL_LIST(job.record.gres_list_alloc);
	FREE_NULL_BITMAP(bits);
	end(&job);
}

/* ---- shares of GRES (gres_share.h) ---- */

/* By node, as bits: the first is of GPU 0. */
struct share {
	uint32_t type;  /* asked for; 0: any */
	uint8_t used;   /* before */
	uint8_t answer; /* what Slurm has chosen */
	uint32_t share;
	uint8_t free; /* while it is bound */
};

static void put_bits(bitstr_t *to, uint8_t bits)
{
	for (int i = 0; i < GPUS; i++) {
		if (bits >> i & 1)
			bit_set(to, i);
		else
			bit_clear(to, i);
	}
}

/* Node 3 has such GPUs, and the records of all are one. */
static void use_gpus(uint8_t used)
{
	static uint64_t avail[2] = { 4, 4 };

	put_bits(gpus_of_node.gres_bit_alloc, used);
	gpus_of_node.gres_cnt_avail = GPUS;
	gpus_of_node.gres_cnt_alloc = __builtin_popcount(used);
	gpus_of_node.topo_gres_cnt_avail = avail;
	for (int t = 0; t < 2; t++)
		of_type[t] = bit_overlap(gpu_bitmap[t],
					 gpus_of_node.gres_bit_alloc);
}

static void check_free(const struct share *s, const char *when, uint8_t free)
{
	for (int i = 0; i < GPUS; i++) {
		if (bit_test(gpus_of_node.gres_bit_alloc, i) == (free >> i & 1))
			fail_msg("%s, share %u of %02x: %d", when, s->share,
				 s->used, i);
	}
	for (int t = 0; t < 2; t++)
		assert_int_equal(of_type[t],
				 bit_overlap(gpu_bitmap[t],
					     gpus_of_node.gres_bit_alloc));
}

static void check_share(const struct share *s)
{
	bitstr_t *answers[4] = { [3] = bit_alloc(GPUS) };
	uint64_t counts[4] = { [3] = __builtin_popcount(s->answer) };
	uint32_t share[NODES] = { [3] = s->share };
	gres_job_state_t js = { .type_id = s->type,
				.type_name = s->type ? (char *)"x" : NULL,
				.gres_per_job = 4,
				.gres_bit_select = answers,
				.gres_cnt_node_select = counts };
	gres_state_t gres = { .plugin_id = 'g', .gres_data = &js };
	struct sgang_gres_bound *bound;
	struct job job;
	uint64_t left = GPUS - __builtin_popcount(s->used);

	start(&job, 3, 3, "0-0");
	job.record.gres_list_req = list_create(NULL);
	list_append(job.record.gres_list_req, &gres);
	put_bits(answers[3], s->answer);
	use_gpus(s->used);
	assert_int_equal(sgang_gres_share_exceeded(&job.record, share),
			 counts[3] > s->share);
	bound = sgang_gres_share_bind(&job.record, job.res.node_bitmap, share);
	assert_non_null(bound);
	check_free(s, "bound", s->free);
	assert_int_equal(gpus_of_node.gres_cnt_avail -
				 gpus_of_node.gres_cnt_alloc,
			 left < s->share ? left : s->share);
	sgang_gres_share_unbind(bound);
	check_free(s, "as before", (uint8_t)~s->used);
	assert_int_equal(gpus_of_node.gres_cnt_alloc, GPUS - left);
	FREE_NULL_LIST(job.record.gres_list_req);
	FREE_NULL_BITMAP(answers[3]);
	end(&job);
}

/* 4.20: the GPUs of a share that are free are those of the answer first. */
NODES_TEST(test_share_of_gpus)
{
	static const struct share cases[] = {
		{ .share = 2, .free = 0x03 },
		{ .share = 2, .answer = 0xc0, .free = 0xc0 },
		{ .share = 1, .answer = 0xc0, .free = 0x40 },
		{ .share = 3, .answer = 0xc0, .free = 0xc1 },
		{ .share = 2, .used = 0x01, .free = 0x12 },
		{ .share = 8, .free = 0xff },
		{ .share = 5, .used = 0x0f, .free = 0xf0 },
		/* those of other types are as before */
		{ .type = TYPE_B, .share = 1, .free = 0x37 },
		{ .type = TYPE_B, .share = 1, .answer = 0x88, .free = 0x3b },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_share(&cases[i]);
}

/* GPUs without an index, near to cores or not, and of types alone. */
NODES_TEST(test_share_of_counts)
{
	uint32_t share[NODES] = { [3] = 3 };
	uint64_t type_alloc[2] = { 1, 0 }, type_avail[2] = { 4, 4 };
	gres_job_state_t js = { .gres_per_job = 4 };
	gres_state_t gres = { .plugin_id = 'g', .gres_data = &js };
	gres_node_state_t before = gpus_of_node;
	struct sgang_gres_bound *bound;
	struct job job;

	start(&job, 3, 3, "0-0");
	job.record.gres_list_req = list_create(NULL);
	list_append(job.record.gres_list_req, &gres);
	use_gpus(0x01);
	gpus_of_node.gres_bit_alloc = NULL;
	gpus_of_node.type_cnt = 2;
	gpus_of_node.type_id = type_of;
	gpus_of_node.type_cnt_alloc = type_alloc;
	gpus_of_node.type_cnt_avail = type_avail;
	assert_false(sgang_gres_share_exceeded(&job.record, share));
	bound = sgang_gres_share_bind(&job.record, job.res.node_bitmap, share);
	assert_int_equal(of_type[0], 1);
	assert_int_equal(of_type[1], 4);
	assert_int_equal(type_alloc[0], 1);
	assert_int_equal(type_alloc[1], 4);
	assert_int_equal(gpus_of_node.gres_cnt_alloc, 5);
	sgang_gres_share_unbind(bound);
	assert_int_equal(of_type[1], 0);
	assert_int_equal(type_alloc[1], 0);
	assert_int_equal(gpus_of_node.gres_cnt_alloc, 1);
	/* what is not consumed has no share, and no more has another request */
	gpus_of_node.no_consume = true;
	bound = sgang_gres_share_bind(&job.record, job.res.node_bitmap, share);
	assert_int_equal(gpus_of_node.gres_cnt_alloc, 1);
	sgang_gres_share_unbind(bound);
	list_append(job.record.gres_list_req, &gres);
	assert_null(
		sgang_gres_share_bind(&job.record, job.res.node_bitmap, share));
	sgang_gres_share_unbind(NULL);
	gpus_of_node = before;
	FREE_NULL_LIST(job.record.gres_list_req);
	end(&job);
}

/* 4.22: the GPUs of an answer are near to the planned cores, or it is asked
 * again. */
NODES_TEST(test_answer_near)
{
	static const struct {
		uint8_t answer;
		uint32_t island; /* of node 3 */
		bool near;
	} cases[] = {
		{ 0x0f, 0, true },
		{ 0x0f, 1, false },
		{ 0x80, 1, true },
		{ 0x18, 1, false },
	};
	bitstr_t *answers[4] = { [3] = bit_alloc(GPUS) };
	gres_job_state_t js = { .gres_per_node = 4,
				.gres_bit_select = answers };
	gres_state_t gres = { .plugin_id = 'g', .gres_data = &js };
	bitstr_t *cores[2] = { bit_alloc(CORES), bit_alloc(CORES) };
	uint32_t first = devices->first[3];
	struct job job;

	start(&job, 3, 3, "0-0");
	job.record.gres_list_req = list_create(NULL);
	list_append(job.record.gres_list_req, &gres);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sgang_nodeset *islands =
			sgang_nodeset_create(devices->first[NODES]);

		sgang_nodeset_add(islands, first + cases[i].island);
		put_bits(answers[3], cases[i].answer);
		gpus_of_node.topo_core_bitmap = cores;
		assert_int_equal(sgang_inside_answer_near(&job.record, islands),
				 cases[i].near);
		/* near to all cores */
		gpus_of_node.topo_core_bitmap = NULL;
		assert_true(sgang_inside_answer_near(&job.record, islands));
		/* another node is not confined */
		gpus_of_node.topo_core_bitmap = cores;
		sgang_nodeset_clear(islands);
		assert_true(sgang_inside_answer_near(&job.record, islands));
		/* which of its cores, if it spans both? */
		sgang_nodeset_add(islands, first);
		sgang_nodeset_add(islands, first + 1);
		assert_false(sgang_inside_answer_near(&job.record, islands));
		sgang_nodeset_clear(islands);
		/* without an index */
		sgang_nodeset_add(islands, first + cases[i].island);
		js.gres_bit_select = NULL;
		assert_false(sgang_inside_answer_near(&job.record, islands));
		js.gres_bit_select = answers;
		sgang_nodeset_destroy(islands);
	}
	gpus_of_node.topo_core_bitmap = NULL;
	for (int t = 0; t < 2; t++)
		FREE_NULL_BITMAP(cores[t]);
	FREE_NULL_LIST(job.record.gres_list_req);
	FREE_NULL_BITMAP(answers[3]);
	end(&job);
}

/* Cores 0 and 1 of node 3 are in use, of two threads each. What is left out of
 * the others: all but those for so many CPUs. */
NODES_TEST(test_beyond)
{
	static const struct {
		uint32_t cpus, per_core;
		const char *left_out;
	} cases[] = {
		{ 4, UINT32_MAX, "4-7" },
		{ 4, 2, "4-7" },
		{ 4, 1, "6-7" },
		{ 3, UINT32_MAX, "4-7" },
		{ 5, 4, "5-7" },
		{ 12, UINT32_MAX, "" },
		{ 6, 1, "" },
	};
	struct sgang_nodeset *only = sgang_nodeset_create(NODES);
	uint32_t *cpus = calloc(NODES, sizeof(*cpus));
	struct job job, elsewhere;

	start(&job, 3, 3, "0-1");
	start(&elsewhere, 4, 5, "0-7");
	nodes[3].tpc = 2;
	sgang_nodeset_add(only, 3);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		bitstr_t *all = bit_alloc(NODES * CORES);
		bitstr_t *of_node = bit_alloc(CORES);
		char *text;

		cpus[3] = cases[i].cpus;
		sgang_inside_beyond(only, cpus, cases[i].per_core, all);
		for (int core = 0; core < CORES; core++) {
			if (bit_test(all, 3 * CORES + core))
				bit_set(of_node, core);
		}
		assert_int_equal(bit_set_count(all), bit_set_count(of_node));
		text = bit_fmt_full(of_node);
		assert_string_equal(text ? text : "", cases[i].left_out);
		xfree(text);
		FREE_NULL_BITMAP(of_node);
		FREE_NULL_BITMAP(all);
	}
	end(&job);
	end(&elsewhere);
	free(cpus);
	sgang_nodeset_destroy(only);
}

/* A call costs the nodes of those who are left out, not those of all. */
NODES_TEST(test_left_out_cost)
{
	static struct job jobs[2000];
	const struct job *out[2000];

	for (int i = 0; i < 2000; i++) {
		start(&jobs[i], 5 * i, 5 * i + 4, "0-3");
		out[i] = &jobs[i];
	}
	cpus_used = 4;
	leave_out(out, 1);
	looks = 0;
	for (int i = 0; i < 24; i++)
		leave_out(out + i, 10);
	assert_int_equal(looks, 0);
	leave_out(out, 2000);
	assert_int_equal(cpus_gone(NODES - 1), 4);
	assert_int_equal(looks, 0);
	for (int i = 0; i < 2000; i++)
		end(&jobs[i]);
}

TEST_MAIN(NULL, NULL)
