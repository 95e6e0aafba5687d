/* SPDX-License-Identifier: GPL-2.0-or-later */
/* job_submit.c - may this job join this gang, and can the gang ever start? */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/text.h"
#include "core/gang/gang.h"
#include "core/gang/record.h"
#include "core/gang/spec.h"
#include "plugins/job_submit/job_submit.h"
#include "plugins/job_submit/limits.h"
#include "plugins/job_submit/roll.h"

/* The gang as the job records show it. */
struct survey {
	const struct sgang_submit_host *host;
	const char *ns;
	const char *name;
	const char *partition; /* the new job's */
	uint32_t uid;          /* whose job it is */

	const struct sgang_roll *roll;    /* NULL: no memory */
	struct sgang_roll own;            /* where none is remembered */
	const struct sgang_alike *object; /* newest definition, or NULL */
	struct sgang_alike joining;       /* the new job */
	const struct sgang_alike **known; /* the members, and it */
	size_t n_known;
	struct sgang_tally tally;   /* of them and the definitions */
	struct sgang_limits limits; /* of these and all others */
	bool partial;               /* not yet of all others */
};

static bool same_name(const char *a, const char *b)
{
	return a && b && !strcmp(a, b);
}

static void visit_any(const struct sgang_submit_member *member, void *arg)
{
	const char *gang = sgang_submit_gang(member->env, member->n_env);
	struct survey *survey = arg;

	if (!gang)
		return;
	sgang_limits_see(&survey->limits, gang, member->uid, member->account,
			 member->tasks);
	sgang_roll_add(&survey->own, member);
}

/* The definition of the gang is apart. */
static int list_known(struct survey *survey)
{
	const struct sgang_roll *roll = survey->roll;

	survey->known = calloc(roll->n + 1, sizeof(*survey->known));
	if (!survey->known)
		return -1;
	for (size_t i = 0; i < roll->n; i++) {
		const struct sgang_alike *alike = roll->alike[i];

		if (!alike->spec.object)
			survey->known[survey->n_known++] = alike;
		else if (!survey->object ||
			 sgang_gang_submit_order(&survey->object->m,
						 &alike->m) < 0)
			survey->object = alike;
	}
	return 0;
}

/* The gang's part of what is counted. */
static void count_roll(struct survey *survey)
{
	const struct sgang_roll *roll = survey->roll;

	for (size_t i = 0; roll && i < roll->n; i++)
		sgang_limits_see(&survey->limits, roll->alike[i]->gang,
				 roll->alike[i]->m.uid, roll->alike[i]->account,
				 roll->alike[i]->m.tasks);
}

static void begin_survey(struct survey *survey,
			 const struct sgang_submit_host *host, const char *ns,
			 const char *name, const char *partition, uint32_t uid)
{
	memset(survey, 0, sizeof(*survey));
	survey->host = host;
	survey->ns = ns;
	survey->name = name;
	survey->partition = partition;
	survey->uid = uid;
	sgang_roll_begin(&survey->own, host, ns, name);
	survey->partial = host->members && !sgang_members_update(host->members);
}

/* Without memory the tally fails. */
static void survey_own(struct survey *survey)
{
	if (survey->partial)
		sgang_roll_call(&survey->own, survey->uid);
	else
		survey->host->each_member(visit_any, survey);
	survey->roll = survey->own.no_memory ? NULL : &survey->own;
}

/* For a job of 'uid' that is submitted. 'limits' has begun to count and is the
 * survey's then. */
static void survey_gang(struct survey *survey,
			const struct sgang_submit_host *host, const char *ns,
			const char *name, const char *partition, uint32_t uid,
			const struct sgang_limits *limits)
{
	begin_survey(survey, host, ns, name, partition, uid);
	survey->limits = *limits;
	if (survey->partial && host->rolls)
		survey->roll = sgang_rolls_get(host, ns, name, uid);
	else
		survey_own(survey);
	if (survey->partial)
		count_roll(survey);
}

/* Their tally, by the rules of the select plugin. */
static int add_up(struct survey *survey, const struct sgang_conf *conf)
{
	const struct sgang_spec *definitions[] = {
		survey->object ? &survey->object->spec : NULL,
		sgang_conf_gang(conf, survey->ns, survey->name),
	};
	const struct sgang_member **members;
	size_t i;
	int rc;

	members = calloc(survey->n_known + 1, sizeof(*members));
	if (!members)
		return -1;
	for (i = 0; i < survey->n_known; i++)
		members[i] = &survey->known[i]->m;
	rc = sgang_gang_tally(members, survey->n_known, definitions,
			      sizeof(definitions) / sizeof(definitions[0]),
			      &survey->tally);
	free(members);
	return rc;
}

static void end_survey(struct survey *survey)
{
	free(survey->known);
	sgang_roll_end(&survey->own);
	sgang_limits_end(&survey->limits);
}

static enum sgang_submit_verdict no_memory(struct sgang_error *err)
{
	sgang_errf(err, ENOMEM, "slurmctld has no memory to look at the gang");
	return SGANG_SUBMIT_NO_MEMORY;
}

/* 'partitions' is NULL for a definition: that has none, and what it says is
 * judged again with each member. */
static enum sgang_submit_verdict check_exclusive(const char *level,
						 const struct sgang_conf *conf,
						 const char *partitions,
						 struct sgang_error *err)
{
	char said[SGANG_CONF_SAID];
	int most;

	if (!level[0])
		return SGANG_SUBMIT_FINE;
	most = partitions ? sgang_conf_max_exclusive(conf, partitions, said) :
			    sgang_conf_any_exclusive(conf, said);
	if (sgang_costs_level(&conf->costs, level) <= most)
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, EINVAL, "--gang-exclusive=%s is above %s of gang.conf",
		   level, said);
	return SGANG_SUBMIT_INVALID;
}

/* The options of earlier members or a definition may exceed the limits of this
 * one's partitions. A line of gang.conf may say anything. */
static enum sgang_submit_verdict
check_gang_exclusive(const struct survey *survey, const struct sgang_conf *conf,
		     const char *partitions, struct sgang_error *err)
{
	const struct sgang_spec *line = sgang_conf_gang(conf, survey->ns,
							survey->name);

	if (!conf->partition_max_exclusive[0] || (line && line->exclusive[0]))
		return SGANG_SUBMIT_FINE;
	return check_exclusive(survey->tally.spec.exclusive, conf, partitions,
			       err);
}

/* A definition has no partition. */
static enum sgang_submit_verdict
check_topology(const struct sgang_spec *spec, const char *partitions,
	       const struct sgang_submit_host *host, struct sgang_error *err)
{
	char why[sizeof(err->text)];

	if (spec->object || !partitions || !host->barred ||
	    !host->barred(partitions, why, sizeof(why)))
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, ENOTSUP,
		   "%s; submit the job to another partition, or without --gang",
		   why);
	return SGANG_SUBMIT_UNSUPPORTED;
}

static enum sgang_submit_verdict check_conf(const struct sgang_submit_job *job,
					    const struct sgang_spec *spec,
					    const struct sgang_conf *conf,
					    struct sgang_error *err)
{
	char level[SGANG_LEVEL_NAME_SIZE], names[SGANG_LEVEL_NAMES_SIZE];
	char said[SGANG_CONF_SAID];
	const char *option;

	if (!conf->gangs) {
		sgang_errf(err, EINVAL,
			   "gangs are switched off on this "
			   "cluster (Gangs=no in gang.conf); submit the job "
			   "without --gang");
		return SGANG_SUBMIT_OFF;
	}
	if (sgang_spec_unknown_level(spec, &conf->costs, &option, level)) {
		sgang_errf(err, EINVAL,
			   "--%s: there is no level \"%s\"; the "
			   "levels are %s",
			   option, level,
			   sgang_costs_names(&conf->costs, names));
		return SGANG_SUBMIT_INVALID;
	}
	if (spec->placeholders &&
	    !sgang_conf_may_keep(conf, job->partition, said)) {
		sgang_errf(err, EINVAL,
			   "--gang-placeholders: %s in gang.conf: gangs have "
			   "no placeholders there",
			   said);
		return SGANG_SUBMIT_INVALID;
	}
	return check_exclusive(spec->exclusive, conf,
			       spec->object ? NULL : job->partition, err);
}

/* A namespace is the user's name or the account the job is charged to. The
 * refusal names the user and the account. */
static enum sgang_submit_verdict check_namespace(const char *ns,
						 const char *user,
						 const char *account,
						 struct sgang_error *err)
{
	char shown_ns[SGANG_TEXT_SHOWN], shown_user[SGANG_TEXT_SHOWN];
	char shown_account[SGANG_TEXT_SHOWN];

	if (same_name(ns, user) || same_name(ns, account))
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, EACCES,
		   "the gang's namespace \"%s\" is neither your "
		   "user name (%s) nor the account that the job is charged to "
		   "(%s)",
		   sgang_text_show(shown_ns, ns),
		   sgang_text_show(shown_user, user),
		   account ? sgang_text_show(shown_account, account) : "none");
	return SGANG_SUBMIT_NOT_YOURS;
}

/* A user's name is a namespace of that user alone, also when an account has the
 * same name, unless both belong to that account.
 *
 * Where Slurm checks associations, an account is one that the user may charge.
 * Where it does not, --account is free text: everybody can name any account,
 * and so meet that account's gangs: be counted as a member of them, or, coming
 * first, fix their minimum. What remains protected is the namespace that is
 * another user's name. Sites that want more enforce associations. */
static enum sgang_submit_verdict
check_owner(const char *ns, const struct sgang_submit_job *job,
	    const struct sgang_submit_host *host, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint32_t owner;

	if (same_name(ns, host->user_name(job->uid)) ||
	    !host->user_id(ns, &owner) || owner == job->uid ||
	    (job->account_checked && host->own_account(ns)))
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, EACCES,
		   "the gang's namespace \"%s\" is the name of "
		   "another user",
		   sgang_text_show(shown, ns));
	return SGANG_SUBMIT_NOT_YOURS;
}

/* An admin can close the namespace of an account to a list of its users. */
static enum sgang_submit_verdict check_rules(const char *ns, const char *user,
					     const struct sgang_conf *conf,
					     struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	if (same_name(ns, user) || sgang_conf_may_join(conf, ns, user))
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, EACCES,
		   "GangAccountRules of gang.conf does not let "
		   "you have gangs in the namespace of account \"%s\"",
		   sgang_text_show(shown, ns));
	return SGANG_SUBMIT_NOT_YOURS;
}

/* The known member with the lowest limit of an array; NULL: none has one. */
static const struct sgang_alike *find_tightest(const struct survey *survey)
{
	const struct sgang_alike *tightest = NULL;

	for (size_t i = 0; i < survey->n_known; i++) {
		const struct sgang_alike *known = survey->known[i];

		if (known->throttle &&
		    (!tightest || known->throttle < tightest->throttle))
			tightest = known;
	}
	return tightest;
}

/* An array that may run N tasks at a time never starts more than N together.
 * 'throttle' is the new job's, 'tightest' is an earlier member or NULL. */
static enum sgang_submit_verdict
check_throttle(uint32_t throttle, const struct survey *survey,
	       const struct sgang_alike *tightest, struct sgang_error *err)
{
	const struct sgang_tally *tally = &survey->tally;
	uint32_t min = tally->min_member, together = min;

	/* of a tree an array is at most one group */
	if (sgang_gang_ordinary(tally) || tally->roles.any)
		return SGANG_SUBMIT_FINE;
	if (sgang_spec_match(&tally->spec) == SGANG_MATCH_WAITING_AND_RUNNING)
		together -= tally->running;
	if (throttle && throttle < together) {
		sgang_errf(
			err, EINVAL,
			"the array's limit of %" PRIu32
			" tasks at a time is below --gang-min-member=%" PRIu32
			": the gang could never start",
			throttle, min);
		return SGANG_SUBMIT_ARRAY;
	}
	if (tightest && tightest->throttle < together) {
		sgang_errf(err, EINVAL,
			   "--gang-min-member=%" PRIu32 ": array "
			   "job %" PRIu32 " of this gang is limited to %" PRIu32
			   " tasks at a time: the gang could never start",
			   min, tightest->m.job_id, tightest->throttle);
		return SGANG_SUBMIT_ARRAY;
	}
	return SGANG_SUBMIT_FINE;
}

static uint32_t whole_nodes(const struct sgang_alike *known)
{
	return known->need.whole ? known->need.nodes : 0;
}

static uint32_t cpus(const struct sgang_alike *known)
{
	return known->need.cpus;
}

static int by_need(uint32_t (*need)(const struct sgang_alike *), const void *a,
		   const void *b)
{
	uint32_t x = need(*(const struct sgang_alike *const *)a);
	uint32_t y = need(*(const struct sgang_alike *const *)b);

	return (x > y) - (x < y);
}

static int by_nodes(const void *a, const void *b)
{
	return by_need(whole_nodes, a, b);
}

static int by_cpus(const void *a, const void *b)
{
	return by_need(cpus, a, b);
}

/* The least that 'count' members need: the cheapest of the known ones, and one
 * for each unknown member, if all known ones need some. Sorts them. */
static uint64_t least_need(struct survey *survey, uint64_t count,
			   uint32_t (*need)(const struct sgang_alike *),
			   int (*order)(const void *, const void *))
{
	const struct sgang_alike **k = survey->known;
	uint64_t sum = 0;
	size_t i;

	qsort(k, survey->n_known, sizeof(*k), order);
	for (i = 0; i < survey->n_known && count; i++) {
		uint64_t n = count < k[i]->m.tasks ? count : k[i]->m.tasks;

		sum += n * need(k[i]);
		count -= n;
	}
	return sum + count * (need(k[0]) > 0);
}

static enum sgang_submit_verdict check_alone(const struct sgang_submit_job *job,
					     struct sgang_error *err)
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
	sgang_errf(err, EINVAL,
		   "the gang can never start: this member alone "
		   "needs %" PRIu32 " %s and partition %s has %" PRIu32,
		   need, what, sgang_text_show(shown, job->partition), room);
	return SGANG_SUBMIT_NEVER_FITS;
}

/* A kind of resource that members use up. */
struct ware {
	const char *what;
	uint32_t (*need)(const struct sgang_alike *);
	int (*order)(const void *, const void *);
	size_t room; /* offset in struct sgang_submit_room */
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

static bool in_one_partition(const struct survey *survey)
{
	size_t i;

	for (i = 0; i < survey->n_known; i++)
		if (!same_name(survey->known[i]->partition, survey->partition))
			return false;
	return survey->partition && !strchr(survey->partition, ',');
}

/* The members that must start because too few others are expected, in the
 * partition they all name: certain. */
static enum sgang_submit_verdict
check_known(const struct sgang_submit_job *job, struct survey *survey,
	    uint64_t known, const struct ware *ware, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint64_t min = survey->tally.min_member, must, need;
	uint64_t total = survey->tally.total;
	uint32_t room = room_of(&job->room, ware);
	uint64_t missing = total > known ? total - known : 0;

	if (!in_one_partition(survey) || !room || min <= missing)
		return SGANG_SUBMIT_FINE;
	must = min - missing;
	need = least_need(survey, must, ware->need, ware->order);
	if (need <= room)
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, EINVAL,
		   "the gang can never start: %" PRIu64 " of its "
		   "members need %" PRIu64 " %s together and partition %s has "
		   "%" PRIu32,
		   must, need, ware->what,
		   sgang_text_show(shown, job->partition), room);
	return SGANG_SUBMIT_NEVER_FITS;
}

/* The whole minimum, in the whole cluster. Members that are not there yet may
 * be in any partition, and small; but who says --gang-min-member=1000 for whole
 * nodes hears of it with the first job. A gang of which only some members take
 * whole nodes could be wronged by that, so the sentence says what to do. */
static enum sgang_submit_verdict
check_expected(struct survey *survey, const struct sgang_submit_room *cluster,
	       uint64_t known, const struct ware *ware, struct sgang_error *err)
{
	uint64_t min = survey->tally.min_member, need;
	uint32_t room = room_of(cluster, ware);
	bool may_share;

	need = least_need(survey, min, ware->need, ware->order);
	if (!room || need <= room)
		return SGANG_SUBMIT_FINE;
	may_share = min > known && ware->need == whole_nodes;
	sgang_errf(err, EINVAL,
		   "the gang can never start: its %" PRIu64
		   " members need at least %" PRIu64 " %s together and the "
		   "cluster has %" PRIu32 "%s",
		   min, need, ware->what, room,
		   may_share ? "; if others share nodes, submit those first" :
			       "");
	return SGANG_SUBMIT_NEVER_FITS;
}

/* Resources that must be free before the gang is tried cannot exceed what there
 * is. */
static enum sgang_submit_verdict check_min_tres(const struct sgang_spec *spec,
						struct sgang_submit_room room,
						struct sgang_error *err)
{
	const struct {
		const char *what;
		uint64_t wanted;
		uint64_t room;
	} tres[] = {
		{ "nodes", spec->min_nodes, room.nodes },
		{ "CPUs", spec->min_cpus, room.cpus },
		{ "MB of memory", spec->min_memory, room.memory },
	};
	size_t i;

	for (i = 0; i < sizeof(tres) / sizeof(tres[0]); i++) {
		if (!tres[i].room || tres[i].wanted <= tres[i].room)
			continue;
		sgang_errf(err, EINVAL,
			   "the gang can never start: "
			   "--gang-min-tres wants %" PRIu64 " %s to be free "
			   "and the cluster has %" PRIu64,
			   tres[i].wanted, tres[i].what, tres[i].room);
		return SGANG_SUBMIT_NEVER_FITS;
	}
	return SGANG_SUBMIT_FINE;
}

/* ---- on the empty cluster ---- */

static bool waits(const struct sgang_alike *alike)
{
	return !alike->spec.object && alike->m.state != SGANG_MEMBER_RUNNING;
}

static uint32_t order_of(const struct sgang_alike *alike)
{
	return alike->m.spec->order_set ? alike->m.spec->order : UINT32_MAX;
}

static int by_order(const void *a, const void *b)
{
	uint32_t x = order_of(*(const struct sgang_alike *const *)a);
	uint32_t y = order_of(*(const struct sgang_alike *const *)b);

	return (x > y) - (x < y);
}

/* The members that wait, in order of --gang-order. Returns their number. */
static uint64_t sort_waiting(struct survey *survey)
{
	uint64_t waiting = 0;

	qsort(survey->known, survey->n_known, sizeof(*survey->known), by_order);
	for (size_t i = 0; i < survey->n_known; i++) {
		if (waits(survey->known[i]))
			waiting += survey->known[i]->m.tasks;
	}
	return waiting;
}

/* Members that are still expected may be among those that start, and before any
 * other: how many of the known ones must be in any case? */
static uint64_t count_must(const struct survey *survey, uint64_t waiting)
{
	uint64_t need = sgang_gang_missing(&survey->tally) + survey->tally.held;
	uint64_t known = 0, expected, must;

	for (size_t i = 0; i < survey->n_known; i++)
		known += survey->known[i]->m.tasks;
	expected = survey->tally.total > known ? survey->tally.total - known :
						 0;
	must = need > expected ? need - expected : 0;
	return must < waiting ? must : waiting;
}

/* All with an order below this one must be: they are no more than that. */
static uint32_t last_order(const struct survey *survey, uint64_t must)
{
	uint64_t seen = 0;

	for (size_t i = 0; i < survey->n_known; i++) {
		const struct sgang_alike *alike = survey->known[i];

		seen += waits(alike) ? alike->m.tasks : 0;
		if (seen > must)
			return order_of(alike);
	}
	return UINT32_MAX;
}

/* The members that wait. Returns their number. */
static size_t list_asked(const struct survey *survey, uint64_t must,
			 struct sgang_submit_asked *asked)
{
	uint32_t last = last_order(survey, must);
	size_t n = 0;

	for (size_t i = 0; i < survey->n_known; i++) {
		const struct sgang_alike *alike = survey->known[i];

		if (waits(alike))
			asked[n++] = (struct sgang_submit_asked){
				.job_id = alike->m.job_id,
				.members = alike->m.tasks,
				.first = order_of(alike) < last,
			};
	}
	return n;
}

/* With any of the members that there are: who joins may not be needed. */
static enum sgang_submit_verdict check_empty(struct survey *survey,
					     struct sgang_error *err)
{
	uint32_t need = sgang_gang_missing(&survey->tally) + survey->tally.held;
	uint64_t waiting = sort_waiting(survey);
	uint64_t must = count_must(survey, waiting);
	struct sgang_submit_asked *asked;
	bool never;
	char why[192];
	size_t n;

	if (!survey->tally.defined || !must)
		return SGANG_SUBMIT_FINE;
	asked = calloc(survey->n_known + 1, sizeof(*asked));
	if (!asked)
		return no_memory(err);
	n = list_asked(survey, must, asked);
	never = survey->host->never(asked, n, (uint32_t)(waiting - must),
				    (uint32_t)(need - must),
				    &survey->tally.spec, why, sizeof(why));
	free(asked);
	if (!never)
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, EINVAL, "the gang can never start: %s", why);
	return SGANG_SUBMIT_NEVER_FITS;
}

/* Members that run have no part in what must start anew. */
static void leave_out_running(struct survey *survey)
{
	size_t kept = 0, i;

	for (i = 0; i < survey->n_known; i++) {
		if (survey->known[i]->m.state != SGANG_MEMBER_RUNNING)
			survey->known[kept++] = survey->known[i];
	}
	survey->n_known = kept;
}

static enum sgang_submit_verdict
check_together(const struct sgang_submit_job *job, struct survey *survey,
	       struct sgang_error *err)
{
	struct sgang_submit_room cluster = survey->host->cluster();
	enum sgang_submit_verdict verdict;
	uint64_t known = 0;
	size_t i;

	if (sgang_spec_match(&survey->tally.spec) == SGANG_MATCH_ONLY_WAITING)
		leave_out_running(survey);
	for (i = 0; i < survey->n_known; i++)
		known += survey->known[i]->m.tasks;
	verdict = check_min_tres(&survey->tally.spec, cluster, err);
	for (i = 0; i < sizeof(wares) / sizeof(wares[0]) && !verdict; i++) {
		verdict = check_known(job, survey, known, &wares[i], err);
		if (!verdict)
			verdict = check_expected(survey, &cluster, known,
						 &wares[i], err);
	}
	return verdict ? verdict : check_empty(survey, err);
}

/* ... nor is a limit of the association or QOS above all of them. */
static enum sgang_submit_verdict check_quota(const struct sgang_submit_job *job,
					     const struct survey *survey,
					     struct sgang_error *err)
{
	struct sgang_submit_asked *asked;
	uint64_t members = 0;
	char why[192];
	bool beyond;
	size_t n = 0;

	asked = calloc(survey->n_known + 1, sizeof(*asked));
	if (!asked)
		return no_memory(err);
	for (size_t i = 0; i < survey->n_known; i++) {
		const struct sgang_alike *k = survey->known[i];

		if (!k->m.spec->placeholder)
			continue;
		members += k->m.tasks;
		asked[n++] = (struct sgang_submit_asked){
			.job_id = k->m.job_id,
			.members = k->m.tasks,
		};
	}
	beyond = n && survey->host->beyond_limits(job->account, asked, n, why,
						  sizeof(why));
	free(asked);
	if (!beyond)
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, EINVAL,
		   "the gang can never start: its %" PRIu64
		   " placeholders are together above %s",
		   members, why);
	return SGANG_SUBMIT_LIMIT;
}

/* All placeholders of a gang have their nodes at the same time (1.8). */
static enum sgang_submit_verdict
check_placeholders(const struct sgang_submit_job *job,
		   const struct survey *survey, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	for (size_t w = 0; w < sizeof(wares) / sizeof(wares[0]); w++) {
		uint32_t room = room_of(&job->room, &wares[w]);
		uint64_t members = 0, sum = 0;

		for (size_t i = 0; i < survey->n_known; i++) {
			const struct sgang_alike *k = survey->known[i];

			if (!k->m.spec->placeholder)
				continue;
			members += k->m.tasks;
			sum += (uint64_t)k->m.tasks * wares[w].need(k);
		}
		if (!room || sum <= room || !in_one_partition(survey))
			continue;
		sgang_errf(err, EINVAL,
			   "the gang can never start: its %" PRIu64
			   " placeholders need %" PRIu64
			   " %s together and partition %s has %" PRIu32,
			   members, sum, wares[w].what,
			   sgang_text_show(shown, job->partition), room);
		return SGANG_SUBMIT_NEVER_FITS;
	}
	return check_quota(job, survey, err);
}

/* Backfill starts a job early with a shorter limit; members start together. */
static enum sgang_submit_verdict refuse_time_min(struct sgang_error *err)
{
	sgang_errf(err, EINVAL,
		   "--time-min: a member of a gang has the time "
		   "limit that it asks for, and no shorter one; submit it with "
		   "--time alone");
	return SGANG_SUBMIT_UNSUPPORTED;
}

/* Slurm holds who failed on a good node, and its gang would wait for it. */
static enum sgang_submit_verdict refuse_expedited(struct sgang_error *err)
{
	sgang_errf(err, EINVAL,
		   "--requeue=expedite: Slurm would hold a member that fails, "
		   "or begin it again without its gang; "
		   "--gang-on-failure=requeue begins the whole gang again at "
		   "once");
	return SGANG_SUBMIT_UNSUPPORTED;
}

static enum sgang_submit_verdict note_undefined(const struct survey *survey,
						struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	if (survey->tally.defined)
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, 0,
		   "gang %s/%s is not defined yet: its members wait "
		   "until one of them says --gang-min-member or sgang create "
		   "does",
		   sgang_text_show(shown, survey->ns), survey->name);
	return SGANG_SUBMIT_UNDEFINED;
}

/* Of a gang that is not defined the definition may say more. */
static enum sgang_submit_verdict note_idle(const struct survey *survey,
					   const struct sgang_spec *spec,
					   struct sgang_error *err)
{
	return sgang_spec_idle(spec, &survey->tally.spec, err) ?
		       SGANG_SUBMIT_IDLE :
		       SGANG_SUBMIT_FINE;
}

static void count_member(const struct sgang_submit_member *member, void *arg)
{
	const char *gang = sgang_submit_gang(member->env, member->n_env);
	struct survey *survey = arg;

	if (gang)
		sgang_limits_see(&survey->limits, gang, member->uid,
				 member->account, member->tasks);
}

/* Jobs of other gangs are counted only if there may be too many. */
static void count_all(struct survey *survey, uint32_t tasks)
{
	struct sgang_members_count most;

	if (!survey->partial)
		return;
	most = sgang_members_count(survey->host->members, survey->uid);
	if (sgang_limits_below(&survey->limits, &most, tasks))
		return;
	sgang_limits_restart(&survey->limits);
	survey->host->each_member(count_member, survey);
	survey->partial = false;
}

static enum sgang_submit_verdict
check_limits(struct survey *survey, uint32_t tasks, struct sgang_error *err)
{
	count_all(survey, tasks);
	if (!sgang_limits_check(&survey->limits, tasks, err))
		return SGANG_SUBMIT_FINE;
	return errno == ENOMEM ? SGANG_SUBMIT_NO_MEMORY : SGANG_SUBMIT_LIMIT;
}

/* Does the job contradict those that are there? Then it is said whose job says
 * otherwise: it may be another user's. */
static int check_agrees(const struct survey *survey,
			const struct sgang_spec *spec, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error why;
	struct sgang_spec said;
	size_t i;

	sgang_spec_init(&said);
	for (i = 0; i < survey->n_known; i++) {
		const struct sgang_member *m = &survey->known[i]->m;

		if (sgang_spec_agree(m->spec, spec, &why))
			return sgang_errf(
				err, EINVAL, "%s (job %" PRIu32 " of %s)",
				why.text, m->job_id,
				sgang_text_show(shown, survey->host->user_name(
							       m->uid)));
		sgang_spec_merge(&said, m->spec);
	}
	return sgang_spec_agree(&said, spec, err);
}

/* The tree of groups of the members that are known, and of one more. Returns as
 * sgang_role_tree_make(). */
static int make_tree(const struct survey *survey, const struct sgang_spec *spec,
		     struct sgang_role_tree *tree, struct sgang_error *err)
{
	struct sgang_role_said *said = calloc(survey->n_known + 1,
					      sizeof(*said));
	size_t n = 0;
	int rc;

	*tree = (struct sgang_role_tree){ .n = 0 };
	if (!said)
		return sgang_err_memory(err);
	for (size_t i = 0; i < survey->n_known; i++) {
		said[n++] = (struct sgang_role_said){
			.text = survey->known[i]->m.spec->role,
			.member = true,
		};
	}
	said[n++] = (struct sgang_role_said){ .text = spec->role,
					      .member = true };
	rc = sgang_role_tree_make(tree, 0, said, n, err);
	free(said);
	return rc;
}

/* Do groups of members contradict each other? */
static enum sgang_submit_verdict check_tree(const struct survey *survey,
					    const struct sgang_spec *spec,
					    struct sgang_error *err)
{
	struct sgang_role_tree tree;
	bool any = spec->role[0];
	int rc;

	for (size_t i = 0; i < survey->n_known && !any; i++)
		any = survey->known[i]->m.spec->role[0];
	if (!any)
		return SGANG_SUBMIT_FINE;
	rc = make_tree(survey, spec, &tree, err);
	sgang_role_tree_clear(&tree);
	if (rc < 0)
		return no_memory(err);
	return rc ? SGANG_SUBMIT_INVALID : SGANG_SUBMIT_FINE;
}

/* The members of a group that wait. Returns their rows, and in '*members' their
 * number. */
static size_t list_group(const struct survey *survey,
			 const struct sgang_role_tree *tree, uint32_t group,
			 struct sgang_submit_asked *asked, uint64_t *members)
{
	size_t n = 0;

	*members = 0;
	for (size_t i = 0; i < survey->n_known; i++) {
		const struct sgang_alike *alike = survey->known[i];

		if (!waits(alike) ||
		    sgang_role_find(tree, alike->m.spec->role) != group)
			continue;
		asked[n++] = (struct sgang_submit_asked){
			.job_id = alike->m.job_id,
			.members = alike->m.tasks,
		};
		*members += alike->m.tasks;
	}
	return n;
}

/* The lowest level that it, or a group around it, requires, as the policy of a
 * gang. */
static void write_level(const struct sgang_role_tree *tree, uint32_t group,
			const struct sgang_costs *costs,
			char policy[SGANG_POLICY_SIZE])
{
	int lowest = -1;

	policy[0] = '\0';
	for (; group != SGANG_ROLE_NONE; group = tree->node[group].parent) {
		const char *require = tree->node[group].group.require;
		int level = require[0] ? sgang_costs_level(costs, require) : -1;

		if (level >= 0 && (lowest < 0 || level < lowest)) {
			lowest = level;
			snprintf(policy, SGANG_POLICY_SIZE, "require:%s",
				 require);
		}
	}
}

/* Could the new one's group have its minimum, with any of its members that there
 * are? */
static enum sgang_submit_verdict check_group(const struct survey *survey,
					     const struct sgang_role_tree *tree,
					     uint32_t group,
					     const struct sgang_conf *conf,
					     struct sgang_error *err)
{
	struct sgang_submit_asked *asked = calloc(survey->n_known + 1,
						  sizeof(*asked));
	struct sgang_spec *spec = malloc(sizeof(*spec));
	char why[192], names[SGANG_ROLE_SIZE], shown[SGANG_TEXT_SHOWN];
	uint32_t min = sgang_role_min(tree, group);
	uint64_t members;
	bool never;
	size_t n;

	if (!asked || !spec) {
		free(asked);
		free(spec);
		return no_memory(err);
	}
	*spec = survey->tally.spec;
	write_level(tree, group, &conf->costs, spec->topology);
	n = list_group(survey, tree, group, asked, &members);
	never = survey->host->never(asked, n,
				    members > min ? (uint32_t)members - min : 0,
				    members < min ? min - (uint32_t)members : 0,
				    spec, why, sizeof(why));
	free(asked);
	free(spec);
	if (!never)
		return SGANG_SUBMIT_FINE;
	sgang_role_names(tree, group, names);
	sgang_errf(err, EINVAL, "the gang can never start with group %s: %s",
		   sgang_text_show(shown, names), why);
	return SGANG_SUBMIT_NEVER_FITS;
}

static enum sgang_submit_verdict check_role_fits(const struct survey *survey,
						 const struct sgang_spec *spec,
						 const struct sgang_conf *conf,
						 struct sgang_error *err)
{
	enum sgang_submit_verdict verdict = SGANG_SUBMIT_FINE;
	struct sgang_role_tree tree;
	uint32_t group;
	int rc = make_tree(survey, spec, &tree, err);

	if (rc < 0)
		return no_memory(err);
	group = sgang_role_find(&tree, spec->role);
	if (!rc && group && group != SGANG_ROLE_NONE)
		verdict = check_group(survey, &tree, group, conf, err);
	sgang_role_tree_clear(&tree);
	return verdict;
}

/* The new job, as a member that comes last. */
static void join(struct survey *survey, const struct sgang_submit_job *job,
		 const struct sgang_spec *spec, uint32_t tasks)
{
	struct sgang_alike *joining = &survey->joining;

	joining->need = job->need;
	joining->partition = (char *)survey->partition;
	joining->m.spec = spec;
	joining->m.tasks = tasks;
	joining->m.eligible = true;
	joining->m.submit_time = INT64_MAX;
	survey->known[survey->n_known++] = joining;
}

/* ---- pools ---- */

/* The members of a pool are no gang: what makes sense only together is not
 * theirs. */
static enum sgang_submit_verdict
check_pool_member(const struct sgang_spec *spec, struct sgang_error *err)
{
	if (spec->pool) {
		sgang_errf(err, EINVAL,
			   "--gang-pool is said by what defines the pool, not "
			   "by its members: use sgang create --pool");
		return SGANG_SUBMIT_INVALID;
	}
	return sgang_spec_check_pool(spec, err) ? SGANG_SUBMIT_INVALID :
						  SGANG_SUBMIT_FINE;
}

/* True if a member makes it a gang of its own, or has started. */
static bool is_gang_already(const struct survey *survey)
{
	for (size_t i = 0; i < survey->n_known; i++) {
		const struct sgang_member *m = &survey->known[i]->m;

		if (m->state != SGANG_MEMBER_PENDING ||
		    sgang_spec_check_pool(m->spec, NULL))
			return true;
	}
	return false;
}

/* Options of members win over those of a definition, so one that says otherwise
 * would have no effect on a gang that waits; it is for a later gang of that
 * name. */
static enum sgang_submit_verdict
check_definition_wins(const struct survey *survey,
		      const struct sgang_spec *spec, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error why;

	if (sgang_gang_ordinary(&survey->tally))
		return SGANG_SUBMIT_FINE;
	for (size_t i = 0; i < survey->n_known; i++) {
		const struct sgang_member *m = &survey->known[i]->m;

		if (m->state == SGANG_MEMBER_RUNNING ||
		    !sgang_spec_agree(m->spec, spec, &why))
			continue;
		sgang_errf(err, EINVAL,
			   "%s (job %" PRIu32 " of %s), and what members say "
			   "wins over a definition: cancel those that wait, or "
			   "say the same",
			   why.text, m->job_id,
			   sgang_text_show(shown,
					   survey->host->user_name(m->uid)));
		return SGANG_SUBMIT_INVALID;
	}
	return SGANG_SUBMIT_FINE;
}

/* What members and definitions say together must go together, too: what is in
 * force for one job. */
static int check_pairs(const struct sgang_spec *spec, struct sgang_error *err)
{
	if (sgang_spec_check_match(spec, err))
		return -1;
	return spec->placeholders ? sgang_spec_check_placeholders(spec, err) :
				    0;
}

static int check_pairs_with(const struct sgang_spec *first,
			    const struct sgang_spec *then,
			    struct sgang_error *err)
{
	struct sgang_spec both = *first;

	sgang_spec_merge(&both, then);
	return check_pairs(&both, err);
}

/* Some options count for the members of each user apart, so what holds for the
 * gang is not all that is said. */
static int check_all_pairs(const struct survey *survey, struct sgang_error *err)
{
	const struct sgang_spec *spec = &survey->tally.spec;

	if (check_pairs(spec, err))
		return -1;
	if (spec->match != SGANG_MATCH_ONLY_WAITING && !spec->placeholders)
		return 0;
	for (size_t i = 0; i < survey->n_known; i++) {
		if (check_pairs_with(survey->known[i]->m.spec, spec, err))
			return -1;
	}
	return 0;
}

static enum sgang_submit_verdict check_definition(const struct survey *survey,
						  const struct sgang_spec *spec,
						  struct sgang_error *err)
{
	enum sgang_submit_verdict verdict = check_definition_wins(survey, spec,
								  err);

	if (!verdict && survey->n_known &&
	    check_pairs_with(&survey->tally.spec, spec, err))
		verdict = SGANG_SUBMIT_INVALID;
	return verdict;
}

/* A pool stays one, and a gang a gang, as long as it has members. */
static enum sgang_submit_verdict
check_new_definition(const struct sgang_spec *spec,
		     const struct sgang_conf *conf, struct survey *survey,
		     struct sgang_error *err)
{
	bool was_pool;

	if (!survey->roll || list_known(survey) || add_up(survey, conf))
		return no_memory(err);
	was_pool = survey->tally.spec.pool;
	if (!survey->n_known || spec->pool == was_pool ||
	    (spec->pool && !is_gang_already(survey)))
		return check_definition(survey, spec, err);
	sgang_errf(err, EINVAL,
		   "%s/%s is a %s and has members: cancel them before it "
		   "becomes a %s",
		   survey->ns, survey->name, was_pool ? "pool" : "gang",
		   was_pool ? "gang" : "pool");
	return SGANG_SUBMIT_INVALID;
}

static enum sgang_submit_verdict judge_pool(const struct sgang_spec *spec,
					    const struct sgang_conf *conf,
					    struct survey *survey,
					    struct sgang_error *err)
{
	bool there;

	if (!survey->roll || list_known(survey) || add_up(survey, conf))
		return no_memory(err);
	if (survey->tally.spec.pool)
		return SGANG_SUBMIT_FINE;
	there = survey->n_known || survey->object ||
		sgang_conf_gang(conf, survey->ns, survey->name);
	sgang_errf(err, EINVAL,
		   there ? "--gang-spare-pool=%s: gang %s/%s is no pool; name "
			   "one, or leave it out" :
			   "--gang-spare-pool=%s: there is no pool %s/%s; "
			   "create it first, with sgang create --pool",
		   spec->spare_pool, survey->ns, survey->name);
	return SGANG_SUBMIT_INVALID;
}

/* The pool that the job names must be there. */
static enum sgang_submit_verdict
check_spare_pool(const struct sgang_submit_job *job,
		 const struct sgang_spec *spec, const char *ns,
		 const struct sgang_conf *conf,
		 const struct sgang_submit_host *host, struct sgang_error *err)
{
	enum sgang_submit_verdict verdict;
	struct survey survey;

	if (!spec->spare_pool[0])
		return SGANG_SUBMIT_FINE;
	begin_survey(&survey, host, ns, spec->spare_pool, job->partition,
		     job->uid);
	survey_own(&survey);
	verdict = judge_pool(spec, conf, &survey, err);
	end_survey(&survey);
	return verdict;
}

/* ---- a new job ---- */

/* A gang that has started has no further placeholders. */
static enum sgang_submit_verdict
check_placeholder_comes(const struct survey *survey,
			const struct sgang_spec *spec, struct sgang_error *err)
{
	if (!survey->tally.spec.placeholders || !spec->placeholder ||
	    !sgang_gang_ordinary(&survey->tally))
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, EINVAL,
		   "the gang has started: its name is free for other "
		   "placeholders half a minute after its last member "
		   "has ended");
	return SGANG_SUBMIT_INVALID;
}

/* Check the job as a member that comes after those of the survey. */
static enum sgang_submit_verdict
check_joining(const struct sgang_submit_job *job, const struct sgang_spec *spec,
	      const struct sgang_conf *conf, struct survey *survey,
	      struct sgang_error *err)
{
	enum sgang_submit_verdict verdict;
	const struct sgang_alike *tightest;
	uint32_t tasks = 1, throttle = 0;

	/* a malformed array is refused by Slurm itself, a moment later */
	if (job->array && sgang_array_parse(job->array, &tasks, &throttle) &&
	    errno == ENOMEM)
		return no_memory(err);
	verdict = check_limits(survey, tasks, err);
	if (verdict)
		return verdict;
	if (!survey->roll || list_known(survey))
		return no_memory(err);
	if (check_agrees(survey, spec, err))
		return SGANG_SUBMIT_INVALID;
	verdict = check_tree(survey, spec, err);
	if (verdict)
		return verdict;
	tightest = find_tightest(survey);
	join(survey, job, spec, tasks);
	if (add_up(survey, conf))
		return no_memory(err);
	verdict = check_throttle(throttle, survey, tightest, err);
	if (!verdict)
		verdict = check_gang_exclusive(survey, conf, job->partition,
					       err);
	if (!verdict)
		verdict = check_alone(job, err);
	if (!verdict && (survey->tally.spec.pool || spec->pool))
		verdict = check_pool_member(spec, err);
	if (!verdict && check_all_pairs(survey, err))
		verdict = SGANG_SUBMIT_INVALID;
	if (!verdict)
		verdict = check_placeholder_comes(survey, spec, err);
	/* a member of a gang that has started is an ordinary job (0.11) */
	if (verdict || sgang_gang_ordinary(&survey->tally))
		return verdict;
	verdict = check_placeholders(job, survey, err);
	if (verdict)
		return verdict;
	if (job->time_min)
		return refuse_time_min(err);
	/* whichever groups start: all together they are not known yet */
	if (survey->tally.roles.any)
		verdict = check_role_fits(survey, spec, conf, err);
	else
		verdict = check_together(job, survey, err);
	if (!verdict && !survey->tally.roles.any)
		verdict = note_undefined(survey, err);
	return verdict ? verdict : note_idle(survey, spec, err);
}

static enum sgang_submit_verdict
check_member(const struct sgang_submit_job *job, const struct sgang_spec *spec,
	     const char *ns, const struct sgang_conf *conf,
	     const struct sgang_submit_host *host,
	     const struct sgang_limits *limits, struct sgang_error *err)
{
	enum sgang_submit_verdict verdict;
	struct survey survey;

	survey_gang(&survey, host, ns, spec->name, job->partition, job->uid,
		    limits);
	if (spec->object) {
		verdict = check_limits(&survey, 1, err);
		if (!verdict)
			verdict = check_new_definition(spec, conf, &survey,
						       err);
	} else
		verdict = check_joining(job, spec, conf, &survey, err);
	end_survey(&survey);
	return verdict;
}

/* A definition is kept as a job, for Slurm to save and protect it, that must
 * never run. The options of members take precedence, so a definition cannot
 * contradict them. */
static enum sgang_submit_verdict
check_object(const struct sgang_submit_job *job, const struct sgang_spec *spec,
	     const struct sgang_submit_host *host, struct sgang_error *err)
{
	if (!job->held) {
		sgang_errf(err, EINVAL,
			   "the definition of a gang is not a job "
			   "to run: submit it held, or use sgang create");
		return SGANG_SUBMIT_OBJECT;
	}
	if (job->array) {
		sgang_errf(err, EINVAL,
			   "the definition of a gang cannot be a "
			   "job array");
		return SGANG_SUBMIT_OBJECT;
	}
	return check_min_tres(spec, host->cluster(), err);
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

/* sbatch was run with the user's words, so with an --array among them. */
static enum sgang_submit_verdict
check_reserved(const struct sgang_submit_job *job,
	       const struct sgang_spec *spec, struct sgang_error *err)
{
	if (!spec->reserved[0] ||
	    !strcmp(spec->reserved, job->array ? job->array : "no"))
		return SGANG_SUBMIT_FINE;
	sgang_errf(err, EINVAL,
		   "--gang-reserve makes an array of placeholders for each "
		   "group: leave --array out");
	return SGANG_SUBMIT_ARRAY;
}

static enum sgang_submit_verdict check_job(const struct sgang_submit_job *job,
					   const struct sgang_spec *spec,
					   const struct sgang_conf *conf,
					   const struct sgang_submit_host *host,
					   struct sgang_error *err)
{
	enum sgang_submit_verdict verdict = check_conf(job, spec, conf, err);
	char ns[SGANG_NAMESPACE_MAX + 1];
	struct sgang_limits limits;
	const char *user;

	if (!verdict)
		verdict = check_topology(spec, job->partition, host, err);
	if (!verdict)
		verdict = check_reserved(job, spec, err);
	if (verdict)
		return verdict;
	user = host->user_name(job->uid);
	if (resolve_namespace(spec, user, ns)) {
		sgang_errf(err, EACCES,
			   "user %" PRIu32 " has no name to be "
			   "the gang's namespace; give --gang=ACCOUNT/NAME",
			   job->uid);
		return SGANG_SUBMIT_NOT_YOURS;
	}
	verdict = check_namespace(ns, user, job->account, err);
	if (!verdict)
		verdict = check_owner(ns, job, host, err);
	if (!verdict)
		verdict = check_rules(ns, user, conf, err);
	if (!verdict && spec->object)
		verdict = check_object(job, spec, host, err);
	if (verdict)
		return verdict;
	verdict = check_spare_pool(job, spec, ns, conf, host, err);
	if (verdict)
		return verdict;
	sgang_limits_begin(&limits, conf, job->uid, user, job->account, ns,
			   spec->name);
	return check_member(job, spec, ns, conf, host, &limits, err);
}

enum sgang_submit_verdict
sgang_submit_check(const struct sgang_submit_job *job,
		   const struct sgang_submit_host *host,
		   struct sgang_error *err)
{
	enum sgang_submit_verdict verdict;
	struct sgang_spec spec;
	struct sgang_conf conf;
	struct sgang_error why;
	int member;

	member = sgang_spec_from_env(&spec, job->env, job->n_env, err);
	if (member < 0)
		return SGANG_SUBMIT_INVALID;
	if (!member)
		return SGANG_SUBMIT_FINE;
	if (job->het) {
		sgang_errf(err, EINVAL,
			   "a component of a heterogeneous job "
			   "cannot join a gang; submit the components as jobs "
			   "of one gang instead");
		return SGANG_SUBMIT_UNSUPPORTED;
	}
	if (job->expedited)
		return refuse_expedited(err);
	if (host->load_conf(&conf, &why)) {
		sgang_errf(err, EINVAL, "gangs are off: %s", why.text);
		return SGANG_SUBMIT_BROKEN;
	}
	verdict = check_job(job, &spec, &conf, host, err);
	sgang_conf_free(&conf);
	return verdict;
}

/* The definitions in gang.conf; where it cannot be read there are none. */
static void load_definitions(const struct sgang_submit_host *host,
			     struct sgang_conf *conf)
{
	if (host->load_conf(conf, NULL))
		sgang_conf_default(conf);
}

/* The gang with the job that is to be changed. */
static int survey_change(struct survey *survey,
			 const struct sgang_submit_member *member,
			 const struct sgang_spec *spec, const char *ns,
			 const struct sgang_conf *conf,
			 const struct sgang_submit_host *host)
{
	/* of the job itself the old limit no longer matters */
	begin_survey(survey, host, ns, spec->name, member->partition,
		     member->uid);
	survey->own.skip_job = member->job_id;
	survey_own(survey);
	survey->own.skip_job = 0;
	sgang_roll_add(&survey->own, member);
	if (!survey->roll || survey->own.no_memory || list_known(survey))
		return -1;
	return add_up(survey, conf);
}

static enum sgang_submit_verdict check_new_throttle(
	const struct sgang_submit_member *member, const struct sgang_spec *spec,
	const char *ns, uint32_t throttle, const struct sgang_conf *conf,
	const struct sgang_submit_host *host, struct sgang_error *err)
{
	enum sgang_submit_verdict verdict;
	struct survey survey;

	if (survey_change(&survey, member, spec, ns, conf, host))
		verdict = no_memory(err);
	else
		verdict = check_throttle(throttle, &survey, NULL, err);
	end_survey(&survey);
	return verdict;
}

static enum sgang_submit_verdict check_new_partition(
	const struct sgang_submit_member *member, const struct sgang_spec *spec,
	const char *ns, const char *partitions, const struct sgang_conf *conf,
	const struct sgang_submit_host *host, struct sgang_error *err)
{
	enum sgang_submit_verdict verdict;
	struct survey survey;

	if (!conf->partition_max_exclusive[0] || spec->object)
		return SGANG_SUBMIT_FINE;
	if (survey_change(&survey, member, spec, ns, conf, host))
		verdict = no_memory(err);
	else
		verdict = check_gang_exclusive(&survey, conf, partitions, err);
	end_survey(&survey);
	return verdict;
}

/* Counts all jobs but the one that is changed. */
struct recount {
	struct sgang_limits limits;
	uint32_t skip_job;
};

static void count_other(const struct sgang_submit_member *member, void *arg)
{
	const char *gang = sgang_submit_gang(member->env, member->n_env);
	struct recount *recount = arg;

	if (gang && member->job_id != recount->skip_job)
		sgang_limits_see(&recount->limits, gang, member->uid,
				 member->account, member->tasks);
}

/* Only the limits of the new account count: for all others nothing changes. */
static enum sgang_submit_verdict
check_new_account(const struct sgang_submit_member *member,
		  const struct sgang_spec *spec, const char *ns,
		  const char *account, const struct sgang_conf *conf,
		  const struct sgang_submit_host *host, struct sgang_error *err)
{
	struct recount recount = { .skip_job = member->job_id };
	enum sgang_submit_verdict verdict = SGANG_SUBMIT_FINE;

	sgang_limits_begin(&recount.limits, conf, member->uid,
			   host->user_name(member->uid), account, ns,
			   spec->name);
	if (recount.limits.account[0] && !same_name(account, member->account)) {
		host->each_member(count_other, &recount);
		if (sgang_limits_check_account(&recount.limits, member->tasks,
					       err))
			verdict = errno == ENOMEM ? SGANG_SUBMIT_NO_MEMORY :
						    SGANG_SUBMIT_LIMIT;
	}
	sgang_limits_end(&recount.limits);
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
	struct sgang_conf conf;
	struct sgang_spec spec;

	if (sgang_spec_from_env(&spec, member->env, member->n_env, NULL) != 1 ||
	    resolve_namespace(&spec, user, ns))
		return SGANG_SUBMIT_FINE;
	if (spec.object && change->priority) {
		sgang_errf(err, EINVAL,
			   "the definition of a gang is not a job "
			   "to run, so it stays held");
		return SGANG_SUBMIT_OBJECT;
	}
	if (change->time_min && member->pending)
		return refuse_time_min(err);
	load_definitions(host, &conf);
	/* whether the user may charge it, Slurm checks after us */
	if (change->account)
		verdict = check_namespace(ns, user, change->account, err);
	if (!verdict && change->account)
		verdict = check_new_account(member, &spec, ns, change->account,
					    &conf, host, err);
	if (!verdict && change->partition)
		verdict = check_topology(&spec, change->partition, host, err);
	if (!verdict && change->partition)
		verdict = check_new_partition(
			member, &spec, ns, change->partition, &conf, host, err);
	if (!verdict && change->throttle)
		verdict = check_new_throttle(
			member, &spec, ns, change->throttle, &conf, host, err);
	sgang_conf_free(&conf);
	return verdict;
}
