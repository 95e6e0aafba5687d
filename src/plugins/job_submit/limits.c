/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits.c - how many gangs and members there may be */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "plugins/job_submit/limits.h"

/* ---- a set of numbers ---- */

static void put(struct sgang_limits_set *set, uint64_t number)
{
	size_t at = (size_t)(number * 0x9e3779b97f4a7c15u >> 20) % set->cap;

	while (set->slot[at] && set->slot[at] != number)
		at = (at + 1) % set->cap;
	set->n += !set->slot[at];
	set->slot[at] = number;
}

static int grow(struct sgang_limits_set *set)
{
	struct sgang_limits_set larger = {
		.cap = set->cap ? set->cap * 4 : 64,
	};

	larger.slot = calloc(larger.cap, sizeof(*larger.slot));
	if (!larger.slot)
		return -1;
	for (size_t i = 0; i < set->cap; i++) {
		if (set->slot[i])
			put(&larger, set->slot[i]);
	}
	free(set->slot);
	*set = larger;
	return 0;
}

/* More than 'limit' of them make no difference. */
static int add(struct sgang_limits_set *set, uint64_t number, uint32_t limit)
{
	if (set->n >= limit)
		return 0;
	if (set->n * 2 >= set->cap && grow(set))
		return -1;
	put(set, number);
	return 0;
}

/* ---- counting ---- */

/* Never 0. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	hash = sgang_hash_text(hash, text);
	return hash ? hash : 1;
}

/* A gang without a namespace is in that of its user, whose number serves as
 * well as the name; who submits may write it out. */
static uint64_t hash_gang(const struct sgang_limits *limits, const char *gang,
			  uint32_t uid)
{
	const char *slash = strchr(gang, '/');
	uint64_t start = SGANG_HASH_SEED;

	if (slash && uid == limits->uid &&
	    strlen(limits->user) == (size_t)(slash - gang) &&
	    !strncmp(gang, limits->user, (size_t)(slash - gang)))
		gang = slash + 1;
	else if (slash)
		return hash_text(start, gang);
	return hash_text(sgang_hash(start, uid), gang);
}

/* An account that has no limits need not be counted. An account whose name is
 * too long for gang.conf is one of the others there, and is told from those by
 * the part of its name that there is room for. */
static void begin_account(struct sgang_limits *limits, const char *account)
{
	const struct sgang_conf *conf = limits->conf;

	limits->account_gangs_max =
		sgang_conf_account_limit(conf->account_max_gangs, account);
	limits->account_members_max =
		sgang_conf_account_limit(conf->account_max_members, account);
	if (limits->account_gangs_max != UINT32_MAX ||
	    limits->account_members_max != UINT32_MAX)
		snprintf(limits->account, sizeof(limits->account), "%s",
			 account);
}

void sgang_limits_begin(struct sgang_limits *limits,
			const struct sgang_conf *conf, uint32_t uid,
			const char *user, const char *account, const char *ns,
			const char *name)
{
	char gang[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 2];

	memset(limits, 0, sizeof(*limits));
	limits->conf = conf;
	limits->uid = uid;
	begin_account(limits, account);
	snprintf(limits->user, sizeof(limits->user), "%s", user ? user : "");
	snprintf(gang, sizeof(gang), "%s/%s", ns, name);
	limits->gang = hash_gang(limits, gang, uid);
}

static bool is_charged(const struct sgang_limits *limits, const char *account)
{
	return limits->account[0] && account &&
	       !strncmp(account, limits->account, sizeof(limits->account) - 1);
}

void sgang_limits_see(struct sgang_limits *limits, const char *gang,
		      uint32_t uid, const char *account, uint32_t tasks)
{
	const struct sgang_conf *conf = limits->conf;
	bool own = uid == limits->uid, charged;
	uint64_t hash;

	if (!conf)
		return;
	hash = hash_gang(limits, gang, uid);
	charged = is_charged(limits, account);
	limits->members += tasks;
	limits->own_members += own ? tasks : 0;
	limits->charged_members += charged ? tasks : 0;
	limits->known_all |= hash == limits->gang;
	limits->known_own |= own && hash == limits->gang;
	limits->known_charged |= charged && hash == limits->gang;
	/* members of a gang come one after the other, mostly */
	if (hash == limits->last && own <= limits->last_own &&
	    charged <= limits->last_charged)
		return;
	limits->last = hash;
	limits->last_own = own;
	limits->last_charged = charged;
	if (add(&limits->gangs, hash, conf->max_gangs) ||
	    (own && add(&limits->own_gangs, hash, conf->max_gangs_per_user)) ||
	    (charged &&
	     add(&limits->charged_gangs, hash, limits->account_gangs_max)))
		limits->no_memory = true;
}

void sgang_limits_restart(struct sgang_limits *limits)
{
	struct sgang_limits before = *limits;

	sgang_limits_end(limits);
	limits->conf = before.conf;
	limits->uid = before.uid;
	limits->gang = before.gang;
	limits->account_gangs_max = before.account_gangs_max;
	limits->account_members_max = before.account_members_max;
	memcpy(limits->user, before.user, sizeof(limits->user));
	memcpy(limits->account, before.account, sizeof(limits->account));
}

/* ---- judging ---- */

static bool below(uint32_t limit, uint64_t there, uint64_t more)
{
	return limit == UINT32_MAX || there + more <= limit;
}

bool sgang_limits_below(const struct sgang_limits *limits,
			const struct sgang_members_count *most, uint32_t tasks)
{
	const struct sgang_conf *conf = limits->conf;

	/* how many the account has is not kept: no more than there are */
	return below(limits->account_members_max, most->members, tasks) &&
	       (limits->known_charged ||
		below(limits->account_gangs_max, most->gangs, 1)) &&
	       below(conf->max_members_per_user, most->own_members, tasks) &&
	       below(conf->max_members, most->members, tasks) &&
	       (limits->known_own ||
		below(conf->max_gangs_per_user, most->own_gangs, 1)) &&
	       (limits->known_all || below(conf->max_gangs, most->gangs, 1)) &&
	       !limits->no_memory;
}

/* A limit, and the number it applies to. */
struct limit {
	const char *key;
	uint32_t limit;
	const char *who;
	uint64_t there, more;
};

static int check_limit(const struct limit *l, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	if (l->limit == UINT32_MAX || !l->more ||
	    l->there + l->more <= l->limit)
		return 0;
	return sgang_errf(err, EDQUOT,
			  "%s=%" PRIu32 " of gang.conf: %s has %" PRIu64
			  ", and with this job %" PRIu64 "; wait until "
			  "some have ended, or cancel some",
			  l->key, l->limit, sgang_text_show(shown, l->who),
			  l->there, l->there + l->more);
}

static int check_all(const struct sgang_limits *limits, const struct limit *all,
		     size_t n, struct sgang_error *err)
{
	if (limits->no_memory)
		return sgang_errf(err, ENOMEM,
				  "slurmctld has no memory to "
				  "count gangs");
	for (size_t i = 0; i < n; i++) {
		if (check_limit(&all[i], err))
			return -1;
	}
	return 0;
}

int sgang_limits_check_account(const struct sgang_limits *limits,
			       uint32_t tasks, struct sgang_error *err)
{
	char who[sizeof("account ") + sizeof(limits->account)];
	const struct limit all[] = {
		{ "AccountMaxGangMembers", limits->account_members_max, who,
		  limits->charged_members, tasks },
		{ "AccountMaxGangs", limits->account_gangs_max, who,
		  limits->charged_gangs.n, !limits->known_charged },
	};

	snprintf(who, sizeof(who), "account %s", limits->account);
	return check_all(limits, all, sizeof(all) / sizeof(all[0]), err);
}

int sgang_limits_check(const struct sgang_limits *limits, uint32_t tasks,
		       struct sgang_error *err)
{
	const char *user = limits->user[0] ? limits->user : "the user";
	const struct sgang_conf *conf = limits->conf;
	const struct limit all[] = {
		{ "MaxGangMembersPerUser", conf->max_members_per_user, user,
		  limits->own_members, tasks },
		{ "MaxGangsPerUser", conf->max_gangs_per_user, user,
		  limits->own_gangs.n, !limits->known_own },
		{ "MaxGangMembers", conf->max_members, "the cluster",
		  limits->members, tasks },
		{ "MaxGangs", conf->max_gangs, "the cluster", limits->gangs.n,
		  !limits->known_all },
	};

	if (sgang_limits_check_account(limits, tasks, err))
		return -1;
	return check_all(limits, all, sizeof(all) / sizeof(all[0]), err);
}

void sgang_limits_end(struct sgang_limits *limits)
{
	free(limits->gangs.slot);
	free(limits->own_gangs.slot);
	free(limits->charged_gangs.slot);
	memset(limits, 0, sizeof(*limits));
}
