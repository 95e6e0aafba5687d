/* SPDX-License-Identifier: GPL-2.0-or-later */
/* policy.c - what a gang asks of the levels of the fabric */

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "policy.h"

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS "0123456789"

bool sgang_policy_is_level(const char *name)
{
	return *name && !name[strspn(name, LETTERS DIGITS "-_")];
}

/* Take 'name' as the level of a clause that may be said once. */
static int take_level(char level[SGANG_LEVEL_NAME_SIZE], const char *name,
		      const char *clause, struct sgang_error *err)
{
	if (level[0])
		return sgang_errf(err, EINVAL, "%s is said twice", clause);
	if (strlen(name) >= SGANG_LEVEL_NAME_SIZE)
		return sgang_errf(err, E2BIG,
				  "a level's name has at most %d "
				  "characters",
				  SGANG_LEVEL_NAME_SIZE - 1);
	if (!sgang_policy_is_level(name))
		return sgang_errf(err, EINVAL,
				  "expected %s:LEVEL, where LEVEL "
				  "is the name of a level of the fabric, such "
				  "as leaf",
				  clause);
	strcpy(level, name);
	return 0;
}

/* "tp:island" behind "require:". */
static int take_group(struct sgang_policy *policy, const char *text,
		      struct sgang_error *err)
{
	size_t length = strcspn(text, ":");
	uint32_t i;

	if (!length || length >= sizeof(policy->group[0].group))
		return sgang_errf(err, EINVAL,
				  "expected require:GROUP:LEVEL, "
				  "where GROUP is a name in --gang-parallel, "
				  "such as tp");
	for (i = 0; i < policy->n_groups; i++)
		if (strlen(policy->group[i].group) == length &&
		    !strncmp(policy->group[i].group, text, length))
			return sgang_errf(err, EINVAL,
					  "require:%s is said twice",
					  policy->group[i].group);
	if (i == SGANG_POLICY_GROUPS)
		return sgang_errf(err, EINVAL, "more than %d groups",
				  SGANG_POLICY_GROUPS);
	memcpy(policy->group[i].group, text, length);
	policy->group[i].group[length] = '\0';
	policy->group[i].level[0] = '\0';
	policy->n_groups++;
	return take_level(policy->group[i].level, text + length + 1,
			  "require:GROUP", err);
}

static int take_require(struct sgang_policy *policy, char *text,
			struct sgang_error *err)
{
	if (strchr(text, ':'))
		return take_group(policy, text, err);
	return take_level(policy->require, text, "require", err);
}

static int take_prefer(struct sgang_policy *policy, char *text,
		       struct sgang_error *err)
{
	char *at = strchr(text, '@');

	if (at) {
		*at++ = '\0';
		if (sgang_text_time(at, &policy->prefer_time))
			return sgang_errf(err, EINVAL,
					  "expected "
					  "prefer:LEVEL@TIME, where TIME is "
					  "above 0 such as 30 (minutes), 10:00 "
					  "or 1-12");
	}
	return take_level(policy->prefer, text, "prefer", err);
}

static int take_spread(struct sgang_policy *policy, char *text,
		       struct sgang_error *err)
{
	return take_level(policy->spread, text, "spread", err);
}

static int take_auto(struct sgang_policy *policy, char *text,
		     struct sgang_error *err)
{
	(void)text;
	if (policy->automatic)
		return sgang_errf(err, EINVAL, "auto is said twice");
	policy->automatic = true;
	return 0;
}

static const struct {
	const char *word;
	bool has_level;
	int (*take)(struct sgang_policy *policy, char *text,
		    struct sgang_error *err);
} clauses[] = {
	{ "require", true, take_require },
	{ "prefer", true, take_prefer },
	{ "spread", true, take_spread },
	{ "auto", false, take_auto },
};

static int take_clause(struct sgang_policy *policy, char *text,
		       struct sgang_error *err)
{
	size_t i, length = strcspn(text, ":");

	for (i = 0; i < sizeof(clauses) / sizeof(clauses[0]); i++) {
		if (strlen(clauses[i].word) != length ||
		    strncasecmp(clauses[i].word, text, length) ||
		    clauses[i].has_level != (text[length] == ':'))
			continue;
		return clauses[i].take(
			policy, text + length + (text[length] == ':'), err);
	}
	return sgang_errf(err, EINVAL,
			  "expected require:LEVEL, "
			  "require:GROUP:LEVEL, prefer:LEVEL[@TIME], "
			  "spread:LEVEL or auto, where LEVEL is the name of a "
			  "level of the fabric, such as leaf");
}

int sgang_policy_parse(const char *text, struct sgang_policy *policy,
		       struct sgang_error *err)
{
	struct sgang_policy said = { .n_groups = 0 };
	char copy[SGANG_POLICY_SIZE], *at = copy, *end;

	if (strlen(text) >= sizeof(copy))
		return sgang_errf(err, E2BIG, "it has more than %d characters",
				  SGANG_POLICY_SIZE - 1);
	strcpy(copy, text);
	while (*text && at) {
		end = strchr(at, ',');
		if (end)
			*end++ = '\0';
		if (take_clause(&said, at, err))
			return -1;
		at = end;
	}
	*policy = said;
	return 0;
}

const char *sgang_policy_unknown(const struct sgang_policy *policy,
				 const struct sgang_costs *costs)
{
	const char *const names[] = { policy->require, policy->prefer,
				      policy->spread };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (names[i][0] && sgang_costs_level(costs, names[i]) < 0)
			return names[i];
	for (i = 0; i < policy->n_groups; i++)
		if (sgang_costs_level(costs, policy->group[i].level) < 0)
			return policy->group[i].level;
	return NULL;
}

int sgang_policy_require(const struct sgang_parallel *parallel,
			 const struct sgang_policy *policy,
			 const struct sgang_costs *costs,
			 uint32_t require[SGANG_PARALLEL_MAX],
			 struct sgang_error *err)
{
	uint32_t found[SGANG_PARALLEL_MAX], i;

	for (i = 0; i < SGANG_PARALLEL_MAX; i++)
		found[i] = SGANG_LEVEL_UNCONNECTED;
	for (i = 0; i < policy->n_groups; i++) {
		const char *name = policy->group[i].group;
		const char *wanted = policy->group[i].level;
		int group = sgang_parallel_find(parallel, name);
		int level = sgang_costs_level(costs, wanted);

		if (group < 0)
			return sgang_errf(err, EINVAL,
					  "require:%s:%s: there "
					  "is no communication group \"%s\"",
					  name, wanted, name);
		if (level < 0)
			return sgang_errf(err, EINVAL,
					  "require:%s:%s: there "
					  "is no level \"%s\"; LevelNames of "
					  "gang.conf names them",
					  name, wanted, wanted);
		found[group] = (uint32_t)level;
	}
	memcpy(require, found, sizeof(found));
	return 0;
}
