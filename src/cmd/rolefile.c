/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rolefile.c - a file that describes a gang as a tree of roles */

#define _GNU_SOURCE /* asprintf() */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/rolefile.h"
#include "core/base/near.h"
#include "core/base/text.h"
#include "core/gang/spec.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- messages ---- */

static int wrong(const struct sgang_rolefile *file, size_t line,
		 struct sgang_error *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* "FILE:LINE: ..." */
static int wrong(const struct sgang_rolefile *file, size_t line,
		 struct sgang_error *err, const char *fmt, ...)
{
	char why[sizeof(err->text)];
	va_list args;

	va_start(args, fmt);
	vsnprintf(why, sizeof(why), fmt, args);
	va_end(args);
	return sgang_errf(err, EINVAL, "%s:%zu: %s", file->path, line, why);
}

/* ---- sizes: options of sbatch ---- */

/* The options of a role for one member. */
struct size {
	uint64_t nodes; /* 0: not said, as the others */
	uint64_t tasks;
	uint64_t per_node; /* tasks */
	uint64_t cpus;     /* of a task */
	bool exclusive;
	char resources[256]; /* "gpu=4,..", of a node */
};

/* "gpu:a100:4" is gpu:a100=4, "gpu" is gpu=1; the last option counts. Returns
 * -1 for any other form. */
static int set_gres(struct size *size, const char *list)
{
	char *copy = strdup(list), *save = NULL, *word, *last;
	size_t used = 0;
	uint64_t number;
	int rc = copy ? 0 : -1;

	for (word = copy ? strtok_r(copy, ",", &save) : NULL; word && !rc;
	     word = strtok_r(NULL, ",", &save)) {
		if (!strncmp(word, "gres:", 5))
			word += 5;
		last = strrchr(word, ':');
		number = 1;
		if (last &&
		    !sgang_text_number(last + 1, 0, UINT32_MAX - 2, &number))
			*last = '\0';
		if (!*word || strchr(word, '='))
			rc = -1;
		used += (size_t)snprintf(size->resources + used,
					 sizeof(size->resources) - used,
					 "%s%s=%" PRIu64, used ? "," : "", word,
					 number);
		if (used >= sizeof(size->resources))
			rc = -1;
	}
	free(copy);
	return rc;
}

static int set_exclusive(struct size *size, const char *value)
{
	size->exclusive = true;
	return !*value ? 0 : -1;
}

static int set_gpus(struct size *size, const char *value)
{
	char text[64];

	if (snprintf(text, sizeof(text), "gpu:%s", value) >= (int)sizeof(text))
		return -1;
	return set_gres(size, text);
}

/* Options for the size of a job, and options for its places that are not
 * supported here. All others do not matter. */
static const struct {
	const char *name;
	char letter;
	size_t number; /* the field of struct size; 0: 'set' */
	int (*set)(struct size *size, const char *value);
	bool refused;
} sizes[] = {
#define NUMBER(field) (offsetof(struct size, field) + 1), NULL, false
	{ "nodes", 'N', NUMBER(nodes) },
	{ "ntasks", 'n', NUMBER(tasks) },
	{ "ntasks-per-node", 0, NUMBER(per_node) },
	{ "cpus-per-task", 'c', NUMBER(cpus) },
#undef NUMBER
	{ "exclusive", 0, 0, set_exclusive, false },
	{ "gres", 0, 0, set_gres, false },
	{ "gpus-per-node", 0, 0, set_gpus, false },
	{ "constraint", 'C', 0, NULL, true },
	{ "exclude", 'x', 0, NULL, true },
	{ "gpus", 'G', 0, NULL, true },
	{ "gpus-per-task", 0, 0, NULL, true },
	{ "mem", 0, 0, NULL, true },
	{ "mem-per-cpu", 0, 0, NULL, true },
	{ "mem-per-gpu", 0, 0, NULL, true },
	{ "nodelist", 'w', 0, NULL, true },
};

/* The row of an option, and its value in '*value': "" where it has none. */
static int find_size(const char *option, const char **value)
{
	size_t i, length;

	for (i = 0; i < COUNT(sizes); i++) {
		length = strlen(sizes[i].name);
		if (!strncmp(option, "--", 2) &&
		    !strncmp(option + 2, sizes[i].name, length) &&
		    (!option[2 + length] || option[2 + length] == '=')) {
			*value = option + 2 + length + (option[2 + length] > 0);
			return (int)i;
		}
		if (sizes[i].letter && option[0] == '-' &&
		    option[1] == sizes[i].letter) {
			*value = option + 2;
			return (int)i;
		}
	}
	return -1;
}

static int read_size(const struct sgang_rolefile *file,
		     const struct sgang_tree *list, struct size *size,
		     struct sgang_error *err)
{
	const struct sgang_tree *item;
	char shown[SGANG_TEXT_SHOWN];
	const char *value;
	int i, rc;

	if (list->kind != SGANG_TREE_LIST)
		return wrong(file, list->line, err,
			     "options: expected a list, [A, B, ...]");
	for (item = list->child; item; item = item->next) {
		if (item->kind != SGANG_TREE_TEXT || item->text[0] != '-')
			return wrong(file, item->line, err,
				     "options: expected options of sbatch, "
				     "written as --NAME=VALUE or -NVALUE");
		i = find_size(item->text, &value);
		if (i < 0)
			continue;
		sgang_text_show(shown, item->text);
		if (sizes[i].refused)
			return wrong(file, item->line, err,
				     "options: %s is not known to sgang place",
				     shown);
		if (sizes[i].number)
			rc = sgang_text_number(value, 1, UINT16_MAX,
					       (uint64_t *)((char *)size +
							    sizes[i].number -
							    1));
		else
			rc = sizes[i].set(size, value);
		if (rc)
			return wrong(file, item->line, err,
				     "options: %s: expected a number%s", shown,
				     sizes[i].number ? "" : ", or no value");
	}
	return 0;
}

/* A member as sgang place --member has it. NULL with 'err'. */
static char *shape_of(const struct sgang_rolefile *file, size_t line,
		      const struct size *size, struct sgang_error *err)
{
	uint64_t cpus = size->cpus ? size->cpus : 1, nodes = size->nodes;
	uint64_t tasks = size->per_node;
	const char *colon = size->resources[0] ? ":" : "";
	char *shape = NULL;
	int length;

	if (!tasks && size->tasks && nodes && size->tasks % nodes)
		return wrong(file, line, err,
			     "%" PRIu64 " tasks on %" PRIu64 " nodes: say "
			     "--ntasks-per-node",
			     size->tasks, nodes),
		       NULL;
	if (!tasks)
		tasks = size->tasks && nodes ? size->tasks / nodes : 1;
	if (!nodes && size->per_node && size->tasks)
		nodes = (size->tasks + tasks - 1) / tasks;
	if (!nodes && size->tasks > 1 &&
	    (cpus > 1 || size->exclusive || *colon))
		return wrong(file, line, err,
			     "%" PRIu64 " tasks anywhere: say on how many "
			     "nodes",
			     size->tasks),
		       NULL;
	if (!nodes && size->tasks > 1)
		length = asprintf(&shape, "0x%" PRIu64, size->tasks);
	else if (size->exclusive)
		length = asprintf(&shape, "%" PRIu64 "xall%s%s",
				  nodes ? nodes : 1, colon, size->resources);
	else
		length = asprintf(&shape, "%" PRIu64 "x%" PRIu64 "%s%s",
				  nodes ? nodes : 1, tasks * cpus, colon,
				  size->resources);
	if (length >= 0)
		return shape;
	sgang_err_memory(err);
	return NULL;
}

/* ---- keys ---- */

/* A role while it is read: its own keys, and those of the role that it is like.
 */
struct draft {
	struct sgang_filerole role;
	bool count_set, min_set;
	struct size size;
	const struct sgang_tree *roles; /* NULL: it has members */
};

static int set_number(const struct sgang_rolefile *file,
		      const struct sgang_tree *entry, uint32_t min,
		      uint32_t max, uint32_t *number, struct sgang_error *err)
{
	uint64_t value;

	if (entry->kind != SGANG_TREE_TEXT ||
	    sgang_text_number(entry->text, min, max, &value))
		return wrong(file, entry->line, err,
			     "%s: expected a number from %" PRIu32
			     " to %" PRIu32,
			     entry->key, min, max);
	*number = (uint32_t)value;
	return 0;
}

static int set_count(const struct sgang_rolefile *file, struct draft *draft,
		     const struct sgang_tree *entry, struct sgang_error *err)
{
	draft->count_set = true;
	return set_number(file, entry, 1, SGANG_MEMBERS_MAX, &draft->role.count,
			  err);
}

static int set_min(const struct sgang_rolefile *file, struct draft *draft,
		   const struct sgang_tree *entry, struct sgang_error *err)
{
	draft->min_set = true;
	return set_number(file, entry, 1, SGANG_MEMBERS_MAX, &draft->role.min,
			  err);
}

static int set_weight(const struct sgang_rolefile *file, struct draft *draft,
		      const struct sgang_tree *entry, struct sgang_error *err)
{
	return set_number(file, entry, 0, SGANG_PLAN_WEIGHT_MAX,
			  &draft->role.weight, err);
}

static int set_topology(const struct sgang_rolefile *file, struct draft *draft,
			const struct sgang_tree *entry, struct sgang_error *err)
{
	struct sgang_policy *policy = &draft->role.policy;
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error why;

	if (entry->kind != SGANG_TREE_TEXT)
		return wrong(file, entry->line, err,
			     "topology: expected a text");
	sgang_text_show(shown, entry->text);
	if (sgang_policy_parse(entry->text, policy, &why))
		return wrong(file, entry->line, err, "topology: %s: %s", shown,
			     why.text);
	if (policy->spread[0] || policy->n_groups || policy->automatic)
		return wrong(file, entry->line, err,
			     "topology: %s: roles have require:LEVEL and "
			     "prefer:LEVEL only",
			     shown);
	return 0;
}

static int set_options(const struct sgang_rolefile *file, struct draft *draft,
		       const struct sgang_tree *entry, struct sgang_error *err)
{
	return read_size(file, entry, &draft->size, err);
}

static int set_roles(const struct sgang_rolefile *file, struct draft *draft,
		     const struct sgang_tree *entry, struct sgang_error *err)
{
	if (entry->kind != SGANG_TREE_LIST || !entry->child)
		return wrong(file, entry->line, err,
			     "roles: expected a list of roles");
	draft->roles = entry;
	return 0;
}

/* Keys for sgang submit only. */
static int leave(const struct sgang_rolefile *file, struct draft *draft,
		 const struct sgang_tree *entry, struct sgang_error *err)
{
	(void)file;
	(void)draft;
	(void)entry;
	(void)err;
	return 0;
}

/* The keys of a role. To add one: a row here, a line in sgang.1. */
static const struct {
	const char *key;
	int (*set)(const struct sgang_rolefile *file, struct draft *draft,
		   const struct sgang_tree *entry, struct sgang_error *err);
} keys[] = {
	{ "args", leave },
	{ "array", leave },
	{ "command", leave },
	{ "count", set_count },
	{ "like", leave },
	{ "min", set_min },
	{ "name", leave },
	{ "options", set_options },
	{ "order", leave },
	{ "rank", leave },
	{ "roles", set_roles },
	{ "script", leave },
	{ "topology", set_topology },
	{ "weight", set_weight },
};

static int unknown_key(const struct sgang_rolefile *file,
		       const struct sgang_tree *entry, struct sgang_near *near,
		       struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN], hint[SGANG_NEAR_HINT];

	for (size_t i = 0; i < COUNT(keys); i++)
		sgang_near_offer(near, keys[i].key);
	return wrong(file, entry->line, err, "unknown key \"%s\", %s",
		     sgang_text_show(shown, entry->key),
		     sgang_near_hint(near, hint, "see sgang(1)"));
}

static int read_keys(const struct sgang_rolefile *file,
		     const struct sgang_tree *map, struct draft *draft,
		     struct sgang_error *err)
{
	const struct sgang_tree *entry;
	size_t i;

	for (entry = map->child; entry; entry = entry->next) {
		for (i = 0; i < COUNT(keys); i++) {
			if (!strcmp(keys[i].key, entry->key))
				break;
		}
		if (i == COUNT(keys)) {
			struct sgang_near near = { .wanted = entry->key };

			return unknown_key(file, entry, &near, err);
		}
		if (keys[i].set(file, draft, entry, err))
			return -1;
	}
	return 0;
}

/* ---- roles ---- */

/* The name of a role, or NULL with 'err'. */
static const char *name_of(const struct sgang_rolefile *file,
			   const struct sgang_tree *map,
			   struct sgang_error *err)
{
	const struct sgang_tree *entry;
	char shown[SGANG_TEXT_SHOWN];

	if (map->kind != SGANG_TREE_MAP) {
		wrong(file, map->line, err,
		      "expected a role, which begins with name:");
		return NULL;
	}
	entry = sgang_tree_find(map, "name");
	if (!entry) {
		wrong(file, map->line, err, "this role has no name");
		return NULL;
	}
	if (entry->kind == SGANG_TREE_TEXT && entry->text[0] &&
	    strlen(entry->text) <= SGANG_NAME_MAX && entry->text[0] != '-' &&
	    strspn(entry->text, "abcdefghijklmnopqrstuvwxyz0123456789-") ==
		    strlen(entry->text))
		return entry->text;
	wrong(file, entry->line, err,
	      "name: \"%s\": expected small letters, digits and '-', at most "
	      "%d",
	      entry->kind == SGANG_TREE_TEXT ?
		      sgang_text_show(shown, entry->text) :
		      "",
	      SGANG_NAME_MAX);
	return NULL;
}

/* Read the keys of the role that it is like, and then its own. */
static int read_role(const struct sgang_rolefile *file,
		     const struct sgang_tree *list,
		     const struct sgang_tree *map, struct draft *draft,
		     struct sgang_error *err)
{
	const struct sgang_tree *like = sgang_tree_find(map, "like"), *sister;
	char shown[SGANG_TEXT_SHOWN];

	if (like) {
		sister = like->kind == SGANG_TREE_TEXT ?
				 sgang_tree_before(list, map, like->text) :
				 NULL;
		if (!sister)
			return wrong(file, like->line, err,
				     "like: \"%s\": expected a role that comes "
				     "before this one, in the same list",
				     like->kind == SGANG_TREE_TEXT ?
					     sgang_text_show(shown,
							     like->text) :
					     "");
		if (sgang_tree_find(map, "roles"))
			return wrong(file, like->line, err,
				     "like: the roles in it are those of "
				     "\"%s\"",
				     sgang_text_show(shown, like->text));
		if (read_role(file, list, sister, draft, err))
			return -1;
	}
	return read_keys(file, map, draft, err);
}

/* Append the role, with its path. */
static int add(struct sgang_rolefile *file, struct draft *draft,
	       uint32_t parent, const char *name, struct sgang_error *err)
{
	struct sgang_filerole *more;
	const char *above = parent ? file->role[parent].path : "";

	draft->role.parent = parent;
	if (asprintf(&draft->role.path, "%s%s%s", above, *above ? "/" : "",
		     name) < 0) {
		free(draft->role.shape);
		return sgang_err_memory(err);
	}
	more = realloc(file->role, (file->n + 1) * sizeof(*more));
	if (!more) {
		free(draft->role.path);
		free(draft->role.shape);
		return sgang_err_memory(err);
	}
	file->role = more;
	file->role[file->n++] = draft->role;
	return 0;
}

static int check_min(const struct sgang_rolefile *file,
		     const struct draft *draft, const char *path,
		     struct sgang_error *err)
{
	if (draft->role.min <= draft->role.count)
		return 0;
	return wrong(file, draft->role.line, err,
		     "SubGroup %s does not have enough children (%" PRIu32
		     " < %" PRIu32 ")",
		     path, draft->role.count, draft->role.min);
}

static int add_list(struct sgang_rolefile *file, const struct sgang_tree *list,
		    uint32_t parent, uint32_t depth, const struct size *size,
		    struct sgang_error *err);

static int add_role(struct sgang_rolefile *file, const struct sgang_tree *list,
		    const struct sgang_tree *map, uint32_t parent,
		    uint32_t depth, const struct size *size,
		    struct sgang_error *err)
{
	struct draft draft = { .role = { .count = 1, .weight = 1 },
			       .size = *size };
	const char *name = name_of(file, map, err);
	const struct sgang_tree *item;
	uint32_t own = file->n;

	if (!name)
		return -1;
	if (sgang_tree_before(list, map, name))
		return wrong(file, map->line, err,
			     "name: there is a role \"%s\" already", name);
	if (read_role(file, list, map, &draft, err))
		return -1;
	draft.role.line = map->line;
	if (draft.roles && draft.count_set)
		return wrong(file, map->line, err,
			     "count: it has roles, each with a count of its "
			     "own");
	if (draft.roles && depth == SGANG_PLAN_GROUP_DEPTH - 1)
		return wrong(file, draft.roles->line, err,
			     "roles: at most %d roles may be in each other",
			     SGANG_PLAN_GROUP_DEPTH - 1);
	if (draft.roles) {
		draft.role.count = 0;
		for (item = draft.roles->child; item; item = item->next)
			draft.role.count++;
	} else {
		draft.role.shape = shape_of(file, map->line, &draft.size, err);
		if (!draft.role.shape)
			return -1;
	}
	if (!draft.min_set)
		draft.role.min = draft.role.count;
	if (add(file, &draft, parent, name, err) ||
	    check_min(file, &draft, file->role[own].path, err))
		return -1;
	return draft.roles ? add_list(file, draft.roles, own, depth + 1,
				      &draft.size, err) :
			     0;
}

static int add_list(struct sgang_rolefile *file, const struct sgang_tree *list,
		    uint32_t parent, uint32_t depth, const struct size *size,
		    struct sgang_error *err)
{
	const struct sgang_tree *item;

	for (item = list->child; item; item = item->next) {
		if (add_role(file, list, item, parent, depth, size, err))
			return -1;
	}
	return 0;
}

/* ---- the file ---- */

/* True for keys of the gang that do not affect its places. */
static void offer_keys_of_gang(struct sgang_near *near)
{
	const struct sgang_option *option;

	sgang_near_offer(near, "gang");
	for (option = sgang_spec_options(); option->name; option++) {
		if (!strncmp(option->name, "gang-", 5))
			sgang_near_offer(near, option->name + 5);
	}
}

static bool is_of_gang(const char *key)
{
	const struct sgang_option *option;

	if (!strcmp(key, "gang"))
		return true;
	for (option = sgang_spec_options(); option->name; option++) {
		if ((!strncmp(option->name, "gang-", 5) &&
		     !strcmp(option->name + 5, key)) ||
		    (option->alias && !strcmp(option->alias + 5, key)))
			return true;
	}
	return false;
}

/* The gang is the first group; its own keys are those of a role. */
static int read_gang(struct sgang_rolefile *file, struct draft *draft,
		     struct sgang_error *err)
{
	static const char *const own[] = { "min", "options", "roles",
					   "topology", "weight" };
	const struct sgang_tree *entry;
	size_t i, k;

	for (entry = file->tree->child; entry; entry = entry->next) {
		for (i = 0; i < COUNT(own) && strcmp(own[i], entry->key); i++)
			;
		if (!strcmp(entry->key, "parallel"))
			return wrong(file, entry->line, err,
				     "parallel: this does not go with a tree "
				     "of roles");
		if (i == COUNT(own) && is_of_gang(entry->key))
			continue;
		if (i == COUNT(own)) {
			struct sgang_near near = { .wanted = entry->key };

			offer_keys_of_gang(&near);
			return unknown_key(file, entry, &near, err);
		}
		for (k = 0; strcmp(keys[k].key, own[i]); k++)
			;
		if (keys[k].set(file, draft, entry, err))
			return -1;
	}
	if (!draft->roles)
		return wrong(file, file->tree->line, err, "roles: is missing");
	return 0;
}

static int read_file(struct sgang_rolefile *file, struct sgang_error *err)
{
	struct draft draft = { .role = { .weight = 1, .line = 1 } };
	const struct sgang_tree *item;

	if (file->tree->kind != SGANG_TREE_MAP)
		return wrong(file, file->tree->line, err,
			     "expected keys such as gang: and roles:");
	if (read_gang(file, &draft, err))
		return -1;
	for (item = draft.roles->child; item; item = item->next)
		draft.role.count++;
	if (!draft.min_set)
		draft.role.min = draft.role.count;
	if (add(file, &draft, 0, SGANG_ROLEFILE_GANG, err) ||
	    check_min(file, &draft, SGANG_ROLEFILE_GANG, err))
		return -1;
	return add_list(file, draft.roles, 0, 1, &draft.size, err);
}

int sgang_rolefile_load(const char *path, struct sgang_rolefile *file,
			struct sgang_error *err)
{
	struct sgang_rolefile found = { .path = path };

	found.tree = sgang_tree_load(path, err);
	if (!found.tree)
		return -1;
	if (read_file(&found, err)) {
		sgang_rolefile_clear(&found);
		return -1;
	}
	*file = found;
	return 0;
}

void sgang_rolefile_clear(struct sgang_rolefile *file)
{
	int saved = errno;
	uint32_t i;

	for (i = 0; i < file->n; i++) {
		free(file->role[i].path);
		free(file->role[i].shape);
	}
	free(file->role);
	sgang_tree_destroy(file->tree);
	*file = (struct sgang_rolefile){ .path = NULL };
	errno = saved;
}
