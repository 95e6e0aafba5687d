/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_run.c - sgang run: one step over all members of a gang
 *
 * Slurm has no step over several jobs, so there is one in each member, of an srun
 * that is told what the member's own batch script would tell it (step_env.h).
 * Together they are one (steps.h). --agent is one task on one node, for the
 * launcher of an MPI, and --mpi tells mpirun so.
 */

#define _GNU_SOURCE /* execvpe(), memfd_create() */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/placed.h"
#include "cmd/step_env.h"
#include "cmd/steps.h"
#include "core/base/text.h"

#define PER_NODE_MAX 65533

enum {
	OPT_GANG,
	OPT_LABEL,
	OPT_KILL,
	OPT_PER_NODE,
	OPT_SRUN,
	OPT_MPI,
	OPT_AGENT
};

static const struct sgang_cmd_option options[] = {
	[OPT_GANG] = { "gang", "NAME",
		       "default: that of the member this runs in", 0 },
	[OPT_LABEL] = { "label", NULL, "put the rank before each line", 'l' },
	[OPT_KILL] = { "kill-on-bad-exit", NULL, "end all ranks if one fails",
		       'K' },
	[OPT_PER_NODE] = { "ntasks-per-node", "N",
			   "instead of as many as the members have", 0 },
	[OPT_SRUN] = { "srun", "OPTION", "one more option of srun", 0 },
	[OPT_MPI] = { "mpi", NULL, "CMD is mpirun, which starts the ranks", 0 },
	[OPT_AGENT] = { "agent", NULL, "CMD is HOST CMD: run it on that node",
			0 },
	{ NULL, NULL, NULL, 0 }
};

struct request {
	struct sgang_spec spec;
	bool named;
	bool label, kill, mpi, agent;
	uint32_t per_node; /* 0: as the members have ranks */
	const char **srun; /* further options */
	size_t n_srun;
	char **command; /* ends with NULL */
	size_t n_command;
};

/* ---- who is in the gang ---- */

/* Returns an exit code. */
static int check_members(const struct sgang_placed *placed)
{
	for (size_t i = 0; i < placed->n; i++) {
		const struct sgang_jobrow *job = placed->job[i];

		if (!job->own)
			return sgang_cmd_no("gang %s: job %" PRIu32
					    " is a job of %s, and nobody else "
					    "can start a step in it",
					    placed->name, job->job_id,
					    job->user);
		if (job->record.placeholder)
			return sgang_cmd_no("gang %s: job %" PRIu32
					    " is a placeholder",
					    placed->name, job->job_id);
		if (strcmp(job->state, "RUNNING") != 0)
			return sgang_cmd_no("gang %s: job %" PRIu32
					    " is %s, and all members must "
					    "be running",
					    placed->name, job->job_id,
					    job->state);
	}
	return SGANG_EXIT_YES;
}

/* ---- a step in each member ---- */

/* What one srun needs. */
struct launch {
	struct sgang_env env;
	char **argv;
	char numbers[3][48]; /* of its options */
};

static char **list_words(const struct request *request, struct launch *l,
			 const char *const *first, size_t n_first,
			 struct sgang_error *err)
{
	size_t n = 0;

	l->argv = calloc(n_first + request->n_srun + request->n_command + 3,
			 sizeof(*l->argv));
	if (!l->argv) {
		sgang_err_memory(err);
		return NULL;
	}
	l->argv[n++] = (char *)"srun";
	for (size_t i = 0; i < n_first; i++)
		l->argv[n++] = (char *)first[i];
	for (size_t i = 0; i < request->n_srun; i++)
		l->argv[n++] = (char *)request->srun[i];
	l->argv[n++] = (char *)"--";
	for (size_t i = 0; i < request->n_command; i++)
		l->argv[n++] = request->command[i];
	return l->argv;
}

/* The batch script of a member, and steps of its own, may use the same CPUs. */
static int write_step(const struct request *request,
		      const struct sgang_env_step *step, struct launch *l,
		      struct sgang_error *err)
{
	const char *first[7] = { "--overlap", "--quit-on-interrupt" };
	size_t n = 2;

	snprintf(l->numbers[0], sizeof(l->numbers[0]), "--ntasks=%" PRIu64,
		 sgang_env_tasks(step));
	first[n++] = l->numbers[0];
	if (request->per_node) {
		snprintf(l->numbers[1], sizeof(l->numbers[1]),
			 "--ntasks-per-node=%" PRIu32, request->per_node);
		first[n++] = l->numbers[1];
	}
	if (sgang_env_cpus(step)) {
		snprintf(l->numbers[2], sizeof(l->numbers[2]),
			 "--cpus-per-task=%" PRIu32, sgang_env_cpus(step));
		first[n++] = l->numbers[2];
	}
	if (request->label)
		first[n++] = "--label";
	if (request->kill)
		first[n++] = "--kill-on-bad-exit";
	return list_words(request, l, first, n, err) ?
		       sgang_env_of_step(step, &l->env, err) :
		       -1;
}

static uint64_t count_tasks(const struct request *request,
			    const struct sgang_placed *placed, size_t i)
{
	const struct sgang_env_step step = { .placed = placed,
					     .i = i,
					     .per_node = request->per_node };

	return sgang_env_tasks(&step);
}

/* Fill in the steps of all members. */
static int fill_steps(const struct request *request,
		      const struct sgang_placed *placed, struct launch *launch,
		      struct sgang_steps *steps, struct sgang_error *err)
{
	for (size_t i = 0; i < placed->n; i++)
		steps->tasks += count_tasks(request, placed, i);
	for (size_t i = 0, before = 0; i < placed->n; i++) {
		const struct sgang_map_member *member = &placed->member[i];
		const struct sgang_env_step step = {
			.placed = placed,
			.i = i,
			.per_node = request->per_node,
			.before = before,
			.total = steps->tasks,
		};

		if (write_step(request, &step, &launch[i], err))
			return -1;
		steps->step[i] = (struct sgang_step){
			.job_id = member->job_id,
			.argv = launch[i].argv,
			.env = launch[i].env.entry,
			.rank = request->per_node ? NULL : member->rank,
			.first = before,
			.tasks = count_tasks(request, placed, i),
		};
		before += steps->step[i].tasks;
	}
	return 0;
}

static void print_end(const struct sgang_placed *placed,
		      const struct sgang_steps *steps, int code)
{
	struct json_object *object = json_object_new_object();
	struct json_object *list;

	sgang_json_string(object, "gang", placed->name);
	sgang_json_number(object, "ranks", steps->tasks);
	sgang_json_number(object, "exit_code", (uint64_t)code);
	list = sgang_json_list(object, "steps");
	for (size_t i = 0; i < steps->n; i++) {
		struct json_object *row = sgang_json_row(list);

		sgang_json_number(row, "job_id", steps->step[i].job_id);
		sgang_json_number(row, "exit_code",
				  (uint64_t)steps->step[i].code);
	}
	sgang_answer_print(object, NULL);
}

static int run_everywhere(const struct request *request,
			  const struct sgang_placed *placed,
			  struct sgang_error *err)
{
	struct launch *launch = calloc(placed->n, sizeof(*launch));
	struct sgang_steps steps = {
		.step = calloc(placed->n, sizeof(*steps.step)),
		.n = placed->n,
		.label = request->label,
		.json = !sgang_answer_is_text(),
		.kill_on_bad_exit = request->kill,
		.is_gone = sgang_jobs_gone,
	};
	int code = -1;

	if (!launch || !steps.step)
		sgang_err_memory(err);
	else if (!fill_steps(request, placed, launch, &steps, err))
		code = sgang_steps_run(&steps, err);
	if (code >= 0 && steps.json)
		print_end(placed, &steps, code);
	for (size_t i = 0; launch && i < placed->n; i++) {
		sgang_env_clear(&launch[i].env);
		free(launch[i].argv);
	}
	free(launch);
	free(steps.step);
	return code;
}

/* ---- for an MPI ---- */

/* Where members share a node the first of them serves all. */
static const struct sgang_map_node *find_node(const struct sgang_placed *placed,
					      const char *name, size_t *member)
{
	for (size_t i = 0; i < placed->n; i++) {
		for (size_t k = 0; k < placed->member[i].n; k++) {
			*member = i;
			if (!strcmp(placed->member[i].node[k].has->name, name))
				return &placed->member[i].node[k];
		}
	}
	return NULL;
}

/* One word, as a shell gets it from rsh and ssh: theirs too is what the caller
 * has quoted for it. */
static char *join_command(char *const *word)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && word[i]; i++)
		fprintf(out, "%s%s", i ? " " : "", word[i]);
	return sgang_text_close(out, &text);
}

/* Does not return when it succeeds. */
static int run_on_node(const struct request *request,
		       const struct sgang_placed *placed, size_t i,
		       const struct sgang_map_node *node,
		       struct sgang_error *err)
{
	const struct sgang_env_step step = { .placed = placed, .i = i };
	char *command = join_command(request->command + 1);
	char *words[] = { (char *)"/bin/sh", (char *)"-c", command, NULL };
	struct request shell = *request;
	char host[256], cpus[48];
	const char *first[] = { "--overlap",  "--nodes=1", "--ntasks=1",
				"--mpi=none", host,        cpus };
	struct launch l = { .argv = NULL };

	shell.command = words;
	shell.n_command = 3;
	snprintf(host, sizeof(host), "--nodelist=%s", node->has->name);
	snprintf(cpus, sizeof(cpus), "--cpus-per-task=%" PRIu32,
		 node->has->cpus ? node->has->cpus : 1);
	if (!command)
		sgang_err_memory(err);
	else if (list_words(&shell, &l, first, sizeof(first) / sizeof(first[0]),
			    err) &&
		 !sgang_env_of_step(&step, &l.env, err)) {
		execvpe(l.argv[0], l.argv, l.env.entry);
		sgang_errf(err, errno, "cannot run %s: %s", l.argv[0],
			   strerror(errno));
	}
	sgang_env_clear(&l.env);
	free(l.argv);
	free(command);
	return -1;
}

static int run_agent(const struct request *request,
		     const struct sgang_placed *placed, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	size_t member;
	const struct sgang_map_node *node =
		find_node(placed, request->command[0], &member);

	if (!node)
		return sgang_cmd_no("gang %s has no node %s", placed->name,
				    sgang_text_show(shown,
						    request->command[0]));
	return run_on_node(request, placed, member, node, err);
}

/* A line of a hostfile. */
struct host {
	const char *name;
	size_t at; /* of its first rank */
	uint32_t slots;
};

/* qsort */
static int by_host(const void *a, const void *b)
{
	const struct host *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* qsort */
static int by_ring(const void *a, const void *b)
{
	const struct host *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* The nodes in ring order, each once: Open MPI 4 refuses a second line. Returns
 * an array the caller frees and its length, or NULL with ENOMEM. */
static struct host *list_hosts(const struct request *request,
			       const struct sgang_placed *placed, size_t *n)
{
	struct host *host;
	size_t all = 0, kept = 0;

	for (size_t i = 0; i < placed->n; i++)
		all += placed->member[i].n;
	host = calloc(all + 1, sizeof(*host));
	if (!host)
		return NULL;
	*n = 0;
	for (size_t i = 0; i < placed->n; i++)
		for (size_t k = 0; k < placed->member[i].n; k++, (*n)++)
			host[*n] = (struct host){
				.name = placed->member[i].node[k].has->name,
				.at = *n,
				.slots =
					request->per_node ?
						request->per_node :
						placed->member[i].node[k].ranks,
			};
	qsort(host, *n, sizeof(*host), by_host);
	for (size_t i = 0; i < *n; i++) {
		if (kept && !strcmp(host[kept - 1].name, host[i].name))
			host[kept - 1].slots += host[i].slots;
		else
			host[kept++] = host[i];
	}
	*n = kept;
	qsort(host, kept, sizeof(*host), by_ring);
	return host;
}

/* A file that mpirun inherits and that nobody has to remove. */
static int write_hosts(const struct request *request,
		       const struct sgang_placed *placed, char path[64],
		       struct sgang_error *err)
{
	size_t n = 0;
	struct host *host = list_hosts(request, placed, &n);
	int fd = memfd_create("gang_hosts", 0);
	int wrong = !host || fd < 0;

	for (size_t i = 0; i < n && !wrong; i++)
		wrong = dprintf(fd, "%s slots=%" PRIu32 "\n", host[i].name,
				host[i].slots) < 0;
	free(host);
	if (wrong)
		return sgang_errf(err, errno, "no room for a hostfile: %s",
				  strerror(errno));
	snprintf(path, 64, "/proc/self/fd/%d", fd);
	return 0;
}

/* Open MPI up to 4, and from 5 on. */
static int tell_mpirun(struct sgang_env *env, const char *hosts,
		       const char *agent, struct sgang_error *err)
{
	const struct {
		const char *name, *value;
	} told[] = {
		{ "OMPI_MCA_plm", "rsh" },
		{ "OMPI_MCA_plm_rsh_agent", agent },
		{ "OMPI_MCA_orte_default_hostfile", hosts },
		{ "PRTE_MCA_plm", "ssh" },
		{ "PRTE_MCA_plm_ssh_agent", agent },
		{ "PRTE_MCA_prte_default_hostfile", hosts },
	};

	for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
		if (sgang_env_set(env, told[i].name, told[i].value, err))
			return -1;
	return 0;
}

/* Does not return when it succeeds. mpirun must not see the job in which it
 * runs, or it would start its ranks in that job alone. */
static int run_mpi(const struct request *request,
		   const struct sgang_placed *placed, struct sgang_error *err)
{
	char hosts[64], self[4096], *agent = NULL;
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	struct sgang_env env = { .n = 0 };

	if (n < 0)
		return sgang_errf(err, errno, "cannot tell where sgang is: %s",
				  strerror(errno));
	self[n] = '\0';
	if (asprintf(&agent, "%s run --gang=%s --agent", self, placed->name) <
	    0)
		return sgang_err_memory(err);
	if (!write_hosts(request, placed, hosts, err) &&
	    !sgang_env_of_nothing(&env, err) &&
	    !tell_mpirun(&env, hosts, agent, err)) {
		execvpe(request->command[0], request->command, env.entry);
		sgang_errf(err, errno, "cannot run %s: %s", request->command[0],
			   strerror(errno));
	}
	sgang_env_clear(&env);
	free(agent);
	return -1;
}

/* ---- the command line ---- */

/* Returns an exit code, or -1 with 'err' filled. */
static int answer(const struct request *request, struct sgang_error *err)
{
	const struct sgang_placed_choice all = { .job_id = 0 };
	struct sgang_placed placed = { .n = 0 };
	int code = sgang_placed_find(&request->spec, 0, &placed, err);

	if (code == SGANG_EXIT_YES)
		code = sgang_placed_fill(&placed, &all, err);
	if (code == SGANG_EXIT_YES)
		code = check_members(&placed);
	if (code == SGANG_EXIT_YES)
		code = (request->agent ? run_agent :
			request->mpi   ? run_mpi :
					 run_everywhere)(request, &placed, err);
	sgang_placed_clear(&placed);
	return code;
}

static int add_srun(struct request *request, const char *value,
		    struct sgang_error *err)
{
	const char **bigger;
	char shown[SGANG_TEXT_SHOWN];

	if (value[0] != '-' || !value[1] || !strcmp(value, "--"))
		return sgang_errf(err, EINVAL,
				  "--srun=%s: expected an option, as in "
				  "--srun=--cpu-bind=cores",
				  sgang_text_show(shown, value));
	bigger = realloc(request->srun,
			 (request->n_srun + 1) * sizeof(*bigger));
	if (!bigger)
		return sgang_err_memory(err);
	request->srun = bigger;
	request->srun[request->n_srun++] = value;
	return 0;
}

static int read_option(void *arg, int option, const char *value,
		       struct sgang_error *err)
{
	struct request *request = arg;
	char shown[SGANG_TEXT_SHOWN];
	uint64_t number;

	switch (option) {
	case OPT_GANG:
		request->named = true;
		return sgang_spec_set(&request->spec, "gang", value, err);
	case OPT_SRUN:
		return add_srun(request, value, err);
	case OPT_PER_NODE:
		if (sgang_text_number(value, 1, PER_NODE_MAX, &number))
			return sgang_errf(err, EINVAL,
					  "--ntasks-per-node=%s: expected a "
					  "number from 1",
					  sgang_text_show(shown, value));
		request->per_node = (uint32_t)number;
		return 0;
	}
	request->label |= option == OPT_LABEL;
	request->kill |= option == OPT_KILL;
	request->mpi |= option == OPT_MPI;
	request->agent |= option == OPT_AGENT;
	return 0;
}

/* Without --gang the gang is that of the job in which this runs. */
static int name_gang(struct request *request, struct sgang_error *err)
{
	const char *name = getenv("SLURM_GANG_NAME");
	const char *ns = getenv("SLURM_GANG_NAMESPACE");
	char text[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 2];

	if (request->named)
		return 0;
	if (!name || !ns)
		return sgang_errf(err, EINVAL,
				  "--gang=NAME is missing, and this does not "
				  "run in a member of a gang");
	snprintf(text, sizeof(text), "%s/%s", ns, name);
	return sgang_spec_set(&request->spec, "gang", text, err);
}

static int check_request(const struct request *request, struct sgang_error *err)
{
	const char *lacks = NULL;

	if (request->agent && request->mpi)
		return sgang_errf(err, EINVAL,
				  "--agent and --mpi exclude each other");
	if ((request->agent || request->mpi) &&
	    (request->label || request->kill || !sgang_answer_is_text()))
		return sgang_errf(err, EINVAL,
				  "--label, --kill-on-bad-exit and --json are "
				  "not for --%s",
				  request->agent ? "agent" : "mpi");
	if (request->agent && request->n_command < 2)
		lacks = "the name of a node and a command";
	else if (!request->n_command)
		lacks = "a command";
	if (lacks)
		return sgang_errf(err, EINVAL,
				  "expected %s, see sgang run --help", lacks);
	return 0;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .per_node = 0 };
	struct sgang_error err;
	int next, code;

	sgang_spec_init(&request.spec);
	next = sgang_cmd_read(verb, argc, argv, read_option, &request);
	if (next != SGANG_CMD_END) {
		free(request.srun);
		return sgang_cmd_exit(next);
	}
	request.command = argv + optind;
	request.n_command = (size_t)(argc - optind);
	if (check_request(&request, &err) || name_gang(&request, &err))
		code = -1;
	else {
		/* JSON says whose each line is */
		request.label |= !sgang_answer_is_text();
		code = answer(&request, &err);
	}
	free(request.srun);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

const struct sgang_verb sgang_verb_run = {
	.name = "run",
	.operands = "CMD...",
	.summary = "run a command as one step over all members of a gang",
	.options = options,
	.json = "print each line of output as JSON",
	.command = true,
	.run = run
};
