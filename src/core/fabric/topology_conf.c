/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topology_conf.c - reads topology.conf: which keys a line has
 *
 * conf_lines.c takes the text apart as slurmctld does it. Keys count without
 * regard to case. Input that slurmctld silently accepts or dies of, such as a
 * key given twice, is an error that names the line. switch.c and block.c read
 * the lines of each kind of fabric.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "core/base/conf_lines.h"
#include "core/base/text.h"
#include "draft.h"

static const struct sgang_line_rule *const rules[] = {
	&sgang_switch_line,
	&sgang_block_line,
	&sgang_block_sizes_line,
};
#define N_RULES (sizeof(rules) / sizeof(rules[0]))

struct reader {
	struct sgang_conf_reader to;
	const struct sgang_line_rule *first; /* of the first line */
	char first_place[256];               /* where that stands */
	struct sgang_error *err;
};

/* The rule whose lines begin with key 'name', or NULL. */
static const struct sgang_line_rule *find_rule(const char *name)
{
	size_t i;

	for (i = 0; i < N_RULES; i++) {
		if (!strcasecmp(rules[i]->key[0], name))
			return rules[i];
	}
	return NULL;
}

static int find_key(const struct sgang_line_rule *rule, const char *name)
{
	int key;

	for (key = 0; key < SGANG_LINE_KEYS && rule->key[key]; key++) {
		if (!strcasecmp(rule->key[key], name))
			return key;
	}
	return -1;
}

static int unknown_key(const struct reader *reader, struct sgang_place place,
		       const struct sgang_line_rule *rule, const char *name)
{
	char known[SGANG_TEXT_SHOWN] = "", what[2 * SGANG_TEXT_SHOWN];
	size_t used = 0;
	int key;

	for (key = 0; key < SGANG_LINE_KEYS && rule->key[key]; key++)
		used += (size_t)snprintf(known + used, sizeof(known) - used,
					 "%s%s", key ? ", " : "",
					 rule->key[key]);
	snprintf(what, sizeof(what),
		 "expected only %s in the line, found the "
		 "key",
		 known);
	return sgang_conf_complain(place, what, name, reader->err);
}

/* A file describes one kind of fabric. */
static int check_kind(struct reader *reader, struct sgang_place place,
		      const struct sgang_line_rule *rule)
{
	if (!reader->first) {
		reader->first = rule;
		snprintf(reader->first_place, sizeof(reader->first_place),
			 "%.240s:%u", place.file, place.line);
		sgang_draft_call(reader->to.draft, rule->words);
	}
	if (reader->first->words == rule->words)
		return 0;
	return sgang_errf(reader->err, EINVAL,
			  "%s:%u: found %s= after %s= at "
			  "%s, expected either a tree of switches or blocks in "
			  "one file",
			  place.file, place.line, rule->key[0],
			  reader->first->key[0], reader->first_place);
}

/* Find the rule of a line and fill 'value' by its keys. No rule: the line is
 * empty. */
static int take_keys(struct reader *reader, struct sgang_place place,
		     const struct sgang_line_rule **rule, char *text,
		     char *value[SGANG_LINE_KEYS])
{
	char *name = NULL, *word = NULL;
	int key, rc;

	*rule = NULL;
	while ((rc = sgang_conf_next_pair(&text, place, &name, &word,
					  reader->err)) > 0) {
		if (!*rule) {
			*rule = find_rule(name);
			if (!*rule)
				return sgang_conf_complain(
					place,
					"expected SwitchName=, BlockName= or "
					"BlockSizes= at the start of the line, "
					"found",
					name, reader->err);
			if (check_kind(reader, place, *rule))
				return -1;
		}
		key = find_key(*rule, name);
		if (key < 0)
			return unknown_key(reader, place, *rule, name);
		if (value[key])
			return sgang_conf_complain(
				place, "the line has two values for the key",
				name, reader->err);
		if (!*word)
			return sgang_conf_complain(
				place,
				"expected a value, in \"\" if it holds "
				"blanks, for the key",
				name, reader->err);
		value[key] = word;
	}
	return rc;
}

static int take_line(void *arg, struct sgang_place place, char *line)
{
	char *value[SGANG_LINE_KEYS] = { NULL };
	const struct sgang_line_rule *rule;
	struct reader *reader = arg;

	if (take_keys(reader, place, &rule, line, value))
		return -1;
	return rule ? rule->take(&reader->to, place, value) : 0;
}

int sgang_fabric_read_conf(struct sgang_draft *draft, const char *text,
			   const char *label, struct sgang_error *err)
{
	struct reader reader = { .to = { .draft = draft, .err = err },
				 .err = err };
	const struct sgang_conf_lines lines = {
		.max = SGANG_FABRIC_FILE_MAX,
		.kind = SGANG_FABRIC_FILE_KIND,
		.take = take_line,
		.arg = &reader,
	};

	if (sgang_conf_lines_read(&lines, text, label, err))
		return -1;
	/* some tool may fill it later; Slurm takes it as no topology at all */
	if (!sgang_draft_switches(draft) && sgang_draft_has_nodes(draft))
		return sgang_draft_flat(draft, err);
	if (!sgang_draft_switches(draft))
		return sgang_errf(err, EINVAL,
				  "%s: it defines no switch and "
				  "no block, expected lines SwitchName=... or "
				  "BlockName=...",
				  label);
	if (reader.first->words == &sgang_block_words)
		return sgang_draft_join(draft, &reader.to.sizes, err);
	return 0;
}

struct sgang_fabric *sgang_fabric_parse(const char *text, const char *label,
					const char *const *nodes,
					uint32_t n_nodes,
					struct sgang_error *err)
{
	struct sgang_fabric *fabric = NULL;
	struct sgang_draft *draft = sgang_draft_create(nodes, n_nodes, err);

	if (draft && !sgang_fabric_read_conf(draft, text, label, err))
		fabric = sgang_draft_build(draft, err);
	sgang_draft_destroy(draft);
	return fabric;
}
