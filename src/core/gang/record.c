/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.c - the gang's record in a job's system_comment */

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/text.h"
#include "record.h"

static const char *const phases[SGANG_PHASES] = {
	[SGANG_PHASE_UNDEFINED] = "Undefined",
	[SGANG_PHASE_GATHERING] = "Gathering",
	[SGANG_PHASE_WAITING] = "Waiting",
	[SGANG_PHASE_HOLDING] = "Holding",
	[SGANG_PHASE_STARTING] = "Starting",
	[SGANG_PHASE_RUNNING] = "Running",
	[SGANG_PHASE_TIMEOUT] = "Timeout",
	[SGANG_PHASE_FAILED] = "Failed",
	[SGANG_PHASE_FINISHED] = "Finished",
	[SGANG_PHASE_CANCELLED] = "Cancelled",
	[SGANG_PHASE_TIME_LIMIT] = "TimeLimit",
};

const char *sgang_phase_name(enum sgang_phase phase)
{
	if ((unsigned int)phase >= SGANG_PHASES)
		return "Unknown";
	return phases[phase];
}

int sgang_phase_find(const char *name)
{
	int i;

	for (i = 0; name && i < SGANG_PHASES; i++)
		if (!strcasecmp(name, phases[i]))
			return i;
	return -1;
}

enum sgang_phase sgang_phase_of_verdict(enum sgang_verdict verdict)
{
	static const enum sgang_phase of[SGANG_VERDICTS] = {
		[SGANG_VERDICT_NONE] = SGANG_PHASE_UNDEFINED,
		[SGANG_VERDICT_FINISHED] = SGANG_PHASE_FINISHED,
		[SGANG_VERDICT_FAILED] = SGANG_PHASE_FAILED,
		[SGANG_VERDICT_CANCELLED] = SGANG_PHASE_CANCELLED,
		[SGANG_VERDICT_TIME_LIMIT] = SGANG_PHASE_TIME_LIMIT,
	};

	return of[verdict];
}

static const char *const hold_ends[SGANG_HOLD_ENDS] = {
	[SGANG_HOLD_END_NONE] = "none",
	[SGANG_HOLD_END_USER] = "user",
	[SGANG_HOLD_END_TIMEOUT] = "timeout",
	[SGANG_HOLD_END_PREEMPTED] = "preempted",
	[SGANG_HOLD_END_REPLACED] = "replaced",
	[SGANG_HOLD_END_NODE] = "node",
	[SGANG_HOLD_END_LIMIT] = "limit",
	[SGANG_HOLD_END_FAILED] = "failed",
	[SGANG_HOLD_END_INCOMPLETE] = "incomplete",
};

const char *sgang_hold_end_word(enum sgang_hold_end end)
{
	return ((unsigned int)end < SGANG_HOLD_ENDS) ? hold_ends[end] :
						       "unknown";
}

/* When a word must be there. */
enum need {
	OPTIONAL,
	SPARSE, /* left out when there is nothing to say */
	ALWAYS,
	PLACED,       /* all of these or none of them */
	SPARSE_PLACED /* as SPARSE, and only with those */
};

/* How much of a record is written, and how much must be there to be read. */
enum form { WHOLE, SHORT };

/* How a word's value is written; each kind has a row in kinds[]. */
enum kind {
	KIND_GANG, /* NAMESPACE/NAME */
	KIND_PHASE,
	KIND_RANK, /* member_rank/members */
	KIND_WAS,  /* the same of the last start */
	KIND_U32,
	KIND_U64,
	KIND_BOOL,
	KIND_TEXT, /* of another file, which knows what is in it */
	KIND_MODE,
	KIND_MATCH,
	KIND_ON_FAILURE,
	KIND_ON_STALE,
	KIND_ON_SUCCESS,
	KIND_ON_DRAIN,
	KIND_WAIT, /* seconds or UNLIMITED */
	KIND_GROUPS,
	KIND_HOLD_END,
	KIND_VERDICT,
	KIND_TIME,   /* seconds since the epoch */
	KIND_DEVICE, /* any */
	KIND_ORDER   /* node_order.h; is not in struct sgang_record */
};

/* The words in the order they are written: those that users read, then those
 * that the plugin and sgang need. To add one: a row here, a field in struct
 * sgang_record, a line in doc/formats. Only the first starts a record. */
static const struct word {
	const char *key;
	enum kind kind;
	enum need need;
	bool brief;          /* the short record has it too */
	size_t offset, size; /* of the field */
} words[] = {
#define AT(name)                             \
	offsetof(struct sgang_record, name), \
		sizeof(((struct sgang_record *)0)->name)
#define FIELD(name) false, AT(name)
#define BRIEF(name) true, AT(name)
	{ "gang", KIND_GANG, ALWAYS, true, 0, 0 },
	{ "phase", KIND_PHASE, ALWAYS, BRIEF(phase) },
	{ "rank", KIND_RANK, PLACED, true, 0, 0 },
	{ "ring", KIND_U64, PLACED, BRIEF(ring_cost) },
	{ "cross", KIND_U64, PLACED, BRIEF(cross_links) },
	{ "tier", KIND_TEXT, PLACED, BRIEF(tier) },
	{ "min", KIND_U32, ALWAYS, FIELD(min_member) },
	{ "total", KIND_U32, ALWAYS, FIELD(total) },
	{ "satisfied", KIND_BOOL, OPTIONAL, FIELD(satisfied) },
	{ "attempts", KIND_U32, OPTIONAL, FIELD(attempts) },
	{ "tried", KIND_U32, SPARSE, FIELD(tried) },
	{ "skipped", KIND_U32, SPARSE, FIELD(skipped) },
	{ "round", KIND_U32, SPARSE, FIELD(round) },
	{ "mode", KIND_MODE, SPARSE, FIELD(mode) },
	{ "match", KIND_MATCH, SPARSE, FIELD(match) },
	{ "onfailure", KIND_ON_FAILURE, SPARSE, FIELD(on_failure) },
	{ "maxrestarts", KIND_U32, SPARSE, FIELD(max_restarts) },
	{ "onstale", KIND_ON_STALE, SPARSE, FIELD(on_stale) },
	{ "stalegrace", KIND_WAIT, SPARSE, FIELD(stale_grace) },
	{ "onsuccess", KIND_ON_SUCCESS, SPARSE, FIELD(on_success) },
	{ "ondrain", KIND_ON_DRAIN, SPARSE, FIELD(on_drain) },
	{ "wait", KIND_WAIT, SPARSE, FIELD(waiting_time) },
	{ "groups", KIND_GROUPS, SPARSE, FIELD(groups) },
	{ "role", KIND_TEXT, SPARSE, FIELD(role) },
	{ "rootmin", KIND_U32, SPARSE, FIELD(root_min) },
	{ "asks", KIND_TEXT, SPARSE, FIELD(asks) },
	{ "created", KIND_TIME, SPARSE, FIELD(created) },
	{ "since", KIND_TIME, SPARSE, FIELD(since) },
	{ "until", KIND_TIME, SPARSE, FIELD(until) },
	{ "started", KIND_TIME, SPARSE, FIELD(started) },
	{ "holdend", KIND_HOLD_END, SPARSE, FIELD(hold_end) },
	{ "heldfor", KIND_U32, SPARSE, BRIEF(held_for) },
	{ "object", KIND_BOOL, SPARSE, FIELD(object) },
	{ "lacks", KIND_TEXT, SPARSE, FIELD(lacks) },
	{ "unit", KIND_TEXT, SPARSE, FIELD(unit) },
	{ "helps", KIND_TEXT, SPARSE, FIELD(helps) },
	{ "claim", KIND_TEXT, SPARSE, FIELD(claim) },
	{ "claimed", KIND_TIME, SPARSE, FIELD(claimed) },
	{ "victims", KIND_TEXT, SPARSE, FIELD(victims) },
	{ "would", KIND_TEXT, SPARSE, FIELD(would) },
	{ "preempts", KIND_TEXT, SPARSE, FIELD(preempts) },
	{ "evicted", KIND_BOOL, SPARSE, FIELD(evicted) },
	{ "stale", KIND_TIME, SPARSE, FIELD(stale) },
	{ "done", KIND_U32, SPARSE, FIELD(done) },
	{ "success", KIND_BOOL, SPARSE, FIELD(success) },
	{ "itself", KIND_BOOL, SPARSE, FIELD(by_itself) },
	{ "replaced", KIND_BOOL, SPARSE, FIELD(replaced) },
	{ "verdict", KIND_VERDICT, SPARSE, BRIEF(verdict) },
	{ "recall", KIND_TIME, SPARSE, FIELD(recall) },
	{ "leaves", KIND_TIME, SPARSE, FIELD(leaves) },
	{ "stays", KIND_TEXT, SPARSE, FIELD(stays) },
	{ "userhold", KIND_BOOL, SPARSE, FIELD(user_hold) },
	{ "spare", KIND_BOOL, SPARSE, FIELD(spare) },
	{ "cold", KIND_BOOL, SPARSE, FIELD(cold) },
	{ "pool", KIND_BOOL, SPARSE, FIELD(pool) },
	{ "placeholder", KIND_BOOL, SPARSE, BRIEF(placeholder) },
	{ "came", KIND_BOOL, SPARSE, FIELD(came) },
	{ "ended", KIND_TEXT, SPARSE, BRIEF(ended) },
	{ "restart", KIND_TIME, SPARSE, FIELD(restart) },
	{ "place", KIND_U64, SPARSE, FIELD(place) },
	{ "was", KIND_WAS, SPARSE, FIELD(was) },
	{ "kept", KIND_TEXT, SPARSE, FIELD(kept) },
	{ "keptuntil", KIND_TIME, SPARSE, FIELD(kept_until) },
	{ "lost", KIND_TEXT, SPARSE, FIELD(lost) },
	{ "epoch", KIND_U32, SPARSE, FIELD(epoch) },
	{ "epochof", KIND_U32, SPARSE, FIELD(epoch_who) },
	{ "best", KIND_U64, PLACED, FIELD(ring_best) },
	{ "off", KIND_U64, PLACED, FIELD(rank_offset) },
	{ "ranks", KIND_U64, PLACED, FIELD(ranks) },
	{ "exact", KIND_BOOL, PLACED, FIELD(exact) },
	{ "hops", KIND_TEXT, SPARSE_PLACED, FIELD(hops) },
	{ "bound", KIND_U64, SPARSE_PLACED, FIELD(bound) },
	{ "stock", KIND_U64, SPARSE_PLACED, FIELD(stock_cost) },
	{ "stockest", KIND_BOOL, SPARSE_PLACED, FIELD(stock_estimate) },
	{ "sorted", KIND_BOOL, SPARSE_PLACED, FIELD(sorted) },
	{ "ordercost", KIND_U64, SPARSE_PLACED, FIELD(order_cost) },
	{ "device", KIND_DEVICE, SPARSE_PLACED, FIELD(any_device) },
	{ "wcost", KIND_U64, SPARSE_PLACED, FIELD(weighted_cost) },
	{ "wbest", KIND_U64, SPARSE_PLACED, FIELD(weighted_best) },
	{ "others", KIND_TEXT, SPARSE_PLACED, FIELD(others) },
	{ "choice", KIND_TEXT, SPARSE_PLACED, FIELD(choice) },
	{ "layout", KIND_TEXT, SPARSE_PLACED, FIELD(layout) },
	{ "at", KIND_TEXT, SPARSE_PLACED, FIELD(at) },
	{ "order", KIND_ORDER, SPARSE_PLACED, FIELD(ordered) },
#undef BRIEF
#undef FIELD
#undef AT
};
#define N_WORDS (sizeof(words) / sizeof(words[0]))

/* -- kinds: 'field' is that of the word, or of none the record -- */

static void put_gang(FILE *out, const void *field)
{
	const struct sgang_record *r = field;

	fprintf(out, "%s%s%s", r->ns, r->ns[0] ? "/" : "", r->name);
}

static bool get_gang(void *field, size_t size, const char *value)
{
	struct sgang_record *r = field;
	const char *slash = strrchr(value, '/');
	const char *name = slash ? slash + 1 : value;
	size_t ns_length = slash ? (size_t)(slash - value) : 0;

	(void)size;
	if (!*name || strlen(name) >= sizeof(r->name) ||
	    ns_length >= sizeof(r->ns) || slash == value)
		return false;
	memcpy(r->ns, value, ns_length);
	r->ns[ns_length] = '\0';
	strcpy(r->name, name);
	return true;
}

static void put_phase(FILE *out, const void *field)
{
	const char *p;

	for (p = sgang_phase_name(*(const enum sgang_phase *)field); *p; p++)
		fputc(tolower((unsigned char)*p), out);
}

static bool get_phase(void *field, size_t size, const char *value)
{
	int phase = sgang_phase_find(value);

	(void)size;
	if (phase < 0)
		return false;
	*(enum sgang_phase *)field = (enum sgang_phase)phase;
	return true;
}

static void put_u32(FILE *out, const void *field)
{
	fprintf(out, "%" PRIu32, *(const uint32_t *)field);
}

static bool get_u32(void *field, size_t size, const char *value)
{
	uint64_t number;

	(void)size;
	if (sgang_text_number(value, 0, UINT32_MAX, &number))
		return false;
	*(uint32_t *)field = (uint32_t)number;
	return true;
}

static void put_u64(FILE *out, const void *field)
{
	fprintf(out, "%" PRIu64, *(const uint64_t *)field);
}

static bool get_u64(void *field, size_t size, const char *value)
{
	(void)size;
	return !sgang_text_number(value, 0, UINT64_MAX, field);
}

static void put_bool(FILE *out, const void *field)
{
	fputc(*(const bool *)field ? '1' : '0', out);
}

static bool get_bool(void *field, size_t size, const char *value)
{
	(void)size;
	if (strcmp(value, "0") && strcmp(value, "1"))
		return false;
	*(bool *)field = value[0] == '1';
	return true;
}

static void put_rank(FILE *out, const void *field)
{
	const struct sgang_record *r = field;

	fprintf(out, "%" PRIu32 "/%" PRIu32, r->member_rank, r->members);
}

static bool get_pair(const char *value, uint32_t *a, uint32_t *b)
{
	const char *slash = strchr(value, '/');
	char first[16];

	if (!slash || (size_t)(slash - value) >= sizeof(first))
		return false;
	memcpy(first, value, (size_t)(slash - value));
	first[slash - value] = '\0';
	return get_u32(a, sizeof(*a), first) &&
	       get_u32(b, sizeof(*b), slash + 1);
}

static bool get_rank(void *field, size_t size, const char *value)
{
	struct sgang_record *r = field;

	(void)size;
	return get_pair(value, &r->member_rank, &r->members);
}

static void put_was(FILE *out, const void *field)
{
	const struct sgang_was *was = field;

	fprintf(out, "%" PRIu32 "/%" PRIu32, was->rank, was->members);
}

static bool get_was(void *field, size_t size, const char *value)
{
	struct sgang_was *was = field;

	(void)size;
	return get_pair(value, &was->rank, &was->members) &&
	       was->rank < was->members;
}

static void put_text(FILE *out, const void *field)
{
	fputs(field, out);
}

static bool get_text(void *field, size_t size, const char *value)
{
	if (strlen(value) >= size)
		return false;
	strcpy(field, value);
	return true;
}

/* The gang's options in a record are read as options are, so that both know the
 * same words and a record cannot have a value that no option allows. */
static bool get_option(struct sgang_spec *said, const char *option,
		       const char *value)
{
	sgang_spec_init(said);
	return !sgang_spec_set(said, option, value, NULL);
}

static void put_mode(FILE *out, const void *field)
{
	fputs(sgang_mode_word(*(const enum sgang_mode *)field), out);
}

static bool get_mode(void *field, size_t size, const char *value)
{
	struct sgang_spec said;

	if (!get_option(&said, "gang-mode", value))
		return false;
	memcpy(field, &said.mode, size);
	return true;
}

static void put_match(FILE *out, const void *field)
{
	fputs(sgang_match_word(*(const enum sgang_match *)field), out);
}

static bool get_match(void *field, size_t size, const char *value)
{
	struct sgang_spec said;

	if (!get_option(&said, "gang-match", value))
		return false;
	memcpy(field, &said.match, size);
	return true;
}

static void put_on_failure(FILE *out, const void *field)
{
	fputs(sgang_on_failure_word(*(const enum sgang_on_failure *)field),
	      out);
}

static bool get_on_failure(void *field, size_t size, const char *value)
{
	struct sgang_spec said;

	if (!get_option(&said, "gang-on-failure", value))
		return false;
	memcpy(field, &said.on_failure, size);
	return true;
}

static bool get_on_drain(void *field, size_t size, const char *value)
{
	struct sgang_spec said;

	if (!get_option(&said, "gang-on-drain", value))
		return false;
	memcpy(field, &said.on_drain, size);
	return true;
}

static void put_on_success(FILE *out, const void *field)
{
	char text[SGANG_ON_SUCCESS_SHOWN];

	sgang_on_success_show(text, sizeof(text), *(const uint32_t *)field);
	fputs(text, out);
}

static bool get_on_success(void *field, size_t size, const char *value)
{
	struct sgang_spec said;

	if (!get_option(&said, "gang-on-success", value))
		return false;
	memcpy(field, &said.on_success, size);
	return true;
}

static void put_wait(FILE *out, const void *field)
{
	if (*(const uint32_t *)field == SGANG_FOREVER)
		fputs("UNLIMITED", out);
	else
		put_u32(out, field);
}

static bool get_wait(void *field, size_t size, const char *value)
{
	if (strcmp(value, "UNLIMITED"))
		return get_u32(field, size, value);
	*(uint32_t *)field = SGANG_FOREVER;
	return true;
}

static bool get_groups(void *field, size_t size, const char *value)
{
	struct sgang_spec said;

	if (!get_option(&said, "gang-groups", value))
		return false;
	memcpy(field, said.groups, size);
	return true;
}

static void put_hold_end(FILE *out, const void *field)
{
	fputs(sgang_hold_end_word(*(const enum sgang_hold_end *)field), out);
}

/* A newer version may know more of them: what ended a hold is no reason to lose
 * the record. */
static bool get_hold_end(void *field, size_t size, const char *value)
{
	enum sgang_hold_end end = SGANG_HOLD_END_NONE;

	for (int i = 1; i < SGANG_HOLD_ENDS; i++)
		if (!strcmp(value, hold_ends[i]))
			end = (enum sgang_hold_end)i;
	memcpy(field, &end, size);
	return true;
}

static void put_verdict(FILE *out, const void *field)
{
	fputs(sgang_verdict_word(*(const enum sgang_verdict *)field), out);
}

/* Of a word of a newer version nothing is known. */
static bool get_verdict(void *field, size_t size, const char *value)
{
	int found = sgang_verdict_find(value);
	enum sgang_verdict verdict = found < 0 ? SGANG_VERDICT_NONE :
						 (enum sgang_verdict)found;

	memcpy(field, &verdict, size);
	return true;
}

static void put_time(FILE *out, const void *field)
{
	fprintf(out, "%" PRId64, *(const int64_t *)field);
}

static bool get_time(void *field, size_t size, const char *value)
{
	(void)size;
	return !sgang_text_number(value, 0, INT64_MAX, field);
}

static void put_device(FILE *out, const void *field)
{
	(void)field;
	fputs("any", out);
}

static bool get_device(void *field, size_t size, const char *value)
{
	(void)size;
	*(bool *)field = true;
	return !strcmp(value, "any");
}

static const struct {
	void (*put)(FILE *out, const void *field);
	bool (*get)(void *field, size_t size, const char *value);
} kinds[] = {
	[KIND_GANG] = { put_gang, get_gang },
	[KIND_PHASE] = { put_phase, get_phase },
	[KIND_RANK] = { put_rank, get_rank },
	[KIND_WAS] = { put_was, get_was },
	[KIND_U32] = { put_u32, get_u32 },
	[KIND_U64] = { put_u64, get_u64 },
	[KIND_BOOL] = { put_bool, get_bool },
	[KIND_TEXT] = { put_text, get_text },
	[KIND_MODE] = { put_mode, get_mode },
	[KIND_MATCH] = { put_match, get_match },
	[KIND_ON_FAILURE] = { put_on_failure, get_on_failure },
	[KIND_ON_STALE] = { put_on_failure, get_on_failure },
	[KIND_ON_SUCCESS] = { put_on_success, get_on_success },
	[KIND_ON_DRAIN] = { put_on_failure, get_on_drain },
	[KIND_WAIT] = { put_wait, get_wait },
	[KIND_GROUPS] = { put_text, get_groups },
	[KIND_HOLD_END] = { put_hold_end, get_hold_end },
	[KIND_VERDICT] = { put_verdict, get_verdict },
	[KIND_TIME] = { put_time, get_time },
	[KIND_DEVICE] = { put_device, get_device },
	[KIND_ORDER] = { NULL, NULL },
};

/* True if the value is empty; for a text the first byte tells. */
static bool says_nothing(const struct word *word, const void *field)
{
	static const char nothing[sizeof(uint64_t)];

	switch (word->kind) {
	case KIND_TEXT:
	case KIND_GROUPS:
		return !*(const char *)field;
	case KIND_TIME:
		return *(const int64_t *)field <= 0;
	default:
		return !memcmp(field, nothing, word->size);
	}
}

/* A word at the start of 'text' that looks like key=value: its length, 0 when
 * there is none; '*key' is the length of the key. */
static size_t scan_word(const char *text, size_t *key)
{
	*key = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
	if (!*key || text[*key] != '=')
		return 0;
	return strcspn(text, " \t\r\n");
}

static const struct word *find_word(const char *text, size_t key)
{
	size_t i;

	for (i = 0; i < N_WORDS; i++)
		if (strlen(words[i].key) == key &&
		    !memcmp(words[i].key, text, key))
			return &words[i];
	return NULL;
}

/* Read one word into the record. False: it is one of ours, and spoilt. */
static bool read_word(struct sgang_record *r, bool seen[N_WORDS],
		      const char *text, size_t key, size_t length)
{
	const struct word *word = find_word(text, key);
	char value[SGANG_GROUPS_SIZE]; /* the longest there is */

	if (!word)
		return true;
	length -= key + 1;
	if (seen[word - words])
		return false;
	seen[word - words] = true;
	if (word->kind == KIND_ORDER) {
		r->ordered = true;
		return length;
	}
	if (length >= sizeof(value))
		return false;
	memcpy(value, text + key + 1, length);
	value[length] = '\0';
	return kinds[word->kind].get((char *)r + word->offset, word->size,
				     value);
}

/* Words about a placement mean nothing without one. */
static void forget_placement(struct sgang_record *r)
{
	for (size_t i = 0; i < N_WORDS; i++)
		if (words[i].need == SPARSE_PLACED)
			memset((char *)r + words[i].offset, 0, words[i].size);
}

static bool is_complete(struct sgang_record *r, const bool seen[N_WORDS],
			enum form form)
{
	size_t i, placed = 0, missing = 0;

	for (i = 0; i < N_WORDS; i++) {
		if (form == SHORT && !words[i].brief)
			continue;
		if (words[i].need == ALWAYS && !seen[i])
			return false;
		if (words[i].need == PLACED && seen[i])
			placed++;
		if (words[i].need == PLACED && !seen[i])
			missing++;
	}
	r->placed = placed > 0;
	if (!placed)
		forget_placement(r);
	return !placed || !missing;
}

/* Read the record that begins at 'text'. Returns its length, 0 if there is
 * none. The record ends before the first word that is no key=value. */
static size_t read_record(const char *text, enum form form,
			  struct sgang_record *record)
{
	struct sgang_record r = { .name = "" };
	bool seen[N_WORDS] = { false };
	size_t length, key, end = 0, at = 0;

	if (strncmp(text, "gang=", 5))
		return 0;
	while ((length = scan_word(text + at, &key))) {
		if (!read_word(&r, seen, text + at, key, length))
			return 0;
		end = at + length;
		at = end + strspn(text + end, " ");
	}
	if (!is_complete(&r, seen, form))
		return 0;
	*record = r;
	return end;
}

/* The last record in 'text': its length and where it begins. */
static size_t find_record(const char *text, enum form form, size_t *start,
			  struct sgang_record *record)
{
	size_t i, length, last = 0;

	for (i = 0; text[i]; i++) {
		if (i && !isspace((unsigned char)text[i - 1]))
			continue;
		length = read_record(text + i, form, record);
		if (length) {
			last = length;
			*start = i;
		}
	}
	return last;
}

/* 'foreign' without the record in it, whole or short, and without blanks at its
 * end. */
static void put_foreign(FILE *out, const char *foreign)
{
	struct sgang_record old;
	size_t start = 0, length = find_record(foreign, SHORT, &start, &old);
	size_t before = length ? start : strlen(foreign);
	const char *after = foreign + start + length;

	while (before && isspace((unsigned char)foreign[before - 1]))
		before--;
	fwrite(foreign, 1, before, out);
	if (before)
		fputc(' ', out);
	if (!length)
		return;
	after += strspn(after, " ");
	fputs(after, out);
	if (*after)
		fputc(' ', out);
}

static bool is_written(const struct sgang_record *record,
		       const struct word *word, enum form form)
{
	const void *field = (const char *)record + word->offset;

	if (form == SHORT && !word->brief)
		return false;
	switch (word->need) {
	case PLACED:
		return record->placed;
	case SPARSE_PLACED:
		return record->placed && !says_nothing(word, field);
	case SPARSE:
		return !says_nothing(word, field);
	default:
		return true;
	}
}

/* 'order': the value of order=; NULL: there is none. */
static char *format(const struct sgang_record *record, enum form form,
		    const char *order, const char *foreign)
{
	char *text = NULL;
	size_t size = 0, i;
	FILE *out = open_memstream(&text, &size);

	if (out && foreign)
		put_foreign(out, foreign);
	for (i = 0; out && i < N_WORDS; i++) {
		const void *field = (const char *)record + words[i].offset;

		if (!is_written(record, &words[i], form) ||
		    (words[i].kind == KIND_ORDER && !order))
			continue;
		fprintf(out, "%s%s=", i ? " " : "", words[i].key);
		if (words[i].kind == KIND_ORDER)
			fputs(order, out);
		else
			kinds[words[i].kind].put(out, field);
	}
	return sgang_text_close(out, &text);
}

char *sgang_record_format(const struct sgang_record *record,
			  const char *foreign)
{
	char *order = NULL, *text;

	if (record->placed && record->ordered)
		order = sgang_record_order(foreign);
	if (!order && record->placed && record->ordered && errno == ENOMEM)
		return NULL;
	text = format(record, WHOLE, order, foreign);
	free(order);
	return text;
}

char *sgang_record_format_ordered(const struct sgang_record *record,
				  const char *order, const char *foreign)
{
	return format(record, WHOLE, order, foreign);
}

char *sgang_record_order(const char *text)
{
	struct sgang_record found;
	size_t start, length, key, at = 0;

	errno = ENOENT;
	if (!text || !find_record(text, WHOLE, &start, &found) ||
	    !found.ordered)
		return NULL;
	while ((length = scan_word(text + start + at, &key))) {
		const char *word = text + start + at;

		if (key == 5 && !memcmp(word, "order", key))
			return strndup(word + key + 1, length - key - 1);
		at += length;
		at += strspn(text + start + at, " ");
	}
	return NULL;
}

char *sgang_record_brief(const struct sgang_record *record, const char *foreign)
{
	return format(record, SHORT, NULL, foreign);
}

static int parse(const char *text, enum form form, struct sgang_record *record)
{
	struct sgang_record found;
	size_t start;

	if (!text || !find_record(text, form, &start, &found))
		return 0;
	*record = found;
	return 1;
}

int sgang_record_parse(const char *text, struct sgang_record *record)
{
	return parse(text, WHOLE, record);
}

int sgang_record_parse_brief(const char *text, struct sgang_record *record)
{
	return parse(text, SHORT, record);
}

/* Seen for every job that has ended in every pass, so it is not parsed. */
bool sgang_record_has_ended(const char *text)
{
	return strstr(text, " phase=finished") || strstr(text, " phase=failed");
}

struct sgang_was sgang_record_was(const struct sgang_record *record)
{
	struct sgang_was was = { record->member_rank, record->members };

	return record->placed ? was : record->was;
}
