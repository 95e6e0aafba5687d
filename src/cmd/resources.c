/* SPDX-License-Identifier: GPL-2.0-or-later */
/* resources.c - slots and other resources on the command line of sgang place */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/resources.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"

/* The largest amount of a resource. SGANG_PLAN_ALL is above it. */
#define AMOUNT_MAX INT32_MAX

/* The number of a resource, which may be a new one; 0: it cannot be one. */
static uint32_t find_resource(struct sgang_resources *resources,
			      const char *name)
{
	uint32_t i;

	for (i = 1; i < resources->n; i++) {
		if (!strcmp(resources->name[i], name))
			return i;
	}
	if (!*name || strlen(name) >= SGANG_RESOURCE_NAME_SIZE ||
	    i == SGANG_PLAN_DIMS)
		return 0;
	strcpy(resources->name[i], name);
	return resources->n++;
}

static int say_unknown(const char *name, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	return sgang_errf(err, EINVAL,
			  "\"%s\": expected a resource of 1 to "
			  "%d letters, at most %d of them",
			  sgang_text_show(shown, name),
			  SGANG_RESOURCE_NAME_SIZE - 1, SGANG_PLAN_DIMS - 1);
}

/* Note so much of a resource; 'sum': it is one of its types. */
static int note_amount(struct sgang_resources *resources, const char *name,
		       uint32_t number, bool sum, struct sgang_amounts *amounts,
		       struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint32_t i = find_resource(resources, name);

	if (!i)
		return say_unknown(name, err);
	if ((sum ? amounts->said : amounts->typed | amounts->said) >> i & 1)
		return sgang_errf(err, EINVAL,
				  "\"%s\": expected it once, with "
				  "types or without",
				  sgang_text_show(shown, name));
	if (number > AMOUNT_MAX - amounts->of[i])
		return sgang_errf(err, EINVAL, "\"%s\": too many of it",
				  sgang_text_show(shown, name));
	*(sum ? &amounts->typed : &amounts->said) |= 1U << i;
	amounts->of[i] += number;
	return 0;
}

/* Read "gpu=4" or "gpu:a100=4", which is cut. */
static int read_word(struct sgang_resources *resources, char *word,
		     struct sgang_amounts *amounts, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	char *value = strchr(word, '='), *type;
	uint64_t number;

	if (value)
		*value++ = '\0';
	if (!value || sgang_text_number(value, 0, AMOUNT_MAX, &number) ||
	    strchr(word, ','))
		return sgang_errf(err, EINVAL,
				  "\"%s\": expected "
				  "RESOURCE=NUMBER like gpu=4",
				  sgang_text_show(shown, word));
	type = strchr(word, ':');
	if (type && (!type[1] || strchr(type + 1, ':')))
		return say_unknown(word, err);
	if (type) {
		*type = '\0';
		if (note_amount(resources, word, (uint32_t)number, true,
				amounts, err))
			return -1;
		*type = ':';
	}
	return note_amount(resources, word, (uint32_t)number, false, amounts,
			   err);
}

int sgang_resources_word(struct sgang_resources *resources, const char *text,
			 size_t length, struct sgang_amounts *amounts,
			 struct sgang_error *err)
{
	char *word = strndup(text, length);
	int rc;

	if (!word)
		return sgang_err_memory(err);
	rc = read_word(resources, word, amounts, err);
	free(word);
	return rc;
}

/* Read words that are joined by ',' or ':'. */
static int read_words(struct sgang_resources *resources, const char *text,
		      struct sgang_amounts *amounts, struct sgang_error *err)
{
	size_t name, length;

	for (; text; text = text[length] ? text + length + 1 : NULL) {
		name = strcspn(text, "=");
		length = name + strcspn(text + name, ",:");
		if (sgang_resources_word(resources, text, length, amounts, err))
			return -1;
	}
	return 0;
}

/* Read "n1=8:gpu=4", which is cut. */
static int read_node(struct sgang_resources *resources,
		     const struct sgang_fabric *fabric, char *text,
		     uint32_t max, struct sgang_node_amounts *node,
		     struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN], shown_node[SGANG_TEXT_SHOWN];
	char *slots = strchr(text, '='), *more;
	uint64_t number;

	more = slots ? strchr(slots, ':') : NULL;
	if (slots)
		*slots++ = '\0';
	if (more)
		*more++ = '\0';
	node->node = sgang_fabric_find_node(fabric, text);
	if (node->node == SGANG_NODE_NONE)
		return sgang_errf(err, EINVAL,
				  "node \"%s\" is not in the topology",
				  sgang_text_show(shown, text));
	if (!slots)
		return sgang_errf(err, EINVAL,
				  "%s: expected NODE=SLOTS like "
				  "n[1-4]=8",
				  text);
	if (sgang_text_number(slots, 0, max, &number))
		return sgang_errf(err, EINVAL,
				  "%s=%s: expected a number from 0 to %" PRIu32
				  " behind the '='",
				  sgang_text_show(shown_node, text),
				  sgang_text_show(shown, slots), max);
	node->amounts.of[0] = (uint32_t)number;
	return read_words(resources, more, &node->amounts, err);
}

/* No node may be named twice. */
static int check_twice(const struct sgang_fabric *fabric,
		       const struct sgang_node_amounts *list, size_t n,
		       struct sgang_error *err)
{
	bool *seen = calloc(sgang_fabric_nodes(fabric), sizeof(*seen));
	size_t i;

	if (!seen)
		return sgang_err_memory(err);
	for (i = 0; i < n && !seen[list[i].node]; i++)
		seen[list[i].node] = true;
	free(seen);
	if (i == n)
		return 0;
	return sgang_errf(err, EINVAL, "node %s is named twice",
			  sgang_fabric_node_name(fabric, list[i].node));
}

int sgang_resources_nodes(struct sgang_resources *resources,
			  const struct sgang_fabric *fabric, const char *text,
			  uint32_t max, struct sgang_node_amounts **list,
			  size_t *count, struct sgang_error *err)
{
	char **names = NULL;
	size_t n, i;
	int rc = 0;

	if (sgang_hostlist_expand(text, &names, &n, err))
		return -1;
	*list = calloc(n, sizeof(**list));
	if (!*list)
		rc = sgang_err_memory(err);
	for (i = 0; i < n && !rc; i++)
		rc = read_node(resources, fabric, names[i], max, &(*list)[i],
			       err);
	if (!rc)
		rc = check_twice(fabric, *list, n, err);
	sgang_hostlist_free(names);
	if (rc) {
		free(*list);
		*list = NULL;
	}
	*count = n;
	return rc;
}
