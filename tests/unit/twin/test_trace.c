/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_trace.c - recorded queues, and what they become (8.1, 8.4)
 *
 * A case is a file, the way gangs are made, and either the jobs as text or the
 * message. To add one add a row.
 */

#include <time.h>

#include "../unit.h"
#include "../texts.h"
#include "../core/fail_alloc.h"
#include "twin/trace.h"

#define NONE SGANG_TRACE_GANGS_NONE
#define RECORDED SGANG_TRACE_GANGS_RECORDED
#define COLUMN SGANG_TRACE_GANGS_COLUMN
#define RULE SGANG_TRACE_GANGS_RULE

struct trial {
	const char *about;
	const char *text;
	struct sgang_trace_terms terms;
	/* "id@submit+run/limit NODESxCPUS ...", a line each job; or the
	 * message behind the path */
	const char *expected;
	size_t left_out;
};

static void describe_job(const struct sgang_trace_job *job, FILE *out)
{
	fprintf(out, "%" PRIu64 "@%" PRId64 "+%u", job->id, job->submit,
		job->run);
	if (job->limit != UINT32_MAX)
		fprintf(out, "/%u", job->limit);
	fprintf(out, " %ux%u", job->nodes, job->cpus);
	if (job->gpus)
		fprintf(out, " gpus=%u", job->gpus);
	if (job->memory)
		fprintf(out, " mem=%" PRIu64, job->memory);
	if (job->whole)
		fputs(" whole", out);
	if (job->ranks != job->nodes)
		fprintf(out, " ranks=%u", job->ranks);
	if (job->priority)
		fprintf(out, " prio=%u", job->priority);
	if (job->started)
		fprintf(out, " start=%" PRId64, job->started);
	if (job->user[0] || job->account[0] || job->partition[0] ||
	    job->qos[0] || job->name[0])
		fprintf(out, " %s:%s:%s:%s:%s", job->user, job->account,
			job->partition, job->qos, job->name);
	if (job->gang[0])
		fprintf(out, " gang=%s", job->gang);
	if (job->min_member)
		fprintf(out, " min=%u", job->min_member);
	if (job->options[0])
		fprintf(out, " {%s}", job->options);
	fputc('\n', out);
}

static char *describe(const struct sgang_trace *trace)
{
	FILE *out = printing();

	for (size_t i = 0; i < trace->n_jobs; i++)
		describe_job(&trace->jobs[i], out);
	return printed();
}

/* What the file becomes, or the message without the path in front. */
static char *outcome(const struct trial *trial, size_t *left_out)
{
	struct sgang_trace *trace;
	struct sgang_error err;
	char *text;

	*left_out = 0;
	write_text(scratch_path, trial->text);
	trace = sgang_trace_load(scratch_path, &trial->terms, &err);
	if (!trace) {
		if (errno == ENOTSUP)
			skip(); /* it is built without libcsv */
		assert_int_equal(errno, EINVAL);
		assert_memory_equal(err.text, scratch_path,
				    strlen(scratch_path));
		return strdup(err.text + strlen(scratch_path));
	}
	text = describe(trace);
	*left_out = trace->n_left_out;
	sgang_trace_destroy(trace);
	return text;
}

#define SACCT_HEADER                                                        \
	"JobIDRaw|JobID|User|JobName|Submit|Start|ElapsedRaw|TimelimitRaw|" \
	"State|AllocNodes|AllocTRES|SystemComment\n"

static const struct trial trials[] = {
	/* -- CSV -- */
	{ "the least that a CSV file says", "submit,run\n100,60\n90,30\n",
	  .expected = "2@90+30 1x1\n1@100+60 1x1\n" },
	{ "all columns, in any order, case and spelling",
	  "RUN,Submit,id,limit,nodes,cpus,gpus,memory,whole,ranks,priority,"
	  "user,account,partition,qos,name,start\n"
	  "1-00:00:10,1970-01-01T00:01:40Z,7,2:00:00,4,16,8,64G,yes,32,5,"
	  "ann,phys,gpu,high,\"a, \"\"b\"\"\",120\n",
	  .expected = "7@100+86410/7200 4x16 gpus=8 mem=65536 whole ranks=32 "
		      "prio=5 start=120 ann:phys:gpu:high:a, \"b\"\n" },
	{ "other words of the same",
	  "submit,run,exclusive,tasks,memory,limit\n"
	  "1,2,no,3,512K,UNLIMITED\n",
	  .expected = "1@1+2 1x1 mem=1 ranks=3\n" },
	{ "line ends of Windows, a byte order mark, comments, empty lines, "
	  "no line end",
	  "\xef\xbb\xbf# made by hand\r\nsubmit,run\r\n\r\n# one\r\n1,2\r\n3,4",
	  .expected = "1@1+2 1x1\n2@3+4 1x1\n" },
	{ "another delimiter", "submit;run;name\n1;2;\"x;y\"\n",
	  .expected = "1@1+2 1x1 ::::x;y\n" },
	{ "tabs", "submit\trun\tname\n1\t2\t\n", .expected = "1@1+2 1x1\n" },
	{ "a date in another zone",
	  "submit,run\n1970-01-01T01:00:07+01:00,2\n1970-01-01 00:00:01Z,2\n",
	  .expected = "2@1+2 1x1\n1@7+2 1x1\n" },
	{ "rows without a time are left out", "submit,run\n1,2\n,3\n4,\n",
	  .expected = "1@1+2 1x1\n", .left_out = 2 },
	{ "gangs of the column gang",
	  "submit,run,user,gang,gang_min_member,gang-mode,Gang-Order\n"
	  "1,9,ann,t,2,nonstrict,0\n2,9,ann,t,2,nonstrict,1\n3,9,bob,t,,,\n"
	  "4,9,ann,,,strict,\n",
	  .terms = { .gangs = RECORDED },
	  .expected =
		  "1@1+9 1x1 ann:::: gang=t min=2 {gang_mode=nonstrict|gang_order=0}\n"
		  "2@2+9 1x1 ann:::: gang=t min=2 {gang_mode=nonstrict|gang_order=1}\n"
		  "3@3+9 1x1 bob:::: gang=t\n4@4+9 1x1 ann::::\n" },
	{ "the column gang does not count",
	  "submit,run,gang,gang-min-member\n1,2,t,1\n",
	  .terms = { .gangs = NONE }, .expected = "1@1+2 1x1\n" },
	{ "gangs of another column",
	  "submit,run,user,Campaign\n1,9,a,X_1\n2,9,a,X_1\n3,9,a,x-1\n4,9,a,\n",
	  .terms = { .gangs = COLUMN, .column = "campaign" },
	  .expected = "1@1+9 1x1 a:::: gang=x-1\n2@2+9 1x1 a:::: gang=x-1\n"
		      "3@3+9 1x1 a:::: gang=x-1-2\n4@4+9 1x1 a::::\n" },
	{ "a column that has a meaning of its own",
	  "submit,run,name\n1,9,a\n2,9,a\n",
	  .terms = { .gangs = COLUMN, .column = "name" },
	  .expected = "1@1+9 1x1 ::::a gang=a\n2@2+9 1x1 ::::a gang=a\n" },
	{ "a word is used again when all are over",
	  "submit,run,start,gang\n1,9,1,t\n2,9,5,t\n14,9,14,t\n20,9,30,t\n",
	  .terms = { .gangs = RECORDED },
	  .expected =
		  "1@1+9 1x1 start=1 gang=t\n2@2+9 1x1 start=5 gang=t\n"
		  "3@14+9 1x1 start=14 gang=t-2\n4@20+9 1x1 start=30 gang=t-2\n" },
	{ "gangs by a rule",
	  "submit,run,user,name\n0,9,a,T.x\n60,9,a,T.x\n120,9,a,T.x\n"
	  "181,9,a,T.x\n60,9,b,T.x\n300,9,a,T.x\n301,9,a,T.x\n1,9,a,\n2,9,a,\n",
	  .terms = { .gangs = RULE, .within = 60 },
	  .expected =
		  "1@86400+9 1x1 a::::T.x gang=t-x-1\n8@86401+9 1x1 a::::\n9@86402+9 1x1 a::::\n"
		  "2@86460+9 1x1 a::::T.x gang=t-x-1\n5@86460+9 1x1 b::::T.x\n"
		  "3@86520+9 1x1 a::::T.x gang=t-x-1\n4@86581+9 1x1 a::::T.x\n"
		  "6@86700+9 1x1 a::::T.x gang=t-x-2\n7@86701+9 1x1 a::::T.x gang=t-x-2\n" },
	{ "names that are no labels",
	  "submit,run,gang\n1,1,-\n2,1,\xc3\xa9\n3,1,"
	  "aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggA\n"
	  "4,1,aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggB"
	  "\n5,1,gang-2\n",
	  .terms = { .gangs = RECORDED },
	  .expected =
		  "1@1+1 1x1 gang=gang\n2@2+1 1x1 gang=gang-3\n"
		  "3@3+1 1x1 "
		  "gang=aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffggg"
		  "\n4@4+1 1x1 "
		  "gang=aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffg-2"
		  "\n5@5+1 1x1 gang=gang-2\n" },
	/* -- CSV that is none -- */
	{ "nothing", "",
	  .expected = ": no line of it is a job that ran (0 left "
		      "out), expected the output of sacct "
		      "--parsable2, the Standard Workload "
		      "Format or CSV with a header" },
	{ "a header", "submit,run\n",
	  .expected = ": no line of it is a job that ran (0 left out), "
		      "expected the output of sacct --parsable2, the Standard "
		      "Workload Format or CSV with a header" },
	{ "no submission", "run,id\n1,2\n",
	  .expected = ":1: a column is missing, expected submit: sgang(1) "
		      "lists the columns" },
	{ "a slip", "# x\nsubmit,run,memroy\n1,2,3\n",
	  .expected = ":2: there is no column \"memroy\" here: did you mean "
		      "\"memory\"?" },
	{ "no such option", "submit,run,gang-mood\n1,2,3\n",
	  .expected = ":1: there is no column \"gang-mood\" here: sgang(1) "
		      "lists the columns" },
	{ "a column twice", "submit,run,cpus,CPUS\n1,2,3,4\n",
	  .expected = ":1: the column \"CPUS\" is there twice" },
	{ "no such column of gangs", "submit,run\n1,2\n",
	  .terms = { .gangs = COLUMN, .column = "campaign" },
	  .expected =
		  ":1: there is no column \"campaign\" here: sgang(1) lists the "
		  "columns" },
	{ "a bad number", "submit,run,nodes\n1,2,3\n\"1\n\",2,3\n1,2,-3\n",
	  .expected = ":3: column submit: \"1?\" is not understood, expected "
		      "seconds since 1970, or a date such as "
		      "2026-03-29T06:00:00" },
	{ "a bad line behind one of several",
	  "submit,run,name\n1,2,\"x\ny\"\n1,2,3\n1,x,3\n",
	  .expected = ":5: column run: \"x\" is not understood, expected "
		      "seconds, or a duration such as 1-12:30:00" },
	{ "no nodes", "submit,run,nodes\n1,2,0\n",
	  .expected = ":2: column nodes: \"0\" is out of range, expected a "
		      "number of 1 or more" },
	{ "a bad size", "submit,run,memory\n1,2,3X\n",
	  .expected = ":2: column memory: \"3X\" is not understood, expected "
		      "MB, or a size such as 64G" },
	{ "a bad word", "submit,run,whole\n1,2,maybe\n",
	  .expected = ":2: column whole: \"maybe\" is not understood, expected "
		      "yes or no" },
	{ "a bad value of an option", "submit,run,gang,gang-mode\n1,2,a,mild\n",
	  .expected = ":2: --gang-mode=mild: expected one of "
		      "strict|nonstrict" },
	{ "members that disagree",
	  "submit,run,gang,gang-min-member\n1,2,a,2\n1,2,a,\n1,2,a,3\n",
	  .terms = { .gangs = RECORDED },
	  .expected =
		  ":4: gang-min-member is 3 here and 2 in line 2: all members of a "
		  "gang say the same" },
	{ "too few columns", "submit,run,name\n1,2,3\n1,2\n",
	  .expected = ":3: it has 2 columns, the header 3: a value with the "
		      "delimiter ',' in it is written in quotes" },
	{ "a quote that does not end", "submit,run,name\n1,2,\"x\n",
	  .expected = ":2: a quote does not match: a value with '\"' in it is "
		      "written in quotes, with each '\"' doubled" },
	{ "a quote within", "submit,run,name\n1,2,x\"y\n",
	  .expected = ":2: a quote does not match: a value with '\"' in it is "
		      "written in quotes, with each '\"' doubled" },
	{ "no time at all", "submit,run\n99999999999999999999,1\n",
	  .expected = ":2: column submit: \"99999999999999999999\" is out of "
		      "range, expected seconds since 1970, or a date such as "
		      "2026-03-29T06:00:00" },
	/* -- sacct -- */
	{ "jobs of sacct, their steps, and those that never ran",
	  SACCT_HEADER
	  "7|7|ann|train|100|160|60|60|COMPLETED|2|billing=8,cpu=8,gres/gpu=4,"
	  "gres/gpu:a100=4,mem=62.50G,node=2|\n"
	  "7.batch|7.batch||batch|160|160|60||COMPLETED|1|cpu=4,node=1|\n"
	  "7.0|7.0||train|160|160|60||COMPLETED|2|cpu=8,node=2|\n"
	  "8|8|bob|x\"y|90|Unknown|0|UNLIMITED|PENDING|0||\n"
	  "9|9|bob|x\"y|90|120|0|UNLIMITED|CANCELLED by 0|0||\n"
	  "10|10|bob|x\"y|90|None|0|Partition_Limit|CANCELLED|0||\n"
	  "11|5_3|bob|x\"y|90|120|5|Partition_Limit|TIMEOUT|1|cpu=1,"
	  "gres/gpu:a100=1,gres/gpu:h100=1|\n",
	  .expected = "11@90+5 1x1 gpus=2 start=120 bob::::x\"y\n"
		      "7@100+60/3600 2x4 gpus=2 mem=32000 start=160 "
		      "ann::::train\n",
	  .left_out = 5 },
	{ "other columns that say the same",
	  "Start|End|JobID|Submit|Elapsed|Timelimit|NNodes|NCPUS|ReqMem|WCKey\n"
	  "10|70|5_3|5|00:01:00|1-00:00:00|3|4|2Gc|*\n"
	  "10|70|6|5|00:00:00|00:10:00|1|4|2Gn|*\n"
	  "10|70|7|5|00:01:00|00:10:00|4|8|2G|*\n",
	  .expected = "5@5+60/86400 3x2 mem=4096 start=10\n"
		      "6@5+0/600 1x4 mem=2048 start=10\n"
		      "7@5+60/600 4x2 mem=512 start=10\n" },
	{ "sacct -p, another delimiter, and no elapsed time",
	  "JobID,Submit,Start,End,NNodes,\n1,2,3,10,1,\n2,2,3,Unknown,1,\n",
	  .expected = "1@2+7 1x1 start=3\n", .left_out = 1 },
	{ "what slurm-gang wrote, and a heterogeneous job",
	  SACCT_HEADER
	  "1|1|ann|a|100|110|50|60|COMPLETED|1|cpu=1|gang=ann/train "
	  "phase=finished rank=0/2 ring=4 cross=0 tier=leaf\n"
	  "2|2|ann|b|105|110|50|60|COMPLETED|1|cpu=1|hello gang=ann/train "
	  "phase=finished rank=1/2 ring=4 cross=0 tier=leaf\n"
	  "3|3|ann|b|120|130|50|60|COMPLETED|1|cpu=1|gang=ann/train "
	  "phase=finished\n"
	  "4|4|ann|b|180|190|50|60|COMPLETED|1|cpu=1|gang=ann/train "
	  "phase=finished\n"
	  "5|5|bob|b|190|190|50|60|COMPLETED|1|cpu=1|gang=shared/train "
	  "phase=finished\n"
	  "6|6+0|bob|b|190|190|50|60|COMPLETED|1|cpu=1|\n"
	  "7|6+1|bob|b|190|190|50|60|COMPLETED|1|cpu=1|\n",
	  .terms = { .gangs = RECORDED },
	  .expected = "1@100+50/3600 1x1 start=110 ann::::a gang=train min=2\n"
		      "2@105+50/3600 1x1 start=110 ann::::b gang=train min=2\n"
		      "3@120+50/3600 1x1 start=130 ann::::b gang=train min=2\n"
		      "4@180+50/3600 1x1 start=190 ann::::b gang=train-2\n"
		      "5@190+50/3600 1x1 start=190 bob::::b gang=shared-train\n"
		      "6@190+50/3600 1x1 start=190 bob::::b gang=het-6\n"
		      "7@190+50/3600 1x1 start=190 bob::::b gang=het-6\n" },
	{ "a table for people",
	  "JobID           JobName  Partition\n------- ------- ------\n1 x y\n",
	  .expected = ": this is a table for people: call sacct with "
		      "--parsable2" },
	{ "no start", "JobID|Submit|Elapsed|NNodes\n1|2|3|4\n",
	  .expected = ":1: a column is missing, expected start: sgang(1) "
		      "lists the columns" },
	{ "no size", "JobID|Submit|Elapsed|Start\n1|2|3|4\n",
	  .expected = ":1: a column is missing, expected one of "
		      "allocnodes,nnodes,reqnodes,alloctres,reqtres: sgang(1) "
		      "lists the columns" },
	{ "a delimiter in a name",
	  "JobID|JobName|Submit|Elapsed|Start|NNodes\n1|a|b|2|3|4|1\n",
	  .expected = ":2: it has 7 columns, the header 6: a value with the "
		      "delimiter '|' in it needs another one, see --delimiter "
		      "of sacct(1)" },
	{ "a delimiter in one of many",
	  "JobID|JobName|Submit|Elapsed|Start|NNodes\n1|a|2|3|4|1\n"
	  "2|b|c|2|3|4|1\n3|d|2|3|4|1\n",
	  .expected = "1@2+3 1x1 start=4 ::::a\n3@2+3 1x1 start=4 ::::d\n",
	  .left_out = 1 },
	{ "the end of a line in a name",
	  "JobID|JobName|Submit|Elapsed|Start|NNodes\n1|a|2|3|4|1\n"
	  "2|b\nc|2|3|4|1\n3|d|2|3|4|1\n4|d|2|3|4|1\n",
	  .expected = "1@2+3 1x1 start=4 ::::a\n3@2+3 1x1 start=4 ::::d\n"
		      "4@2+3 1x1 start=4 ::::d\n",
	  .left_out = 2 },
	{ "bad resources", "JobID|Submit|Elapsed|Start|AllocTRES\n1|2|3|4|x\n",
	  .expected = ":2: column alloctres: \"x\" is not understood, expected "
		      "resources such as cpu=8,mem=64G,node=2" },
	/* -- SWF -- */
	{ "the Standard Workload Format",
	  "; Version: 2.2\n;  UnixStartTime:  1000\n; MaxNodes: 4 \n"
	  "; MaxProcs: 32 (8 a node)\n\n"
	  " 1 10 5 100 16 -1 1024 16 200 2048 1 3 2 7 1 1 -1 -1\r\n"
	  "2 5 -1 7.5 -1 -1 -1 3 -1 -1 0 -1 -1 -1 -1 -1 -1 -1\n"
	  "3 5 -1 -1 -1 -1 -1 3 -1 -1 5 -1 -1 -1 -1 -1 -1 -1\n"
	  "4 5 1 9 9 -1 -1 9 -1 -1 2 -1 -1 -1 -1 -1 -1 -1\n"
	  "5 6 1 9 9 -1 -1 9 -1 -1 1 -1 -1 -1 -1 -1 -1 -1",
	  .terms = { .gangs = RECORDED },
	  .expected = "2@1005+7 1x3 ranks=3\n5@1006+9 2x5 ranks=9 start=1007\n"
		      "1@1010+100/200 2x8 mem=16 ranks=16 start=1015 "
		      "user3:group2::queue1:app7\n",
	  .left_out = 2 },
	{ "without a header",
	  "1 10 5 100 16 -1 -1 16 200 -1 1 3 2 7 1 1 -1 -1\n"
	  "2 20 5 100 1 -1 -1 16 200 -1 1 3 2 7 1 1 -1 -1\n",
	  .terms = { .gangs = RULE, .within = 60 },
	  .expected =
		  "1@10+100/200 16x1 start=15 user3:group2::queue1:app7 gang=app7-1\n"
		  "2@20+100/200 1x1 start=25 user3:group2::queue1:app7 gang=app7-1\n" },
	{ "processors of a node: what is said goes before the header",
	  "; MaxNodes: 4\n; MaxProcs: 32\n"
	  "1 10 5 100 16 -1 -1 16 200 -1 1 -1 -1 -1 -1 -1 -1 -1\n",
	  .terms = { .slots = 4 },
	  .expected = "1@10+100/200 4x4 ranks=16 start=15\n" },
	{ "and the header before the nodes of the cluster",
	  "; MaxNodes: 4\n; MaxProcs: 32\n"
	  "1 10 5 100 16 -1 -1 16 200 -1 1 -1 -1 -1 -1 -1 -1 -1\n",
	  .terms = { .node_slots = 4 },
	  .expected = "1@10+100/200 2x8 ranks=16 start=15\n" },
	{ "which count where it is silent",
	  "; MaxProcs: 32\n"
	  "1 10 5 100 16 -1 -1 16 200 -1 1 -1 -1 -1 -1 -1 -1 -1\n",
	  .terms = { .node_slots = 4 },
	  .expected = "1@10+100/200 4x4 ranks=16 start=15\n" },
	{ "jobs without a number have that of their line",
	  "; x\n0 10 5 100 16 -1 -1 16 200 -1 1 3 2 7 1 1 -1 -1\n"
	  "-1 20 5 100 1 -1 -1 16 200 -1 1 3 2 7 1 1 -1 -1\n",
	  .expected = "2@10+100/200 16x1 start=15 user3:group2::queue1:app7\n"
		      "3@20+100/200 1x1 start=25 user3:group2::queue1:app7\n" },
	{ "a short line", "; x\n1 10 5 100 16 -1 -1 16 200 -1 1 3\n",
	  .expected = ":2: field 13 (group): expected a number, found \"\"" },
	{ "a long line", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n",
	  .expected = ":1: it has more than 18 fields" },
	{ "a word", "1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n1 1 x 1\n",
	  .expected = ":2: field 3 (wait time): expected a number, found "
		      "\"x\"" },
	{ "no columns", "; x\n", .terms = { .gangs = COLUMN, .column = "name" },
	  .expected =
		  ": the Standard Workload Format has no columns with names, expected "
		  "gangs by a rule or none" },
};

TEST(files_become_jobs)
{
	size_t i, left_out, failed = 0;
	char *text;

	for (i = 0; i < COUNT(trials); i++) {
		text = outcome(&trials[i], &left_out);
		if (strcmp(text, trials[i].expected) ||
		    left_out != trials[i].left_out) {
			print_error("%s: %zu left out\n%s\nexpected:\n%s\n",
				    trials[i].about, left_out, text,
				    trials[i].expected);
			failed++;
		}
		free(text);
	}
	assert_int_equal(failed, 0);
}

/* A local time, in winter and in summer. */
TEST(dates_are_local)
{
	static const struct trial trial = {
		.text = "JobID|Submit|Start|Elapsed|NNodes\n"
			"1|2026-01-01T12:00:00|2026-07-01T12:00:00|00:01:00|1\n",
		.expected = "1@1767265200+60 1x1 start=1782900000\n",
	};
	size_t left_out;
	char *text;

	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	text = outcome(&trial, &left_out);
	unsetenv("TZ");
	tzset();
	assert_string_equal(text, trial.expected);
	free(text);
}

/* Each allocation fails once: nothing leaks, and the message says so. */
TEST(no_memory)
{
	struct sgang_trace *trace = NULL;
	struct sgang_error err;
	unsigned long n;
	long live;

	for (size_t i = 0; i < COUNT(trials); i++) {
		if (trials[i].expected[0] == ':')
			continue;
		write_text(scratch_path, trials[i].text);
		for (n = 1; !trace; n++) {
			live = fail_live;
			fail_at(n);
			trace = sgang_trace_load(scratch_path, &trials[i].terms,
						 &err);
			if (trace)
				break;
			if (errno == ENOTSUP) {
				fail_at(0);
				skip();
			}
			assert_int_equal(errno, ENOMEM);
			assert_non_null(strstr(err.text, "out of memory"));
			assert_int_equal(fail_live, live);
		}
		fail_at(0);
		sgang_trace_destroy(trace);
		trace = NULL;
		assert_true(n > 4);
	}
}

TEST(no_such_file)
{
	const struct sgang_trace_terms terms = { .gangs = NONE };
	struct sgang_error err;

	assert_null(sgang_trace_load("/nonexistent/jobs", &terms, &err));
	assert_int_equal(errno, ENOENT);
	assert_string_equal(err.text, "/nonexistent/jobs: cannot be opened: No "
				      "such file or directory");
}

TEST(standard_input)
{
	const struct sgang_trace_terms terms = { .gangs = NONE };
	struct sgang_trace *trace;
	struct sgang_error err;
	char *text;

	write_text(scratch_path, "1 1 1 1 1 -1 -1 1 1 -1 1 1 1 1 1 1 -1 -1\n");
	assert_non_null(freopen(scratch_path, "r", stdin));
	trace = sgang_trace_load("-", &terms, &err);
	assert_non_null(trace);
	text = describe(trace);
	assert_string_equal(text, "1@1+1/1 1x1 start=2 "
				  "user1:group1::queue1:app1\n");
	free(text);
	sgang_trace_destroy(trace);
	write_text(scratch_path, "1 1\n");
	assert_non_null(freopen(scratch_path, "r", stdin));
	assert_null(sgang_trace_load("-", &terms, &err));
	assert_string_equal(err.text, "standard input:1: field 3 (wait "
				      "time): expected a number, found \"\"");
}

/* A month of a large site. Gangs of one name, names of one label, and words of
 * one user grow with it. */
#define MANY 100000

static void write_many(void)
{
	FILE *file = fopen(scratch_path, "w");

	assert_non_null(file);
	fputs("JobIDRaw|User|Account|Partition|QOS|JobName|Submit|Start|"
	      "ElapsedRaw|TimelimitRaw|State|AllocNodes|AllocTRES|Priority|"
	      "SystemComment\n",
	      file);
	for (uint32_t i = 0; i < MANY; i++)
		fprintf(file,
			"%u|user%u|acct|gpu|normal|job %c%c|%u|%u|3600|120|"
			"COMPLETED|4|billing=64,cpu=64,gres/gpu=32,mem=512G,"
			"node=4|1000|\n",
			i, i % 97, "_.:+"[i / 200 % 4], "_.:+"[i / 800 % 4],
			1700000000 + i * 26, 1700000100 + i * 26);
	fclose(file);
}

static double seconds_since(const struct timespec *from)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)(now.tv_sec - from->tv_sec) +
	       (double)(now.tv_nsec - from->tv_nsec) / 1e9;
}

TEST(many_jobs)
{
	const struct sgang_trace_terms terms = { .gangs = RULE,
						 .within = 3000 };
	struct sgang_trace *trace;
	struct sgang_error err;
	struct timespec from;

	write_many();
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	trace = sgang_trace_load(scratch_path, &terms, &err);
	if (!trace && errno == ENOTSUP)
		skip();
	print_message("# %d jobs in %.3f s\n", MANY, seconds_since(&from));
	assert_non_null(trace);
	assert_int_equal(trace->n_jobs, MANY);
	assert_true(trace->n_gangs > MANY / 4);
	sgang_trace_destroy(trace);
}

static int set_up(void **state)
{
	setenv("TZ", "UTC", 1);
	return make_scratch(state);
}

TEST_MAIN(set_up, remove_scratch)
