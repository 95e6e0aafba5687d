/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.c - gang.conf, the settings of slurm-gang */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "conf.h"
#include "text.h"

/* A gang.conf is a few lines; what is longer is some other file. */
#define FILE_MAX (1024 * 1024)

#define HOP_COST_MAX 1000000

/* Levels above those that are given cost this many times the one below. */
#define HOP_COST_STEP 4

/* Levels that are printed even where the rules would give the same. */
#define LEVELS_SHOWN 5

/* Levels that can be named and priced; UNCONNECTED follows the highest. */
#define LEVELS_NAMED (SGANG_LEVEL_MAX + 1)

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

/* The name a level has when nobody names it and its default name is taken. */
static void numbered_name(char name[32], uint32_t level)
{
	snprintf(name, 32, "level%" PRIu32, level);
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
		return sgang_errf(err, EINVAL, "the level name \"%s\" is not "
				  "made of letters, digits, '-' and '_'",
				  shown);
	if (strlen(name) >= sizeof(costs->name[0]))
		return sgang_errf(err, EINVAL, "the level name \"%s\" has more "
				  "than %zu characters", shown,
				  sizeof(costs->name[0]) - 1);
	for (other = 0; other < level; other++)
		if (!strcasecmp(costs->name[other], name))
			return sgang_errf(err, EINVAL, "the level name \"%s\" "
					  "is there twice", shown);
	if (!strcasecmp(name, costs->name[SGANG_LEVEL_UNCONNECTED]))
		return sgang_errf(err, EINVAL, "the level name \"%s\" is taken "
				  "for nodes that no switch joins", shown);
	numbered_name(own, level);
	if (!strncasecmp(name, "level", 5) && name[5] &&
	    !name[5 + strspn(name + 5, "0123456789")] && strcmp(name, own))
		return sgang_errf(err, EINVAL, "the level name \"%s\" would "
				  "mislead: it is level %" PRIu32, shown,
				  level);
	return 0;
}

/* Give the levels from 'level' on their default names, as far as those are not
 * taken by the levels below. */
static void name_the_rest(struct sgang_costs *costs, uint32_t level)
{
	struct sgang_costs plain;
	uint32_t other;

	sgang_costs_default(&plain);
	for (; level < LEVELS_NAMED; level++) {
		memcpy(costs->name[level], plain.name[level],
		       sizeof(costs->name[level]));
		for (other = 0; other < level; other++)
			if (!strcasecmp(costs->name[other],
					plain.name[level]))
				numbered_name(costs->name[level], level);
	}
}

static int set_level_names(struct sgang_conf *conf, char *value,
			   struct sgang_error *err)
{
	uint32_t level = 0;
	char *name;

	while ((name = next_item(&value))) {
		if (check_level_name(&conf->costs, name, level, err))
			return -1;
		strcpy(conf->costs.name[level++], name);
	}
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

static void print_level_names(const struct sgang_conf *conf, FILE *out)
{
	uint32_t count = LEVELS_SHOWN, level;

	while (count < LEVELS_NAMED && !names_suffice(&conf->costs, count))
		count++;
	for (level = 0; level < count; level++)
		fprintf(out, "%s%s", level ? "," : "",
			conf->costs.name[level]);
}

/* Price the levels from 'level' (1 or more) on. */
static void price_the_rest(struct sgang_costs *costs, uint32_t level)
{
	for (; level < SGANG_LEVELS; level++)
		if (__builtin_mul_overflow(costs->hop[level - 1], HOP_COST_STEP,
					   &costs->hop[level]))
			costs->hop[level] = UINT32_MAX;
}

static int set_hop_costs(struct sgang_conf *conf, char *value,
			 struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint64_t cost, below = 1;
	uint32_t level = 0;
	char *item;

	while ((item = next_item(&value))) {
		if (level >= LEVELS_NAMED)
			return sgang_errf(err, EINVAL, "there are at most %d "
					  "levels", LEVELS_NAMED);
		if (sgang_text_number(item, 1, HOP_COST_MAX, &cost))
			return sgang_errf(err, EINVAL, "\"%s\" is not a number "
					  "from 1 to %d",
					  sgang_text_show(shown, item),
					  HOP_COST_MAX);
		if (cost < below)
			return sgang_errf(err, EINVAL, "%" PRIu64 " comes "
					  "after %" PRIu64 ", but a higher "
					  "level cannot be cheaper", cost,
					  below);
		conf->costs.hop[level++] = (uint32_t)cost;
		below = cost;
	}
	price_the_rest(&conf->costs, level);
	return 0;
}

static bool costs_suffice(const struct sgang_costs *costs, uint32_t count)
{
	struct sgang_costs trial = *costs;

	price_the_rest(&trial, count);
	return !memcmp(trial.hop, costs->hop, sizeof(trial.hop));
}

static void print_hop_costs(const struct sgang_conf *conf, FILE *out)
{
	uint32_t count = LEVELS_SHOWN, level;

	while (count < LEVELS_NAMED && !costs_suffice(&conf->costs, count))
		count++;
	for (level = 0; level < count; level++)
		fprintf(out, "%s%" PRIu32, level ? "," : "",
			conf->costs.hop[level]);
}

static int set_bool(bool *field, const char *value, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	if (!strcasecmp(value, "yes"))
		*field = true;
	else if (!strcasecmp(value, "no"))
		*field = false;
	else
		return sgang_errf(err, EINVAL, "\"%s\" is not understood",
				  sgang_text_show(shown, value));
	return 0;
}

/* The setter and the printer of a yes/no key. */
#define BOOL_KEY(name, field)						\
	static int set_##name(struct sgang_conf *conf, char *value,	\
			      struct sgang_error *err)			\
	{								\
		return set_bool(&conf->field, value, err);		\
	}								\
	static void print_##name(const struct sgang_conf *conf,		\
				 FILE *out)				\
	{								\
		fputs(conf->field ? "yes" : "no", out);			\
	}

BOOL_KEY(allow_unconnected, costs.allow_unconnected)
BOOL_KEY(gangs, gangs)
BOOL_KEY(placement, placement)
BOOL_KEY(place_all, place_all)

static int set_topology_file(struct sgang_conf *conf, char *value,
			     struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	if (value[0] && value[0] != '/')
		return sgang_errf(err, EINVAL, "\"%s\" does not begin with '/'",
				  sgang_text_show(shown, value));
	if (strlen(value) >= sizeof(conf->topology_file))
		return sgang_errf(err, EINVAL, "the path has more than %zu "
				  "characters",
				  sizeof(conf->topology_file) - 1);
	strcpy(conf->topology_file, value);
	return 0;
}

static void print_topology_file(const struct sgang_conf *conf, FILE *out)
{
	fprintf(out, "\"%s\"", conf->topology_file);
}

/* The keys, in the order they are printed. `expected` ends the message about a
 * bad value. The defaults are in sgang_conf_default(). */
static const struct key {
	const char *name;
	const char *expected;
	int (*set)(struct sgang_conf *conf, char *value,
		   struct sgang_error *err);
	void (*print)(const struct sgang_conf *conf, FILE *out);
} keys[] = {
	{ "LevelNames", "names from the bottom up, like "
	  "island,node,leaf,spine,core", set_level_names, print_level_names },
	{ "HopCosts", "costs from the bottom up, none below the one before, "
	  "like 1,2,4,16,64", set_hop_costs, print_hop_costs },
	{ "AllowUnconnected", "yes or no", set_allow_unconnected,
	  print_allow_unconnected },
	{ "Gangs", "yes or no", set_gangs, print_gangs },
	{ "Placement", "yes or no", set_placement, print_placement },
	{ "PlaceAll", "yes or no", set_place_all, print_place_all },
	{ "TopologyFile", "the absolute path of a topology.conf",
	  set_topology_file, print_topology_file },
};
#define N_KEYS (sizeof(keys) / sizeof(keys[0]))

void sgang_conf_default(struct sgang_conf *conf)
{
	memset(conf, 0, sizeof(*conf));
	sgang_costs_default(&conf->costs);
	conf->gangs = true;
	conf->placement = true;
}

/* Where the reader is. */
struct reader {
	const char *path;
	unsigned int line;
	unsigned int seen[N_KEYS];	/* line of each key, 0: not yet */
	struct sgang_conf conf;
	struct sgang_error *err;
};

static const struct key *find_key(const char *name)
{
	size_t i;

	for (i = 0; i < N_KEYS; i++)
		if (!strcasecmp(keys[i].name, name))
			return &keys[i];
	return NULL;
}

static int take_pair(struct reader *r, const char *name, char *value)
{
	const struct key *key = find_key(name);
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error why;
	size_t i;

	if (!key)
		return sgang_errf(r->err, EINVAL, "%s:%u: unknown key \"%s\", "
				  "see gang.conf(5)", r->path, r->line,
				  sgang_text_show(shown, name));
	i = (size_t)(key - keys);
	if (r->seen[i])
		return sgang_errf(r->err, EINVAL, "%s:%u: %s is given twice, "
				  "first in line %u", r->path, r->line,
				  key->name, r->seen[i]);
	r->seen[i] = r->line;
	if (key->set(&r->conf, value, &why))
		return sgang_errf(r->err, EINVAL, "%s:%u: %s: %s; expected %s",
				  r->path, r->line, key->name, why.text,
				  key->expected);
	return 0;
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
			sgang_errf(r->err, EINVAL, "%s:%u: a quote is not "
				   "closed", r->path, r->line);
			return NULL;
		}
		*end++ = '\0';
		if (*end && !strchr(BLANKS "#", *end)) {
			sgang_errf(r->err, EINVAL, "%s:%u: expected a blank "
				   "after the closing quote", r->path,
				   r->line);
			return NULL;
		}
		return end;
	}
	*value = text;
	end = text + strcspn(text, BLANKS "#\"");
	if (*end == '"') {
		sgang_errf(r->err, EINVAL, "%s:%u: a quote in the middle of a "
			   "value", r->path, r->line);
		return NULL;
	}
	if (*end == '#')
		*end = '\0';	/* what follows is a comment: nothing is left */
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
			return 0;
		name = text;
		text += strcspn(text, BLANKS "=#");
		value = text + strspn(text, BLANKS);
		if (*value != '=' || text == name)
			return sgang_errf(r->err, EINVAL, "%s:%u: expected "
					  "Key=Value at \"%s\"", r->path,
					  r->line,
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
		return sgang_errf(err, EINVAL, "%s: is too large to be a "
				  "gang.conf", path);
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

int sgang_conf_load(const char *path, struct sgang_conf *conf,
		    struct sgang_error *err)
{
	struct reader r = { .path = path, .err = err };
	char *text, *line, *rest;
	int rc = 0;

	text = read_file(path, err);
	if (!text)
		return -1;
	sgang_conf_default(&r.conf);
	rest = text;
	while (!rc && (line = strsep(&rest, "\n"))) {
		r.line++;
		rc = take_line(&r, line);
	}
	if (!rc)
		*conf = r.conf;
	free(text);
	return rc;
}

void sgang_conf_print(const struct sgang_conf *conf, FILE *out)
{
	size_t i;

	for (i = 0; i < N_KEYS; i++) {
		fprintf(out, "%s=", keys[i].name);
		keys[i].print(conf, out);
		fputc('\n', out);
	}
}
