/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.c - gang.conf, the settings of slurm-gang */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf.h"
#include "core/base/near.h"
#include "core/base/shared.h"
#include "core/base/text.h"
#include "core/fabric/node_lines.h"

/* A gang.conf is some lines and gangs; what is longer is some other file. */
#define FILE_MAX (1024 * 1024)

#define HOP_COST_MAX 1000000

/* The largest GB/s and us. */
#define SPEED_MAX 1000000

#define DEFAULT_WAITING_TIME 600
#define DEFAULT_PLACEHOLDER_TIMEOUT 900
#define DEFAULT_MAX_WAITING_TIME (24 * 3600)

/* Some of a leaf's nodes, but not one of many. */
#define DEFAULT_EXCLUSIVE_SHARE 0.25

/* Above these slurmctld begins to notice, see doc/performance.md. */
#define DEFAULT_MAX_GANGS 10000
#define DEFAULT_MAX_GANGS_PER_USER 2000
#define DEFAULT_MAX_MEMBERS 100000
#define DEFAULT_MAX_MEMBERS_PER_USER 20000

/* The largest number that a limit can be. */
#define LIMIT_MAX 10000000

/* Levels above those that are given cost this many times the one below. */
#define HOP_COST_STEP 4

/* Levels that are printed even where the rules would give the same. */
#define LEVELS_SHOWN 5

/* Levels that can be named and priced; UNCONNECTED follows the highest. */
#define LEVELS_NAMED (SGANG_LEVEL_MAX + 1)

/* The part of struct sgang_conf that a key sets; for lists by level the whole
 * list. */
struct field {
	void *at;
	size_t size;
};

static int not_understood(const char *value, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	return sgang_errf(err, EINVAL, "\"%s\" is not understood",
			  sgang_text_show(shown, value));
}

/* Cut the next item off a comma separated list; an empty one is an item too.
 * Returns NULL behind the last. */
static char *next_item(char **list)
{
	return *list ? strsep(list, ",") : NULL;
}

static bool is_label(const char *text)
{
	return *text && !text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "abcdefghijklmnopqrstuvwxyz"
					   "0123456789-_")];
}

static int check_level_name(const struct sgang_costs *costs, const char *name,
			    uint32_t level, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN], own[32];
	uint32_t other;

	sgang_text_show(shown, name);
	if (level >= LEVELS_NAMED)
		return sgang_errf(err, EINVAL, "there are at most %d levels",
				  LEVELS_NAMED);
	if (!is_label(name))
		return sgang_errf(err, EINVAL,
				  "the level name \"%s\" is not "
				  "made of letters, digits, '-' and '_'",
				  shown);
	if (strlen(name) >= sizeof(costs->name[0]))
		return sgang_errf(err, EINVAL,
				  "the level name \"%s\" has more "
				  "than %zu characters",
				  shown, sizeof(costs->name[0]) - 1);
	for (other = 0; other < level; other++)
		if (!strcasecmp(costs->name[other], name))
			return sgang_errf(err, EINVAL,
					  "the level name \"%s\" "
					  "is there twice",
					  shown);
	if (!strcasecmp(name, costs->name[SGANG_LEVEL_UNCONNECTED]))
		return sgang_errf(err, EINVAL,
				  "the level name \"%s\" is taken "
				  "for nodes that no switch joins",
				  shown);
	sgang_costs_numbered(own, level);
	if (!strncasecmp(name, "level", 5) && name[5] &&
	    !name[5 + strspn(name + 5, "0123456789")] && strcmp(name, own))
		return sgang_errf(err, EINVAL,
				  "the level name \"%s\" would "
				  "mislead: it is level %" PRIu32,
				  shown, level);
	return 0;
}

/* Give the levels from 'level' on their default names, as far as those are not
 * taken by the levels below. */
static void name_the_rest(struct sgang_costs *costs, uint32_t level)
{
	struct sgang_costs plain;
	uint32_t other;

	if (costs->leaf == SGANG_LEVEL_LEAF)
		sgang_costs_default(&plain);
	else
		sgang_costs_default_nvlink(&plain);
	for (; level < LEVELS_NAMED; level++) {
		memcpy(costs->name[level], plain.name[level],
		       sizeof(costs->name[level]));
		for (other = 0; other < level; other++)
			if (!strcasecmp(costs->name[other], plain.name[level]))
				sgang_costs_numbered(costs->name[level], level);
	}
}

static int set_level_names(struct field field, char *value,
			   struct sgang_error *err)
{
	struct sgang_conf *conf = field.at;
	uint32_t level = 0;
	char *name;

	while ((name = next_item(&value))) {
		if (check_level_name(&conf->costs, name, level, err))
			return -1;
		strcpy(conf->costs.name[level++], name);
	}
	conf->n_level_names = level;
	name_the_rest(&conf->costs, level);
	return 0;
}

/* Would the first 'count' names give all the others too? */
static bool names_suffice(const struct sgang_costs *costs, uint32_t count)
{
	struct sgang_costs trial = *costs;
	uint32_t level;

	name_the_rest(&trial, count);
	for (level = count; level < LEVELS_NAMED; level++)
		if (strcmp(trial.name[level], costs->name[level]))
			return false;
	return true;
}

static void print_level_names(const void *field, FILE *out)
{
	const struct sgang_conf *conf = field;
	uint32_t count = LEVELS_SHOWN, level;

	while (count < LEVELS_NAMED && !names_suffice(&conf->costs, count))
		count++;
	for (level = 0; level < count; level++)
		fprintf(out, "%s%s", level ? "," : "", conf->costs.name[level]);
}

/* Price the levels from 'level' (1 or more) on. */
static void price_the_rest(struct sgang_costs *costs, uint32_t level)
{
	for (; level < SGANG_LEVELS; level++)
		if (__builtin_mul_overflow(costs->hop[level - 1], HOP_COST_STEP,
					   &costs->hop[level]))
			costs->hop[level] = UINT32_MAX;
}

static int set_hop_costs(struct field field, char *value,
			 struct sgang_error *err)
{
	struct sgang_conf *conf = field.at;
	char shown[SGANG_TEXT_SHOWN];
	uint64_t cost, below = 1;
	uint32_t level = 0;
	char *item;

	while ((item = next_item(&value))) {
		if (level >= LEVELS_NAMED)
			return sgang_errf(err, EINVAL,
					  "there are at most %d "
					  "levels",
					  LEVELS_NAMED);
		if (sgang_text_number(item, 1, HOP_COST_MAX, &cost))
			return sgang_errf(err, EINVAL,
					  "\"%s\" is not a number "
					  "from 1 to %d",
					  sgang_text_show(shown, item),
					  HOP_COST_MAX);
		if (cost < below)
			return sgang_errf(err, EINVAL,
					  "%" PRIu64 " comes "
					  "after %" PRIu64 ", but a higher "
					  "level cannot be cheaper",
					  cost, below);
		conf->costs.hop[level++] = (uint32_t)cost;
		below = cost;
	}
	conf->n_hop_costs = level;
	price_the_rest(&conf->costs, level);
	return 0;
}

static bool costs_suffice(const struct sgang_costs *costs, uint32_t count)
{
	struct sgang_costs trial = *costs;

	price_the_rest(&trial, count);
	return !memcmp(trial.hop, costs->hop, sizeof(trial.hop));
}

static void print_hop_costs(const void *field, FILE *out)
{
	const struct sgang_conf *conf = field;
	uint32_t count = LEVELS_SHOWN, level;

	while (count < LEVELS_NAMED && !costs_suffice(&conf->costs, count))
		count++;
	for (level = 0; level < count; level++)
		fprintf(out, "%s%" PRIu32, level ? "," : "",
			conf->costs.hop[level]);
}

/* GB/s or us by level, from the bottom up; above the last: not known. */
static int set_speeds(struct field field, char *value, struct sgang_error *err)
{
	double all[SGANG_LEVELS] = { 0 };
	char shown[SGANG_TEXT_SHOWN];
	uint32_t level = 0;
	char *item;

	if (!*value)
		value = NULL; /* nothing, not one empty item */
	while ((item = next_item(&value))) {
		if (level >= LEVELS_NAMED)
			return sgang_errf(err, EINVAL,
					  "there are at most %d "
					  "levels",
					  LEVELS_NAMED);
		if (sgang_text_decimal(item, SPEED_MAX, &all[level++]))
			return sgang_errf(err, EINVAL,
					  "\"%s\" is not a number "
					  "above 0 and up to %d with at most "
					  "six digits behind the point",
					  sgang_text_show(shown, item),
					  SPEED_MAX);
	}
	memcpy(field.at, all, sizeof(all));
	return 0;
}

static void print_speeds(const void *field, FILE *out)
{
	char shown[SGANG_DECIMAL_SHOWN];
	const double *speed = field;
	uint32_t level;

	if (!speed[0])
		fputs("\"\"", out);
	for (level = 0; level < SGANG_LEVELS && speed[level]; level++)
		fprintf(out, "%s%s", level ? "," : "",
			sgang_text_show_decimal(shown, speed[level]));
}

static int set_bool(struct field field, char *value, struct sgang_error *err)
{
	bool yes = !strcasecmp(value, "yes");

	if (!yes && strcasecmp(value, "no"))
		return not_understood(value, err);
	*(bool *)field.at = yes;
	return 0;
}

static void print_bool(const void *field, FILE *out)
{
	fputs(*(const bool *)field ? "yes" : "no", out);
}

static void print_text(const void *field, FILE *out)
{
	fprintf(out, "\"%s\"", (const char *)field);
}

static int set_path(struct field field, char *value, struct sgang_error *err)
{
	if (strlen(value) >= field.size)
		return sgang_errf(err, EINVAL,
				  "the path has more than %zu "
				  "characters",
				  field.size - 1);
	strcpy(field.at, value);
	return 0;
}

/* A path that begins with '/', or "". */
static int set_absolute_path(struct field field, char *value,
			     struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	if (value[0] && value[0] != '/')
		return sgang_errf(err, EINVAL, "\"%s\" does not begin with '/'",
				  sgang_text_show(shown, value));
	return set_path(field, value, err);
}

static int set_topology_name(struct field field, char *value,
			     struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	if (strlen(value) >= field.size)
		return sgang_errf(err, EINVAL,
				  "the name \"%s\" has more than "
				  "%zu characters",
				  sgang_text_show(shown, value),
				  field.size - 1);
	strcpy(field.at, value);
	return 0;
}

bool sgang_conf_topology_of(const struct sgang_conf *conf,
			    const char *partition, const char *own,
			    char topology[SGANG_TOPOLOGY_NAME])
{
	if (sgang_partition_words_find(conf->partition_topology, partition,
				       topology))
		return true;
	snprintf(topology, SGANG_TOPOLOGY_NAME, "%s",
		 own && !conf->topology_file[0] ? own : "");
	return false;
}

/* Slurm has names of accounts in lower case, and those of partitions as they
 * are written. */
static void lower_names(char *text)
{
	for (; *text; text += *text == ',') {
		for (; *text && *text != ':' && *text != ','; text++)
			*text = (char)tolower((unsigned char)*text);
		text += strcspn(text, ",");
	}
}

/* Words "NAME:VALUE,NAME:VALUE", and what 'check' (which returns 0 for one that
 * is fine) says of each value. */
static int set_words(struct field field, const char *text,
		     int (*check)(const char *value), struct sgang_error *err)
{
	char name[SGANG_TOPOLOGY_NAME], value[SGANG_TOPOLOGY_NAME];
	char shown[SGANG_TEXT_SHOWN];
	size_t i;

	if (strlen(text) >= SGANG_CONF_WORDS)
		return sgang_errf(err, EINVAL,
				  "it has more than %d "
				  "characters",
				  SGANG_CONF_WORDS - 1);
	if (sgang_partition_words_check(text, err))
		return -1;
	for (i = 0; sgang_partition_words_get(text, i, name, value); i++)
		if (check(value))
			return sgang_errf(err, EINVAL,
					  "\"%s\" behind %s is "
					  "not understood",
					  sgang_text_show(shown, value), name);
	strcpy(field.at, text);
	return 0;
}

static int check_topology(const char *value)
{
	return strchr(value, ':') ? -1 : 0;
}

static int check_time(const char *value)
{
	uint32_t seconds;

	return sgang_text_time(value, &seconds);
}

/* Whether there is such a level can be told only after the last line. */
static int check_level(const char *value)
{
	return is_label(value) && strlen(value) < SGANG_LEVEL_NAME_SIZE ? 0 :
									  -1;
}

static int read_limit(const char *value, uint32_t *limit)
{
	uint64_t number = UINT32_MAX;

	if (strcasecmp(value, "UNLIMITED") &&
	    sgang_text_number(value, 1, LIMIT_MAX, &number))
		return -1;
	*limit = (uint32_t)number;
	return 0;
}

static int check_limit(const char *value)
{
	uint32_t limit;

	return read_limit(value, &limit);
}

static int set_topologies(struct field field, char *value,
			  struct sgang_error *err)
{
	return set_words(field, value, check_topology, err);
}

static int set_times(struct field field, char *value, struct sgang_error *err)
{
	return set_words(field, value, check_time, err);
}

static int check_yes_no(const char *value)
{
	return strcasecmp(value, "yes") && strcasecmp(value, "no") ? -1 : 0;
}

static int set_yes_no_words(struct field field, char *value,
			    struct sgang_error *err)
{
	return set_words(field, value, check_yes_no, err);
}

static int set_levels(struct field field, char *value, struct sgang_error *err)
{
	return set_words(field, value, check_level, err);
}

static int set_account_limits(struct field field, char *value,
			      struct sgang_error *err)
{
	lower_names(value);
	return set_words(field, value, check_limit, err);
}

static int set_time(struct field field, char *value, struct sgang_error *err)
{
	return sgang_text_time(value, field.at) ? not_understood(value, err) :
						  0;
}

static void print_time(const void *field, FILE *out)
{
	char shown[SGANG_TIME_SHOWN];

	fputs(sgang_text_show_time(shown, *(const uint32_t *)field), out);
}

#define TIME_EXPECTED                                          \
	"a time above 0 such as 30 (minutes), 10:00 or 1-12, " \
	"or UNLIMITED"

/* Take the next "ACCOUNT:USER,USER" off the rules at '*at'. Returns the length
 * of the account and in '*users' where its list begins, or -1 at the end. */
static int next_rule(const char **at, const char **account, const char **users,
		     size_t *users_length)
{
	size_t length;

	*at += strspn(*at, ";");
	if (!**at)
		return -1;
	*account = *at;
	length = strcspn(*at, ":;");
	*users = *at + length + ((*at)[length] == ':');
	*users_length = strcspn(*users, ";");
	*at = *users + *users_length;
	return (int)length;
}

static bool list_names(const char *list, size_t size, const char *name)
{
	size_t length = strlen(name), i = 0, n;

	for (; i < size; i += n + 1) {
		n = strcspn(list + i, ",;");
		if (n == length && !strncmp(list + i, name, n))
			return true;
	}
	return false;
}

bool sgang_conf_may_join(const struct sgang_conf *conf, const char *ns,
			 const char *user)
{
	const char *at = conf->account_rules, *account, *users;
	size_t size;
	int length;

	while ((length = next_rule(&at, &account, &users, &size)) >= 0) {
		if (strlen(ns) == (size_t)length &&
		    !strncasecmp(ns, account, (size_t)length))
			return user && list_names(users, size, user);
	}
	return true;
}

/* Does one of these rules name the account? Slurm has names of accounts in
 * lower case. */
static bool names_account(const char *rules, const char *account, int length)
{
	const char *other, *users;
	size_t size;
	int n;

	while ((n = next_rule(&rules, &other, &users, &size)) >= 0) {
		if (n == length && !strncasecmp(other, account, (size_t)n))
			return true;
	}
	return false;
}

static int set_account_rules(struct field field, char *value,
			     struct sgang_error *err)
{
	const char *at = value, *account, *users;
	size_t size;
	int length;

	if (strpbrk(value, " \t"))
		return sgang_errf(err, EINVAL, "it has a blank");
	if (strlen(value) >= field.size)
		return sgang_errf(err, EINVAL,
				  "it has more than %zu "
				  "characters",
				  field.size - 1);
	while ((length = next_rule(&at, &account, &users, &size)) >= 0) {
		if (!length || !size || users == account + length ||
		    memchr(users, ':', size))
			return not_understood(account, err);
		if (names_account(at, account, length))
			return sgang_errf(err, EINVAL,
					  "account \"%.*s\" is "
					  "named twice",
					  length, account);
	}
	strcpy(field.at, value);
	return 0;
}

static int set_max_exclusive(struct field field, char *value,
			     struct sgang_error *err)
{
	if ((*value && !is_label(value)) || strlen(value) >= field.size)
		return not_understood(value, err);
	strcpy(field.at, value);
	return 0;
}

/* Cut the next name off "a,b". False after the last. A name that is too long
 * for gang.conf is treated as one that is not there. */
static bool next_partition(const char **list, char name[SGANG_TOPOLOGY_NAME])
{
	size_t length;

	*list += strspn(*list, ",");
	length = strcspn(*list, ",");
	snprintf(name, SGANG_TOPOLOGY_NAME, "%.*s",
		 length < SGANG_TOPOLOGY_NAME ? (int)length : 0, *list);
	*list += length;
	return length > 0;
}

uint32_t sgang_conf_max_waiting_time(const struct sgang_conf *conf,
				     const char *partitions)
{
	const char *words = conf->partition_max_waiting_time;
	char name[SGANG_TOPOLOGY_NAME], value[SGANG_TOPOLOGY_NAME];
	uint32_t least = SGANG_FOREVER, time;
	bool any = false;

	while (words[0] && partitions && next_partition(&partitions, name)) {
		time = conf->max_waiting_time;
		if (sgang_partition_words_find(words, name, value))
			(void)sgang_text_time(value, &time);
		least = time < least ? time : least;
		any = true;
	}
	return any ? least : conf->max_waiting_time;
}

bool sgang_conf_may_keep(const struct sgang_conf *conf, const char *partitions,
			 char said[SGANG_CONF_SAID])
{
	const char *words = conf->partition_placeholders;
	char name[SGANG_TOPOLOGY_NAME], value[SGANG_TOPOLOGY_NAME];
	bool all = conf->placeholders, any = false, may = true;

	while (words[0] && partitions && next_partition(&partitions, name)) {
		bool own = sgang_partition_words_find(words, name, value);

		any = true;
		if (own ? !strcasecmp(value, "yes") : all)
			continue;
		may = false;
		if (own)
			snprintf(said, SGANG_CONF_SAID,
				 "PartitionPlaceholders=%s:%s", name, value);
		else
			strcpy(said, "Placeholders=no");
	}
	if (any || all)
		return may;
	strcpy(said, "Placeholders=no");
	return false;
}

/* SGANG_CONF_NO_LEVEL is no level's name, unless somebody calls one so. */
static bool is_bound(const struct sgang_costs *costs, const char *name)
{
	return !strcasecmp(name, SGANG_CONF_NO_LEVEL) ||
	       sgang_costs_level(costs, name) >= 0;
}

static int max_exclusive(const struct sgang_conf *conf, char said[])
{
	int level = conf->max_exclusive[0] ?
			    sgang_costs_level(&conf->costs,
					      conf->max_exclusive) :
			    (int)conf->costs.leaf;

	snprintf(said, SGANG_CONF_SAID, "MaxExclusive=%s",
		 level < 0 ? SGANG_CONF_NO_LEVEL : conf->costs.name[level]);
	return level;
}

static int partition_max_exclusive(const struct sgang_conf *conf,
				   const char *partition, const char *value,
				   char said[])
{
	snprintf(said, SGANG_CONF_SAID, "PartitionMaxExclusive=%s:%s",
		 partition, value);
	return sgang_costs_level(&conf->costs, value);
}

int sgang_conf_max_exclusive(const struct sgang_conf *conf,
			     const char *partitions, char said[SGANG_CONF_SAID])
{
	const char *words = conf->partition_max_exclusive;
	char name[SGANG_TOPOLOGY_NAME], value[SGANG_TOPOLOGY_NAME];
	char other[SGANG_CONF_SAID];
	int least = SGANG_LEVELS, level;

	while (words[0] && partitions && next_partition(&partitions, name)) {
		level = sgang_partition_words_find(words, name, value) ?
				partition_max_exclusive(conf, name, value,
							other) :
				max_exclusive(conf, other);
		if (level < least)
			strcpy(said, other);
		least = level < least ? level : least;
	}
	return least < SGANG_LEVELS ? least : max_exclusive(conf, said);
}

int sgang_conf_any_exclusive(const struct sgang_conf *conf,
			     char said[SGANG_CONF_SAID])
{
	char name[SGANG_TOPOLOGY_NAME], value[SGANG_TOPOLOGY_NAME];
	int most = max_exclusive(conf, said), level;
	char other[SGANG_CONF_SAID];
	size_t i;

	for (i = 0; sgang_partition_words_get(conf->partition_max_exclusive, i,
					      name, value);
	     i++) {
		level = partition_max_exclusive(conf, name, value, other);
		if (level > most)
			strcpy(said, other);
		most = level > most ? level : most;
	}
	return most;
}

uint32_t sgang_conf_account_limit(const char *words, const char *account)
{
	char value[SGANG_TOPOLOGY_NAME];
	uint32_t limit = UINT32_MAX;

	if (account && (sgang_partition_words_find(words, account, value) ||
			sgang_partition_words_find(words, "*", value)))
		(void)read_limit(value, &limit);
	return limit;
}

static int set_exclusive_share(struct field field, char *value,
			       struct sgang_error *err)
{
	double share = 0;

	if (strcmp(value, "0") && sgang_text_decimal(value, 1, &share))
		return not_understood(value, err);
	*(double *)field.at = share;
	return 0;
}

static void print_exclusive_share(const void *field, FILE *out)
{
	char shown[SGANG_DECIMAL_SHOWN];
	double share = *(const double *)field;

	fputs(share > 0 ? sgang_text_show_decimal(shown, share) : "0", out);
}

static int set_limit(struct field field, char *value, struct sgang_error *err)
{
	return read_limit(value, field.at) ? not_understood(value, err) : 0;
}

static void print_limit(const void *field, FILE *out)
{
	if (*(const uint32_t *)field == UINT32_MAX)
		fputs("UNLIMITED", out);
	else
		fprintf(out, "%" PRIu32, *(const uint32_t *)field);
}

#define LIMIT_EXPECTED "a number from 1 to 10000000 or UNLIMITED"
#define ACCOUNTS_EXPECTED                                \
	"accounts and numbers from 1 to 10000000, like " \
	"physics:2000,*:500"

static const char *const log_levels[] = {
	[SGANG_CONF_LOG_ERROR] = "error",
	[SGANG_CONF_LOG_INFO] = "info",
	[SGANG_CONF_LOG_DEBUG] = "debug",
};

static int set_log_level(struct field field, char *value,
			 struct sgang_error *err)
{
	for (size_t i = 0; i < sizeof(log_levels) / sizeof(*log_levels); i++) {
		if (strcasecmp(value, log_levels[i]))
			continue;
		*(enum sgang_conf_log *)field.at = (enum sgang_conf_log)i;
		return 0;
	}
	return not_understood(value, err);
}

static void print_log_level(const void *field, FILE *out)
{
	fputs(log_levels[*(const enum sgang_conf_log *)field], out);
}

static int set_rank_order(struct field field, char *value,
			  struct sgang_error *err)
{
	enum sgang_rank_order order = sgang_rank_order_find(value);

	if (!order)
		return not_understood(value, err);
	*(enum sgang_rank_order *)field.at = order;
	return 0;
}

static void print_rank_order(const void *field, FILE *out)
{
	fputs(sgang_rank_order_word(*(const enum sgang_rank_order *)field),
	      out);
}

/* The keys, in the order they are printed. `expected` ends the message about a
 * bad value. The defaults are in sgang_conf_default(). */
static const struct key {
	const char *name;
	const char *expected;
	int (*set)(struct field field, char *value, struct sgang_error *err);
	void (*print)(const void *field, FILE *out);
	size_t offset, size; /* of the field */
} keys[] = {
#define FIELD(name)                        \
	offsetof(struct sgang_conf, name), \
		sizeof(((struct sgang_conf *)0)->name)
#define BOOL "yes or no", set_bool, print_bool
#define TIME TIME_EXPECTED, set_time, print_time
#define LIMIT LIMIT_EXPECTED, set_limit, print_limit
	{ "LevelNames",
	  "names from the bottom up, like "
	  "island,node,leaf,spine,core",
	  set_level_names, print_level_names, 0, 0 },
	{ "HopCosts",
	  "costs from the bottom up, none below the one before, "
	  "like 1,2,4,16,64",
	  set_hop_costs, print_hop_costs, 0, 0 },
	{ "LevelBandwidth", "GB/s from the bottom up, like 900,450,50,25",
	  set_speeds, print_speeds, FIELD(costs.bandwidth) },
	{ "LevelLatency", "microseconds from the bottom up, like 2,3.5,5,10",
	  set_speeds, print_speeds, FIELD(costs.latency) },
	{ "AllowUnconnected", BOOL, FIELD(costs.allow_unconnected) },
	{ "Gangs", BOOL, FIELD(gangs) },
	{ "Placement", BOOL, FIELD(placement) },
	{ "PlaceAll", BOOL, FIELD(place_all) },
	{ "WeightFirst", BOOL, FIELD(weight_first) },
	{ "TopologyFile",
	  "the absolute path of a topology.conf or "
	  "topology.yaml",
	  set_absolute_path, print_text, FIELD(topology_file) },
	{ "TopologyName", "the name of a topology of topology.yaml",
	  set_topology_name, print_text, FIELD(topology_name) },
	{ "PartitionTopology",
	  "partitions and the names of their topologies, "
	  "like gpu:nvl72,cpu:tree",
	  set_topologies, print_text, FIELD(partition_topology) },
	{ "NodeTopologyDir", "the path of a folder", set_path, print_text,
	  FIELD(node_topology_dir) },
	{ "WaitingTime", TIME, FIELD(waiting_time) },
	{ "MaxWaitingTime", TIME, FIELD(max_waiting_time) },
	{ "PartitionMaxWaitingTime",
	  "partitions and times, like "
	  "debug:00:10:00,gpu:UNLIMITED",
	  set_times, print_text, FIELD(partition_max_waiting_time) },
	{ "Placeholders", BOOL, FIELD(placeholders) },
	{ "PartitionPlaceholders",
	  "partitions and yes or no, like "
	  "debug:no,batch:yes",
	  set_yes_no_words, print_text, FIELD(partition_placeholders) },
	{ "PlaceholderTimeout", TIME, FIELD(placeholder_timeout) },
	{ "GangAccountRules",
	  "accounts and their users, like "
	  "proj:alice,bob;lab:carol",
	  set_account_rules, print_text, FIELD(account_rules) },
	{ "MaxExclusive", "the name of a level, such as spine, or none",
	  set_max_exclusive, print_text, FIELD(max_exclusive) },
	{ "PartitionMaxExclusive",
	  "partitions and names of levels, like "
	  "debug:none,gpu:leaf",
	  set_levels, print_text, FIELD(partition_max_exclusive) },
	{ "MinExclusiveShare", "a number from 0 to 1, such as 0.25",
	  set_exclusive_share, print_exclusive_share, FIELD(exclusive_share) },
	{ "MaxGangs", LIMIT, FIELD(max_gangs) },
	{ "MaxGangsPerUser", LIMIT, FIELD(max_gangs_per_user) },
	{ "MaxGangMembers", LIMIT, FIELD(max_members) },
	{ "MaxGangMembersPerUser", LIMIT, FIELD(max_members_per_user) },
	{ "AccountMaxGangs", ACCOUNTS_EXPECTED, set_account_limits, print_text,
	  FIELD(account_max_gangs) },
	{ "AccountMaxGangMembers", ACCOUNTS_EXPECTED, set_account_limits,
	  print_text, FIELD(account_max_members) },
	{ "RankOrder", "submit or ring", set_rank_order, print_rank_order,
	  FIELD(rank_order) },
	{ "GangPreemption", BOOL, FIELD(preemption) },
	{ "NodeExtra", BOOL, FIELD(node_extra) },
	{ "LogLevel", "error, info or debug", set_log_level, print_log_level,
	  FIELD(log_level) },
	{ "MetricsFile", "the absolute path of a file", set_absolute_path,
	  print_text, FIELD(metrics_file) },
#undef LIMIT
#undef TIME
#undef BOOL
#undef FIELD
};
#define N_KEYS (sizeof(keys) / sizeof(keys[0]))
_Static_assert(N_KEYS <= SGANG_CONF_KEYS_MAX, "key_line[] is too short");

void sgang_conf_default(struct sgang_conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	sgang_costs_default(&conf->costs);
	conf->gangs = true;
	conf->placement = true;
	conf->preemption = true;
	conf->node_extra = true;
	conf->log_level = SGANG_CONF_LOG_INFO;
	conf->placeholders = true;
	conf->placeholder_timeout = DEFAULT_PLACEHOLDER_TIMEOUT;
	conf->waiting_time = DEFAULT_WAITING_TIME;
	conf->max_waiting_time = DEFAULT_MAX_WAITING_TIME;
	conf->exclusive_share = DEFAULT_EXCLUSIVE_SHARE;
	conf->max_gangs = DEFAULT_MAX_GANGS;
	conf->max_gangs_per_user = DEFAULT_MAX_GANGS_PER_USER;
	conf->max_members = DEFAULT_MAX_MEMBERS;
	conf->max_members_per_user = DEFAULT_MAX_MEMBERS_PER_USER;
	conf->rank_order = SGANG_RANK_ORDER_SUBMIT;
}

/* ---- gangs that an admin defines ---- */

/* The keys behind GangName= and the options they stand for, in the order they
 * are printed. */
static const struct gang_key {
	const char *name;
	const char *option;
} gang_keys[] = {
	{ "MinMember", "gang-min-member" },
	{ "TotalNumber", "gang-total-number" },
	{ "MinTRES", "gang-min-tres" },
	{ "Mode", "gang-mode" },
	{ "Groups", "gang-groups" },
	{ "WaitingTime", "gang-waiting-time" },
	{ "Match", "gang-match" },
	{ "OnFailure", "gang-on-failure" },
	{ "MaxRestarts", "gang-max-restarts" },
	{ "OnStale", "gang-on-stale" },
	{ "StaleGrace", "gang-stale-grace" },
	{ "Spares", "gang-spares" },
	{ "SparePool", "gang-spare-pool" },
	{ "Pool", "gang-pool" },
	{ "OnSuccess", "gang-on-success" },
	{ "OnDrain", "gang-on-drain" },
	{ "RankOrder", "gang-rank-order" },
	{ "Topology", "gang-topology" },
	{ "GroupTopology", "gang-group-topology" },
	{ "Exclusive", "gang-exclusive" },
	{ "Parallel", "gang-parallel" },
	{ "Tree", "gang-tree" },
	{ "RunTime", "gang-run-time" },
	{ "CommShare", "gang-comm-share" },
	{ "Preempt", "gang-preempt" },
};
#define N_GANG_KEYS (sizeof(gang_keys) / sizeof(gang_keys[0]))

struct definition {
	struct sgang_spec spec;
	unsigned int line;
};

/* 'gang' is sorted by namespace and name once it has been read. */
struct sgang_definitions {
	struct sgang_shared shared;
	struct definition gang[];
};

static int name_order(const struct sgang_spec *a, const struct sgang_spec *b)
{
	int rc = strcmp(a->ns, b->ns);

	return rc ? rc : strcmp(a->name, b->name);
}

static int definition_qsort(const void *a, const void *b)
{
	const struct definition *da = a, *db = b;
	int rc = name_order(&da->spec, &db->spec);

	return rc ? rc : (da->line > db->line) - (da->line < db->line);
}

/* The key of a search: no whole spec has to be made for it. */
struct gang_name {
	const char *ns;
	const char *name;
};

static int definition_bsearch(const void *key, const void *item)
{
	const struct gang_name *wanted = key;
	const struct definition *definition = item;
	int rc = strcmp(wanted->ns, definition->spec.ns);

	return rc ? rc : strcmp(wanted->name, definition->spec.name);
}

const struct sgang_spec *sgang_conf_gang(const struct sgang_conf *conf,
					 const char *ns, const char *name)
{
	struct gang_name wanted = { ns, name };
	const struct definition *found;

	if (!conf->definitions)
		return NULL;
	found = bsearch(&wanted, conf->definitions->gang,
			conf->definitions->shared.count, sizeof(*found),
			definition_bsearch);
	return found ? &found->spec : NULL;
}

/* ---- nodes that NVLink joins ---- */

struct sgang_nvlinks {
	struct sgang_shared shared;
	char *path; /* of gang.conf */
	struct sgang_nvlink nvlink[];
};

const struct sgang_nvlink *sgang_conf_nvlinks(const struct sgang_conf *conf,
					      size_t *count, const char **path)
{
	*count = 0;
	if (!conf->nvlinks)
		return NULL;
	*count = conf->nvlinks->shared.count;
	*path = conf->nvlinks->path;
	return conf->nvlinks->nvlink;
}

static void free_nvlinks(struct sgang_nvlinks *all)
{
	size_t i;

	for (i = 0; i < all->shared.count; i++) {
		free(all->nvlink[i].name);
		free(all->nvlink[i].nodes);
	}
	free(all->path);
	free(all);
}

/* A new, empty one at the end, as with definitions. NULL without memory. */
static struct sgang_nvlink *add_nvlink(struct sgang_conf *conf,
				       const char *path)
{
	struct sgang_nvlinks *all = sgang_shared_grow(
		conf->nvlinks, sizeof(*all), sizeof(all->nvlink[0]));
	struct sgang_nvlink *added;

	if (!all)
		return NULL;
	conf->nvlinks = all;
	if (!all->path && !(all->path = strdup(path)))
		return NULL;
	added = &all->nvlink[all->shared.count++];
	memset(added, 0, sizeof(*added));
	return added;
}

void sgang_conf_copy(struct sgang_conf *to, const struct sgang_conf *from)
{
	*to = *from;
	sgang_shared_take(to->definitions);
	sgang_shared_take(to->nvlinks);
	sgang_node_lines_share(to->node_lines);
}

void sgang_conf_free(struct sgang_conf *conf)
{
	int saved = errno;

	if (!conf)
		return;
	if (sgang_shared_leave(conf->definitions))
		free(conf->definitions);
	if (sgang_shared_leave(conf->nvlinks))
		free_nvlinks(conf->nvlinks);
	sgang_node_lines_release(conf->node_lines);
	sgang_conf_default(conf);
	errno = saved;
}

/* A new, empty definition at the end. While a file is read nobody else uses
 * them, so they may move. NULL without memory. */
static struct definition *add_definition(struct sgang_conf *conf)
{
	struct sgang_definitions *all = sgang_shared_grow(
		conf->definitions, sizeof(*all), sizeof(all->gang[0]));
	struct definition *added;

	if (!all)
		return NULL;
	conf->definitions = all;
	added = &all->gang[all->shared.count++];
	memset(added, 0, sizeof(*added));
	return added;
}

/* A value as it is read back: a '#' would begin a comment, and nothing at all
 * is hard to see. */
static void print_value(const char *key, const char *value, FILE *out)
{
	const char *quote = !*value || strchr(value, '#') ? "\"" : "";

	fprintf(out, "%s=%s%s%s", key, quote, value, quote);
}

/* How lines are printed. */
struct printer {
	FILE *out;
	const char *path; /* of gang.conf, NULL: none */
};

/* 'line' is 0 for a default. */
static void end_printed(const struct printer *p, unsigned int line)
{
	if (line && p->path)
		fprintf(p->out, "\t# %s:%u\n", p->path, line);
	else
		fputs("\t# default\n", p->out);
}

static void print_definition(const struct printer *p,
			     const struct definition *definition)
{
	const struct sgang_spec *spec = &definition->spec;
	char text[SGANG_GROUPS_SIZE];
	FILE *out = p->out;
	size_t i;

	snprintf(text, sizeof(text), "%s/%s", spec->ns, spec->name);
	print_value("GangName", text, out);
	for (i = 0; i < N_GANG_KEYS; i++) {
		if (!sgang_spec_value(spec, gang_keys[i].option, text))
			continue;
		fputc(' ', out);
		print_value(gang_keys[i].name, text, out);
	}
	end_printed(p, definition->line);
}

/* ---- reading ---- */

/* Where the reader is. */
struct reader {
	const char *path;
	unsigned int line;
	uint32_t seen[N_KEYS];       /* line of each key, 0: not yet */
	const char *nodes;           /* NodeTopology= of this line */
	const char *hwloc;           /* Hwloc= of this line */
	struct definition *gang;     /* GangName= stood in this line */
	bool gang_seen[N_GANG_KEYS]; /* keys of that gang */
	struct sgang_nvlink *nvlink; /* NVLinkDomain= stood in this line */
	/* GangGroup= stood in this line: a group of that gang's tree. */
	struct sgang_spec *of;
	struct sgang_role_path path_of_group;
	bool group_seen[3]; /* its keys */
	struct sgang_conf conf;
	struct sgang_error *err;
};

static int no_memory(const struct reader *r)
{
	return sgang_errf(r->err, ENOMEM, "%s:%u: out of memory", r->path,
			  r->line);
}

/* 'keys' are structs that begin with a name, or with names alone. */
static void offer_keys(struct sgang_near *near, const void *all, size_t n,
		       size_t size)
{
	for (size_t i = 0; i < n; i++) {
		const char *name;

		memcpy(&name, (const char *)all + i * size, sizeof(name));
		sgang_near_offer(near, name);
	}
}

static int unknown_key(const struct reader *r, const char *behind,
		       const struct sgang_near *near)
{
	char shown[SGANG_TEXT_SHOWN], hint[SGANG_NEAR_HINT];

	return sgang_errf(r->err, EINVAL, "%s:%u: unknown key \"%s\"%s%s, %s",
			  r->path, r->line,
			  sgang_text_show(shown, near->wanted),
			  behind[0] ? " behind " : "", behind,
			  sgang_near_hint(near, hint, "see gang.conf(5)"));
}

/* A key of no line, or of a line that begins with another one. */
static int unknown_line(const struct reader *r, const char *name)
{
	static const char *const lines[] = { "GangName", "GangGroup",
					     "NodeTopology", "NVLinkDomain" };
	struct sgang_near near = { .wanted = name };

	offer_keys(&near, keys, N_KEYS, sizeof(keys[0]));
	offer_keys(&near, lines, sizeof(lines) / sizeof(lines[0]),
		   sizeof(lines[0]));
	return unknown_key(r, "", &near);
}

static const struct key *find_key(const char *name)
{
	size_t i;

	for (i = 0; i < N_KEYS; i++)
		if (!strcasecmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

/* GangName=NAMESPACE/NAME: what follows in the line is said of that gang. */
static int begin_gang(struct reader *r, const char *value)
{
	struct sgang_error why;
	struct sgang_spec spec;

	sgang_spec_init(&spec);
	if (sgang_spec_set(&spec, "gang", value, &why))
		return sgang_errf(r->err, EINVAL, "%s:%u: GangName: %s",
				  r->path, r->line, why.text);
	if (!spec.ns[0])
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: GangName: write "
				  "NAMESPACE/%s, where NAMESPACE is a user or "
				  "an account",
				  r->path, r->line, spec.name);
	r->gang = add_definition(&r->conf);
	if (!r->gang)
		return no_memory(r);
	r->gang->spec = spec;
	r->gang->line = r->line;
	memset(r->gang_seen, 0, sizeof(r->gang_seen));
	return 0;
}

static int take_gang_pair(struct reader *r, const char *name, const char *value)
{
	struct sgang_near near = { .wanted = name };
	struct sgang_error why;
	size_t i = 0;

	while (i < N_GANG_KEYS && strcasecmp(gang_keys[i].name, name))
		i++;
	if (i == N_GANG_KEYS) {
		offer_keys(&near, gang_keys, N_GANG_KEYS, sizeof(gang_keys[0]));
		return unknown_key(r, "GangName", &near);
	}
	if (r->gang_seen[i])
		return sgang_errf(r->err, EINVAL, "%s:%u: %s is given twice",
				  r->path, r->line, gang_keys[i].name);
	r->gang_seen[i] = true;
	if (sgang_spec_set(&r->gang->spec, gang_keys[i].option, value, &why))
		return sgang_errf(r->err, EINVAL, "%s:%u: %s: %s", r->path,
				  r->line, gang_keys[i].name, why.text);
	return 0;
}

/* At the end of the line in which a gang was defined. */
static int end_gang(struct reader *r)
{
	const struct sgang_spec *spec = &r->gang->spec;
	struct sgang_error why;

	r->gang = NULL;
	if (!sgang_spec_defines(spec) && !spec->pool)
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: GangName=%s/%s: add "
				  "MinMember=N, TotalNumber=N or Pool=yes",
				  r->path, r->line, spec->ns, spec->name);
	if (sgang_spec_check(spec, &why))
		return sgang_errf(r->err, EINVAL, "%s:%u: GangName=%s/%s: %s",
				  r->path, r->line, spec->ns, spec->name,
				  why.text);
	return 0;
}

/* ---- a group of a gang's tree ---- */

/* GangGroup=NAMESPACE/NAME/GROUP/...: cut it in two. NULL: it is none. */
static const char *
cut_group(const char *value,
	  char gang[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 2])
{
	const char *slash = strchr(value, '/');

	slash = slash ? strchr(slash + 1, '/') : NULL;
	if (!slash || slash - value > SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 1)
		return NULL;
	memcpy(gang, value, (size_t)(slash - value));
	gang[slash - value] = '\0';
	return slash + 1;
}

/* The gang that a line before this one defines, or NULL. */
static struct sgang_spec *find_defined(struct reader *r,
				       const struct sgang_spec *spec)
{
	struct sgang_definitions *all = r->conf.definitions;
	size_t i;

	for (i = 0; all && i < all->shared.count; i++)
		if (!name_order(&all->gang[i].spec, spec))
			return &all->gang[i].spec;
	return NULL;
}

static int begin_group(struct reader *r, const char *value)
{
	char gang[SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 2];
	const char *path = cut_group(value, gang);
	struct sgang_error why;
	struct sgang_spec spec;

	if (!path || strchr(path, ':'))
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: GangGroup: expected "
				  "NAMESPACE/NAME/GROUP/...",
				  r->path, r->line);
	sgang_spec_init(&spec);
	if (sgang_spec_set(&spec, "gang", gang, &why) ||
	    sgang_role_path_parse(path, &r->path_of_group, &why))
		return sgang_errf(r->err, EINVAL, "%s:%u: GangGroup: %s",
				  r->path, r->line, why.text);
	r->of = find_defined(r, &spec);
	if (!r->of)
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: GangGroup: define %s in a line "
				  "before this one, by GangName",
				  r->path, r->line, gang);
	memset(r->group_seen, 0, sizeof(r->group_seen));
	return 0;
}

/* The keys behind GangGroup=, and what they are in --gang-role. */
static const struct {
	const char *name;
	const char *need;
} group_keys[] = {
	{ "MinMember", "min" },
	{ "Weight", "weight" },
	{ "Topology", NULL },
};

/* "require:leaf,prefer:node" as two needs. */
static int take_levels(struct reader *r, struct sgang_role_group *group,
		       const char *value)
{
	struct sgang_policy policy;
	struct sgang_error why;

	if (sgang_policy_parse(value, &policy, &why))
		return sgang_errf(r->err, EINVAL, "%s:%u: Topology: %s",
				  r->path, r->line, why.text);
	if (policy.spread[0] || policy.n_groups || policy.automatic ||
	    policy.prefer_time)
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: Topology: a group has require:LEVEL "
				  "and prefer:LEVEL only",
				  r->path, r->line);
	strcpy(group->require, policy.require);
	strcpy(group->prefer, policy.prefer);
	return 0;
}

static int take_group_pair(struct reader *r, const char *name,
			   const char *value)
{
	struct sgang_role_path *path = &r->path_of_group;
	struct sgang_role_group *group = &path->group[path->n - 1];
	struct sgang_near near = { .wanted = name };
	char text[SGANG_ROLE_SIZE];
	struct sgang_role_path one;
	struct sgang_error why;
	size_t i = 0, n = sizeof(group_keys) / sizeof(group_keys[0]);

	while (i < n && strcasecmp(group_keys[i].name, name))
		i++;
	if (i == n) {
		offer_keys(&near, group_keys, n, sizeof(group_keys[0]));
		return unknown_key(r, "GangGroup", &near);
	}
	if (r->group_seen[i])
		return sgang_errf(r->err, EINVAL, "%s:%u: %s is given twice",
				  r->path, r->line, group_keys[i].name);
	r->group_seen[i] = true;
	if (!group_keys[i].need)
		return take_levels(r, group, value);
	snprintf(text, sizeof(text), "g:%s=%.32s", group_keys[i].need, value);
	if (strchr(value, ':') || strchr(value, '/') ||
	    sgang_role_path_parse(text, &one, &why))
		return sgang_errf(r->err, EINVAL, "%s:%u: %s: %s", r->path,
				  r->line, group_keys[i].name,
				  strchr(value, ':') || strchr(value, '/') ?
					  "expected a number" :
					  why.text);
	if (i == 0)
		group->min = one.group[0].min;
	else
		group->weight = one.group[0].weight;
	group->weight_set |= i == 1;
	return 0;
}

/* The group is one more of the gang's tree. */
static int end_group(struct reader *r)
{
	char text[SGANG_ROLE_SIZE], tree[2 * SGANG_ROLE_LIST_SIZE];
	struct sgang_spec *spec = r->of;
	struct sgang_error why;

	r->of = NULL;
	if (!sgang_role_path_write(&r->path_of_group, text))
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: GangGroup: its names have more than "
				  "%d characters",
				  r->path, r->line, SGANG_ROLE_SIZE - 1);
	snprintf(tree, sizeof(tree), "%s%s%s", spec->tree,
		 spec->tree[0] ? "," : "", text);
	if (sgang_spec_set(spec, "gang-tree", tree, &why) ||
	    sgang_spec_check(spec, &why))
		return sgang_errf(r->err, EINVAL, "%s:%u: GangGroup: %s",
				  r->path, r->line, why.text);
	return 0;
}

/* NVLinkDomain=NAME: Nodes= follows. */
static int begin_nvlink(struct reader *r, const char *name)
{
	char shown[SGANG_TEXT_SHOWN];

	if (!is_label(name))
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: NVLinkDomain: the "
				  "name \"%s\" is not made of letters, digits, "
				  "'-' and '_'",
				  r->path, r->line,
				  sgang_text_show(shown, name));
	r->nvlink = add_nvlink(&r->conf, r->path);
	if (!r->nvlink)
		return no_memory(r);
	r->nvlink->line = r->line;
	r->nvlink->name = strdup(name);
	return r->nvlink->name ? 0 : no_memory(r);
}

static int take_nvlink_pair(struct reader *r, const char *name,
			    const char *value)
{
	char shown[SGANG_TEXT_SHOWN];

	if (strcasecmp(name, "Nodes"))
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: unknown key \"%s\" "
				  "behind NVLinkDomain, expected Nodes=",
				  r->path, r->line,
				  sgang_text_show(shown, name));
	if (r->nvlink->nodes)
		return sgang_errf(r->err, EINVAL, "%s:%u: Nodes is given twice",
				  r->path, r->line);
	r->nvlink->nodes = strdup(value);
	return r->nvlink->nodes ? 0 : no_memory(r);
}

/* At the end of the line that defines an NVLink domain. */
static int end_nvlink(struct reader *r)
{
	const struct sgang_nvlink *nvlink = r->nvlink;

	r->nvlink = NULL;
	if (nvlink->nodes && *nvlink->nodes)
		return 0;
	return sgang_errf(r->err, EINVAL,
			  "%s:%u: NVLinkDomain=%s: add Nodes= "
			  "and a host list expression",
			  r->path, r->line, nvlink->name);
}

static int by_name(const void *a, const void *b)
{
	const struct sgang_nvlink *x = *(const struct sgang_nvlink *const *)a;
	const struct sgang_nvlink *y = *(const struct sgang_nvlink *const *)b;
	int order = strcmp(x->name, y->name);

	return order ? order : (x->line > y->line) - (x->line < y->line);
}

/* After the last line: each name may stand once. */
static int check_nvlinks(struct reader *r)
{
	const struct sgang_nvlinks *all = r->conf.nvlinks;
	const struct sgang_nvlink **nvlink, *before = NULL, *twice = NULL;
	size_t n = all ? all->shared.count : 0, i;

	nvlink = calloc(n + 1, sizeof(*nvlink));
	if (!nvlink)
		return no_memory(r);
	for (i = 0; i < n; i++)
		nvlink[i] = &all->nvlink[i];
	qsort(nvlink, n, sizeof(*nvlink), by_name);
	for (i = 1; i < n; i++) {
		if (strcmp(nvlink[i - 1]->name, nvlink[i]->name) ||
		    (twice && twice->line < nvlink[i]->line))
			continue;
		before = nvlink[i - 1];
		twice = nvlink[i];
	}
	free(nvlink);
	if (!twice)
		return 0;
	return sgang_errf(r->err, EINVAL,
			  "%s:%" PRIu32 ": NVLinkDomain=%s is "
			  "given twice, first in line %" PRIu32,
			  r->path, twice->line, twice->name, before->line);
}

/* With NVLink domains there is one level more, for all that is not said. */
static void add_nvlink_level(struct sgang_conf *conf)
{
	struct sgang_costs plain;

	sgang_costs_default_nvlink(&plain);
	conf->costs.leaf = plain.leaf;
	name_the_rest(&conf->costs, conf->n_level_names);
	if (!conf->n_hop_costs)
		memcpy(conf->costs.hop, plain.hop, sizeof(plain.hop));
}

/* ---- what describes the inside of nodes ---- */

/* NodeTopology=NODES Hwloc=FILE: nothing else stands in such a line. */
static int take_node_pair(struct reader *r, const char *name, const char *value)
{
	const char **field = &r->nodes;
	char shown[SGANG_TEXT_SHOWN];

	if (!strcasecmp(name, "Hwloc"))
		field = &r->hwloc;
	else if (strcasecmp(name, "NodeTopology"))
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: unknown key \"%s\" "
				  "behind NodeTopology, see gang.conf(5)",
				  r->path, r->line,
				  sgang_text_show(shown, name));
	if (*field)
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: %s is given twice in "
				  "the line",
				  r->path, r->line,
				  field == &r->nodes ? "NodeTopology" :
						       "Hwloc");
	*field = value;
	return 0;
}

/* At the end of the line in which nodes were described. */
static int end_nodes(struct reader *r)
{
	const char *nodes = r->nodes, *hwloc = r->hwloc;

	r->nodes = r->hwloc = NULL;
	if (!nodes[0])
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: NodeTopology: no "
				  "node is named",
				  r->path, r->line);
	if (!hwloc || !hwloc[0])
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: NodeTopology: add "
				  "Hwloc=FILE, a file as lstopo writes it",
				  r->path, r->line);
	if (sgang_node_lines_add(&r->conf.node_lines, nodes, hwloc, r->line))
		return no_memory(r);
	return 0;
}

/* Nodes that are named twice can be told only after the last line. */
static int check_nodes(struct reader *r)
{
	struct sgang_node_of_line *nodes;
	size_t count;

	if (sgang_node_lines_nodes(r->conf.node_lines, r->path, &nodes, &count,
				   r->err))
		return -1;
	sgang_node_lines_free_nodes(nodes, count);
	return 0;
}

static void print_node_lines(const struct printer *p,
			     const struct sgang_node_lines *lines)
{
	const struct sgang_node_line *line;
	size_t i;

	for (i = 0; i < sgang_node_lines_count(lines); i++) {
		line = sgang_node_lines_get(lines, i);
		fprintf(p->out, "NodeTopology=\"%s\" Hwloc=\"%s\"", line->nodes,
			line->file);
		end_printed(p, line->line);
	}
}

static const char *key_of_option(const char *option)
{
	size_t i = 0;

	while (i + 1 < N_GANG_KEYS && strcmp(gang_keys[i].option, option))
		i++;
	return gang_keys[i].name;
}

/* Whether it is a level: their names may come after it. */
static int check_bound(struct reader *r, const char *key, const char *level)
{
	char names[SGANG_LEVEL_NAMES_SIZE];

	if (is_bound(&r->conf.costs, level))
		return 0;
	return sgang_errf(r->err, EINVAL,
			  "%s:%" PRIu32 ": %s: there is no "
			  "level \"%s\"; the levels are %s",
			  r->path, r->seen[find_key(key) - keys], key, level,
			  sgang_costs_names(&r->conf.costs, names));
}

static int check_max_exclusive(struct reader *r)
{
	char name[SGANG_TOPOLOGY_NAME], value[SGANG_TOPOLOGY_NAME];
	size_t i;

	if (r->conf.max_exclusive[0] &&
	    check_bound(r, "MaxExclusive", r->conf.max_exclusive))
		return -1;
	for (i = 0; sgang_partition_words_get(r->conf.partition_max_exclusive,
					      i, name, value);
	     i++)
		if (check_bound(r, "PartitionMaxExclusive", value))
			return -1;
	return 0;
}

/* Checks of gangs that are possible only after the last line. */
static int check_definitions(struct reader *r)
{
	struct sgang_definitions *all = r->conf.definitions;
	char level[SGANG_LEVEL_NAME_SIZE], names[SGANG_LEVEL_NAMES_SIZE];
	const char *option;
	size_t i;

	if (!all)
		return 0;
	qsort(all->gang, all->shared.count, sizeof(all->gang[0]),
	      definition_qsort);
	for (i = 0; i < all->shared.count; i++) {
		const struct definition *d = &all->gang[i];

		if (i && !name_order(&d[-1].spec, &d->spec))
			return sgang_errf(r->err, EINVAL,
					  "%s:%u: GangName="
					  "%s/%s is given twice, first in line "
					  "%u",
					  r->path, d->line, d->spec.ns,
					  d->spec.name, d[-1].line);
		if (sgang_spec_unknown_level(&d->spec, &r->conf.costs, &option,
					     level))
			return sgang_errf(
				r->err, EINVAL,
				"%s:%u: %s: there is no "
				"level \"%s\"; the levels are %s",
				r->path, d->line, key_of_option(option), level,
				sgang_costs_names(&r->conf.costs, names));
	}
	return 0;
}

static int take_pair(struct reader *r, const char *name, char *value)
{
	const struct key *key = find_key(name);
	struct sgang_error why;
	struct field field;
	size_t i;

	if (r->nvlink)
		return take_nvlink_pair(r, name, value);
	if (!strcasecmp(name, "NVLinkDomain") && !r->gang)
		return begin_nvlink(r, value);
	if (!strcasecmp(name, "GangName") && r->gang)
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: GangName: one gang a "
				  "line",
				  r->path, r->line);
	if (!strcasecmp(name, "GangName"))
		return begin_gang(r, value);
	if (r->gang)
		return take_gang_pair(r, name, value);
	if (r->of)
		return take_group_pair(r, name, value);
	if (!strcasecmp(name, "GangGroup"))
		return begin_group(r, value);
	if (r->nodes || !strcasecmp(name, "NodeTopology"))
		return take_node_pair(r, name, value);
	if (!key)
		return unknown_line(r, name);
	i = (size_t)(key - keys);
	if (r->seen[i])
		return sgang_errf(r->err, EINVAL,
				  "%s:%u: %s is given twice, "
				  "first in line %u",
				  r->path, r->line, key->name, r->seen[i]);
	r->seen[i] = r->line;
	field = (struct field){ (char *)&r->conf + key->offset, key->size };
	if (key->set(field, value, &why))
		return sgang_errf(r->err, EINVAL, "%s:%u: %s: %s; expected %s",
				  r->path, r->line, key->name, why.text,
				  key->expected);
	return 0;
}

static int end_line(struct reader *r)
{
	if (r->gang)
		return end_gang(r);
	if (r->of)
		return end_group(r);
	if (r->nvlink)
		return end_nvlink(r);
	return r->nodes ? end_nodes(r) : 0;
}

#define BLANKS " \t\r"

/* Cut a value off 'text': a quoted one, or all up to a blank or a comment.
 * Returns what is behind it, or NULL with 'err' filled. */
static char *cut_value(struct reader *r, char *text, char **value)
{
	char *end;

	if (*text == '"') {
		*value = text + 1;
		end = strchr(*value, '"');
		if (!end) {
			sgang_errf(r->err, EINVAL,
				   "%s:%u: a quote is not "
				   "closed",
				   r->path, r->line);
			return NULL;
		}
		*end++ = '\0';
		if (*end && !strchr(BLANKS "#", *end)) {
			sgang_errf(r->err, EINVAL,
				   "%s:%u: expected a blank "
				   "after the closing quote",
				   r->path, r->line);
			return NULL;
		}
		return end;
	}
	*value = text;
	end = text + strcspn(text, BLANKS "#\"");
	if (*end == '"') {
		sgang_errf(r->err, EINVAL,
			   "%s:%u: a quote in the middle of a "
			   "value",
			   r->path, r->line);
		return NULL;
	}
	if (*end == '#')
		*end = '\0'; /* what follows is a comment: nothing is left */
	else if (*end)
		*end++ = '\0';
	return end;
}

static int take_line(struct reader *r, char *text)
{
	char shown[SGANG_TEXT_SHOWN];
	char *name, *value;

	for (;;) {
		text += strspn(text, BLANKS);
		if (!*text || *text == '#')
			return end_line(r);
		name = text;
		text += strcspn(text, BLANKS "=#");
		value = text + strspn(text, BLANKS);
		if (*value != '=' || text == name)
			return sgang_errf(r->err, EINVAL,
					  "%s:%u: expected "
					  "Key=Value at \"%s\"",
					  r->path, r->line,
					  sgang_text_show(shown, name));
		*text = '\0';
		value++;
		value += strspn(value, BLANKS);
		text = cut_value(r, value, &value);
		if (!text || take_pair(r, name, value))
			return -1;
	}
}

/* Read all of 'in' into 'text', which holds FILE_MAX + 1 bytes. */
static int read_text(FILE *in, const char *path, char *text,
		     struct sgang_error *err)
{
	size_t size = fread(text, 1, FILE_MAX + 1, in);

	if (ferror(in))
		return sgang_errf(err, EINVAL, "%s: cannot be read: %s", path,
				  strerror(errno));
	if (size > FILE_MAX)
		return sgang_errf(err, EINVAL,
				  "%s: is too large to be a "
				  "gang.conf",
				  path);
	if (memchr(text, '\0', size))
		return sgang_errf(err, EINVAL, "%s: is not a text file", path);
	text[size] = '\0';
	return 0;
}

/* The whole file as a string the caller frees. */
static char *read_file(const char *path, struct sgang_error *err)
{
	char *text = NULL;
	FILE *in = fopen(path, "re");
	int saved;

	if (!in) {
		sgang_errf(err, errno, "%s: cannot be opened: %s", path,
			   strerror(errno));
		return NULL;
	}
	text = malloc(FILE_MAX + 1);
	if (!text) {
		sgang_errf(err, ENOMEM, "%s: out of memory", path);
	} else if (read_text(in, path, text, err)) {
		free(text);
		text = NULL;
	}
	saved = errno;
	fclose(in);
	errno = saved;
	return text;
}

/* Takes 'text' apart. */
static int read_lines(struct reader *r, char *text)
{
	char *line;
	int rc = 0;

	while (!rc && (line = strsep(&text, "\n"))) {
		r->line++;
		rc = take_line(r, line);
	}
	if (!rc && r->conf.nvlinks)
		add_nvlink_level(&r->conf);
	if (!rc)
		rc = check_nvlinks(r) || check_definitions(r) ||
				     check_max_exclusive(r) || check_nodes(r) ?
			     -1 :
			     0;
	memcpy(r->conf.key_line, r->seen, sizeof(r->seen));
	return rc;
}

/* Takes 'text' apart and frees it. */
static int read_conf(const char *path, char *text, struct sgang_conf *conf,
		     struct sgang_error *err)
{
	struct reader r = { .path = path, .err = err };
	int rc;

	sgang_conf_default(&r.conf);
	rc = read_lines(&r, text);
	if (rc)
		sgang_conf_free(&r.conf);
	else
		*conf = r.conf;
	free(text);
	return rc;
}

int sgang_conf_load(const char *path, struct sgang_conf *conf,
		    struct sgang_error *err)
{
	char *text = read_file(path, err);

	return text ? read_conf(path, text, conf, err) : -1;
}

int sgang_conf_parse(const char *text, const char *label,
		     struct sgang_conf *conf, struct sgang_error *err)
{
	char *copy = strdup(text);

	return copy ? read_conf(label, copy, conf, err) : sgang_err_memory(err);
}

void sgang_conf_print_sources(const struct sgang_conf *conf, const char *path,
			      FILE *out)
{
	const struct printer p = { .out = out, .path = path };
	size_t i;

	for (i = 0; i < N_KEYS; i++) {
		fprintf(p.out, "%s=", keys[i].name);
		keys[i].print((const char *)conf + keys[i].offset, p.out);
		end_printed(&p, conf->key_line[i]);
	}
	for (i = 0; conf->nvlinks && i < conf->nvlinks->shared.count; i++) {
		const struct sgang_nvlink *nvlink = &conf->nvlinks->nvlink[i];

		print_value("NVLinkDomain", nvlink->name, p.out);
		print_value(" Nodes", nvlink->nodes, p.out);
		end_printed(&p, nvlink->line);
	}
	print_node_lines(&p, conf->node_lines);
	for (i = 0; conf->definitions && i < conf->definitions->shared.count;
	     i++)
		print_definition(&p, &conf->definitions->gang[i]);
}
