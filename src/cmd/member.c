/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member.c - members of a gang on the command line of sgang place */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/member.h"
#include "cmd/offline.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/gang/spec.h"

/* The values of the words behind the shape. */
struct sgang_member_ask {
	struct sgang_amounts amounts; /* of a unit */
	char *nodes;                  /* no others; NULL: all */
	char *require;                /* these are among them; NULL: none */
	uint32_t segment;             /* nodes of each; 0: not said */
	struct sgang_nodeset *allowed, *required; /* as sets, owned */
};

/* -- the shape -- */

struct shape {
	uint64_t count;
	uint64_t nodes; /* 0: any */
	uint64_t slots; /* 0: whole nodes */
};

/* Cut "3*4x8" into its numbers. The count in front may be left out; words
 * behind it are not looked at. */
static int read_shape(const char *text, struct shape *shape)
{
	char word[64], *star, *cross, *rest = word;
	size_t length = strcspn(text, ":");

	if (length >= sizeof(word))
		return -1;
	memcpy(word, text, length);
	word[length] = '\0';
	shape->count = 1;
	star = strchr(word, '*');
	if (star) {
		*star = '\0';
		rest = star + 1;
		if (sgang_text_number(word, 1, SGANG_MEMBERS_MAX,
				      &shape->count))
			return -1;
	}
	cross = strchr(rest, 'x');
	if (!cross)
		return -1;
	*cross = '\0';
	if (sgang_text_number(rest, 0, SGANG_HOSTLIST_MAX, &shape->nodes))
		return -1;
	if (shape->nodes && !strcmp(cross + 1, "all")) {
		shape->slots = 0;
		return 0;
	}
	return sgang_text_number(cross + 1, 1,
				 shape->nodes ? SGANG_SLOTS_MAX : INT32_MAX,
				 &shape->slots);
}

/* -- the words -- */

/* The value of the text if it is a word of that name, or NULL. */
static const char *value_of(const char *text, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(text, name, length) && text[length] == '=' ?
		       text + length + 1 :
		       NULL;
}

/* Letters of a list of nodes, up to a ':' outside of brackets. */
static size_t list_length(const char *text)
{
	size_t i = 0;
	int depth = 0;

	for (; text[i] && (depth || text[i] != ':'); i++)
		depth += text[i] == '[' ? 1 : text[i] == ']' ? -(depth > 0) : 0;
	return i;
}

static int read_list(const char *value, size_t length, char **list,
		     struct sgang_error *err)
{
	if (*list || !length)
		return sgang_errf(err, EINVAL,
				  "expected one list of nodes, as "
				  "in nodes=n[1-4]");
	*list = strndup(value, length);
	return *list ? 0 : sgang_err_memory(err);
}

/* 'name' is what stands before the value. */
static int read_number(const char *name, const char *value, size_t length,
		       uint32_t *into, struct sgang_error *err)
{
	char word[32];
	uint64_t number;

	if (*into)
		return sgang_errf(err, EINVAL, "%s= is given twice", name);
	if (length >= sizeof(word))
		length = 0;
	memcpy(word, value, length);
	word[length] = '\0';
	if (sgang_text_number(word, 1, SGANG_SLOTS_MAX, &number))
		return sgang_errf(err, EINVAL,
				  "expected a number from 1 to %d "
				  "behind %s=",
				  SGANG_SLOTS_MAX, name);
	*into = (uint32_t)number;
	return 0;
}

/* Read the word at the beginning. Returns its length, or -1. */
static int read_word(struct sgang_resources *resources, const char *text,
		     struct sgang_member_ask *ask, uint32_t *ranks,
		     struct sgang_error *err)
{
	const char *value = value_of(text, "nodes");
	char **list = &ask->nodes;
	size_t length, name;

	if (!value) {
		value = value_of(text, "require");
		list = &ask->require;
	}
	if (value) {
		length = list_length(value);
		return read_list(value, length, list, err) ?
			       -1 :
			       (int)(value + length - text);
	}
	name = strcspn(text, "=");
	length = name + strcspn(text + name, ",:");
	value = value_of(text, "ranks");
	if (value)
		return read_number("ranks", value, length - name - 1, ranks,
				   err) ?
			       -1 :
			       (int)length;
	value = value_of(text, "segment");
	if (value)
		return read_number("segment", value, length - name - 1,
				   &ask->segment, err) ?
			       -1 :
			       (int)length;
	return sgang_resources_word(resources, text, length, &ask->amounts,
				    err) ?
		       -1 :
		       (int)length;
}

/* Read the words behind the ':' of a shape, if there are any. */
static int read_words(struct sgang_resources *resources, const char *text,
		      struct sgang_member_ask *ask, uint32_t *ranks,
		      struct sgang_error *err)
{
	const char *at = strchr(text, ':');
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error why;
	int length;

	while (at && *at) {
		length = read_word(resources, ++at, ask, ranks, &why);
		if (length < 0)
			return sgang_errf(err, errno, "--member=%s: %s",
					  sgang_text_show(shown, text),
					  why.text);
		at += length;
	}
	return 0;
}

/* -- members -- */

static void clear_ask(struct sgang_member_ask *ask)
{
	free(ask->nodes);
	free(ask->require);
	sgang_nodeset_destroy(ask->allowed);
	sgang_nodeset_destroy(ask->required);
}

void sgang_members_clear(struct sgang_members *members)
{
	size_t i;

	for (i = 0; i < members->n; i++)
		clear_ask(&members->ask[i]);
	free(members->member);
	free(members->ask);
	free(members->need);
}

/* Room for so many members. */
static int make_room(struct sgang_members *members, size_t n,
		     struct sgang_error *err)
{
	struct sgang_plan_member *member;
	struct sgang_member_ask *ask;

	member = realloc(members->member, n * sizeof(*member));
	if (member)
		members->member = member;
	ask = realloc(members->ask, n * sizeof(*ask));
	if (ask)
		members->ask = ask;
	return member && ask ? 0 : sgang_err_memory(err);
}

/* The words are read for each of the members, which own the values. */
static int add_one(struct sgang_members *members,
		   struct sgang_resources *resources, const char *text,
		   const struct shape *shape, struct sgang_error *err)
{
	struct sgang_member_ask *ask = &members->ask[members->n];
	struct sgang_plan_member *member = &members->member[members->n];

	memset(ask, 0, sizeof(*ask));
	*member = (struct sgang_plan_member){
		.units = (uint32_t)(shape->nodes ? shape->nodes : shape->slots),
		.slots = (uint32_t)(shape->nodes ? shape->slots : 1),
		.distinct = shape->nodes
	};
	members->n++;
	return read_words(resources, text, ask, &member->ranks, err);
}

int sgang_members_add(struct sgang_members *members,
		      struct sgang_resources *resources, const char *text,
		      struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	struct shape shape;
	uint64_t i;

	if (read_shape(text, &shape))
		return sgang_errf(err, EINVAL,
				  "--member=%s: expected "
				  "NODESxSLOTS like 4x8, NODESxall for whole "
				  "nodes, 0xSLOTS for slots on any nodes, or "
				  "COUNT*NODESxSLOTS",
				  sgang_text_show(shown, text));
	if (members->n + shape.count > SGANG_MEMBERS_MAX)
		return sgang_errf(err, EINVAL,
				  "--member=%s: a gang has at "
				  "most %d members",
				  sgang_text_show(shown, text),
				  SGANG_MEMBERS_MAX);
	if (make_room(members, members->n + shape.count, err))
		return -1;
	for (i = 0; i < shape.count; i++) {
		if (add_one(members, resources, text, &shape, err))
			return -1;
	}
	return 0;
}

bool sgang_members_plain(const struct sgang_members *members)
{
	size_t i;

	for (i = 0; i < members->n; i++) {
		if (!members->member[i].slots || members->ask[i].nodes ||
		    members->ask[i].require)
			return false;
	}
	return true;
}

/* -- what they need, and where -- */

/* A unit of whole nodes takes all they have, a unit of slots what was said. */
static void fill_need(const struct sgang_plan_member *member,
		      const struct sgang_member_ask *ask, uint32_t n_dims,
		      uint32_t *need)
{
	uint32_t d;

	memcpy(need, ask->amounts.of, n_dims * sizeof(*need));
	need[0] = member->slots;
	for (d = 0; d < n_dims && !member->slots; d++)
		need[d] = SGANG_PLAN_ALL;
}

/* Add the nodes of a list. */
static int read_nodes(const struct sgang_fabric *fabric, const char *word,
		      const char *list, struct sgang_nodeset *set,
		      struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN], **names = NULL;
	struct sgang_error why;
	size_t n, i;
	int rc = 0;

	if (sgang_hostlist_expand(list, &names, &n, &why))
		return sgang_errf(err, EINVAL, "--member: %s=%s: %s", word,
				  sgang_text_show(shown, list), why.text);
	for (i = 0; i < n && !rc; i++) {
		uint32_t node = sgang_fabric_find_node(fabric, names[i]);

		if (node == SGANG_NODE_NONE)
			rc = sgang_errf(err, EINVAL,
					"--member: %s: node "
					"\"%s\" is not in the topology",
					word, sgang_text_show(shown, names[i]));
		else
			sgang_nodeset_add(set, node);
	}
	sgang_hostlist_free(names);
	return rc;
}

/* True if the node has as much as a member of whole nodes asks for. */
static bool is_large_enough(const struct sgang_plan_request *plan,
			    const struct sgang_member_ask *ask, uint32_t node)
{
	const uint32_t *total = plan->total + (size_t)node * plan->n_dims;
	uint32_t d;

	for (d = 1; d < plan->n_dims; d++) {
		if (total[d] < ask->amounts.of[d])
			return false;
	}
	return true;
}

/* As topology/block does: without segments all nodes are in one block. */
static int settle_segment(struct sgang_plan_member *member, uint32_t segment,
			  struct sgang_error *err)
{
	if (!member->distinct)
		return 0;
	member->segment = segment && segment < member->units ? segment :
							       member->units;
	if (member->units % member->segment)
		return sgang_errf(err, EINVAL,
				  "--member: segment=%" PRIu32
				  " does not divide its %" PRIu32 " nodes",
				  segment, member->units);
	return 0;
}

static int settle_one(struct sgang_plan_member *member,
		      struct sgang_member_ask *ask,
		      const struct sgang_plan_request *plan,
		      struct sgang_error *err)
{
	uint32_t n = sgang_fabric_nodes(plan->fabric), node;

	ask->allowed = sgang_nodeset_create(n);
	ask->required = sgang_nodeset_create(n);
	if (!ask->allowed || !ask->required)
		return sgang_err_memory(err);
	if (ask->nodes &&
	    read_nodes(plan->fabric, "nodes", ask->nodes, ask->allowed, err))
		return -1;
	if (ask->require && read_nodes(plan->fabric, "require", ask->require,
				       ask->required, err))
		return -1;
	if (sgang_nodeset_count(ask->required) > member->units)
		return sgang_errf(err, EINVAL,
				  "--member: require=%s are more "
				  "nodes than a member has",
				  ask->require);
	if (!ask->nodes)
		sgang_nodeset_fill(ask->allowed);
	for (node = 0; node < n && !member->slots; node++) {
		if (!is_large_enough(plan, ask, node))
			sgang_nodeset_remove(ask->allowed, node);
	}
	if (sgang_nodeset_count(ask->allowed) < n)
		member->allowed = ask->allowed;
	if (ask->require)
		member->required = ask->required;
	return settle_segment(member, ask->segment, err);
}

int sgang_members_settle(struct sgang_members *members,
			 const struct sgang_plan_request *plan,
			 struct sgang_error *err)
{
	uint32_t n_dims = plan->n_dims;
	size_t i;

	members->need = malloc(members->n * n_dims * sizeof(*members->need));
	if (!members->need)
		return sgang_err_memory(err);
	for (i = 0; i < members->n; i++) {
		struct sgang_plan_member *member = &members->member[i];
		uint32_t *need = members->need + i * n_dims;

		fill_need(member, &members->ask[i], n_dims, need);
		if (n_dims > 1)
			member->need = need;
		if (settle_one(member, &members->ask[i], plan, err))
			return -1;
	}
	return 0;
}
