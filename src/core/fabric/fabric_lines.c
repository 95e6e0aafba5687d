/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_lines.c - the topologies in force as lines of text */

#define _GNU_SOURCE /* strsep() */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "draft.h"
#include "fabric_lines.h"

#define LABEL "slurmctld's answer"

/* ---- printing ---- */

/* A name is the rest of its line. */
static void print_name(const char *name, FILE *out)
{
	for (; *name; name++)
		fputc((unsigned char)*name < ' ' ? '?' : *name, out);
	fputc('\n', out);
}

static int print_nodes(const struct sgang_fabric *fabric,
		       const struct sgang_domain *domain, FILE *out)
{
	const uint32_t *order = sgang_fabric_order(fabric);
	const char **names = malloc((domain->n_nodes + 1) * sizeof(*names));
	uint32_t i, n = 0;
	char *list = NULL;

	for (i = 0; names && i < domain->n_nodes; i++) {
		const char *name = sgang_fabric_node_name(
			fabric, order[domain->first_pos + i]);

		if (name[0] != '#')
			names[n++] = name;
	}
	if (names)
		list = sgang_hostlist_fold(names, n);
	if (n && list)
		fprintf(out, "nodes %s\n", list);
	free(list);
	free(names);
	return names && list ? 0 : -1;
}

/* The leaf of a node that is in no switch has the node's name and comes again
 * by itself. */
static bool is_lone(const struct sgang_fabric *fabric,
		    const struct sgang_domain *domain)
{
	return !domain->n_children && domain->n_nodes == 1 &&
	       domain->parent != SGANG_DOMAIN_NONE &&
	       sgang_fabric_domain(fabric, domain->parent)->level ==
		       SGANG_LEVEL_UNCONNECTED &&
	       !strcmp(domain->name,
		       sgang_fabric_node_name(
			       fabric,
			       sgang_fabric_order(fabric)[domain->first_pos]));
}

/* 'number' is by domain; SGANG_DOMAIN_NONE: it is left out. */
static int print_domains(const struct sgang_fabric *fabric, uint32_t *number,
			 FILE *out)
{
	uint32_t count = sgang_fabric_domains(fabric), d, n = 0;

	for (d = 0; d < count; d++) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);
		uint32_t up = domain->parent == SGANG_DOMAIN_NONE ?
				      SGANG_DOMAIN_NONE :
				      number[domain->parent];

		number[d] = SGANG_DOMAIN_NONE;
		if (domain->level == SGANG_LEVEL_UNCONNECTED ||
		    is_lone(fabric, domain))
			continue;
		number[d] = n++;
		fprintf(out, "domain %" PRIu32 " ", domain->level);
		if (up == SGANG_DOMAIN_NONE)
			fputs("- ", out);
		else
			fprintf(out, "%" PRIu32 " ", up);
		print_name(domain->name, out);
		if (!domain->n_children && print_nodes(fabric, domain, out))
			return -1;
	}
	return 0;
}

int sgang_fabric_lines_print(const struct sgang_topologies *all, FILE *out)
{
	size_t i;

	for (i = 0; i < all->n; i++) {
		const struct sgang_fabric *fabric = all->topology[i].fabric;
		uint32_t *number = calloc(sgang_fabric_domains(fabric),
					  sizeof(*number));
		int rc;

		fputs("topology ", out);
		print_name(all->topology[i].name, out);
		fprintf(out, "kind %s\n",
			sgang_fabric_of_switches(fabric) ? "switches" :
							   "blocks");
		rc = number ? print_domains(fabric, number, out) : -1;
		free(number);
		if (rc)
			return sgang_err_memory(NULL);
	}
	for (i = 0; i < all->n_barred; i++) {
		fputs("topology ", out);
		print_name(all->barred[i].name, out);
		fputs("barred ", out);
		print_name(all->barred[i].why, out);
	}
	return 0;
}

/* ---- reading ---- */

struct told {
	uint32_t level;
	uint32_t line;
	bool has_children;
};

struct reader {
	struct sgang_draft *draft;
	const char *name;    /* of the topology that is wanted */
	bool wanted;         /* these lines are of it */
	struct told *domain; /* room for as many as there are lines */
	uint32_t n;
	uint32_t line;
	struct sgang_error *err;
};

static int bad_line(const struct reader *r, const char *line)
{
	char shown[SGANG_TEXT_SHOWN];

	return sgang_errf(r->err, EINVAL, "%s:%" PRIu32 ": cannot read \"%s\"",
			  LABEL, r->line, sgang_text_show(shown, line));
}

/* Cut off the next word; what is left is "" at the end. */
static char *next_word(char **rest)
{
	char *word = strsep(rest, " ");

	if (!*rest)
		*rest = word + strlen(word);
	return word;
}

static int read_domain(struct reader *r, char *rest)
{
	const struct sgang_place place = { LABEL, r->line };
	const char *level = next_word(&rest), *up = next_word(&rest);
	uint64_t at, parent = SGANG_DOMAIN_NONE;

	if (sgang_text_number(level, SGANG_LEVEL_LEAF, SGANG_LEVEL_MAX, &at) ||
	    (strcmp(up, "-") != 0 &&
	     (!r->n || sgang_text_number(up, 0, r->n - 1, &parent) ||
	      r->domain[parent].level <= at)))
		return bad_line(r, level);
	if (sgang_draft_domain(r->draft, rest, (uint32_t)at, place, r->err))
		return -1;
	r->domain[r->n] = (struct told){ (uint32_t)at, r->line, false };
	if (parent != SGANG_DOMAIN_NONE) {
		sgang_draft_move(r->draft, r->n, (uint32_t)parent);
		r->domain[parent].has_children = true;
	}
	r->n++;
	return 0;
}

/* Only the lowest domains have nodes of their own. */
static int read_nodes(struct reader *r, const char *list)
{
	const struct sgang_place place = { LABEL, r->line };

	if (!r->n || r->domain[r->n - 1].level != SGANG_LEVEL_LEAF)
		return bad_line(r, list);
	return sgang_draft_nodes(r->draft, r->n - 1, list, place, r->err);
}

static int read_line(struct reader *r, char *line)
{
	char *rest = line, *word = next_word(&rest);

	if (!strcmp(word, "topology")) {
		r->wanted = !strcmp(rest, r->name);
		return 0;
	}
	if (!r->wanted)
		return 0;
	if (!strcmp(word, "kind")) {
		if (strcmp(rest, "switches") != 0)
			sgang_draft_call(r->draft, &sgang_block_words);
		return 0;
	}
	if (!strcmp(word, "barred"))
		return sgang_errf(r->err, ENOTSUP, "%s", rest);
	if (!strcmp(word, "domain"))
		return read_domain(r, rest);
	return strcmp(word, "nodes") ? bad_line(r, line) : read_nodes(r, rest);
}

/* Takes 'text' apart. */
static int read_lines(struct reader *r, char *text)
{
	char *line;
	uint32_t d;

	while ((line = strsep(&text, "\n"))) {
		r->line++;
		if (*line && read_line(r, line))
			return -1;
	}
	for (d = 0; d < r->n; d++) {
		r->line = r->domain[d].line;
		if (r->domain[d].level != SGANG_LEVEL_LEAF &&
		    !r->domain[d].has_children)
			return bad_line(r, "a domain without any below it");
	}
	r->line = sgang_draft_again(r->draft);
	return r->line ? bad_line(r, "a node twice") : 0;
}

/* True if a line says "topology NAME". */
static bool has_topology(const char *text, const char *name)
{
	static const char word[] = "topology ";
	size_t length = strlen(name);
	const char *at = text;

	while (at) {
		if (!strncmp(at, word, sizeof(word) - 1) &&
		    !strncmp(at + sizeof(word) - 1, name, length) &&
		    (at[sizeof(word) - 1 + length] == '\n' ||
		     !at[sizeof(word) - 1 + length]))
			return true;
		at = strchr(at, '\n');
		if (at)
			at++;
	}
	return false;
}

static size_t count_lines(const char *text)
{
	size_t n = 1;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

struct sgang_fabric *sgang_fabric_lines_read(const char *text, const char *name,
					     const char *const *nodes,
					     uint32_t n_nodes,
					     struct sgang_error *err)
{
	struct reader r = { .err = err };
	struct sgang_fabric *fabric = NULL;
	char *copy = strdup(text);
	int saved;

	r.name = has_topology(text, name) ? name : "";
	r.domain = calloc(count_lines(text), sizeof(*r.domain));
	if (!copy || !r.domain) {
		sgang_err_memory(err);
		goto out;
	}
	r.draft = sgang_draft_create(nodes, n_nodes, err);
	if (r.draft && !read_lines(&r, copy))
		fabric = sgang_draft_build(r.draft, err);
out:
	saved = errno;
	sgang_draft_destroy(r.draft);
	free(r.domain);
	free(copy);
	errno = saved;
	return fabric;
}
