/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gangfile.c - a file that describes a gang and the jobs it is made of */

#define _GNU_SOURCE /* asprintf() */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cmd/gangfile.h"
#include "cmd/spectext.h"
#include "core/base/near.h"
#include "core/base/text.h"
#include "core/gang/role_tree.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- messages ---- */

static int wrong(const struct sgang_gangfile *file, size_t line,
		 struct sgang_error *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* "FILE:LINE: ..." */
static int wrong(const struct sgang_gangfile *file, size_t line,
		 struct sgang_error *err, const char *fmt, ...)
{
	char why[sizeof(err->text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return sgang_errf(err, EINVAL, "%s:%zu: %s", file->path, line, why);
}

/* The same for a mistake that sgang_spec_set() or sgang_spec_check() found. */
static int wrong_option(const struct sgang_gangfile *file, size_t line,
			struct sgang_error *why, struct sgang_error *err)
{
	sgang_spectext_key(why);
	return wrong(file, line, err, "%s", why->text);
}

/* ---- values ---- */

/* Returns the text, which is not empty, or NULL. */
static const char *read_text(const struct sgang_gangfile *file,
			     const struct sgang_tree *entry,
			     struct sgang_error *err)
{
	if (entry->kind == SGANG_TREE_TEXT && entry->text[0])
		return entry->text;
	wrong(file, entry->line, err, "%s: expected a text", entry->key);
	return NULL;
}

static int read_number(const struct sgang_gangfile *file,
		       const struct sgang_tree *entry, uint32_t min,
		       uint32_t *number, struct sgang_error *err)
{
	uint64_t value;

	if (entry->kind != SGANG_TREE_TEXT ||
	    sgang_text_number(entry->text, min, SGANG_MEMBERS_MAX, &value))
		return wrong(file, entry->line, err,
			     "%s: expected a number "
			     "from %" PRIu32 " to %d",
			     entry->key, min, SGANG_MEMBERS_MAX);
	*number = (uint32_t)value;
	return 0;
}

static int read_bool(const struct sgang_gangfile *file,
		     const struct sgang_tree *entry, bool *value,
		     struct sgang_error *err)
{
	static const char *const words[] = { "no", "yes", "false", "true" };
	size_t i;

	for (i = 0; entry->kind == SGANG_TREE_TEXT && i < COUNT(words); i++) {
		if (strcasecmp(entry->text, words[i]))
			continue;
		*value = i % 2;
		return 0;
	}
	return wrong(file, entry->line, err, "%s: expected yes or no",
		     entry->key);
}

static int read_words(const struct sgang_gangfile *file,
		      const struct sgang_tree *entry, struct sgang_words *words,
		      struct sgang_error *err)
{
	const struct sgang_tree *item;

	if (entry->kind != SGANG_TREE_LIST)
		return wrong(file, entry->line, err,
			     "%s: expected a list, [A, B, ...]", entry->key);
	for (item = entry->child; item; item = item->next) {
		if (item->kind != SGANG_TREE_TEXT)
			return wrong(file, item->line, err,
				     "%s: expected texts in the list",
				     entry->key);
		if (sgang_words_add(words, err, "%s", item->text))
			return -1;
	}
	return 0;
}

/* Options of sbatch that would contradict other parts of the file, or keep us
 * from learning the job's id. */
static const struct {
	const char *name;
	char letter;
	const char *why;
} not_here[] = {
	{ "array", 'a', "say count and array: yes" },
	{ "clusters", 'M', "a gang is in one cluster" },
	{ "parsable", 0, "sgang says so itself" },
	{ "test-only", 0, "use sgang submit --dry-run" },
	{ "wait", 'W', "it would wait for the first job alone" },
	{ "wrap", 0, "say command" },
};

/* Options that are each member's own, and where a file says them. */
static const struct {
	const char *option;
	const char *where;
} of_members[] = {
	{ "gang-order", "write the key order in the role of these members" },
	{ "gang-placeholder", "say placeholders: soft and give the role no "
			      "script and no command" },
	{ "gang-rank", "write the key rank in the role of this member" },
	{ "gang-reserve", "say placeholders: soft and min: N in each role" },
	{ "gang-role", "the names of roles in each other say it" },
};

/* NULL: the option is none of these. */
static const char *where_of_member(const char *option)
{
	size_t i, length = strcspn(option, "=");

	for (i = 0; i < COUNT(of_members); i++)
		if (strlen(of_members[i].option) == length &&
		    !strncmp(of_members[i].option, option, length))
			return of_members[i].where;
	return NULL;
}

/* The reason why the option cannot be here; NULL: it can. */
static const char *why_not_here(const char *option)
{
	const char *where;
	size_t i, length;

	if (!strncmp(option, "--gang", 6)) {
		where = where_of_member(option + 2);
		return where ? where :
			       "leave out the dashes and \"gang-\", and make "
			       "it a key of the file";
	}
	for (i = 0; i < COUNT(not_here); i++) {
		length = strlen(not_here[i].name);
		if (!strncmp(option, "--", 2) &&
		    !strncmp(option + 2, not_here[i].name, length) &&
		    (!option[2 + length] || option[2 + length] == '='))
			return not_here[i].why;
		if (not_here[i].letter && option[1] == not_here[i].letter)
			return not_here[i].why;
	}
	return NULL;
}

static int read_options(const struct sgang_gangfile *file,
			const struct sgang_tree *entry,
			struct sgang_words *words, struct sgang_error *err)
{
	const struct sgang_tree *item;
	char shown[SGANG_TEXT_SHOWN];
	const char *why;

	if (read_words(file, entry, words, err))
		return -1;
	for (item = entry->child; item; item = item->next) {
		sgang_text_show(shown, item->text);
		if (item->text[0] != '-' || !strcmp(item->text, "-") ||
		    !strcmp(item->text, "--"))
			return wrong(file, item->line, err,
				     "options: \"%s\" "
				     "is no option of sbatch; write one as "
				     "--NAME=VALUE",
				     shown);
		why = why_not_here(item->text);
		if (why)
			return wrong(file, item->line, err,
				     "options: \"%s\" "
				     "cannot be here: %s",
				     shown, why);
	}
	return 0;
}

/* ---- gangs ---- */

/* The gang of that name in '*gang', a new one if there is none of it yet. */
static int find_gang(struct sgang_gangfile *file,
		     const struct sgang_tree *entry, size_t *gang,
		     struct sgang_error *err)
{
	const char *text = read_text(file, entry, err);
	struct sgang_filegang *bigger;
	struct sgang_spec spec;
	struct sgang_error why;
	size_t i;

	if (!text)
		return -1;
	sgang_spec_init(&spec);
	if (sgang_spec_set(&spec, "gang", text, &why))
		return wrong_option(file, entry->line, &why, err);
	if (!spec.ns[0])
		strncpy(spec.ns, file->user, sizeof(spec.ns) - 1);
	for (i = 0; i < file->n_gangs; i++) {
		*gang = i;
		if (!strcmp(file->gang[i].spec.ns, spec.ns) &&
		    !strcmp(file->gang[i].spec.name, spec.name))
			return 0;
	}
	bigger = realloc(file->gang, (i + 1) * sizeof(*bigger));
	if (!bigger)
		return sgang_err_memory(err);
	file->gang = bigger;
	file->gang[i] = (struct sgang_filegang){ .spec = spec,
						 .line = entry->line };
	file->n_gangs = i + 1;
	*gang = i;
	return 0;
}

/* A pool is defined, which no option of sbatch does, and so may a file. */
static bool is_hidden(const struct sgang_option *option)
{
	return option->hidden && strcmp(option->name, "gang-pool");
}

/* Does the key stand for an option of that name? NULL has none. */
static bool is_key_of(const char *name, const char *key)
{
	return name && !strncmp(name, "gang-", 5) && !strcmp(name + 5, key);
}

/* The option of the gang, "gang-min-member", that the key stands for. */
static const struct sgang_option *find_option(const char *key)
{
	const struct sgang_option *option;

	for (option = sgang_spec_options(); option->name; option++)
		if ((is_key_of(option->name, key) ||
		     is_key_of(option->alias, key)) &&
		    !is_hidden(option) && !where_of_member(option->name))
			return option;
	return NULL;
}

static int unknown_key(const struct sgang_gangfile *file,
		       const struct sgang_tree *entry, struct sgang_near *near,
		       struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN], hint[SGANG_NEAR_HINT];
	const struct sgang_option *option;
	size_t i;

	for (i = 0; i < COUNT(of_members); i++)
		if (is_key_of(of_members[i].option, entry->key))
			return wrong(file, entry->line, err, "%s: %s",
				     entry->key, of_members[i].where);
	for (option = sgang_spec_options(); option->name; option++) {
		if (!strncmp(option->name, "gang-", 5) &&
		    find_option(option->name + 5))
			sgang_near_offer(near, option->name + 5);
	}
	return wrong(file, entry->line, err, "unknown key \"%s\", %s",
		     sgang_text_show(shown, entry->key),
		     sgang_near_hint(near, hint, "see sgang(1)"));
}

/* A list of gangs may be a list in the file too. Returns the value as the
 * option has it, which the caller frees, or NULL. */
static char *option_value(const struct sgang_gangfile *file,
			  const struct sgang_tree *entry,
			  struct sgang_error *err)
{
	struct sgang_words words = { NULL, 0 };
	size_t size = 1, i;
	char *value = NULL;
	bool yes = false;

	if (!strcmp(entry->key, "pool")) {
		if (read_bool(file, entry, &yes, err) ||
		    sgang_words_add(&words, err, "%s", yes ? "yes" : "no"))
			return NULL;
	} else if (entry->kind == SGANG_TREE_TEXT) {
		if (sgang_words_add(&words, err, "%s", entry->text))
			return NULL;
	} else if (entry->kind == SGANG_TREE_MAP ||
		   strcmp(entry->key, "groups")) {
		wrong(file, entry->line, err, "%s: expected a text",
		      entry->key);
		return NULL;
	} else if (read_words(file, entry, &words, err)) {
		goto out;
	}
	for (i = 0; i < words.n; i++)
		size += strlen(words.word[i]) + 1;
	value = calloc(1, size);
	if (!value)
		sgang_err_memory(err);
	for (i = 0; value && i < words.n; i++) {
		if (i)
			strcat(value, ",");
		strcat(value, words.word[i]);
	}
out:
	sgang_words_clear(&words);
	return value;
}

/* Set an option of a gang. If the file sets it twice, the values must be equal.
 */
static int set_option(struct sgang_gangfile *file, size_t gang,
		      const struct sgang_option *option,
		      const struct sgang_tree *entry, struct sgang_error *err)
{
	struct sgang_spec *spec = &file->gang[gang].spec;
	char before[SGANG_GROUPS_SIZE], after[SGANG_GROUPS_SIZE];
	char *value = option_value(file, entry, err);
	struct sgang_error why;
	const char *now;
	bool said;
	int rc;

	if (!value)
		return -1;
	said = sgang_spec_value(spec, option->name, before);
	rc = sgang_spec_set(spec, option->name, value, &why);
	free(value);
	if (rc)
		return wrong_option(file, entry->line, &why, err);
	now = sgang_spec_value(spec, option->name, after);
	if (said && (!now || strcmp(before, now)))
		return wrong(file, entry->line, err,
			     "%s: gang %s/%s has %s "
			     "already",
			     entry->key, spec->ns, spec->name,
			     before[0] ? before : "none");
	return 0;
}

/* Set the option to this value unless it has one. */
static int set_default(const struct sgang_gangfile *file,
		       struct sgang_filegang *gang, const char *option,
		       const char *value, struct sgang_error *err)
{
	char said[SGANG_GROUPS_SIZE];
	struct sgang_error why;

	if (sgang_spec_value(&gang->spec, option, said))
		return 0;
	if (sgang_spec_set(&gang->spec, option, value, &why))
		return wrong_option(file, gang->line, &why, err);
	return 0;
}

/* All gangs of the file but that one, or one more than there is room for. */
static int list_others(const struct sgang_gangfile *file, size_t gang,
		       struct sgang_error *err)
{
	struct sgang_filegang *own = &file->gang[gang];
	char list[SGANG_GROUPS_SIZE + SGANG_NAMESPACE_MAX + SGANG_NAME_MAX + 3];
	struct sgang_error why;
	size_t i, used = 0;

	if (own->spec.groups_set)
		return 0;
	list[0] = '\0';
	for (i = 0; i < file->n_gangs && used < SGANG_GROUPS_SIZE; i++)
		if (i != gang && !file->gang[i].spec.pool)
			used += (size_t)sprintf(list + used, "%s%s/%s",
						used ? "," : "",
						file->gang[i].spec.ns,
						file->gang[i].spec.name);
	if (used && sgang_spec_set(&own->spec, "gang-groups", list, &why))
		return wrong_option(file, own->line, &why, err);
	return 0;
}

static int complete_options(const struct sgang_gangfile *file, size_t gang,
			    struct sgang_error *err)
{
	struct sgang_filegang *own = &file->gang[gang];
	char members[24];

	snprintf(members, sizeof(members), "%" PRIu64,
		 file->is_tree ? own->groups : own->members);
	if (set_default(file, own, "gang-min-member", members, err))
		return -1;
	snprintf(members, sizeof(members), "%" PRIu64, own->members);
	/* a minimum above what is in the file expects members from elsewhere */
	if (own->members < own->spec.min_member)
		snprintf(members, sizeof(members), "%" PRIu32,
			 own->spec.min_member);
	if (set_default(file, own, "gang-total-number", members, err))
		return -1;
	return file->n_gangs > 1 ? list_others(file, gang, err) : 0;
}

/* Options that the file does not set follow from the gang's roles. */
static int complete_gang(const struct sgang_gangfile *file, size_t gang,
			 struct sgang_error *err)
{
	struct sgang_filegang *own = &file->gang[gang];
	struct sgang_error why;

	if (!own->members)
		return wrong(file, own->line, err,
			     "no role belongs to gang "
			     "%s/%s",
			     own->spec.ns, own->spec.name);
	if (!own->spec.pool && complete_options(file, gang, err))
		return -1;
	if (sgang_spec_check(&own->spec, &why))
		return wrong_option(file, own->line, &why, err);
	return 0;
}

/* ---- roles ---- */

static int set_gang(struct sgang_gangfile *file, struct sgang_role *role,
		    const struct sgang_tree *entry, struct sgang_error *err)
{
	return find_gang(file, entry, &role->gang, err);
}

static int set_count(struct sgang_gangfile *file, struct sgang_role *role,
		     const struct sgang_tree *entry, struct sgang_error *err)
{
	return read_number(file, entry, 1, &role->count, err);
}

static int set_order(struct sgang_gangfile *file, struct sgang_role *role,
		     const struct sgang_tree *entry, struct sgang_error *err)
{
	role->order_set = true;
	return read_number(file, entry, 0, &role->order, err);
}

static int set_rank(struct sgang_gangfile *file, struct sgang_role *role,
		    const struct sgang_tree *entry, struct sgang_error *err)
{
	role->rank_set = true;
	return read_number(file, entry, 0, &role->rank, err);
}

static int set_array(struct sgang_gangfile *file, struct sgang_role *role,
		     const struct sgang_tree *entry, struct sgang_error *err)
{
	return read_bool(file, entry, &role->array, err);
}

/* A relative path is taken from the file's folder. Returns a string the caller
 * frees, or NULL with ENOMEM. */
static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	char *text = NULL;
	int length;

	if (name[0] == '/')
		length = asprintf(&text, "%s", name);
	else if (slash)
		length = asprintf(&text, "%.*s%s", (int)(slash + 1 - path),
				  path, name);
	else /* for a name without a slash sbatch looks in PATH too */
		length = asprintf(&text, "./%s", name);
	return length < 0 ? NULL : text;
}

static int set_script(struct sgang_gangfile *file, struct sgang_role *role,
		      const struct sgang_tree *entry, struct sgang_error *err)
{
	const char *name = read_text(file, entry, err);
	char shown[SGANG_TEXT_SHOWN];

	if (!name)
		return -1;
	role->script = beside(file->path, name);
	if (!role->script)
		return sgang_err_memory(err);
	if (access(role->script, R_OK))
		return wrong(file, entry->line, err, "script: %s: %s",
			     sgang_text_show(shown, role->script),
			     strerror(errno));
	return 0;
}

static int set_command(struct sgang_gangfile *file, struct sgang_role *role,
		       const struct sgang_tree *entry, struct sgang_error *err)
{
	role->command = read_text(file, entry, err);
	return role->command ? 0 : -1;
}

static int set_args(struct sgang_gangfile *file, struct sgang_role *role,
		    const struct sgang_tree *entry, struct sgang_error *err)
{
	return read_words(file, entry, &role->args, err);
}

static int set_options(struct sgang_gangfile *file, struct sgang_role *role,
		       const struct sgang_tree *entry, struct sgang_error *err)
{
	return read_options(file, entry, &role->options, err);
}

/* The keys of a role, in the order in which they are read. To add one: a row
 * here, a field in struct sgang_role, a line in sgang.1. */
static const struct {
	const char *key;
	int (*set)(struct sgang_gangfile *file, struct sgang_role *role,
		   const struct sgang_tree *entry, struct sgang_error *err);
} role_keys[] = {
	{ "gang", set_gang },       { "count", set_count },
	{ "array", set_array },     { "order", set_order },
	{ "rank", set_rank },       { "script", set_script },
	{ "command", set_command }, { "args", set_args },
	{ "options", set_options },
};

/* Those of a group too. */
static const char *const group_keys[] = { "name",     "like",   "min",
					  "topology", "weight", "roles",
					  "options",  "gang" };

static int unknown_key_of_role(const struct sgang_gangfile *file,
			       const struct sgang_tree *entry,
			       struct sgang_error *err)
{
	struct sgang_near near = { .wanted = entry->key };
	size_t i;

	for (i = 0; i < COUNT(group_keys); i++)
		sgang_near_offer(&near, group_keys[i]);
	for (i = 0; i < COUNT(role_keys); i++)
		sgang_near_offer(&near, role_keys[i].key);
	return unknown_key(file, entry, &near, err);
}

static int unknown_key_of_gang(const struct sgang_gangfile *file,
			       const struct sgang_tree *entry,
			       struct sgang_error *err)
{
	static const char *const own[] = { "gang", "roles", "min", "options" };
	struct sgang_near near = { .wanted = entry->key };
	size_t i;

	for (i = 0; i < COUNT(own); i++)
		sgang_near_offer(&near, own[i]);
	return unknown_key(file, entry, &near, err);
}

static bool is_role_key(const char *key)
{
	size_t i;

	for (i = 0; i < COUNT(group_keys); i++)
		if (!strcmp(group_keys[i], key))
			return true;

	for (i = 0; i < COUNT(role_keys); i++)
		if (!strcmp(role_keys[i].key, key))
			return true;
	return false;
}

static int read_gang_of_role(struct sgang_gangfile *file,
			     const struct sgang_role *role,
			     const struct sgang_tree *map,
			     struct sgang_error *err)
{
	const struct sgang_tree *entry;
	const struct sgang_option *option;

	for (entry = map->child; entry; entry = entry->next) {
		if (is_role_key(entry->key))
			continue;
		option = find_option(entry->key);
		if (!option)
			return unknown_key_of_role(file, entry, err);
		if (!sgang_tree_find(map, "gang"))
			return wrong(file, entry->line, err,
				     "%s: this is of "
				     "the gang, so write it beside roles, or "
				     "say of which gang the role is",
				     entry->key);
		if (set_option(file, role->gang, option, entry, err))
			return -1;
	}
	return 0;
}

static int check_role(const struct sgang_gangfile *file,
		      const struct sgang_role *role, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	sgang_text_show(shown, role->name);
	if (!role->script && !role->command &&
	    file->gang[role->gang].spec.placeholders) {
		if (role->args.n)
			return wrong(file, role->line, err,
				     "role \"%s\" has args, which are for a "
				     "script, and no script",
				     shown);
		return 0;
	}
	if (!role->script && !role->command)
		return wrong(file, role->line, err,
			     "role \"%s\" has neither "
			     "script nor command",
			     shown);
	if (role->script && role->command)
		return wrong(file, role->line, err,
			     "role \"%s\" has script "
			     "and command, say one of them",
			     shown);
	if (role->command && role->args.n)
		return wrong(file, role->line, err,
			     "role \"%s\" has args, "
			     "which are for a script, and a command",
			     shown);
	return 0;
}

/* ---- roles in each other ---- */

/* The roles that a role is in, and the list that has it. */
struct level {
	const struct level *up;        /* NULL: the gang */
	const struct sgang_tree *list; /* of roles */
	const struct sgang_tree *map;  /* the role */
	struct sgang_role_path path;
	uint32_t depth;
};

/* The entry of the role, or of the one that it is like. */
static const struct sgang_tree *find_key(const struct sgang_tree *list,
					 const struct sgang_tree *map,
					 const char *key)
{
	const struct sgang_tree *entry = NULL, *like;

	while (map && !entry) {
		entry = sgang_tree_find(map, key);
		like = sgang_tree_find(map, "like");
		map = like && like->kind == SGANG_TREE_TEXT ?
			      sgang_tree_before(list, map, like->text) :
			      NULL;
	}
	return entry;
}

static int check_like(const struct sgang_gangfile *file, const struct level *at,
		      struct sgang_error *err)
{
	const struct sgang_tree *like = sgang_tree_find(at->map, "like");
	char shown[SGANG_TEXT_SHOWN];

	if (!like)
		return 0;
	if (like->kind != SGANG_TREE_TEXT ||
	    !sgang_tree_before(at->list, at->map, like->text))
		return wrong(file, like->line, err,
			     "like: \"%s\": expected a role that comes before "
			     "this one, in the same list",
			     sgang_text_show(shown,
					     like->kind == SGANG_TREE_TEXT ?
						     like->text :
						     ""));
	if (sgang_tree_find(at->map, "roles"))
		return wrong(file, like->line, err,
			     "like: the roles in it are those of \"%s\"",
			     sgang_text_show(shown, like->text));
	return 0;
}

/* Levels of a role: require:LEVEL and prefer:LEVEL. */
static int read_levels(struct sgang_gangfile *file,
		       const struct sgang_tree *entry,
		       struct sgang_role_group *group, struct sgang_error *err)
{
	const char *text = read_text(file, entry, err);
	struct sgang_policy policy;
	struct sgang_error why;
	char shown[SGANG_TEXT_SHOWN];

	if (!text)
		return -1;
	sgang_text_show(shown, text);
	if (sgang_policy_parse(text, &policy, &why))
		return wrong(file, entry->line, err, "topology: %s: %s", shown,
			     why.text);
	if (policy.spread[0] || policy.n_groups || policy.automatic ||
	    policy.prefer_time)
		return wrong(file, entry->line, err,
			     "topology: %s: roles have require:LEVEL and "
			     "prefer:LEVEL only",
			     shown);
	strcpy(group->require, policy.require);
	strcpy(group->prefer, policy.prefer);
	return 0;
}

/* Read what the role needs. 'have': members or roles that are in it. */
static int read_needs(struct sgang_gangfile *file, struct level *at,
		      uint32_t have, const char *name, struct sgang_error *err)
{
	struct sgang_role_group *group = &at->path.group[at->path.n - 1];
	const struct sgang_tree *min = find_key(at->list, at->map, "min");
	const struct sgang_tree *levels, *weight;
	uint64_t number;

	weight = find_key(at->list, at->map, "weight");
	levels = sgang_tree_find(at->map, "gang") ?
			 NULL :
			 find_key(at->list, at->map, "topology");
	file->is_tree |= min || weight || levels;
	group->min = have;
	if (min && read_number(file, min, 1, &group->min, err))
		return -1;
	if (have < group->min)
		return wrong(file, at->map->line, err,
			     "SubGroup %s does not have enough children "
			     "(%" PRIu32 " < %" PRIu32 ")",
			     name, have, group->min);
	if (levels && read_levels(file, levels, group, err))
		return -1;
	if (!weight)
		return 0;
	if (weight->kind != SGANG_TREE_TEXT ||
	    sgang_text_number(weight->text, 0, SGANG_ROLE_WEIGHT_MAX, &number))
		return wrong(file, weight->line, err,
			     "weight: expected a number from 0 to %d",
			     SGANG_ROLE_WEIGHT_MAX);
	group->weight = (uint32_t)number;
	group->weight_set = true;
	return 0;
}

/* Append the options of the roles around it, outermost first, and its own. */
static int add_options(struct sgang_gangfile *file, const struct level *at,
		       struct sgang_words *words, struct sgang_error *err)
{
	const struct sgang_tree *entry;

	if (!at || !at->map)
		return 0;
	if (add_options(file, at->up, words, err))
		return -1;
	entry = find_key(at->list, at->map, "options");
	return entry ? read_options(file, entry, words, err) : 0;
}

static struct sgang_role *new_role(struct sgang_gangfile *file,
				   struct sgang_error *err)
{
	struct sgang_role *more = realloc(file->role,
					  (file->n_roles + 1) * sizeof(*more));

	if (!more) {
		sgang_err_memory(err);
		return NULL;
	}
	file->role = more;
	more += file->n_roles++;
	memset(more, 0, sizeof(*more));
	more->count = 1;
	return more;
}

/* The name of the role, with those around it. */
static char *path_of(const struct level *at, const char *name)
{
	char *path = NULL;
	size_t size;
	FILE *out = open_memstream(&path, &size);
	uint32_t i;

	for (i = 0; out && i + 1 < at->path.n; i++)
		fprintf(out, "%s/", at->path.group[i].name);
	if (out)
		fputs(name, out);
	return sgang_text_close(out, &path);
}

/* All members of a role without jobs come later, so many as it needs. */
static int count_to_come(const struct sgang_gangfile *file,
			 const struct level *at, struct sgang_role *role,
			 struct sgang_error *err)
{
	const struct sgang_tree *min = find_key(at->list, at->map, "min");

	if (role->script || role->command || !min ||
	    find_key(at->list, at->map, "count"))
		return 0;
	return read_number(file, min, 1, &role->count, err);
}

/* A role with members. */
static int read_role(struct sgang_gangfile *file, struct level *at,
		     const char *name, struct sgang_error *err)
{
	struct sgang_role *role = new_role(file, err);
	char text[SGANG_ROLE_SIZE];
	const struct sgang_tree *entry;
	size_t i;

	if (!role)
		return -1;
	role->line = at->map->line;
	role->name = path_of(at, name);
	if (!role->name)
		return sgang_err_memory(err);
	for (i = 0; i < COUNT(role_keys); i++) {
		if (!strcmp(role_keys[i].key, "options"))
			continue;
		entry = find_key(at->list, at->map, role_keys[i].key);
		if (entry && role_keys[i].set(file, role, entry, err))
			return -1;
	}
	if (add_options(file, at, &role->options, err) ||
	    read_gang_of_role(file, role, at->map, err) ||
	    check_role(file, role, err) || count_to_come(file, at, role, err) ||
	    read_needs(file, at, role->count, role->name, err))
		return -1;
	if (file->gang[role->gang].spec.placeholders)
		role->placeholders = at->path.group[at->path.n - 1].min;
	if (sgang_role_path_write(&at->path, text)) {
		role->role_text = strdup(text);
		if (!role->role_text)
			return sgang_err_memory(err);
	}
	file->gang[role->gang].members += role->count;
	return 0;
}

static int read_list(struct sgang_gangfile *file, const struct level *up,
		     const struct sgang_tree *list, struct sgang_error *err);

static uint32_t count_of(const struct sgang_tree *list)
{
	const struct sgang_tree *item;
	uint32_t n = 0;

	for (item = list->child; item; item = item->next)
		n++;
	return n;
}

/* A role with roles in it. */
static int read_group(struct sgang_gangfile *file, struct level *at,
		      const struct sgang_tree *roles, const char *name,
		      struct sgang_error *err)
{
	const struct sgang_tree *entry;

	file->is_tree = true;
	for (entry = at->map->child; entry; entry = entry->next) {
		size_t i = 0;

		while (i < COUNT(group_keys) &&
		       strcmp(group_keys[i], entry->key))
			i++;
		if (i == COUNT(group_keys) || !strcmp(entry->key, "gang"))
			return wrong(file, entry->line, err,
				     "%s: this is of roles with members, and "
				     "\"%s\" has roles",
				     entry->key, name);
	}
	if (read_needs(file, at, count_of(roles), name, err))
		return -1;
	return read_list(file, at, roles, err);
}

/* The name of the role, which no other one of its list has. */
static const char *read_name(struct sgang_gangfile *file,
			     const struct level *at, struct sgang_error *err)
{
	const struct sgang_tree *entry = sgang_tree_find(at->map, "name");
	char shown[SGANG_TEXT_SHOWN];
	const char *name;

	if (!entry) {
		wrong(file, at->map->line, err, "this role has no name");
		return NULL;
	}
	name = read_text(file, entry, err);
	if (name && sgang_tree_before(at->list, at->map, name)) {
		wrong(file, entry->line, err,
		      "name: there is a role \"%s\" already",
		      sgang_text_show(shown, name));
		return NULL;
	}
	return name;
}

static int read_one(struct sgang_gangfile *file, const struct level *up,
		    const struct sgang_tree *list, const struct sgang_tree *map,
		    struct sgang_error *err)
{
	struct level at = { .up = up, .list = list, .map = map };
	const struct sgang_tree *roles;
	struct sgang_role_group *group;
	const char *name;

	if (map->kind != SGANG_TREE_MAP)
		return wrong(file, map->line, err,
			     "expected a role, which "
			     "begins with name:");
	name = read_name(file, &at, err);
	if (!name || check_like(file, &at, err))
		return -1;
	at.path = up->path;
	if (at.path.n == SGANG_ROLE_DEPTH)
		return wrong(file, map->line, err,
			     "roles: at most %d roles may be in each other",
			     SGANG_ROLE_DEPTH);
	group = &at.path.group[at.path.n++];
	memset(group, 0, sizeof(*group));
	/* one that is too long is no name of a group either */
	if (strlen(name) < sizeof(group->name))
		strcpy(group->name, name);
	roles = find_key(list, map, "roles");
	if (!roles)
		return read_role(file, &at, name, err);
	if (roles->kind != SGANG_TREE_LIST || !roles->child)
		return wrong(file, roles->line, err,
			     "roles: expected a list of roles");
	return read_group(file, &at, roles, name, err);
}

static int read_list(struct sgang_gangfile *file, const struct level *up,
		     const struct sgang_tree *list, struct sgang_error *err)
{
	const struct sgang_tree *item;

	for (item = list->child; item; item = item->next)
		if (read_one(file, up, list, item, err))
			return -1;
	return 0;
}

/* What holds for trees alone, once all is read. */
static int check_roles(struct sgang_gangfile *file, struct sgang_error *err)
{
	struct sgang_role_path path;
	struct sgang_error why;
	size_t i;

	for (i = 0; file->is_tree && i < file->n_roles; i++) {
		const struct sgang_role *role = &file->role[i];

		if (role->gang)
			return wrong(file, role->line, err,
				     "gang: a tree of roles is one gang");
		if (!role->role_text)
			return wrong(file, role->line, err,
				     "name: with all that its groups need it "
				     "has more than %d characters",
				     SGANG_ROLE_SIZE - 1);
		if (sgang_role_path_parse(role->role_text, &path, &why))
			return wrong(file, role->line, err, "name: %s",
				     why.text);
	}
	return 0;
}

static int read_roles(struct sgang_gangfile *file,
		      const struct sgang_tree *list, struct sgang_error *err)
{
	const struct level gang = { .path = { .n = 0 } };
	struct sgang_filegang *own;

	if (list->kind != SGANG_TREE_LIST || !list->child)
		return wrong(file, list->line, err,
			     "roles: expected a list "
			     "of roles");
	if (read_list(file, &gang, list, err) || check_roles(file, err))
		return -1;
	own = &file->gang[0];
	own->groups = count_of(list);
	if (file->is_tree && own->groups < own->spec.min_member)
		return wrong(file, own->line, err,
			     "SubGroup " SGANG_ROLE_GANG
			     " does not have enough children (%" PRIu32
			     " < %" PRIu32 ")",
			     own->groups, own->spec.min_member);
	return 0;
}

/* ---- the file ---- */

/* The required entry. */
static const struct sgang_tree *need(const struct sgang_gangfile *file,
				     const char *key, struct sgang_error *err)
{
	const struct sgang_tree *entry = sgang_tree_find(file->tree, key);

	if (!entry)
		wrong(file, file->tree->line, err, "%s: is missing", key);
	return entry;
}

static int read_keys(struct sgang_gangfile *file, struct sgang_error *err)
{
	const struct sgang_option *option;
	const struct sgang_tree *entry;

	for (entry = file->tree->child; entry; entry = entry->next) {
		if (!strcmp(entry->key, "gang") || !strcmp(entry->key, "roles"))
			continue;
		option = find_option(!strcmp(entry->key, "min") ? "min-member" :
								  entry->key);
		if (option && set_option(file, 0, option, entry, err))
			return -1;
		if (option)
			continue;
		if (strcmp(entry->key, "options"))
			return unknown_key_of_gang(file, entry, err);
		if (read_options(file, entry, &file->options, err))
			return -1;
	}
	return 0;
}

/* What the members of the role say of themselves. */
static int check_members(const struct sgang_gangfile *file,
			 const struct sgang_role *role, struct sgang_error *err)
{
	struct sgang_spec spec = file->gang[role->gang].spec;
	struct sgang_error why;

	spec.order_set = role->order_set;
	spec.order = role->order;
	spec.rank_set = role->rank_set;
	spec.rank = role->rank;
	if (sgang_spec_check(&spec, &why))
		return wrong_option(file, role->line, &why, err);
	return 0;
}

static int read_file(struct sgang_gangfile *file, struct sgang_error *err)
{
	const struct sgang_tree *gang, *roles;
	size_t i;

	if (file->tree->kind != SGANG_TREE_MAP)
		return wrong(file, file->tree->line, err,
			     "expected keys such "
			     "as gang: and roles:");
	gang = need(file, "gang", err);
	if (!gang || find_gang(file, gang, &i, err) || read_keys(file, err))
		return -1;
	roles = need(file, "roles", err);
	if (!roles || read_roles(file, roles, err))
		return -1;
	for (i = 0; i < file->n_gangs; i++)
		if (complete_gang(file, i, err))
			return -1;
	for (i = 0; i < file->n_roles; i++)
		if (check_members(file, &file->role[i], err))
			return -1;
	return 0;
}

int sgang_gangfile_load(const char *path, const char *user,
			struct sgang_gangfile *file, struct sgang_error *err)
{
	struct sgang_gangfile found = { .path = path, .user = user };

	found.tree = sgang_tree_load(path, err);
	if (!found.tree)
		return -1;
	if (read_file(&found, err)) {
		sgang_gangfile_clear(&found);
		return -1;
	}
	*file = found;
	return 0;
}

void sgang_gangfile_clear(struct sgang_gangfile *file)
{
	int saved = errno;
	size_t i;

	for (i = 0; i < file->n_roles; i++) {
		free(file->role[i].name);
		free(file->role[i].role_text);
		free(file->role[i].script);
		sgang_words_clear(&file->role[i].args);
		sgang_words_clear(&file->role[i].options);
	}
	free(file->role);
	free(file->gang);
	sgang_words_clear(&file->options);
	sgang_tree_destroy(file->tree);
	*file = (struct sgang_gangfile){ .path = NULL };
	errno = saved;
}

/* ---- commands ---- */

uint32_t sgang_gangfile_jobs(const struct sgang_role *role)
{
	if (!role->script && !role->command)
		return 0;
	return role->array ? 1 : role->count;
}

static int add_gang(const struct sgang_spec *spec, struct sgang_words *words,
		    struct sgang_error *err)
{
	const struct sgang_option *option;
	char value[SGANG_GROUPS_SIZE];

	if (sgang_words_add(words, err, "--gang=%s/%s", spec->ns, spec->name))
		return -1;
	for (option = sgang_spec_options(); option->name; option++)
		if (!option->hidden &&
		    sgang_spec_value(spec, option->name, value) &&
		    sgang_words_add(words, err, "--%s=%s", option->name, value))
			return -1;
	return 0;
}

/* Without slurm-gang they would end at once. */
static int add_placeholder(const struct sgang_gangfile *file,
			   const struct sgang_role *role,
			   struct sgang_words *words, struct sgang_error *err)
{
	if (sgang_words_add(words, err, "--gang-placeholder=1") ||
	    sgang_words_add(words, err, "--array=0-%" PRIu32,
			    role->placeholders - 1) ||
	    sgang_words_add(words, err, "--job-name=%s.placeholder",
			    role->name) ||
	    sgang_words_append(words, &file->options, err) ||
	    sgang_words_append(words, &role->options, err) ||
	    sgang_words_add(words, err, "--output=/dev/null"))
		return -1;
	return sgang_words_add(words, err, "--wrap=exit 0");
}

static int add_role(const struct sgang_gangfile *file,
		    const struct sgang_role *role, bool placeholder,
		    struct sgang_words *words, struct sgang_error *err)
{
	if (role->order_set &&
	    sgang_words_add(words, err, "--gang-order=%" PRIu32, role->order))
		return -1;
	if (role->rank_set &&
	    sgang_words_add(words, err, "--gang-rank=%" PRIu32, role->rank))
		return -1;
	if (file->is_tree &&
	    sgang_words_add(words, err, "--gang-role=%s", role->role_text))
		return -1;
	if (!placeholder && role->array &&
	    sgang_words_add(words, err, "--array=0-%" PRIu32, role->count - 1))
		return -1;
	if (placeholder)
		return add_placeholder(file, role, words, err);
	if (sgang_words_add(words, err, "--job-name=%s", role->name) ||
	    sgang_words_append(words, &file->options, err) ||
	    sgang_words_append(words, &role->options, err))
		return -1;
	if (role->command)
		return sgang_words_add(words, err, "--wrap=%s", role->command);
	if (sgang_words_add(words, err, "%s", role->script))
		return -1;
	return sgang_words_append(words, &role->args, err);
}

int sgang_gangfile_command(const struct sgang_gangfile *file,
			   const struct sgang_role *role, bool placeholder,
			   struct sgang_words *words, struct sgang_error *err)
{
	struct sgang_words made = { NULL, 0 };

	if (sgang_words_add(&made, err, "sbatch") ||
	    sgang_words_add(&made, err, "--parsable") ||
	    add_gang(&file->gang[role->gang].spec, &made, err) ||
	    add_role(file, role, placeholder, &made, err)) {
		sgang_words_clear(&made);
		return -1;
	}
	*words = made;
	return 0;
}
