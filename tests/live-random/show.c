/* SPDX-License-Identifier: GPL-2.0-or-later */
/* show.c - what sgang says of a gang
 *
 * Its JSON is one line without blanks, so looking for "key": will do.
 */

#include <stdlib.h>
#include <string.h>

#include "client.h"

/* The answer, which the caller frees; NULL: it has none. */
static char *ask(const char *words, uint32_t number)
{
	char command[128], *text = NULL;
	size_t size = 0;
	FILE *in;

	snprintf(command, sizeof(command), "sgang %s g%u 2>/dev/null", words,
		 number);
	in = popen(command, "r");
	if (!in)
		return NULL;
	if (getdelim(&text, &size, '\0', in) < 1) {
		free(text);
		text = NULL;
	}
	if (pclose(in)) {
		free(text);
		text = NULL;
	}
	return text;
}

/* What stands behind "key":, or NULL. */
static const char *value_of(const char *text, const char *key)
{
	char quoted[64];
	const char *at;

	snprintf(quoted, sizeof(quoted), "\"%s\":", key);
	at = strstr(text, quoted);
	return at ? at + strlen(quoted) : NULL;
}

static bool is_number(const char *text, const char *key, uint32_t number)
{
	const char *value = value_of(text, key);

	return value && *value >= '0' && *value <= '9' &&
	       strtoul(value, NULL, 10) == number;
}

static bool is_string(const char *text, const char *key, const char *string)
{
	const char *value = value_of(text, key);
	size_t n = strlen(string);

	return value && *value == '"' && !strncmp(value + 1, string, n) &&
	       value[n + 1] == '"';
}

/* One rank of the map: is it on this node, of this member? */
static bool is_rank(const struct lr_cluster *c, const char *text, uint32_t rank,
		    uint32_t member, uint32_t id, uint32_t node)
{
	return is_number(text, "rank", rank) &&
	       is_number(text, "member", member) &&
	       is_number(text, "job_id", id) &&
	       is_string(text, "node", c->node[node].name);
}

/* Ranks of each node follow each other, in the order of the ring. A member with
 * a number of nodes has as many on each. */
static bool is_map(const struct lr_cluster *c, const struct lr_gang *g,
		   const uint32_t *ids, const struct lr_place *place,
		   const char *text)
{
	const char *at = strstr(text, "{\"rank\":");
	uint32_t rank = 0;

	for (uint32_t m = 0; m < g->n_members; m++) {
		uint32_t left = g->member[m].tasks;

		for (uint32_t i = 0; i < place[m].n; i++) {
			uint32_t n = 0;

			while (at && is_rank(c, at, rank, m, ids[m],
					     place[m].node[i])) {
				at = strstr(at + 1, "{\"rank\":");
				rank++;
				n++;
				if (g->member[m].nodes &&
				    n == g->member[m].tasks)
					break;
			}
			if (!n ||
			    (g->member[m].nodes && n != g->member[m].tasks))
				return false;
			left -= g->member[m].nodes ? 0 : n;
		}
		if (!g->member[m].nodes && left)
			return false;
	}
	return !at;
}

/* The number behind "key":, or LR_NONE. */
static uint32_t number_of(const char *text, const char *key)
{
	const char *value = value_of(text, key);

	return value && *value >= '0' && *value <= '9' ?
		       (uint32_t)strtoul(value, NULL, 10) :
		       LR_NONE;
}

uint32_t lr_read_map(const struct lr_cluster *c, uint32_t number,
		     struct lr_seat *seat, uint32_t most)
{
	char *map = ask("map --json", number);
	const char *at = map ? strstr(map, "{\"rank\":") : NULL;
	uint32_t n = 0;

	for (; at && n < most; at = strstr(at + 1, "{\"rank\":")) {
		const char *node = value_of(at, "node");
		char name[16];

		if (!node || sscanf(node, "\"%15[^\"]", name) != 1)
			break;
		seat[n].node = lr_node_called(c, name);
		seat[n].member = number_of(at, "member");
		seat[n].island = number_of(at, "island");
		/* of a node that is not described */
		if (seat[n].node != LR_NONE && seat[n].island == LR_NONE &&
		    c->node[seat[n].node].islands == 1)
			seat[n].island = 0;
		if (seat[n].node == LR_NONE)
			break;
		n++;
	}
	free(map);
	return at ? 0 : n;
}

const char *lr_wrong_map(const struct lr_cluster *c, const struct lr_gang *g,
			 const uint32_t *ids, const struct lr_place *place)
{
	char *map = ask("map --json", g->number);
	const char *wrong = NULL;

	if (!map)
		wrong = "sgang map: no answer";
	else if (!is_map(c, g, ids, place, map))
		wrong = "sgang map is not the order of SLURM_GANG_NODELIST";
	free(map);
	return wrong;
}

const char *lr_wrong_placement(const struct lr_gang *g, uint32_t cost,
			       uint32_t cross)
{
	char *show = ask("show --json", g->number);
	char *explain = ask("explain --json", g->number);
	const char *wrong = NULL;

	if (!show || !explain)
		wrong = "sgang show, explain: no answer";
	else if (!is_number(show, "ring_cost", cost) ||
		 !is_number(show, "cross_links", cross) ||
		 !is_number(show, "ranks", lr_ranks(g)) ||
		 !is_string(show, "phase", "Starting") ||
		 !is_number(show, "held", g->n_members))
		wrong = "sgang show says otherwise";
	else if (!is_number(explain, "ring_cost", cost) ||
		 !is_number(explain, "cross_links", cross))
		wrong = "sgang explain says otherwise";
	free(show);
	free(explain);
	return wrong;
}

const char *lr_wrong_wait(const struct lr_gang *g, const char *reason)
{
	char *show = ask("show --json", g->number);
	char *explain = ask("explain --json", g->number);
	const char *wrong = NULL;

	if (!show || !explain)
		wrong = "sgang show, explain: no answer";
	else if (!is_string(show, "phase", "Waiting") ||
		 !is_number(show, "pending", g->n_members) ||
		 !is_string(show, "reason", reason))
		wrong = "sgang show says otherwise";
	else if (!is_string(explain, "phase", "Waiting") ||
		 !is_string(explain, "reason", reason))
		wrong = "sgang explain says otherwise";
	free(show);
	free(explain);
	return wrong;
}
