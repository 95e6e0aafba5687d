/* SPDX-License-Identifier: GPL-2.0-or-later */
/* client.c - jobs of a private cluster, through libslurm
 *
 * sbatch takes ten times as long. Jobs are allocations as those of salloc, which
 * the scheduler looks at in the request itself; batch jobs wait for its next
 * round, up to a second.
 */

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "client.h"
#include "slurm/public.h"

#define PATIENCE_MS 120000.0
#define RESERVED_MINUTES (400 * 24 * 60) /* out of sight */

double lr_now_ms(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec * 1e3 + (double)time.tv_nsec / 1e6;
}

void lr_nap(void)
{
	static const struct timespec length = { .tv_nsec = 10000000 };

	nanosleep(&length, NULL);
}

void lr_begin(void)
{
	slurm_init(NULL);
}

/* -- names -- */

uint32_t lr_node_called(const struct lr_cluster *c, const char *name)
{
	for (uint32_t i = 0; i < c->n_nodes; i++) {
		if (!strcmp(c->node[i].name, name))
			return i;
	}
	return LR_NONE;
}

static int add_node(const struct lr_cluster *c, struct lr_place *place,
		    unsigned long number)
{
	char name[32];
	uint32_t node;

	snprintf(name, sizeof(name), "n%lu", number);
	node = lr_node_called(c, name);
	if (node == LR_NONE || place->n == LR_NODES)
		return -1;
	place->node[place->n++] = (uint8_t)node;
	return 0;
}

/* "n7", "n1,n2", "n[1-3,5]": the name is the same, numbers and ranges of them
 * differ. libslurm's type of host lists differs between releases. */
int lr_parse_nodes(const struct lr_cluster *c, const char *text,
		   struct lr_place *place)
{
	place->n = 0;
	while (*text) {
		unsigned long first, last;
		char *end;

		text += strcspn(text, "0123456789");
		if (!*text)
			break;
		first = last = strtoul(text, &end, 10);
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last; first++) {
			if (add_node(c, place, first))
				return -1;
		}
		text = end;
	}
	return place->n ? 0 : -1;
}

static void node_names(const struct lr_cluster *c, uint32_t mask, char *text,
		       size_t size)
{
	size_t used = 0;

	*text = '\0';
	for (uint32_t i = 0; i < c->n_nodes && used < size; i++) {
		if (mask >> i & 1)
			used += (size_t)snprintf(text + used, size - used,
						 "%s%s", used ? "," : "",
						 c->node[i].name);
	}
}

/* -- submission -- */

/* The texts that a request points to. */
struct request {
	job_desc_msg_t job;
	char nodes[512], required[512], gres[32], per_gpu[32], feature[16],
		part[16], array[16];
	char options[8][96];
	char *option[8];
};

static char refusal[256];

const char *lr_refusal(void)
{
	return refusal;
}

static void begin_request(struct request *q)
{
	memset(q, 0, sizeof(*q));
	slurm_init_job_desc_msg(&q->job);
	q->job.name = "live-random";
	q->job.alloc_node = "localhost";
	q->job.work_dir = "/";
	q->job.user_id = getuid();
	q->job.group_id = getgid();
}

static void ask_gpus(struct request *q, uint32_t gpus, char type)
{
	if (!gpus)
		return;
	if (type)
		snprintf(q->gres, sizeof(q->gres), PUBLIC_GRES "gpu:%c:%u",
			 type, gpus);
	else
		snprintf(q->gres, sizeof(q->gres), PUBLIC_GRES "gpu:%u", gpus);
	q->job.tres_per_node = q->gres;
}

static uint32_t allocate(struct request *q)
{
	resource_allocation_response_msg_t *response = NULL;
	uint32_t id;

	if (slurm_allocate_resources(&q->job, &response) != SLURM_SUCCESS ||
	    !response) {
		snprintf(refusal, sizeof(refusal), "%s", slurm_strerror(errno));
		return 0;
	}
	id = public_job_id(response);
	slurm_free_resource_allocation_response_msg(response);
	return id;
}

static uint32_t batch(struct request *q)
{
	static char *environment[] = { "PATH=/bin:/usr/bin", NULL };
	submit_response_msg_t *response = NULL;
	uint32_t id;

	q->job.script = "#!/bin/sh\nsleep 3600\n";
	q->job.environment = environment;
	q->job.env_size = 1;
	q->job.std_out = "/dev/null";
	if (slurm_submit_batch_job(&q->job, &response) != SLURM_SUCCESS) {
		snprintf(refusal, sizeof(refusal), "%s", slurm_strerror(errno));
		return 0;
	}
	id = public_job_id(response);
	slurm_free_submit_response_response_msg(response);
	return id;
}

uint32_t lr_block(const struct lr_cluster *c, uint32_t node,
		  const uint32_t use[LR_DIMS], bool whole, uint32_t minutes)
{
	struct request q;

	begin_request(&q);
	q.job.min_nodes = q.job.max_nodes = 1;
	q.job.num_tasks = 1;
	q.job.cpus_per_task = whole ? 1 : (uint16_t)use[LR_CPU];
	q.job.min_cpus = q.job.cpus_per_task;
	q.job.pn_min_memory = use[LR_MEM];
	if (whole)
		q.job.shared = 0;
	else
		ask_gpus(&q, use[LR_GPU], 0);
	if (use[LR_SHARERS])
		q.job.shared = 1;
	q.job.time_limit = minutes ? minutes : INFINITE;
	q.job.req_nodes = (char *)c->node[node].name;
	/* every node is in the first partition */
	return allocate(&q);
}

static void add_option(struct request *q, const char *name, const char *format,
		       ...) __attribute__((format(printf, 3, 4)));
static void add_option(struct request *q, const char *name, const char *format,
		       ...)
{
	uint32_t n = q->job.spank_job_env_size;
	int used = snprintf(q->options[n], sizeof(q->options[n]),
			    "_SLURM_SPANK_OPTION_gang_gang%s=", name);
	va_list args;

	va_start(args, format);
	vsnprintf(q->options[n] + used, sizeof(q->options[n]) - (size_t)used,
		  format, args);
	va_end(args);
	q->option[n] = q->options[n];
	q->job.spank_job_env = q->option;
	q->job.spank_job_env_size = n + 1;
}

/* 0: there is none */
static const char *third_group(uint32_t number)
{
	static char text[2][16];
	static int turn;

	turn = !turn;
	snprintf(text[turn], sizeof(*text), ",c=%u", number);
	return number ? text[turn] : "";
}

static void ask_gang(struct request *q, const struct lr_gang *g, uint32_t m)
{
	static const char *const policies[LR_POLICIES] = {
		"", "require:", "spread:", "prefer:", "", "auto"
	};

	bool second = g->split && m >= g->split;

	add_option(q, "", "g%u%s", g->number, second ? "b" : "");
	if (!g->late || m + 1 == g->n_members)
		add_option(q, "_min_member", "%u",
			   second   ? g->min - g->split :
			   g->split ? g->split :
				      g->min);
	if (g->split)
		add_option(q, "_groups", "root/g%u,root/g%ub", g->number,
			   g->number);
	if (g->n_members > g->min && (!g->late || m + 1 == g->n_members))
		add_option(q, "_total_number", "%u", g->n_members);
	if (g->nonstrict)
		add_option(q, "_mode", "nonstrict");
	if (g->policy == LR_EXCLUSIVE)
		add_option(q, "_exclusive", "%s", lr_level_name(g->level));
	else if (g->policy)
		add_option(q, "_topology", "%s%s%s",
			   g->patient ? policies[LR_PREFER] :
					policies[g->policy],
			   g->policy == LR_AUTO ? "" : lr_level_name(g->level),
			   g->patient ? "@60" : "");
	if (g->run)
		add_option(q, "_run_time", "%u", g->run);
	if (g->share)
		add_option(q, "_comm_share", "%u.%03u", g->share / 1000,
			   g->share % 1000);
	if (g->sorted)
		add_option(q, "_rank_order", "ring");
	if (g->n_groups)
		add_option(q, "_parallel", "a=%u,b=%u%s:a=%u,b=%u%s",
			   g->size[0], g->size[1], third_group(g->size[2]),
			   g->heavy[0], g->heavy[1], third_group(g->heavy[2]));
	if (g->turn[m] != LR_NONE)
		add_option(q, "_order", "%u", g->turn[m]);
	if (g->rank[m] != LR_NONE)
		add_option(q, "_rank", "%u", g->rank[m]);
}

static void ask_resources(struct request *q, const struct lr_member *m)
{
	job_desc_msg_t *job = &q->job;

	uint32_t nodes = m->least ? m->least : m->nodes;

	if (m->nodes) {
		job->min_nodes = nodes;
		job->max_nodes = m->upper ? m->upper : m->nodes;
		/* as sbatch: of a range there are as many as the nodes have */
		if (!m->upper)
			job->num_tasks = m->nodes * m->tasks;
		job->ntasks_per_node = m->whole ? job->ntasks_per_node :
						  (uint16_t)m->tasks;
		job->pn_min_memory = m->mem;
	} else {
		job->num_tasks = m->tasks;
		job->pn_min_memory = m->mem | MEM_PER_CPU;
	}
	job->cpus_per_task = (uint16_t)m->cpus;
	job->min_cpus = (m->nodes ? nodes : 1) * m->tasks * m->cpus;
	if (m->whole || m->shares)
		job->shared = m->shares;
	ask_gpus(q, m->gpus, m->gpu_type);
	if (!m->gpu_cpus)
		return;
	snprintf(q->per_gpu, sizeof(q->per_gpu), PUBLIC_GRES "gpu:%u", m->cpus);
	job->cpus_per_tres = q->per_gpu;
	job->cpus_per_task = NO_VAL16;
	job->min_cpus = m->nodes * m->tasks;
}

static void ask_member(struct request *q, const struct lr_cluster *c,
		       const struct lr_gang *g, uint32_t i)
{
	const struct lr_member *m = &g->member[i];

	begin_request(q);
	ask_resources(q, m);
	ask_gang(q, g, i);
	q->job.time_limit = LR_LIMIT;
	snprintf(q->part, sizeof(q->part), "p%u", m->part);
	q->job.partition = q->part;
	if (m->feature != LR_NONE) {
		snprintf(q->feature, sizeof(q->feature), "f%u", m->feature);
		q->job.features = q->feature;
	}
	if (m->excluded) {
		node_names(c, m->excluded, q->nodes, sizeof(q->nodes));
		q->job.exc_nodes = q->nodes;
	}
	if (m->required) {
		node_names(c, m->required, q->required, sizeof(q->required));
		q->job.req_nodes = q->required;
	}
}

int lr_submit(const struct lr_cluster *c, const struct lr_gang *g,
	      uint32_t ids[LR_MEMBERS])
{
	struct request q;

	for (uint32_t i = 0; i < g->n_members; i++) {
		if (g->array && i) {
			ids[i] = ids[0];
			continue;
		}
		ask_member(&q, c, g, i);
		if (g->array) {
			snprintf(q.array, sizeof(q.array), "0-%u",
				 g->n_members - 1);
			q.job.array_inx = q.array;
		}
		ids[i] = g->batch ? batch(&q) : allocate(&q);
		if (!ids[i])
			return -1;
	}
	return 0;
}

/* -- what has become of them -- */

static void read_job(const struct lr_cluster *c, const job_info_t *info,
		     struct lr_job *job)
{
	uint32_t base = info->job_state & JOB_STATE_BASE;

	job->pending = base == JOB_PENDING;
	job->ended = base > JOB_SUSPENDED &&
		     !(info->job_state & JOB_COMPLETING);
	job->has_nodes = base == JOB_RUNNING;
	job->start = info->start_time;
	job->end = info->time_limit == INFINITE ? 0 : info->end_time;
	job->nodes.n = 0;
	if (job->has_nodes && info->nodes)
		(void)lr_parse_nodes(c, info->nodes, &job->nodes);
	snprintf(job->reason, sizeof(job->reason), "%s",
		 info->state_desc ? info->state_desc : "");
	snprintf(job->record, sizeof(job->record), "%s",
		 info->system_comment ? info->system_comment : "");
}

static void no_job(struct lr_job *job)
{
	memset(job, 0, sizeof(*job));
	job->id = LR_NONE;
	job->ended = true;
}

static job_info_msg_t *load_jobs(uint16_t flags)
{
	job_info_msg_t *message;

	if (slurm_load_jobs(0, &message, flags) == SLURM_SUCCESS)
		return message;
	slurm_perror("live_random: no jobs");
	return NULL;
}

int lr_look(const struct lr_cluster *c, const uint32_t *ids, uint32_t n,
	    struct lr_job *jobs)
{
	job_info_msg_t *message = load_jobs(SHOW_ALL);

	if (!message)
		return -1;
	for (uint32_t i = 0; i < n; i++) {
		no_job(&jobs[i]);
		for (uint32_t j = 0; j < message->record_count; j++) {
			const job_info_t *info = &message->job_array[j];

			if (public_job_id(info) != ids[i])
				continue;
			jobs[i].id = ids[i];
			read_job(c, info, &jobs[i]);
		}
	}
	slurm_free_job_info_msg(message);
	return 0;
}

/* "0-3,5" */
static uint32_t numbers_of(const char *text)
{
	uint32_t set = 0;

	while (*text >= '0' && *text <= '9') {
		char *end;
		unsigned long first = strtoul(text, &end, 10), last = first;

		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		for (; first <= last && first < 32; first++)
			set |= 1u << first;
		text = end + (*end == ',');
	}
	return set;
}

/* "     Nodes=n[1-2] CPU_IDs=0-3 Mem=100 GRES=" of scontrol -d: no function tells
 * it in all releases. */
static void read_cores(const struct lr_cluster *c, char *line,
		       uint32_t cores[LR_NODES])
{
	struct lr_place nodes = { .n = 0 };
	char *list = strstr(line, " Nodes="), *ids = strstr(line, " CPU_IDs=");

	if (!list || !ids)
		return;
	list += strlen(" Nodes=");
	*ids = '\0';
	ids += strlen(" CPU_IDs=");
	ids[strcspn(ids, " ")] = '\0';
	if (lr_parse_nodes(c, list, &nodes))
		return;
	for (uint32_t i = 0; i < nodes.n; i++)
		cores[nodes.node[i]] = numbers_of(ids);
}

/* Of the tasks of an array it shows others, too. */
static int read_alloc(const struct lr_cluster *c, uint32_t id,
		      uint32_t cores[LR_NODES])
{
	char command[64], *line = NULL;
	bool own = false;
	size_t size = 0;
	FILE *in;

	snprintf(command, sizeof(command), "scontrol -d show job %u", id);
	in = popen(command, "r");
	if (!in)
		return -1;
	while (getline(&line, &size, in) > 0) {
		if (!strncmp(line, "JobId=", strlen("JobId=")))
			own = strtoul(line + strlen("JobId="), NULL, 10) == id;
		if (own)
			read_cores(c, line, cores);
	}
	free(line);
	return pclose(in) ? -1 : 0;
}

int lr_cores(const struct lr_cluster *c, const uint32_t *ids, uint32_t n,
	     uint32_t cores[][LR_NODES])
{
	for (uint32_t i = 0; i < n; i++) {
		memset(cores[i], 0, sizeof(cores[i]));
		if (read_alloc(c, ids[i], cores[i]))
			return -1;
	}
	return 0;
}

/* The record of the tasks that are none of their own has no number. */
static void look_task(const struct lr_cluster *c, const job_info_msg_t *message,
		      uint32_t id, uint32_t task, struct lr_job *job)
{
	no_job(job);
	/* of an array that was refused; of jobs that are none it is 0, too */
	for (uint32_t i = 0; id && i < message->record_count; i++) {
		const job_info_t *info = &message->job_array[i];
		bool own = info->array_task_id == task;

		if (info->array_job_id != id ||
		    (!own &&
		     (info->array_task_id != NO_VAL || job->id != LR_NONE)))
			continue;
		job->id = public_job_id(info);
		read_job(c, info, job);
		if (own)
			return;
	}
}

int lr_look_members(const struct lr_cluster *c, const struct lr_gang *g,
		    const uint32_t *ids, struct lr_job *jobs)
{
	job_info_msg_t *message;

	if (!g->array)
		return lr_look(c, ids, g->n_members, jobs);
	message = load_jobs(SHOW_ALL);
	if (!message)
		return -1;
	for (uint32_t i = 0; i < g->n_members; i++)
		look_task(c, message, ids[i], i, &jobs[i]);
	slurm_free_job_info_msg(message);
	return 0;
}

/* A member that comes makes the plugin look at all gangs at once, not only with
 * the next second. */
static void poke(void)
{
	struct request q;
	uint32_t id;

	begin_request(&q);
	q.job.min_nodes = q.job.num_tasks = 1;
	add_option(&q, "", "poke");
	add_option(&q, "_min_member", "2");
	id = allocate(&q);
	if (id)
		(void)slurm_kill_job(public_id_of_job(id), SIGKILL, 0);
}

/* Of a member that waited, the reason is gone once the plugin has seen its end:
 * until then nodes may be kept for it. */
static bool all_gone(const struct lr_job *jobs, uint32_t n, bool *told)
{
	bool ended = true;

	*told = false;
	for (uint32_t i = 0; i < n; i++) {
		ended &= jobs[i].ended;
		*told |= strstr(jobs[i].reason, "Gang ") != NULL;
	}
	return ended;
}

int lr_cancel(const struct lr_cluster *c, const struct lr_gang *g,
	      const uint32_t *ids, uint32_t n)
{
	double deadline = lr_now_ms() + PATIENCE_MS;
	struct lr_job jobs[LR_NODES * 4];
	bool told, poked = false;

	for (uint32_t i = 0; i < n; i++) {
		char name[16];

		/* with all tasks, if it is an array */
		snprintf(name, sizeof(name), "%u", ids[i]);
		if (ids[i] && (!i || ids[i] != ids[i - 1]))
			(void)slurm_kill_job2(name, SIGKILL, 0, NULL);
	}
	do {
		if (n > LR_NODES * 4 || (g ? lr_look_members(c, g, ids, jobs) :
					     lr_look(c, ids, n, jobs)))
			return -1;
		if (all_gone(jobs, n, &told)) {
			if (!told)
				return 0;
			if (!poked)
				poke();
			poked = true;
		}
		lr_nap();
	} while (lr_now_ms() < deadline);
	for (uint32_t i = 0; i < n; i++)
		fprintf(stderr,
			"live_random: cancelled job %u has not ended: "
			"'%s'\n",
			ids[i], jobs[i].reason);
	return -1;
}

char *lr_variable(uint32_t id, const char *name)
{
	resource_allocation_response_msg_t *job = NULL;
	size_t length = strlen(name);
	char *value = NULL;

	if (slurm_allocation_lookup(public_id_of_job(id), &job) !=
	    SLURM_SUCCESS)
		return NULL;
	for (uint32_t i = 0; i < job->env_size && !value; i++) {
		const char *text = job->environment[i];

		if (!strncmp(text, name, length) && text[length] == '=')
			value = strdup(text + length + 1);
	}
	slurm_free_resource_allocation_response_msg(job);
	return value;
}

int lr_cpus_in_use(const struct lr_cluster *c, uint32_t cpus[LR_NODES])
{
	node_info_msg_t *message;

	if (slurm_load_node(0, &message, SHOW_ALL) != SLURM_SUCCESS) {
		slurm_perror("live_random: no nodes");
		return -1;
	}
	for (uint32_t i = 0; i < message->record_count; i++) {
		const node_info_t *info = &message->node_array[i];
		uint32_t node = info->name ? lr_node_called(c, info->name) :
					     LR_NONE;

		if (node != LR_NONE)
			cpus[node] = public_used_cpus(info);
	}
	slurm_free_node_info_msg(message);
	return 0;
}

static int update_state(const struct lr_node *node, uint32_t state,
			const char *reason)
{
	update_node_msg_t update;

	slurm_init_update_node_msg(&update);
	update.node_names = (char *)node->name;
	update.node_state = state;
	update.reason = (char *)reason;
	if (slurm_update_node(&update) != SLURM_SUCCESS) {
		slurm_perror("live_random: no other state of a node");
		return -1;
	}
	return 0;
}

int lr_drain(const struct lr_node *node, bool away)
{
	return update_state(node, away ? NODE_STATE_DRAIN : NODE_STATE_UNDRAIN,
			    away ? "live-random" : NULL);
}

int lr_power_up(const struct lr_node *node)
{
	return update_state(node, NODE_STATE_POWER_UP, NULL);
}

int lr_powered_down(uint32_t *n)
{
	node_info_msg_t *message;

	if (slurm_load_node(0, &message, SHOW_ALL) != SLURM_SUCCESS) {
		slurm_perror("live_random: no nodes");
		return -1;
	}
	*n = 0;
	for (uint32_t i = 0; i < message->record_count; i++)
		*n += (message->node_array[i].node_state &
		       NODE_STATE_POWERED_DOWN) != 0;
	slurm_free_node_info_msg(message);
	return 0;
}

int lr_reserve(const struct lr_node *node, bool reserved)
{
	reservation_name_msg_t end = { .name = (char *)node->name };
	resv_desc_msg_t begin;
	int rc;

	slurm_init_resv_desc_msg(&begin);
	begin.name = begin.node_list = (char *)node->name;
	begin.start_time = time(NULL);
	begin.duration = RESERVED_MINUTES;
	begin.users = "daemon"; /* some releases know no nobody */
	if (reserved) {
		/* who frees the name, and how, differs by release */
		rc = slurm_create_reservation(&begin) ? 0 : -1;
	} else {
		rc = slurm_delete_reservation(&end);
	}
	if (rc)
		slurm_perror("live_random: no reservation");
	return rc ? -1 : 0;
}
