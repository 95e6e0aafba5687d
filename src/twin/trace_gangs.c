/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_gangs.c - which jobs of a recorded queue are a gang
 *
 * Jobs of one user that share a word, or a name, are sorted together. Where all
 * that came before are over when the next one is submitted, another gang of the
 * same name begins; in the same way where a rule says so. A gang gets a name
 * that slurm-gang would take: an RFC 1123 label, one for each gang of a user.
 */

#define _GNU_SOURCE /* tdestroy() */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/gang/spec.h"
#include "trace_private.h"

/* A job that may be a member. */
struct link {
	const char *user;
	const char *key;
	size_t job;
};

/* A name of a user: of a gang, or one that gangs would have liked. */
struct name {
	const char *user;
	const char *text;
	uint32_t next; /* the number behind it to try next */
	bool taken;
};

struct maker {
	struct sgang_trace_draft *draft;
	struct link *link;
	size_t n;
	void *names; /* of tsearch() */
};

static int no_memory(const struct maker *maker)
{
	return sgang_errf(maker->draft->err, ENOMEM, "%s: out of memory",
			  maker->draft->label);
}

/* ---- names ---- */

static int by_name(const void *a, const void *b)
{
	const struct name *x = a, *y = b;
	int rc = x->user == y->user ? 0 : strcmp(x->user, y->user);

	return rc ? rc : strcmp(x->text, y->text);
}

static struct name *find_name(struct maker *maker, const char *user,
			      const char *text)
{
	struct name wanted = { .user = user, .text = text }, *made;
	struct name *const *known = tfind(&wanted, &maker->names, by_name);

	if (known)
		return *known;
	made = sgang_pool_alloc(maker->draft->trace->memory, 1, sizeof(*made));
	wanted.text = sgang_trace_text(maker->draft, text);
	if (!made || !wanted.text)
		return NULL;
	*made = wanted;
	return tsearch(made, &maker->names, by_name) ? made : NULL;
}

/* What of a word can be a label: "Train_A" becomes "train-a". */
static void make_label(char label[SGANG_NAME_MAX + 1], const char *word)
{
	size_t length = 0;

	for (; *word && length < SGANG_NAME_MAX; word++) {
		unsigned char c = (unsigned char)*word;

		if (c < 0x80 && isalnum(c))
			label[length++] = (char)tolower(c);
		else if (length && label[length - 1] != '-')
			label[length++] = '-';
	}
	while (length && label[length - 1] == '-')
		length--;
	label[length] = '\0';
	if (!length)
		strcpy(label, "gang");
}

/* "train" and 2 are "train-2". */
static void add_number(char name[SGANG_NAME_MAX + 1], const char *label,
		       uint32_t number)
{
	char behind[16];
	int length = snprintf(behind, sizeof(behind), "-%" PRIu32, number);

	snprintf(name, SGANG_NAME_MAX + 1, "%.*s%s", SGANG_NAME_MAX - length,
		 label, behind);
}

/* The name of the next gang that 'word' stands for. */
static const char *next_name(struct maker *maker, const char *user,
			     const char *word, bool numbered)
{
	char label[SGANG_NAME_MAX + 1], text[SGANG_NAME_MAX + 1];
	struct name *base, *name;

	make_label(label, word);
	base = find_name(maker, user, label);
	name = base;
	if (base && !base->next)
		base->next = numbered ? 1 : 2;
	while (name && (name->taken || (numbered && name == base))) {
		add_number(text, label, base->next++);
		name = find_name(maker, user, text);
	}
	if (!name)
		return NULL;
	name->taken = true;
	return name->text;
}

/* ---- gangs ---- */

/* Where members of a namespace meet, it is part of the word: "ns/name". A user's
 * own namespace is left out. */
static const char *word_of(const struct link *link)
{
	size_t length = strlen(link->user);

	if (!strncmp(link->key, link->user, length) && link->key[length] == '/')
		return link->key + length + 1;
	return link->key;
}

static int disagree(const struct maker *maker,
		    const struct sgang_trace_job *first,
		    const struct sgang_trace_job *later)
{
	return sgang_errf(
		maker->draft->err, EINVAL,
		"%s:%u: gang-min-member is %u here and %u in line %u: "
		"all members of a gang say the same",
		maker->draft->label, later->line, later->min_member,
		first->min_member, first->line);
}

/* The minimum on which members 'from' to 'to' agree. Where they tell how many
 * have started together, the least of it. */
static int find_minimum(const struct maker *maker, size_t from, size_t to,
			uint32_t *minimum)
{
	const struct sgang_trace_job *jobs = maker->draft->trace->jobs;
	const struct sgang_trace_job *first = NULL, *job;
	size_t i;

	*minimum = 0;
	for (i = from; i < to; i++) {
		job = &jobs[maker->link[i].job];
		if (!job->min_member)
			continue;
		if (!first)
			first = job;
		if (maker->draft->min_observed &&
		    job->min_member < first->min_member)
			first = job;
		if (!maker->draft->min_observed &&
		    job->min_member != first->min_member)
			return disagree(maker, first, job);
	}
	if (first)
		*minimum = first->min_member;
	if (maker->draft->min_observed && *minimum > to - from)
		*minimum = 0; /* others are not in the trace */
	return 0;
}

static int make_gang(struct maker *maker, size_t from, size_t to)
{
	struct sgang_trace *trace = maker->draft->trace;
	bool rule = maker->draft->terms->gangs == SGANG_TRACE_GANGS_RULE;
	const struct link *first = &maker->link[from];
	const char *name;
	uint32_t minimum;
	size_t i;

	if (rule && to - from < 2)
		return 0;
	if (find_minimum(maker, from, to, &minimum))
		return -1;
	name = next_name(maker, first->user, word_of(first), rule);
	if (!name)
		return no_memory(maker);
	for (i = from; i < to; i++) {
		trace->jobs[maker->link[i].job].gang = name;
		trace->jobs[maker->link[i].job].min_member = minimum;
	}
	trace->n_gangs++;
	return 0;
}

/* Is the job 'next' of another gang than the one before? Those before end at
 * 'end', INT64_MAX where that is not known. */
static bool is_apart(const struct maker *maker, const struct link *next,
		     int64_t end)
{
	const struct sgang_trace_job *jobs = maker->draft->trace->jobs;
	const struct sgang_trace_terms *terms = maker->draft->terms;
	const struct link *before = next - 1;

	if (next->user != before->user || next->key != before->key)
		return true;
	if (terms->gangs == SGANG_TRACE_GANGS_RULE)
		return jobs[next->job].submit - jobs[before->job].submit >
		       terms->within;
	return jobs[next->job].submit >= end;
}

static int64_t end_of(const struct sgang_trace_job *job)
{
	return job->started ? job->started + job->run : INT64_MAX;
}

static int make_gangs(struct maker *maker)
{
	const struct sgang_trace_job *jobs = maker->draft->trace->jobs;
	int64_t end = 0, own;
	size_t from = 0, i;

	for (i = 0; i < maker->n; i++) {
		if (i > from && is_apart(maker, &maker->link[i], end)) {
			if (make_gang(maker, from, i))
				return -1;
			from = i;
			end = 0;
		}
		own = end_of(&jobs[maker->link[i].job]);
		if (own > end)
			end = own;
	}
	return from < maker->n ? make_gang(maker, from, maker->n) : 0;
}

static int by_key(const void *a, const void *b)
{
	const struct link *x = a, *y = b;
	int rc = x->user == y->user ? 0 : strcmp(x->user, y->user);

	if (!rc)
		rc = x->key == y->key ? 0 : strcmp(x->key, y->key);
	return rc ? rc : (x->job > y->job) - (x->job < y->job);
}

/* Who may be a member stands in 'link' then, and nobody is one. */
static void collect(struct maker *maker)
{
	const struct sgang_trace *trace = maker->draft->trace;
	enum sgang_trace_gangs gangs = maker->draft->terms->gangs;
	size_t i;

	for (i = 0; i < trace->n_jobs; i++) {
		struct sgang_trace_job *job = &trace->jobs[i];
		const char *key = gangs == SGANG_TRACE_GANGS_NONE ? "" :
				  gangs == SGANG_TRACE_GANGS_RULE ? job->name :
								    job->gang;

		job->gang = "";
		if (*key)
			maker->link[maker->n++] = (struct link){ job->user, key,
								 i };
	}
	qsort(maker->link, maker->n, sizeof(*maker->link), by_key);
}

/* Who is in no gang says nothing of one. */
static void clear_others(struct sgang_trace *trace)
{
	size_t i;

	for (i = 0; i < trace->n_jobs; i++) {
		if (*trace->jobs[i].gang)
			continue;
		trace->jobs[i].options = "";
		trace->jobs[i].min_member = 0;
	}
}

static void keep(void *name)
{
	(void)name;
}

int sgang_trace_gangs(struct sgang_trace_draft *draft)
{
	struct maker maker = { .draft = draft };
	int rc, saved;

	maker.link = malloc((draft->trace->n_jobs + 1) * sizeof(*maker.link));
	if (!maker.link)
		return no_memory(&maker);
	collect(&maker);
	rc = make_gangs(&maker);
	clear_others(draft->trace);
	saved = errno;
	tdestroy(maker.names, keep);
	free(maker.link);
	errno = saved;
	return rc;
}
