/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_topo_check.c - is a text safe for hwloc to read?
 *
 * hwloc trusts its input. If a set of CPUs is left out, or a number is too
 * large, it does not refuse the file but crashes, and slurmctld with it. This
 * check looks at the tags first. Its messages also name the line, which hwloc
 * does not.
 */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "files/node_topo_private.h"

/* hwloc multiplies the number of rows with itself. */
#define MATRIX_ROWS_MAX 4096

/* hwloc makes room for all numbers up to the highest. */
#define INDEX_MAX 1000000

#define BLANKS " \t\r\n"

/* Objects without CPUs. */
static const char *const io_types[] = { "Bridge", "Misc", "OSDev", "PCIDev" };
#define N_IO_TYPES (sizeof(io_types) / sizeof(io_types[0]))

/* The attributes that all other objects must have. */
static const char *const cpu_keys[] = { "cpuset", "complete_cpuset", "nodeset",
					"complete_nodeset" };
#define N_CPU_KEYS (sizeof(cpu_keys) / sizeof(cpu_keys[0]))

struct checker {
	const char *label;
	const char *xml;
	bool has_pu;
	bool has_node;
	struct sgang_error *err;
};

/* Complain about what stands at 'where'. */
static int complain(const struct checker *c, const char *where,
		    const char *what)
{
	const char *p;
	unsigned int line = 1;

	for (p = c->xml; p < where; p++)
		line += *p == '\n';
	return sgang_errf(c->err, EINVAL, "%s:%u: %s", c->label, line, what);
}

/* The value of a key in a tag: what is behind key=" up to the quote. Copied to
 * 'value'; false: there is none, or it is longer than 'size' - 1. */
static bool get_value(const char *tag, const char *end, const char *key,
		      char *value, size_t size)
{
	size_t key_length = strlen(key), length;
	const char *p = tag;

	while ((p = memchr(p, '"', (size_t)(end - p)))) {
		const char *close = memchr(p + 1, '"', (size_t)(end - p - 1));
		const char *name = p - 1 - key_length;

		if (!close)
			return false;
		length = (size_t)(close - p - 1);
		if (name > tag && strchr(BLANKS, name[-1]) && p[-1] == '=' &&
		    !strncmp(name, key, key_length)) {
			if (length >= size)
				return false;
			memcpy(value, p + 1, length);
			value[length] = '\0';
			return true;
		}
		p = close + 1;
	}
	return false;
}

static bool is_io_type(const char *type)
{
	size_t i;

	for (i = 0; i < N_IO_TYPES; i++)
		if (!strcmp(type, io_types[i]))
			return true;
	return false;
}

/* "0x0000000f,,0x000000ff": words of 32 bits, of which all but the first may be
 * left out when they are 0. */
static bool is_set(const char *value)
{
	const char *word = value;
	size_t digits;

	for (;;) {
		if (!strncmp(word, "0x", 2)) {
			digits = strspn(word + 2, "0123456789abcdefABCDEF");
			if (digits < 1 || digits > 8)
				return false;
			word += 2 + digits;
		} else if (word == value) {
			return false;
		}
		if (!*word)
			return true;
		if (*word++ != ',')
			return false;
	}
}

static int check_cpu_object(struct checker *c, const char *tag, const char *end,
			    const char *type)
{
	char value[32768], what[SGANG_TEXT_SHOWN + 128];
	char shown[SGANG_TEXT_SHOWN];
	size_t i;

	for (i = 0; i < N_CPU_KEYS; i++) {
		if (get_value(tag, end, cpu_keys[i], value, sizeof(value)) &&
		    is_set(value))
			continue;
		snprintf(what, sizeof(what),
			 "the object of type \"%s\" has no "
			 "%s=\"0x...\"",
			 sgang_text_show(shown, type), cpu_keys[i]);
		return complain(c, tag, what);
	}
	return 0;
}

static int check_object(struct checker *c, const char *tag, const char *end)
{
	char type[32], index[32];
	uint64_t number;

	if (!get_value(tag, end, "type", type, sizeof(type)))
		return complain(c, tag, "an object without a type");
	if (get_value(tag, end, "os_index", index, sizeof(index)) &&
	    sgang_text_number(index, 0, INDEX_MAX, &number))
		return complain(c, tag,
				"os_index is not a number from 0 to "
				"1000000");
	if (!strcmp(type, "PU"))
		c->has_pu = true;
	if (!strcmp(type, "NUMANode"))
		c->has_node = true;
	return is_io_type(type) ? 0 : check_cpu_object(c, tag, end, type);
}

static int check_matrix(struct checker *c, const char *tag, const char *end)
{
	char rows[32];
	uint64_t number;

	if (get_value(tag, end, "nbobjs", rows, sizeof(rows)) &&
	    !sgang_text_number(rows, 1, MATRIX_ROWS_MAX, &number))
		return 0;
	return complain(c, tag,
			"expected a matrix with nbobjs=\"1\" to "
			"\"4096\"");
}

static bool is_tag(const char *tag, const char *name)
{
	size_t length = strlen(name);

	return !strncmp(tag + 1, name, length) &&
	       strchr(BLANKS "/>", tag[1 + length]);
}

/* The end of the tag that begins at 'tag'; quotes may hold a '>'. */
static const char *end_of_tag(const char *tag)
{
	bool quoted = false;

	for (; *tag && (quoted || *tag != '>'); tag++)
		quoted ^= *tag == '"';
	return *tag ? tag : NULL;
}

/* Does name="value" name="value" stand behind the name of the tag, and nothing
 * else? */
static bool is_well_formed(const char *tag, const char *end)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
	const char *p = tag + strcspn(tag, BLANKS "/>");

	for (;;) {
		p += strspn(p, BLANKS);
		if (p + (*p == '/') >= end)
			return true;
		if (!strspn(p, letters))
			return false;
		p += strspn(p, letters);
		if (strncmp(p, "=\"", 2))
			return false;
		p = memchr(p + 2, '"', (size_t)(end - p - 2));
		if (!p)
			return false;
		p++;
	}
}

static int check_tag(struct checker *c, const char *tag, const char *end)
{
	if (is_tag(tag, "object") && !is_well_formed(tag, end))
		return complain(c, tag, "expected name=\"value\" in the tag");
	if (is_tag(tag, "object"))
		return check_object(c, tag, end);
	if (is_tag(tag, "distances2") || is_tag(tag, "distances2hetero"))
		return check_matrix(c, tag, end);
	return 0;
}

int sgang_hwloc_text_check(const char *xml, const char *label,
			   struct sgang_error *err)
{
	struct checker c = { .label = label, .xml = xml, .err = err };
	const char *tag = xml, *end;

	while ((tag = strchr(tag, '<'))) {
		bool comment = !strncmp(tag, "<!--", 4);

		end = comment ? strstr(tag + 4, "-->") : end_of_tag(tag);
		if (!end)
			return complain(&c, tag,
					comment ? "a comment is not "
						  "closed" :
						  "a tag is not closed");
		if (!comment && check_tag(&c, tag, end))
			return -1;
		tag = end;
	}
	if (!c.has_pu || !c.has_node)
		return sgang_errf(err, EINVAL,
				  "%s: is no description of a "
				  "machine by hwloc; write one with lstopo "
				  "FILE.xml",
				  label);
	return 0;
}
