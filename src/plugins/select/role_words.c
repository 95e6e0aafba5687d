/* SPDX-License-Identifier: GPL-2.0-or-later */
/* role_words.c - the environment of a member about its group in a tree
 *
 *   SLURM_GANG_ROLE=replica1/decode
 *   SLURM_GANG_ROLE_RANK=2			its position in that group
 *   SLURM_GANG_ROLE_NODELIST=n2,n3,n4		of the members of that group
 *   SLURM_GANG_ROLE_HEADS=replica1/decode=n2,replica1/encode=n1
 *   SLURM_GANG_ROLE_HEAD_ADDRS=replica1/decode=10.0.0.2,replica1/encode=10.0.0.1
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "conductor_private.h"
#include "core/base/text.h"
#include "core/gang/epoch.h"
#include "role_words.h"

/* A longer one would make execve() fail. */
#define ENV_MAX 120000

/* A member with a role, to be sorted. */
struct place {
	const struct sgang_worded *m;
	uint32_t member;
};

static int by_role(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	int rc = sgang_role_path_order(x->m->role, y->m->role);

	return rc ? rc : (x->member > y->member) - (x->member < y->member);
}

static size_t list(const struct sgang_worded *members, uint32_t n,
		   struct place *places)
{
	size_t count = 0;

	for (uint32_t i = 0; i < n; i++) {
		if (members[i].role && members[i].role[0])
			places[count++] = (struct place){ &members[i], i };
	}
	qsort(places, count, sizeof(*places), by_role);
	return count;
}

/* What 'group=' has in front of it in a list of groups, and its first word. */
static void put_head(FILE *out, const char *group, const char *words)
{
	fprintf(out, "%s%s=%.*s", ftell(out) ? "," : "", group,
		(int)strcspn(words, ","), words);
}

static bool has_nodes(const struct place *place)
{
	return place->m->nodes && place->m->nodes[0];
}

/* Of one group the members from 'first' to 'end' - 1. */
static char *join_group(const struct place *places, size_t first, size_t end)
{
	char *text = NULL;
	bool any = false;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = first; out && i < end; i++) {
		if (!has_nodes(&places[i]))
			continue;
		fprintf(out, "%s%s", any ? "," : "", places[i].m->nodes);
		any = true;
	}
	return sgang_text_close(out, &text);
}

static int add_group(struct sgang_role_words *w, const struct place *places,
		     size_t first, size_t end, FILE *heads, FILE *addresses)
{
	struct sgang_role_word *word = &w->word[w->n];
	char names[SGANG_ROLE_SIZE];

	sgang_role_path_names(places[first].m->role, names);
	word->name = strdup(names);
	word->nodes = join_group(places, first, end);
	if (!word->name || !word->nodes) {
		free(word->name); /* it does not count yet */
		free(word->nodes);
		return -1;
	}
	for (size_t i = first; i < end; i++) {
		if (!has_nodes(&places[i]))
			continue;
		put_head(heads, names, places[i].m->nodes);
		put_head(addresses, names,
			 places[i].m->address ? places[i].m->address : "");
		break;
	}
	for (size_t i = first; i < end; i++) {
		w->of[places[i].member] = w->n;
		w->rank[places[i].member] = (uint32_t)(i - first);
	}
	w->n++;
	return 0;
}

int sgang_role_words_make(struct sgang_role_words *w,
			  const struct sgang_worded *members, uint32_t n)
{
	struct place *places = calloc(n + 1UL, sizeof(*places));
	size_t count = places ? list(members, n, places) : 0, end;
	size_t size;
	FILE *heads, *addresses;
	int rc = places ? 0 : -1;

	*w = (struct sgang_role_words){ .n = 0 };
	w->word = calloc(count + 1, sizeof(*w->word));
	w->of = calloc(n + 1UL, sizeof(*w->of));
	w->rank = calloc(n + 1UL, sizeof(*w->rank));
	heads = open_memstream(&w->heads, &size);
	addresses = open_memstream(&w->addresses, &size);
	if (!w->word || !w->of || !w->rank || !heads || !addresses)
		rc = -1;
	for (uint32_t i = 0; !rc && i < n; i++)
		w->of[i] = UINT32_MAX;
	for (size_t i = 0; !rc && i < count; i = end) {
		for (end = i + 1; end < count &&
				  !sgang_role_path_order(places[i].m->role,
							 places[end].m->role);)
			end++;
		rc = add_group(w, places, i, end, heads, addresses);
	}
	if (!sgang_text_close(heads, &w->heads)) {
		w->heads = NULL;
		rc = -1;
	}
	if (!sgang_text_close(addresses, &w->addresses)) {
		w->addresses = NULL;
		rc = -1;
	}
	free(places);
	return rc;
}

void sgang_role_words_clear(struct sgang_role_words *w)
{
	for (uint32_t i = 0; i < w->n; i++) {
		free(w->word[i].name);
		free(w->word[i].nodes);
	}
	free(w->word);
	free(w->of);
	free(w->rank);
	free(w->heads);
	free(w->addresses);
	*w = (struct sgang_role_words){ .n = 0 };
}

static void set(const struct sgang_host *h, struct sgang_job *job,
		const char *name, const char *text)
{
	if (strlen(text) < ENV_MAX)
		h->jobs.setenv(job, name, text);
}

void sgang_role_words_tell(const struct sgang_host *h,
			   const struct sgang_role_words *w, uint32_t member,
			   struct sgang_job *job)
{
	const struct sgang_role_word *word;
	char rank[24];

	if (!w->n || w->of[member] == UINT32_MAX)
		return;
	word = &w->word[w->of[member]];
	snprintf(rank, sizeof(rank), "%u", w->rank[member]);
	h->jobs.setenv(job, "SLURM_GANG_ROLE", word->name);
	h->jobs.setenv(job, "SLURM_GANG_ROLE_RANK", rank);
	set(h, job, "SLURM_GANG_ROLE_NODELIST", word->nodes);
	set(h, job, SGANG_EPOCH_HEADS, w->heads);
	set(h, job, SGANG_EPOCH_HEAD_ADDRS, w->addresses);
}

void sgang_role_words_tell_spare(const struct sgang_host *h,
				 const struct sgang_role_words *w,
				 const char *role, struct sgang_job *job)
{
	char names[SGANG_ROLE_SIZE];

	if (!w->n || !role[0])
		return;
	h->jobs.setenv(job, "SLURM_GANG_ROLE",
		       sgang_role_path_names(role, names));
	h->jobs.setenv(job, "SLURM_GANG_ROLE_RANK", "");
	set(h, job, SGANG_EPOCH_HEADS, w->heads);
	set(h, job, SGANG_EPOCH_HEAD_ADDRS, w->addresses);
}
