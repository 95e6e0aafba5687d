/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits.c - how many gangs and members there may be */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "plugins/job_submit/limits.h"

/* ---- a set of numbers ---- */

static void put(struct sgang_limits_set *set, uint64_t number)
{
	size_t at = (size_t) (number * 0x9e3779b97f4a7c15u >> 20) %
		    set->cap;

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

/* FNV-1a; never 0. */
static uint64_t hash_text(uint64_t hash, const char *text)
{
	for (; *text; text++)
		hash = (hash ^ (unsigned char) *text) * 1099511628211u;
	return hash ? hash : 1;
}

/* A gang without a namespace is in that of its user, whose number serves as
 * well as the name; who submits may write it out. */
static uint64_t hash_gang(const struct sgang_limits *limits, const char *gang,
			  uint32_t uid)
{
	const char *slash = strchr(gang, '/');
	uint64_t start = 14695981039346656037u;

	if (slash && uid == limits->uid &&
	    strlen(limits->user) == (size_t) (slash - gang) &&
	    !strncmp(gang, limits->user, (size_t) (slash - gang)))
		gang = slash + 1;
	else if (slash)
		return hash_text(start, gang);
	return hash_text((start ^ uid) * 1099511628211u, gang);
}

void sgang_limits_begin(struct sgang_limits *limits,
			const struct sgang_conf *conf, uint32_t uid,
			const char *user, const char *ns, const char *name)
{
	char gang[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 2];

	memset(limits, 0, sizeof(*limits));
	limits->conf = conf;
	limits->uid = uid;
	snprintf(limits->user, sizeof(limits->user), "%s", user ? user : "");
	snprintf(gang, sizeof(gang), "%s/%s", ns, name);
	limits->gang = hash_gang(limits, gang, uid);
}

void sgang_limits_see(struct sgang_limits *limits, const char *gang,
		      uint32_t uid, uint32_t tasks)
{
	const struct sgang_conf *conf = limits->conf;
	bool own = uid == limits->uid;
	uint64_t hash;

	if (!conf)
		return;
	hash = hash_gang(limits, gang, uid);
	limits->members += tasks;
	limits->own_members += own ? tasks : 0;
	limits->known_all |= hash == limits->gang;
	limits->known_own |= own && hash == limits->gang;
	/* members of a gang come one after the other, mostly */
	if (hash == limits->last && own <= limits->last_own)
		return;
	limits->last = hash;
	limits->last_own = own;
	if (add(&limits->gangs, hash, conf->max_gangs) ||
	    (own && add(&limits->own_gangs, hash, conf->max_gangs_per_user)))
		limits->no_memory = true;
}

void sgang_limits_restart(struct sgang_limits *limits)
{
	struct sgang_limits before = *limits;

	sgang_limits_end(limits);
	limits->conf = before.conf;
	limits->uid = before.uid;
	limits->gang = before.gang;
	memcpy(limits->user, before.user, sizeof(limits->user));
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

	return below(conf->max_members_per_user, most->own_members, tasks) &&
	       below(conf->max_members, most->members, tasks) &&
	       (limits->known_own ||
		below(conf->max_gangs_per_user, most->own_gangs, 1)) &&
	       (limits->known_all || below(conf->max_gangs, most->gangs, 1)) &&
	       !limits->no_memory;
}

int sgang_limits_check(const struct sgang_limits *limits, uint32_t tasks,
		       struct sgang_error *err)
{
	const struct sgang_conf *conf = limits->conf;
	const struct {
		const char *key;
		uint32_t limit;
		bool own;		/* of this user */
		uint64_t there, more;
	} all[] = {
		{ "MaxGangMembersPerUser", conf->max_members_per_user, true,
		  limits->own_members, tasks },
		{ "MaxGangsPerUser", conf->max_gangs_per_user, true,
		  limits->own_gangs.n, !limits->known_own },
		{ "MaxGangMembers", conf->max_members, false, limits->members,
		  tasks },
		{ "MaxGangs", conf->max_gangs, false, limits->gangs.n,
		  !limits->known_all },
	};
	char shown[SGANG_TEXT_SHOWN];

	if (limits->no_memory)
		return sgang_errf(err, ENOMEM, "slurmctld has no memory to "
				  "count gangs");
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (all[i].limit == UINT32_MAX || !all[i].more ||
		    all[i].there + all[i].more <= all[i].limit)
			continue;
		return sgang_errf(err, EDQUOT, "%s=%" PRIu32 " of gang.conf: "
				  "%s has %" PRIu64 ", and with this job %"
				  PRIu64 "; wait until some have ended, or "
				  "cancel some", all[i].key, all[i].limit,
				  !all[i].own ? "the cluster" : limits->user[0] ?
				  sgang_text_show(shown, limits->user) :
				  "the user", all[i].there,
				  all[i].there + all[i].more);
	}
	return 0;
}

void sgang_limits_end(struct sgang_limits *limits)
{
	free(limits->gangs.slot);
	free(limits->own_gangs.slot);
	memset(limits, 0, sizeof(*limits));
}
