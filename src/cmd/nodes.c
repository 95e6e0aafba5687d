/* SPDX-License-Identifier: GPL-2.0-or-later */
/* nodes.c - the node records of slurmctld: what needs no Slurm */

#include <stdlib.h>
#include <string.h>

#include "cmd/nodes.h"

/* The end of a word of a gres: a comma outside of brackets. */
static const char *word_end(const char *text)
{
	int depth = 0;

	for (; *text && (depth > 0 || *text != ','); text++)
		depth += (*text == '(') - (*text == ')');
	return text;
}

/* Without the brackets at the end of the word, "gpu:(null):2(IDX:0-1)": a type
 * that is not known is in brackets, too. */
static const char *without_bracket(const char *word, const char *end)
{
	const char *at = end;

	if (at == word || at[-1] != ')')
		return end;
	while (at > word && *at != '(')
		at--;
	return at;
}

/* The number behind the last colon; "gpu" alone is one. */
static uint32_t word_count(const char *word, const char *end)
{
	const char *digits;
	unsigned long long count;

	end = digits = without_bracket(word, end);
	while (digits > word && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	if (digits == end || digits == word || digits[-1] != ':')
		return 1;
	count = strtoull(digits, NULL, 10);
	return count > UINT16_MAX ? UINT16_MAX : (uint32_t)count;
}

uint32_t sgang_nodes_gpus(const char *gres)
{
	const char *word = gres ? gres : "", *end;
	uint32_t count = 0;

	for (; *word; word = end + (*end == ',')) {
		end = word_end(word);
		if (!strncmp(word, "gpu", 3) && strchr(":(,", word[3]))
			count += word_count(word, end);
	}
	return count;
}

/* qsort, bsearch: by job, then by node. */
static int compare_shares(const void *a, const void *b)
{
	const struct sgang_share *x = a, *y = b;

	if (x->job_id != y->job_id)
		return x->job_id < y->job_id ? -1 : 1;
	return strcmp(x->node, y->node);
}

void sgang_nodes_sort(struct sgang_nodes *nodes)
{
	if (nodes->n_shares)
		qsort(nodes->share, nodes->n_shares, sizeof(*nodes->share),
		      compare_shares);
}

uint32_t sgang_nodes_share(const struct sgang_nodes *nodes, uint32_t job_id,
			   const char *node)
{
	const struct sgang_share key = { job_id, (char *)node, 0 }, *found;

	if (!nodes->n_shares)
		return 0;
	found = bsearch(&key, nodes->share, nodes->n_shares, sizeof(key),
			compare_shares);
	return found ? found->slots : 0;
}

void sgang_nodes_clear(struct sgang_nodes *nodes)
{
	size_t i;

	for (i = 0; i < nodes->count; i++)
		free(nodes->row[i].name);
	free(nodes->row);
	for (i = 0; i < nodes->n_shares; i++)
		free(nodes->share[i].node);
	free(nodes->share);
	memset(nodes, 0, sizeof(*nodes));
}
