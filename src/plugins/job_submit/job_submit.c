/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_submit.c - may this job join this gang, and can the gang ever start? */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/array.h"
#include "core/spec.h"
#include "core/text.h"
#include "plugins/job_submit/job_submit.h"

/* Members of the gang that need the same, as far as they are known. */
struct group {
	uint32_t members;
	struct sgang_submit_need need;
};

/* The gang as the job records show it, before the new job. */
struct survey {
	const struct sgang_submit_host *host;
	const char *ns;
	const char *name;
	const char *partition;		/* the new job's */
	uint32_t skip_job;		/* 0: none */

	struct sgang_spec said;		/* by all members together */
	bool started;
	bool elsewhere;			/* not all are in one partition */
	bool no_memory;
	uint32_t tightest;		/* lowest limit of an array, 0: none */
	uint32_t tightest_job;
	struct group *groups;
	size_t n_groups;
};

static int add_group(struct survey *survey, uint32_t members,
		     const struct sgang_submit_need *need)
{
	struct group *more = realloc(survey->groups, (survey->n_groups + 1) *
				     sizeof(*more));

	if (!more)
		return -1;
	more[survey->n_groups].members = members;
	more[survey->n_groups].need = *need;
	survey->groups = more;
	survey->n_groups++;
	return 0;
}

static bool same_name(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

/* Is the member in the gang of the survey? Fills 'spec' if so. */
static bool is_in_gang(const struct survey *survey,
		       const struct sgang_submit_member *member,
		       struct sgang_spec *spec)
{
	const char *ns;

	if (member->job_id == survey->skip_job && survey->skip_job)
		return false;
	if (sgang_spec_from_env(spec, member->env, member->n_env, NULL) != 1)
		return false;
	if (strcmp(spec->name, survey->name))
		return false;
	ns = spec->ns[0] ? spec->ns : survey->host->user_name(member->uid);
	return same_name(ns, survey->ns);
}

static void visit_member(const struct sgang_submit_member *member, void *arg)
{
	struct survey *survey = arg;
	struct sgang_spec spec;

	if (!is_in_gang(survey, member, &spec))
		return;
	sgang_spec_merge(&survey->said, &spec);
	if (member->started)
		survey->started = true;
	if (!same_name(member->partition, survey->partition))
		survey->elsewhere = true;
	if (member->throttle && (!survey->tightest ||
				 member->throttle < survey->tightest)) {
		survey->tightest = member->throttle;
		survey->tightest_job = member->job_id;
	}
	if (add_group(survey, member->tasks, &member->need))
		survey->no_memory = true;
}

static void survey_gang(struct survey *survey,
			const struct sgang_submit_host *host, const char *ns,
			const char *name, const char *partition,
			uint32_t skip_job)
{
	memset(survey, 0, sizeof(*survey));
	survey->host = host;
	survey->ns = ns;
	survey->name = name;
	survey->partition = partition;
	survey->elsewhere = partition && strchr(partition, ',');
	survey->skip_job = skip_job;
	sgang_spec_init(&survey->said);
	host->each_member(visit_member, survey);
}

static enum sgang_submit_verdict no_memory(struct sgang_error *err)
{
	sgang_errf(err, ENOMEM, "slurmctld has no memory to look at the gang");
	return SGANG_SUBMIT_NO_MEMORY;
}

static enum sgang_submit_verdict
check_conf(const struct sgang_spec *spec, const struct sgang_submit_host *host,
	   struct sgang_error *err)
{
	char level[SGANG_TEXT_SHOWN];
	struct sgang_conf conf;
	struct sgang_error why;

	if (host->load_conf(&conf, &why)) {
		sgang_errf(err, EINVAL, "gangs are off: %s", why.text);
		return SGANG_SUBMIT_BROKEN;
	}
	if (!conf.gangs) {
		sgang_errf(err, EINVAL, "gangs are switched off on this "
			   "cluster (Gangs=no in gang.conf); submit the job "
			   "without --gang");
		return SGANG_SUBMIT_OFF;
	}
	if (spec->level[0] && sgang_costs_level(&conf.costs, spec->level) < 0) {
		sgang_errf(err, EINVAL, "--gang-topology: there is no level "
			   "\"%s\"; the levels are %s, %s, %s, %s, %s",
			   sgang_text_show(level, spec->level),
			   conf.costs.name[0], conf.costs.name[1],
			   conf.costs.name[2], conf.costs.name[3],
			   conf.costs.name[4]);
		return SGANG_SUBMIT_INVALID;
	}
	return SGANG_SUBMIT_FINE;
}

/* A namespace is the user's name or the account the job is charged to.
 *
 * Where Slurm checks associations, an account is one that the user may charge.
 * Where it does not, --account is free text: everybody can name any account,
 * and so meet that account's gangs: be counted as a member of them, or, coming
 * first, fix their minimum. What remains protected is the namespace that is
 * another user's name. Sites that want more enforce associations. */
static enum sgang_submit_verdict
check_namespace(const char *ns, const char *user, const char *account,
		bool account_checked, uint32_t uid,
		const struct sgang_submit_host *host, struct sgang_error *err)
{
	char shown_ns[SGANG_TEXT_SHOWN], shown_user[SGANG_TEXT_SHOWN];
	char shown_account[SGANG_TEXT_SHOWN];

	if (same_name(ns, user))
		return SGANG_SUBMIT_FINE;
	sgang_text_show(shown_ns, ns);
	if (!same_name(ns, account)) {
		sgang_errf(err, EACCES, "the gang's namespace \"%s\" is "
			   "neither your user name (%s) nor the account that "
			   "the job is charged to (%s)", shown_ns,
			   sgang_text_show(shown_user, user),
			   account ? sgang_text_show(shown_account, account) :
				     "none");
		return SGANG_SUBMIT_NOT_YOURS;
	}
	if (!account_checked && host->other_user(ns, uid)) {
		sgang_errf(err, EACCES, "the gang's namespace \"%s\" is the "
			   "name of another user", shown_ns);
		return SGANG_SUBMIT_NOT_YOURS;
	}
	return SGANG_SUBMIT_FINE;
}

/* An array that may run N tasks at a time never starts more than N together.
 * 'throttle' is the new job's, 'survey' has the earlier members'. */
static enum sgang_submit_verdict
check_throttle(const struct sgang_spec *whole, uint32_t throttle,
	       const struct survey *survey, struct sgang_error *err)
{
	uint32_t min = sgang_spec_min(whole);

	if (survey->started)
		return SGANG_SUBMIT_FINE;
	if (throttle && throttle < min) {
		sgang_errf(err, EINVAL, "the array's limit of %" PRIu32
			   " tasks at a time is below --gang-min-member=%"
			   PRIu32 ": the gang could never start", throttle,
			   min);
		return SGANG_SUBMIT_ARRAY;
	}
	if (survey->tightest && survey->tightest < min) {
		sgang_errf(err, EINVAL, "--gang-min-member=%" PRIu32 ": array "
			   "job %" PRIu32 " of this gang is limited to %" PRIu32
			   " tasks at a time: the gang could never start", min,
			   survey->tightest_job, survey->tightest);
		return SGANG_SUBMIT_ARRAY;
	}
	return SGANG_SUBMIT_FINE;
}

static uint32_t whole_nodes(const struct group *group)
{
	return group->need.whole ? group->need.nodes : 0;
}

static uint32_t cpus(const struct group *group)
{
	return group->need.cpus;
}

static int by_nodes(const void *a, const void *b)
{
	uint32_t x = whole_nodes(a), y = whole_nodes(b);

	return (x > y) - (x < y);
}

static int by_cpus(const void *a, const void *b)
{
	uint32_t x = cpus(a), y = cpus(b);

	return (x > y) - (x < y);
}

/* What 'count' members need at least: the cheapest of the known ones, and when
 * those do not suffice, more like the very cheapest. Sorts the groups. */
static uint64_t least_need(struct survey *survey, uint64_t count,
			   uint32_t (*need)(const struct group *),
			   int (*order)(const void *, const void *))
{
	struct group *g = survey->groups;
	uint64_t sum = 0;
	size_t i;

	qsort(g, survey->n_groups, sizeof(*g), order);
	for (i = 0; i < survey->n_groups && count; i++) {
		uint64_t n = count < g[i].members ? count : g[i].members;

		sum += n * need(&g[i]);
		count -= n;
	}
	return sum + count * need(&g[0]);
}

static enum sgang_submit_verdict
check_alone(const struct sgang_submit_job *job, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint32_t need = 0, room = 0;
	const char *what = NULL;

	if (job->room.cpus && job->need.cpus > job->room.cpus) {
		need = job->need.cpus;
		room = job->room.cpus;
		what = "CPUs";
	}
	if (job->room.nodes && job->need.nodes > job->room.nodes) {
		need = job->need.nodes;
		room = job->room.nodes;
		what = "nodes";
	}
	if (!what)
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, EINVAL, "the gang can never start: this member alone "
		   "needs %" PRIu32 " %s and partition %s has %" PRIu32, need,
		   what, sgang_text_show(shown, job->partition), room);
	return SGANG_SUBMIT_NEVER_FITS;
}

/* One kind of thing that members use up. */
struct ware {
	const char *what;
	uint32_t (*need)(const struct group *);
	int (*order)(const void *, const void *);
	size_t room;			/* offset in struct sgang_submit_room */
};

static const struct ware wares[] = {
	{ "whole nodes", whole_nodes, by_nodes,
	  offsetof(struct sgang_submit_room, nodes) },
	{ "CPUs", cpus, by_cpus, offsetof(struct sgang_submit_room, cpus) },
};

static uint32_t room_of(const struct sgang_submit_room *room,
			const struct ware *ware)
{
	return *(const uint32_t *)((const char *)room + ware->room);
}

/* Those members that must start because too few others are expected, in the
 * partition they all name: certain. */
static enum sgang_submit_verdict
check_known(const struct sgang_submit_job *job, struct survey *survey,
	    uint64_t known, const struct ware *ware, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint64_t min = sgang_spec_min(&survey->said), must, need;
	uint64_t total = sgang_spec_total(&survey->said);
	uint32_t room = room_of(&job->room, ware);
	uint64_t missing = total > known ? total - known : 0;

	if (survey->elsewhere || !room || min <= missing)
		return SGANG_SUBMIT_FINE;
	must = min - missing;
	need = least_need(survey, must, ware->need, ware->order);
	if (need <= room)
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, EINVAL, "the gang can never start: %" PRIu64 " of its "
		   "members need %" PRIu64 " %s together and partition %s has "
		   "%" PRIu32, must, need, ware->what,
		   sgang_text_show(shown, job->partition), room);
	return SGANG_SUBMIT_NEVER_FITS;
}

/* The whole minimum, in the whole cluster. Members that are not there yet may
 * be in any partition; they are taken to be like the smallest one so far, so
 * that who says --gang-min-member=1000 for whole nodes hears of it with the
 * first job. A gang whose first member is much larger than the others could be
 * wronged by that, so the sentence says what to do. */
static enum sgang_submit_verdict
check_expected(struct survey *survey, uint64_t known, const struct ware *ware,
	       struct sgang_error *err)
{
	struct sgang_submit_room cluster = survey->host->cluster();
	uint64_t min = sgang_spec_min(&survey->said), need;
	uint32_t room = room_of(&cluster, ware);
	bool may_be_smaller;

	need = least_need(survey, min, ware->need, ware->order);
	if (!room || need <= room)
		return SGANG_SUBMIT_FINE;
	/* no member takes less than one CPU */
	may_be_smaller = min > known && !(ware->need == cpus && need == min);
	sgang_errf(err, EINVAL, "the gang can never start: its %" PRIu64
		   " members need at least %" PRIu64 " %s together and the "
		   "cluster has %" PRIu32 "%s", min, need, ware->what, room,
		   may_be_smaller ? "; if others are smaller, submit those "
				    "first" : "");
	return SGANG_SUBMIT_NEVER_FITS;
}

static enum sgang_submit_verdict
check_fit(const struct sgang_submit_job *job, uint32_t tasks,
	  struct survey *survey, struct sgang_error *err)
{
	enum sgang_submit_verdict verdict = check_alone(job, err);
	uint64_t known = 0;
	size_t i;

	/* a member of a gang that has started is an ordinary job (0.11) */
	if (verdict || survey->started)
		return verdict;
	if (add_group(survey, tasks, &job->need) || survey->no_memory)
		return no_memory(err);
	for (i = 0; i < survey->n_groups; i++)
		known += survey->groups[i].members;
	for (i = 0; i < sizeof(wares) / sizeof(wares[0]) && !verdict; i++) {
		verdict = check_known(job, survey, known, &wares[i], err);
		if (!verdict)
			verdict = check_expected(survey, known, &wares[i], err);
	}
	return verdict;
}

/* Check the job against the gang's other members and what there is. */
static enum sgang_submit_verdict
check_gang(const struct sgang_submit_job *job, const struct sgang_spec *spec,
	   const char *ns, const struct sgang_submit_host *host,
	   struct sgang_error *err)
{
	enum sgang_submit_verdict verdict = SGANG_SUBMIT_FINE;
	uint32_t tasks = 1, throttle = 0;
	struct survey survey;

	/* a malformed array is refused by Slurm itself, a moment later */
	if (job->array && sgang_array_parse(job->array, &tasks, &throttle) &&
	    errno == ENOMEM)
		return no_memory(err);
	survey_gang(&survey, host, ns, spec->name, job->partition, 0);
	if (sgang_spec_agree(&survey.said, spec, err))
		verdict = SGANG_SUBMIT_INVALID;
	if (!verdict) {
		sgang_spec_merge(&survey.said, spec);
		verdict = check_throttle(&survey.said, throttle, &survey, err);
	}
	if (!verdict)
		verdict = check_fit(job, tasks, &survey, err);
	free(survey.groups);
	return verdict;
}

bool sgang_submit_concerns(char *const *env, size_t n_env)
{
	static const char prefix[] = "_SLURM_SPANK_OPTION_gang_";
	size_t i;

	for (i = 0; i < n_env; i++)
		if (env[i] && !strncmp(env[i], prefix, sizeof(prefix) - 1))
			return true;
	return false;
}

/* The gang's namespace: what was said, else the user's name. */
static int resolve_namespace(const struct sgang_spec *spec, const char *user,
			     char ns[SGANG_NAMESPACE_MAX + 1])
{
	const char *source = spec->ns[0] ? spec->ns : user;

	if (!source || strlen(source) > SGANG_NAMESPACE_MAX)
		return -1;
	strcpy(ns, source);
	return 0;
}

enum sgang_submit_verdict
sgang_submit_check(const struct sgang_submit_job *job,
		   const struct sgang_submit_host *host,
		   struct sgang_error *err)
{
	enum sgang_submit_verdict verdict;
	char ns[SGANG_NAMESPACE_MAX + 1];
	struct sgang_spec spec;
	const char *user;
	int member;

	member = sgang_spec_from_env(&spec, job->env, job->n_env, err);
	if (member < 0)
		return SGANG_SUBMIT_INVALID;
	if (!member)
		return SGANG_SUBMIT_FINE;
	if (job->het) {
		sgang_errf(err, EINVAL, "a component of a heterogeneous job "
			   "cannot join a gang; submit the components as jobs "
			   "of one gang instead");
		return SGANG_SUBMIT_UNSUPPORTED;
	}
	verdict = check_conf(&spec, host, err);
	if (verdict)
		return verdict;
	user = host->user_name(job->uid);
	if (resolve_namespace(&spec, user, ns)) {
		sgang_errf(err, EACCES, "user %" PRIu32 " has no name to be "
			   "the gang's namespace; give --gang=ACCOUNT/NAME",
			   job->uid);
		return SGANG_SUBMIT_NOT_YOURS;
	}
	verdict = check_namespace(ns, user, job->account, job->account_checked,
				  job->uid, host, err);
	if (verdict)
		return verdict;
	return check_gang(job, &spec, ns, host, err);
}

static enum sgang_submit_verdict
check_new_throttle(const struct sgang_submit_member *member,
		   const struct sgang_spec *spec, const char *ns,
		   uint32_t throttle, const struct sgang_submit_host *host,
		   struct sgang_error *err)
{
	enum sgang_submit_verdict verdict;
	struct survey survey;

	/* the job itself is left out: its old limit no longer matters */
	survey_gang(&survey, host, ns, spec->name, member->partition,
		    member->job_id);
	sgang_spec_merge(&survey.said, spec);
	survey.started = survey.started || member->started;
	survey.tightest = 0;
	verdict = check_throttle(&survey.said, throttle, &survey, err);
	free(survey.groups);
	return verdict;
}

enum sgang_submit_verdict
sgang_submit_check_change(const struct sgang_submit_member *member,
			  const struct sgang_submit_change *change,
			  const struct sgang_submit_host *host,
			  struct sgang_error *err)
{
	enum sgang_submit_verdict verdict = SGANG_SUBMIT_FINE;
	const char *user = host->user_name(member->uid);
	char ns[SGANG_NAMESPACE_MAX + 1];
	struct sgang_spec spec;

	if (sgang_spec_from_env(&spec, member->env, member->n_env, NULL) != 1 ||
	    resolve_namespace(&spec, user, ns))
		return SGANG_SUBMIT_FINE;
	/* whether the user may charge it, Slurm checks after us */
	if (change->account)
		verdict = check_namespace(ns, user, change->account, true,
					  member->uid, host, err);
	if (!verdict && change->throttle)
		verdict = check_new_throttle(member, &spec, ns,
					     change->throttle, host, err);
	return verdict;
}
