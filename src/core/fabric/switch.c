/* SPDX-License-Identifier: GPL-2.0-or-later */
/* switch.c - the lines of topology.conf that describe a tree of switches
 *
 *   SwitchName=leaf1 Nodes=n[1-16]
 *   SwitchName=leaf2 Nodes=n[17-32]
 *   SwitchName=spine Switches=leaf[1-2]
 */

#include <errno.h>
#include <strings.h>

#include "core/base/text.h"
#include "draft.h"

/* The keys in the order of the rule. */
enum { KEY_SWITCH, KEY_SWITCHES, KEY_NODES, KEY_SPEED };

static int complain(const struct sgang_conf_reader *reader,
		    struct sgang_place place, const char *what,
		    const char *word)
{
	char shown[SGANG_TEXT_SHOWN];

	return sgang_errf(reader->err, EINVAL, "%s:%u: %s \"%s\"", place.file,
			  place.line, what, sgang_text_show(shown, word));
}

/* LinkSpeed says nothing about where places are; it only has to be a
 * number. */
static int check_speed(const struct sgang_conf_reader *reader,
		       struct sgang_place place, const char *speed)
{
	uint64_t number;

	if (!strcasecmp(speed, "UNLIMITED") || !strcasecmp(speed, "INFINITE") ||
	    !sgang_text_number(speed, 0, UINT32_MAX, &number))
		return 0;
	return complain(reader, place, "expected a number for LinkSpeed, found",
			speed);
}

static int take_switch(struct sgang_conf_reader *reader,
		       struct sgang_place place,
		       char *const value[SGANG_LINE_KEYS])
{
	const char *name = value[KEY_SWITCH];
	uint32_t number;

	if (value[KEY_NODES] && value[KEY_SWITCHES])
		return complain(reader, place,
				"expected Nodes= or Switches=, "
				"found both for switch",
				name);
	if (!value[KEY_NODES] && !value[KEY_SWITCHES])
		return complain(reader, place,
				"expected Nodes= or Switches=, "
				"found neither for switch",
				name);
	if (value[KEY_SPEED] && check_speed(reader, place, value[KEY_SPEED]))
		return -1;
	if (sgang_draft_switch(reader->draft, name, place, &number,
			       reader->err))
		return -1;
	if (value[KEY_NODES])
		return sgang_draft_nodes(reader->draft, number,
					 value[KEY_NODES], place, reader->err);
	return sgang_draft_children(reader->draft, number, value[KEY_SWITCHES],
				    place, reader->err);
}

const struct sgang_line_rule sgang_switch_line = {
	.words = &sgang_switch_words,
	.key = { "SwitchName", "Switches", "Nodes", "LinkSpeed" },
	.take = take_switch,
};
