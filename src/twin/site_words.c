/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_words.c - values of slurm.conf that scontrol prints, too */

#define _GNU_SOURCE /* strcasestr() */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "site_private.h"

int sgang_site_number(const char *key, const char *value, uint64_t min,
		      uint64_t max, uint64_t *number, struct sgang_place place,
		      struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	if (!sgang_text_number(value, min, max, number))
		return 0;
	return sgang_errf(err, EINVAL,
			  "%s:%u: %s=%s: expected a number from %llu to %llu",
			  place.file, place.line, key,
			  sgang_text_show(shown, value),
			  (unsigned long long)min, (unsigned long long)max);
}

int sgang_site_time(const char *key, const char *value, uint32_t *seconds,
		    struct sgang_place place, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	if (!strcmp(value, "0")) {
		*seconds = 0;
		return 0;
	}
	if (!sgang_text_time(value, seconds))
		return 0;
	return sgang_errf(err, EINVAL,
			  "%s:%u: %s=%s: expected minutes, or a duration such "
			  "as 1-12:30:00",
			  place.file, place.line, key,
			  sgang_text_show(shown, value));
}

/* ---- generic resources ---- */

/* The number behind the last ':' of "gpu:a100:4"; 1 if there is none. */
static int count_of(const char *item, uint32_t *count)
{
	const char *last = strrchr(item, ':');
	uint64_t number = 1;
	char digits[16];
	size_t length;

	if (last && last[1] >= '0' && last[1] <= '9') {
		length = strspn(last + 1, "0123456789");
		if (last[1 + length] || length >= sizeof(digits))
			return -1;
		memcpy(digits, last + 1, length);
		digits[length] = '\0';
		if (sgang_text_number(digits, 0, UINT16_MAX, &number))
			return -1;
	}
	*count = (uint32_t)number;
	return 0;
}

/* What stands in parentheses, "(S:0-1)", goes. */
static void drop_parentheses(char *text)
{
	char *to = text;
	int depth = 0;

	for (; *text; text++) {
		depth += *text == '(';
		if (depth <= 0)
			*to++ = *text;
		depth -= *text == ')' && depth > 0;
	}
	*to = '\0';
}

int sgang_site_gpus(const char *gres, uint32_t *gpus)
{
	char *copy = strdup(gres), *rest = copy, *item;
	uint32_t count, sum = 0;
	int rc = 0;

	if (!copy)
		return -1;
	drop_parentheses(copy);
	while (!rc && (item = strsep(&rest, ","))) {
		if (strncmp(item, "gpu", 3) || (item[3] && item[3] != ':'))
			continue;
		rc = count_of(item, &count);
		if (!rc)
			sum += count;
	}
	free(copy);
	if (rc) {
		errno = EINVAL;
		return -1;
	}
	*gpus = sum;
	return 0;
}

/* ---- partitions ---- */

void sgang_site_preempt_mode(const char *value, bool *preempted, bool *requeues)
{
	*preempted = strncasecmp(value, "off", 3) && strcasecmp(value, "gang");
	*requeues = strcasestr(value, "requeue");
}

bool sgang_site_says_yes(const char *value)
{
	return !strcasecmp(value, "yes") || !strcasecmp(value, "up") ||
	       !strcasecmp(value, "true") || !strcmp(value, "1");
}

struct part {
	struct sgang_site_draft_partition *draft;
	const char *key, *value;
	struct sgang_place place;
	struct sgang_error *err;
};

static int take_u16(const struct part *part, uint16_t *to)
{
	uint64_t number;

	if (sgang_site_number(part->key, part->value, 0, UINT16_MAX, &number,
			      part->place, part->err))
		return -1;
	*to = (uint16_t)number;
	return 0;
}

static int take_time(const struct part *part, uint32_t *to)
{
	return sgang_site_time(part->key, part->value, to, part->place,
			       part->err);
}

static int take_nodes(const struct part *part)
{
	part->draft->nodes = part->value;
	return 0;
}

static int take_tier(const struct part *part)
{
	return take_u16(part, &part->draft->partition.tier);
}

static int take_factor(const struct part *part)
{
	return take_u16(part, &part->draft->partition.job_factor);
}

static int take_both(const struct part *part)
{
	return take_tier(part) || take_factor(part) ? -1 : 0;
}

static int take_max_time(const struct part *part)
{
	return take_time(part, &part->draft->partition.max_time);
}

static int take_default_time(const struct part *part)
{
	if (!strcasecmp(part->value, "NONE"))
		return 0;
	part->draft->has_default_time = true;
	return take_time(part, &part->draft->partition.default_time);
}

static int take_sharing(const struct part *part)
{
	part->draft->partition.whole = !strncasecmp(part->value, "EXCL", 4);
	return 0;
}

static int take_preempt_mode(const struct part *part)
{
	part->draft->has_preempt_mode = true;
	sgang_site_preempt_mode(part->value, &part->draft->partition.preempted,
				&part->draft->partition.requeues);
	return 0;
}

static int take_default(const struct part *part)
{
	part->draft->partition.by_default = sgang_site_says_yes(part->value);
	return 0;
}

static const struct {
	const char *name;
	int (*take)(const struct part *part);
} keys[] = {
	{ "Default", take_default },       { "DefaultTime", take_default_time },
	{ "MaxTime", take_max_time },      { "Nodes", take_nodes },
	{ "OverSubscribe", take_sharing }, { "PreemptMode", take_preempt_mode },
	{ "Priority", take_both },         { "PriorityJobFactor", take_factor },
	{ "PriorityTier", take_tier },     { "Shared", take_sharing },
};

int sgang_site_partition_key(struct sgang_site_draft_partition *partition,
			     const char *key, const char *value,
			     struct sgang_place place, struct sgang_error *err)
{
	const struct part part = { partition, key, value, place, err };
	size_t i;

	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (!strcasecmp(keys[i].name, key))
			return keys[i].take(&part) ? -1 : 1;
	return 0;
}
