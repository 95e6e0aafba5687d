/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_site.c - clusters as slurm.conf and scontrol tell them (8.1)
 *
 * A case is a file and either what it becomes or the message. To add one add a
 * row.
 */

#include "../unit.h"
#include "../texts.h"
#include "../core/fail_alloc.h"
#include "core/base/hostlist.h"
#include "twin/site.h"

struct trial {
	const char *about;
	const char *text;
	/* Nodes "name cpus/memory gpus=N w=N", partitions
	 * "name[default]: nodes ...", then what of scheduling is not as it is
	 * by default; or the message behind the path. */
	const char *expected;
};

static void describe_node(const struct sgang_site_node *node, FILE *out)
{
	fprintf(out, "%s %u/%" PRIu64, node->name, node->cpus, node->memory);
	if (node->gpus)
		fprintf(out, " gpus=%u", node->gpus);
	if (node->weight != 1)
		fprintf(out, " w=%u", node->weight);
	fputc('\n', out);
}

static void describe_time(const char *name, uint32_t seconds, FILE *out)
{
	if (seconds != UINT32_MAX)
		fprintf(out, " %s=%u", name, seconds);
}

static char *fold_nodes(const struct sgang_site *site,
			const struct sgang_nodeset *nodes)
{
	const char **names = calloc(site->n_nodes + 1, sizeof(*names));
	size_t n = 0;
	char *list;

	assert_int_equal(sgang_nodeset_size(nodes), site->n_nodes);
	for (uint32_t i = 0; i < site->n_nodes; i++)
		if (sgang_nodeset_has(nodes, i))
			names[n++] = site->names[i];
	list = sgang_hostlist_fold(names, n);
	free(names);
	return list;
}

static void describe_partition(const struct sgang_site *site,
			       const struct sgang_site_partition *partition,
			       FILE *out)
{
	char *list = fold_nodes(site, partition->nodes);

	fprintf(out, "%s%s: %s", partition->name,
		partition->by_default ? "*" : "", list);
	free(list);
	if (partition->tier != 1 || partition->job_factor != 1)
		fprintf(out, " tier=%u factor=%u", partition->tier,
			partition->job_factor);
	describe_time("max", partition->max_time, out);
	describe_time("default", partition->default_time, out);
	fprintf(out, "%s%s%s\n", partition->whole ? " whole" : "",
		partition->preempted ? " preempted" : "",
		partition->requeues ? " requeues" : "");
}

/* The fields that are not as 'plain' has them. */
static void describe_scheduling(const struct sgang_site_scheduling *s,
				const struct sgang_site_scheduling *plain,
				FILE *out)
{
#define SAY(field)                                       \
	do {                                             \
		if (s->field != plain->field)            \
			fprintf(out, "%s=%u\n", #field,  \
				(unsigned int)s->field); \
	} while (0)
	SAY(backfill);
	SAY(interval);
	SAY(queue_depth);
	SAY(bf_interval);
	SAY(bf_window);
	SAY(bf_resolution);
	SAY(bf_max_job_test);
	SAY(bf_max_job_user);
	SAY(bf_min_prio_reserve);
	SAY(bf_min_age_reserve);
	SAY(bf_job_part_count_reserve);
	SAY(bf_max_job_part);
	SAY(bf_max_job_start);
	SAY(part_depth);
	SAY(max_start);
	SAY(bf_continue);
	SAY(multifactor);
	SAY(weight_age);
	SAY(weight_fairshare);
	SAY(weight_job_size);
	SAY(weight_partition);
	SAY(max_age);
	SAY(half_life);
	SAY(favor_small);
	SAY(preempts);
	SAY(whole_nodes);
	SAY(counts_memory);
	SAY(kill_wait);
	SAY(min_job_age);
	SAY(requeue_delay);
#undef SAY
}

static char *describe(const struct sgang_site *site)
{
	struct sgang_site_scheduling plain;
	FILE *out = printing();

	for (size_t i = 0; i < site->n_nodes; i++) {
		describe_node(&site->nodes[i], out);
		assert_string_equal(site->names[i], site->nodes[i].name);
	}
	for (size_t i = 0; i < site->n_partitions; i++)
		describe_partition(site, &site->partitions[i], out);
	sgang_site_default(&plain);
	describe_scheduling(&site->scheduling, &plain, out);
	if (site->passed_over)
		fprintf(out, "passed over: %s\n", site->passed_over);
	return printed();
}

static char *outcome(const char *file)
{
	struct sgang_error err;
	struct sgang_site *site;
	char *text;

	write_text(scratch_path, file);
	site = sgang_site_load(scratch_path, &err);
	if (!site) {
		assert_int_equal(errno, EINVAL);
		assert_memory_equal(err.text, scratch_path,
				    strlen(scratch_path));
		return strdup(err.text + strlen(scratch_path));
	}
	text = describe(site);
	sgang_site_destroy(site);
	return text;
}

static const struct trial trials[] = {
	/* -- slurm.conf -- */
	{ "the least", "NodeName=n1\n", "n1 1/0\nall*: n1\n" },
	{ "defaults, comments, lines that go on, Windows, no last line end",
	  "# a site\r\nClusterName=x JobSubmitPlugins=\"\"\r\n"
	  "NodeName=DEFAULT CPUs=8 \\\r\n RealMemory=1000 Weight=5 # all\r\n"
	  "nodename=n[1-2,10]\r\nNodeName=b1 CPUs=2 weight=1 Gres=gpu:a100:4\r\n"
	  "PartitionName=DEFAULT MaxTime=60 State=UP\r\n"
	  "PartitionName=p Nodes=ALL Default=YES\r\n"
	  "PartitionName=q Nodes=n[2,10] MaxTime=INFINITE DefaultTime=2:00:00 "
	  "OverSubscribe=EXCLUSIVE PriorityTier=3 PriorityJobFactor=7",
	  "b1 2/1000 gpus=4\nn1 8/1000 w=5\nn2 8/1000 w=5\nn10 8/1000 w=5\n"
	  "p*: b1,n[1-2,10] max=3600 default=3600\n"
	  "q: n[2,10] tier=3 factor=7 default=7200 whole\n" },
	{ "CPUs by their places",
	  "NodeName=a Sockets=2 CoresPerSocket=8 ThreadsPerCore=2\n"
	  "NodeName=b Boards=2 SocketsPerBoard=2 CoresPerSocket=4\n"
	  "NodeName=c Sockets=2 CoresPerSocket=8 ThreadsPerCore=2 CPUs=16\n",
	  "a 32/0\nb 16/0\nc 16/0\nall*: a,b,c\n" },
	{ "generic resources",
	  "NodeName=a Gres=gpu\nNodeName=b Gres=gpu:a100\n"
	  "NodeName=c Gres=gpu:a100:3(S:0,1),gpu:h100:2(S:1),mps:400\n"
	  "NodeName=d Gres=gpux:4,nic:2,gpu:no_consume:4\nNodeName=e Gres=\"\"\n",
	  "a 1/0 gpus=1\nb 1/0 gpus=1\nc 1/0 gpus=5\nd 1/0 gpus=4\ne 1/0\n"
	  "all*: a,b,c,d,e\n" },
	{ "nodes to come are left out, clouds are not",
	  "NodeName=f[1-9] State=FUTURE\nNodeName=c1 State=CLOUD\n"
	  "PartitionName=p Nodes=f[1-3],c1\nPartitionName=q\n",
	  "c1 1/0\np: c1\nq: \n" },
	{ "sets of nodes",
	  "PartitionName=p Nodes=big,c,n3\nPartitionName=q Nodes=ALL\n"
	  "NodeSet=big Feature=fat Nodes=n1\nNodeSet=c Nodes=d\n"
	  "NodeSet=d Nodes=n5\n"
	  "NodeName=n[1-4]\nNodeName=n[5-6]\nNodeName=n[7-8] "
	  "Features=red,fat\nNodeName=n9 Feature=fatter\n",
	  "n1 1/0\nn2 1/0\nn3 1/0\nn4 1/0\nn5 1/0\nn6 1/0\nn7 1/0\nn8 1/0\n"
	  "n9 1/0\np: n[1,3,5,7-8]\nq: n[1-9]\n" },
	{ "scheduling",
	  "NodeName=n1\nSchedulerType=sched/builtin KillWait=1 MinJobAge=2\n"
	  "SchedulerParameters=bf_window=2880,bf_continue,bf_interval=60,"
	  "bf_resolution=300,bf_max_job_test=1000,bf_max_job_user=20,nohold,"
	  "bf_min_prio_reserve=5,default_queue_depth=50,sched_interval=-1\n"
	  "PriorityType=priority/basic PriorityMaxAge=1-0\n"
	  "PriorityDecayHalfLife=0 PriorityFavorSmall=YES\n"
	  "PriorityWeightAge=1 PriorityWeightFairshare=2\n"
	  "PriorityWeightJobSize=3 PriorityWeightPartition=4\n",
	  "n1 1/0\nall*: n1\nbackfill=0\ninterval=4294967295\nqueue_depth=50\n"
	  "bf_interval=60\nbf_window=172800\nbf_resolution=300\n"
	  "bf_max_job_test=1000\nbf_max_job_user=20\nbf_min_prio_reserve=5\n"
	  "bf_continue=1\nmultifactor=0\nweight_age=1\nweight_fairshare=2\n"
	  "weight_job_size=3\nweight_partition=4\nmax_age=86400\n"
	  "half_life=0\nfavor_small=1\nkill_wait=1\nmin_job_age=2\n"
	  "passed over: nohold\n" },
	{ "SchedulerParameters: known, without effect, and others, once",
	  "NodeName=n1\n"
	  "SchedulerParameters=bf_job_part_count_reserve=3,max_rpc_cnt=9,defer,"
	  "bf_max_job_part=4,bf_yield_sleep=1,bf_window_linear=5,Defer,"
	  "bf_max_job_start=5,bf_min_age_reserve=6,partition_job_depth=7,,"
	  "sched_max_job_start=8,bf_window\n",
	  "n1 1/0\nall*: n1\nbf_min_age_reserve=6\n"
	  "bf_job_part_count_reserve=3\nbf_max_job_part=4\n"
	  "bf_max_job_start=5\npart_depth=7\nmax_start=8\n"
	  "passed over: defer,bf_window_linear,bf_window\n" },
	{ "preemption",
	  "PreemptType=preempt/partition_prio\nPreemptMode=REQUEUE\n"
	  "NodeName=n1\nPartitionName=a\nPartitionName=b PreemptMode=off\n"
	  "PartitionName=c PreemptMode=cancel\n",
	  "n1 1/0\na:  preempted requeues\nb: \nc:  preempted\npreempts=1\n" },
	{ "CPUs do not count", "NodeName=n1\nSelectTypeParameters=CR_Memory\n",
	  "n1 1/0\nall*: n1\nwhole_nodes=1\n" },
	{ "memory does not count",
	  "NodeName=n1\nSelectType=select/cons_tres\n"
	  "SelectTypeParameters=CR_CORE,CR_LLN\n",
	  "n1 1/0\nall*: n1\ncounts_memory=0\n" },
	{ "both count", "NodeName=n1\nSelectTypeParameters=CR_Core_Memory\n",
	  "n1 1/0\nall*: n1\n" },
	{ "whole nodes", "NodeName=n1\nSelectType=select/linear\n",
	  "n1 1/0\nall*: n1\nwhole_nodes=1\ncounts_memory=0\n" },
	/* -- slurm.conf that is none -- */
	{ "nothing", "",
	  ": it has no nodes, expected lines NodeName=... of slurm.conf or of "
	  "scontrol show node -o" },
	{ "a table", "PARTITION AVAIL\n",
	  ":1: expected Key=Value, found \"PARTITION AVAIL\"" },
	{ "a bad number", "NodeName=n1\n\nNodeName=n2 CPUs=many\n",
	  ":3: CPUs=many: expected a number from 0 to 4294967294" },
	{ "a bad list", "NodeName=n[1-\n",
	  ":1: NodeName: node list \"n[1-\": expected a number or a range like 1-4 in the bracket" },
	{ "a node twice", "NodeName=n[1-3]\nNodeName=n2\n",
	  ":2: the node \"n2\" is defined twice, first in line 1" },
	{ "a partition twice",
	  "NodeName=n1\nPartitionName=p\nPartitionName=p\n",
	  ":3: the partition \"p\" is defined twice, first in line 2" },
	{ "a partition of no nodes", "NodeName=n1\nPartitionName=p Nodes=m1\n",
	  ":2: there is no node and no set of nodes \"m1\", expected one of "
	  "NodeName= or NodeSet=" },
	{ "a set of itself",
	  "NodeName=n1\nNodeSet=s Nodes=s\n"
	  "PartitionName=p Nodes=s\n",
	  ":3: there is no node and no set of nodes \"s\", expected one of "
	  "NodeName= or NodeSet=" },
	{ "a bad time", "NodeName=n1\nPartitionName=p MaxTime=soon\n",
	  ":2: MaxTime=soon: expected minutes, or a duration such as "
	  "1-12:30:00" },
	{ "a bad parameter", "NodeName=n1\nSchedulerParameters=bf_window=x\n",
	  ":2: bf_window=x: expected a number from 0 to 4294967294" },
	{ "a bad resource", "NodeName=n1 Gres=gpu:4x\n",
	  ":1: expected Gres=gpu:TYPE:NUMBER, found \"gpu:4x\"" },
	/* -- scontrol -- */
	{ "what scontrol prints of nodes",
	  "NodeName=n2 Arch=x86_64 CoresPerSocket=1 CPUAlloc=0 CPUEfctv=63 "
	  "CPUTot=64 CPULoad=0.01 Gres=gpu:a100:8(S:0-1) NodeAddr=n2 "
	  "OS=Linux 5.10.0 #1 SMP Debian RealMemory=1000 State=IDLE "
	  "Weight=3 Owner=N/A Partitions=a,b Comment=Weight=4 x Weight=9 \n"
	  "NodeName=n1 CPUTot=2 Gres=(null) RealMemory=10 Weight=1 "
	  "Partitions=b \n\n"
	  "NodeName=n3 CPUTot=2 RealMemory=10 Weight=1",
	  "n1 2/10\nn2 64/1000 gpus=8 w=3\nn3 2/10\na: n2\nb: n[1-2]\n" },
	{ "... and of partitions, in several lines",
	  "NodeName=n1 Arch=x86_64\n   CPUAlloc=0 CPUTot=4\n"
	  "   RealMemory=10 Partitions=z\n\nNodeName=n2 CPUTot=4\n"
	  "PartitionName=p\n   Default=YES QoS=N/A\n"
	  "   DefaultTime=NONE MaxTime=1-00:00:00 Nodes=n[1-2]\n"
	  "   PriorityJobFactor=2 PriorityTier=3 OverSubscribe=EXCLUSIVE\n"
	  "   PreemptMode=REQUEUE\n\n"
	  "PartitionName=e Nodes=(null) DefaultTime=00:10:00 "
	  "MaxTime=UNLIMITED OverSubscribe=NO PreemptMode=OFF\n",
	  "n1 4/10\nn2 4/0\np*: n[1-2] tier=3 factor=2 max=86400 "
	  "default=86400 whole preempted requeues\ne:  default=600\n" },
	{ "a partition without its nodes",
	  "NodeName=n1 CPUTot=1\nPartitionName=p Nodes=n[1-2]\n",
	  ":2: there is no node and no set of nodes \"n2\", expected one of "
	  "NodeName= or NodeSet=" },
	{ "what else scontrol prints", "NodeName=n1 CPUTot=1\nJobId=7 x=y\n",
	  ":2: expected NodeName= or PartitionName= at the start of the line, "
	  "found \"JobId=7\"" },
	{ "half a node", "NodeName=n1 CPUTot=1\n\n\nNodeName=n2 Arch=x\n",
	  ":4: expected CPUTot=, as scontrol show node prints it, for node "
	  "\"n2\"" },
};

TEST(files_become_sites)
{
	size_t i, failed = 0;
	char *text;

	for (i = 0; i < COUNT(trials); i++) {
		text = outcome(trials[i].text);
		if (strcmp(text, trials[i].expected)) {
			print_error("%s:\n%s\nexpected:\n%s\n", trials[i].about,
				    text, trials[i].expected);
			failed++;
		}
		free(text);
	}
	assert_int_equal(failed, 0);
}

TEST(files_include_others)
{
	char other[sizeof(scratch_path) + 8], text[128];
	const char *name = strrchr(scratch_path, '/') + 1;
	char *result;

	snprintf(other, sizeof(other), "%s.nodes", scratch_path);
	snprintf(text, sizeof(text), "Include %s.nodes\n", name);
	write_text(other, "NodeName=n1 CPUs=4\n");
	result = outcome(text);
	assert_string_equal(result, "n1 4/0\nall*: n1\n");
	free(result);
	write_text(other, "# bad\nNodeName=n1 CPUs=x\n");
	result = outcome(text);
	assert_string_equal(result, ".nodes:2: CPUs=x: expected a number from "
				    "0 to 4294967294");
	free(result);
	unlink(other);
}

TEST(nodes_that_are_alike)
{
	static const char *const names[] = { "n10", "n9" };
	const struct sgang_site_node like = {
		.cpus = 8, .gpus = 2, .memory = 100, .weight = 1
	};
	struct sgang_site *site = sgang_site_alike(names, 2, &like, NULL);
	char *text;

	assert_non_null(site);
	text = describe(site);
	assert_string_equal(text, "n9 8/100 gpus=2\nn10 8/100 gpus=2\n"
				  "all*: n[9-10]\n");
	free(text);
	sgang_site_destroy(site);
}

/* Each allocation fails once: nothing leaks, and the message says so. */
TEST(no_memory)
{
	struct sgang_site *site = NULL;
	struct sgang_error err;
	unsigned long n;
	long live;

	for (size_t i = 0; i < COUNT(trials); i++) {
		if (trials[i].expected[0] == ':')
			continue;
		write_text(scratch_path, trials[i].text);
		for (n = 1;; n++) {
			live = fail_live;
			fail_at(n);
			site = sgang_site_load(scratch_path, &err);
			if (site)
				break;
			assert_int_equal(errno, ENOMEM);
			assert_non_null(strstr(err.text, "out of memory"));
			assert_int_equal(fail_live, live);
		}
		fail_at(0);
		sgang_site_destroy(site);
		assert_true(n > 5);
	}
}

TEST_MAIN(make_scratch, remove_scratch)
