/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_draft.c - what was read of a cluster, and the site that it makes */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "site_private.h"

/* Sets of nodes may name each other. */
#define SET_DEPTH_MAX 16

static int no_memory(const struct sgang_site_draft *draft)
{
	return sgang_err_memory(draft->err);
}

const char *sgang_site_text(struct sgang_site_draft *draft, const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = sgang_pool_alloc(draft->site->memory, size, 1);

	if (copy)
		return memcpy(copy, text, size);
	no_memory(draft);
	return NULL;
}

/* Room for one more in an array of 'n'. */
static void *grow(struct sgang_site_draft *draft, void *array, size_t n,
		  size_t size)
{
	void *bigger = array;

	if (!(n & (n - 1))) /* 0, or a power of two: it is full */
		bigger = realloc(array, (n ? 2 * n : 1) * size);
	if (!bigger)
		no_memory(draft);
	return bigger;
}

int sgang_site_add_nodes(struct sgang_site_draft *draft, const char *names,
			 const struct sgang_site_draft_node *node,
			 struct sgang_place place)
{
	struct sgang_site_draft_node *bigger, copy = *node;
	struct sgang_error why;
	char **name;
	size_t n, i;
	int rc = 0;

	if (sgang_hostlist_expand(names, &name, &n, &why))
		return sgang_errf(draft->err, errno, "%s:%u: NodeName: %s",
				  place.file, place.line, why.text);
	copy.line = place.line;
	for (i = 0; i < n && !rc; i++) {
		rc = -1;
		bigger = grow(draft, draft->nodes, draft->n_nodes,
			      sizeof(*bigger));
		if (!bigger)
			break;
		draft->nodes = bigger;
		copy.node.name = sgang_site_text(draft, name[i]);
		if (!copy.node.name)
			break;
		draft->nodes[draft->n_nodes++] = copy;
		rc = 0;
	}
	sgang_hostlist_free(name);
	return rc;
}

void sgang_site_partition_init(struct sgang_site_draft_partition *partition)
{
	*partition = (struct sgang_site_draft_partition){
		.partition = {
			.tier = 1,
			.job_factor = 1,
			.max_time = UINT32_MAX,
			.default_time = UINT32_MAX,
		},
		.nodes = "",
	};
}

int sgang_site_add_partition(struct sgang_site_draft *draft,
			     const struct sgang_site_draft_partition *partition,
			     struct sgang_place place)
{
	struct sgang_site_draft_partition *bigger, *added;
	char shown[SGANG_TEXT_SHOWN];
	size_t i;

	for (i = 0; i < draft->n_partitions; i++)
		if (!strcmp(draft->partitions[i].partition.name,
			    partition->partition.name))
			return sgang_errf(
				draft->err, EINVAL,
				"%s:%u: the partition \"%s\" is "
				"defined twice, first in line %u",
				place.file, place.line,
				sgang_text_show(shown,
						partition->partition.name),
				draft->partitions[i].line);
	bigger = grow(draft, draft->partitions, draft->n_partitions,
		      sizeof(*bigger));
	if (!bigger)
		return -1;
	draft->partitions = bigger;
	added = &bigger[draft->n_partitions];
	*added = *partition;
	added->line = place.line;
	added->file = sgang_site_text(draft, place.file);
	added->nodes = sgang_site_text(draft, partition->nodes);
	added->partition.name = sgang_site_text(draft,
						partition->partition.name);
	if (!added->file || !added->nodes || !added->partition.name)
		return -1;
	if (!added->has_default_time)
		added->partition.default_time = added->partition.max_time;
	draft->n_partitions++;
	return 0;
}

int sgang_site_add_set(struct sgang_site_draft *draft,
		       const struct sgang_site_draft_set *set,
		       struct sgang_place place)
{
	struct sgang_site_draft_set *bigger, *added;

	bigger = grow(draft, draft->sets, draft->n_sets, sizeof(*bigger));
	if (!bigger)
		return -1;
	draft->sets = bigger;
	added = &bigger[draft->n_sets];
	added->line = place.line;
	added->file = sgang_site_text(draft, place.file);
	added->name = sgang_site_text(draft, set->name);
	added->nodes = sgang_site_text(draft, set->nodes);
	added->feature = sgang_site_text(draft, set->feature);
	if (!added->file || !added->name || !added->nodes || !added->feature)
		return -1;
	draft->n_sets++;
	return 0;
}

/* ---- the nodes of the site ---- */

static int in_slurms_order(const void *a, const void *b)
{
	const struct sgang_site_draft_node *x = a, *y = b;

	if (x->future != y->future)
		return x->future - y->future;
	return sgang_text_compare(x->node.name, y->node.name);
}

static int by_name_alone(const void *a, const void *b)
{
	const struct sgang_site_draft_node *const *x = a, *const *y = b;

	return strcmp((*x)->node.name, (*y)->node.name);
}

static int by_name(const void *a, const void *b)
{
	const struct sgang_site_draft_node *const *x = a, *const *y = b;
	int rc = by_name_alone(a, b);

	return rc ? rc : ((*x)->line > (*y)->line) - ((*x)->line < (*y)->line);
}

/* All nodes, those of FUTURE too, to look them up. */
static struct sgang_site_draft_node **
sort_by_name(struct sgang_site_draft *draft, const char *label)
{
	struct sgang_site_draft_node **sorted;
	char shown[SGANG_TEXT_SHOWN];
	size_t i;

	sorted = sgang_pool_alloc(draft->site->memory, draft->n_nodes,
				  sizeof(struct sgang_site_draft_node *));
	if (!sorted) {
		no_memory(draft);
		return NULL;
	}
	for (i = 0; i < draft->n_nodes; i++)
		sorted[i] = &draft->nodes[i];
	qsort(sorted, draft->n_nodes, sizeof(*sorted), by_name);
	for (i = 1; i < draft->n_nodes; i++) {
		if (strcmp(sorted[i - 1]->node.name, sorted[i]->node.name))
			continue;
		sgang_errf(draft->err, EINVAL,
			   "%s:%u: the node \"%s\" is defined twice, first in "
			   "line %u",
			   label, sorted[i]->line,
			   sgang_text_show(shown, sorted[i]->node.name),
			   sorted[i - 1]->line);
		return NULL;
	}
	return sorted;
}

static int place_nodes(struct sgang_site_draft *draft)
{
	struct sgang_site *site = draft->site;
	const char **names;
	uint32_t i;

	qsort(draft->nodes, draft->n_nodes, sizeof(*draft->nodes),
	      in_slurms_order);
	while (site->n_nodes < draft->n_nodes &&
	       !draft->nodes[site->n_nodes].future)
		site->n_nodes++;
	site->nodes = sgang_pool_alloc(site->memory, site->n_nodes,
				       sizeof(*site->nodes));
	names = sgang_pool_alloc(site->memory, site->n_nodes, sizeof(*names));
	if (!site->nodes || !names)
		return no_memory(draft);
	for (i = 0; i < site->n_nodes; i++) {
		draft->nodes[i].index = i;
		site->nodes[i] = draft->nodes[i].node;
		names[i] = site->nodes[i].name;
	}
	site->names = names;
	return 0;
}

/* ---- the nodes of partitions ---- */

struct resolver {
	struct sgang_site_draft *draft;
	struct sgang_site_draft_node **sorted;
	struct sgang_place place; /* of the line at hand */
	struct sgang_nodeset *nodes;
};

static int resolve(const struct resolver *resolver, const char *list,
		   uint32_t depth);

static bool is_listed(const char *list, const char *word)
{
	const size_t length = strlen(word);

	for (; *list; list += *list == ',') {
		size_t end = strcspn(list, ",");

		if (end == length && !strncmp(list, word, length))
			return true;
		list += end;
	}
	return false;
}

static int resolve_set(const struct resolver *resolver,
		       const struct sgang_site_draft_set *set, uint32_t depth)
{
	const struct sgang_site *site = resolver->draft->site;
	uint32_t i;

	for (i = 0; i < site->n_nodes && *set->feature; i++)
		if (is_listed(resolver->draft->nodes[i].features, set->feature))
			sgang_nodeset_add(resolver->nodes, i);
	return *set->nodes ? resolve(resolver, set->nodes, depth + 1) : 0;
}

static int add_name(const struct resolver *resolver, const char *name,
		    uint32_t depth)
{
	const struct sgang_site_draft *draft = resolver->draft;
	const struct sgang_site_draft_node wanted = { .node.name = name };
	const struct sgang_site_draft_node *key = &wanted;
	struct sgang_site_draft_node *const *found;
	char shown[SGANG_TEXT_SHOWN];
	size_t i;

	for (i = 0; i < draft->n_sets; i++)
		if (!strcmp(draft->sets[i].name, name) && depth < SET_DEPTH_MAX)
			return resolve_set(resolver, &draft->sets[i], depth);
	if (!strcmp(name, "ALL")) {
		sgang_nodeset_fill(resolver->nodes);
		return 0;
	}
	found = bsearch(&key, resolver->sorted, draft->n_nodes,
			sizeof(*resolver->sorted), by_name_alone);
	if (!found)
		return sgang_errf(draft->err, EINVAL,
				  "%s:%u: there is no node and no set of nodes "
				  "\"%s\", expected one of NodeName= or "
				  "NodeSet=",
				  resolver->place.file, resolver->place.line,
				  sgang_text_show(shown, name));
	if (!(*found)->future)
		sgang_nodeset_add(resolver->nodes, (*found)->index);
	return 0;
}

static int resolve(const struct resolver *resolver, const char *list,
		   uint32_t depth)
{
	const struct sgang_site_draft *draft = resolver->draft;
	struct sgang_error why;
	char **name;
	size_t n, i;
	int rc = 0;

	if (sgang_hostlist_expand(list, &name, &n, &why))
		return sgang_errf(draft->err, errno, "%s:%u: Nodes: %s",
				  resolver->place.file, resolver->place.line,
				  why.text);
	for (i = 0; i < n && !rc; i++)
		rc = add_name(resolver, name[i], depth);
	sgang_hostlist_free(name);
	return rc;
}

static int place_partition(struct resolver *resolver,
			   const struct sgang_site_draft_partition *from)
{
	struct sgang_site *site = resolver->draft->site;
	struct sgang_site_partition *to = &site->partitions[site->n_partitions];

	*to = from->partition;
	if (!from->has_preempt_mode) {
		to->preempted = resolver->draft->preempted;
		to->requeues = resolver->draft->requeues;
	}
	to->nodes = sgang_nodeset_create(site->n_nodes);
	if (!to->nodes)
		return no_memory(resolver->draft);
	site->n_partitions++;
	resolver->place = (struct sgang_place){ from->file, from->line };
	resolver->nodes = to->nodes;
	if (!*from->nodes || !strcmp(from->nodes, "(null)"))
		return 0;
	if (!strcasecmp(from->nodes, "ALL")) {
		sgang_nodeset_fill(to->nodes);
		return 0;
	}
	return resolve(resolver, from->nodes, 0);
}

/* Without a word about partitions there is one. */
static int add_all(struct sgang_site_draft *draft)
{
	const struct sgang_place nowhere = { "", 0 };
	struct sgang_site_draft_partition all;

	sgang_site_partition_init(&all);
	all.partition.name = "all";
	all.partition.by_default = true;
	all.nodes = "ALL";
	return sgang_site_add_partition(draft, &all, nowhere);
}

int sgang_site_build(struct sgang_site_draft *draft, const char *label)
{
	struct sgang_site *site = draft->site;
	struct resolver resolver = { .draft = draft };
	size_t i;

	if (!draft->n_nodes)
		return sgang_errf(draft->err, EINVAL,
				  "%s: it has no nodes, expected lines "
				  "NodeName=... of slurm.conf or of scontrol "
				  "show node -o",
				  label);
	if (place_nodes(draft))
		return -1;
	resolver.sorted = sort_by_name(draft, label);
	if (!resolver.sorted || (!draft->n_partitions && add_all(draft)))
		return -1;
	site->partitions = sgang_pool_alloc(site->memory, draft->n_partitions,
					    sizeof(*site->partitions));
	if (!site->partitions)
		return no_memory(draft);
	for (i = 0; i < draft->n_partitions; i++)
		if (place_partition(&resolver, &draft->partitions[i]))
			return -1;
	return 0;
}

void sgang_site_draft_clear(struct sgang_site_draft *draft)
{
	int saved = errno;

	free(draft->nodes);
	free(draft->partitions);
	free(draft->sets);
	errno = saved;
}
