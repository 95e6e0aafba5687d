/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_topo_check.c - is a text safe for hwloc to read?
 *
 * hwloc trusts its input. If a set of CPUs is left out, or a number is too
 * large, it does not refuse the file but crashes, and slurmctld with it. This
 * check looks at the tags first. Its messages also name the line, which hwloc
 * does not.
 */

#define _GNU_SOURCE /* memmem() */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "files/node_topo_private.h"

/* hwloc multiplies the number of rows with itself. */
#define MATRIX_ROWS_MAX 4096

/* hwloc makes room for all numbers of PUs and NUMA nodes up to the highest. */
#define INDEX_MAX 1000000

#define BLANKS " \t\r\n"

/* Objects without CPUs. */
static const char *const io_types[] = { "Bridge", "Misc", "OSDev", "PCIDev" };
#define N_IO_TYPES (sizeof(io_types) / sizeof(io_types[0]))

/* The attributes that all other objects must have. */
static const char *const cpu_keys[] = { "cpuset", "complete_cpuset", "nodeset",
					"complete_nodeset" };
#define N_CPU_KEYS (sizeof(cpu_keys) / sizeof(cpu_keys[0]))
#define N_SET_KEYS 2 /* of CPUs */

struct checker {
	const char *label;
	const char *xml;
	bool has_pu;
	bool has_node;
	bool is_old;         /* of hwloc 1 */
	bool has_nodeset;    /* any object has */
	const char *without; /* the first object without one; NULL: none */
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

static int lacks_set(const struct checker *c, const char *tag, const char *type,
		     const char *key)
{
	char what[SGANG_TEXT_SHOWN + 128], shown[SGANG_TEXT_SHOWN];

	snprintf(what, sizeof(what),
		 "the object of type \"%s\" has no "
		 "%s=\"0x...\"",
		 sgang_text_show(shown, type), key);
	return complain(c, tag, what);
}

static int check_cpu_object(struct checker *c, const char *tag, const char *end,
			    const char *type)
{
	char value[32768];
	size_t n = N_CPU_KEYS, i;

	/* hwloc 1 says nothing of memory where all CPUs have the same */
	if (memmem(tag, (size_t)(end - tag), "nodeset=", 8)) {
		c->has_nodeset = true;
	} else if (c->is_old) {
		c->without = c->without ? c->without : tag;
		n = N_SET_KEYS;
	}
	for (i = 0; i < n; i++)
		if (!get_value(tag, end, cpu_keys[i], value, sizeof(value)) ||
		    !is_set(value))
			return lacks_set(c, tag, type, cpu_keys[i]);
	return 0;
}

/* The numbers of others only name them: of a PCI device it has its domain, of a
 * package what the firmware says. */
static int check_index(struct checker *c, const char *tag, const char *end,
		       bool counted)
{
	uint64_t most = counted ? INDEX_MAX : UINT32_MAX, number;
	char index[32], what[80];

	if (!get_value(tag, end, "os_index", index, sizeof(index)) ||
	    !sgang_text_number(index, 0, most, &number))
		return 0;
	snprintf(what, sizeof(what),
		 "os_index is not a number from 0 to %" PRIu64, most);
	return complain(c, tag, what);
}

static int check_object(struct checker *c, const char *tag, const char *end)
{
	bool is_pu, is_node;
	char type[32];

	if (!get_value(tag, end, "type", type, sizeof(type)))
		return complain(c, tag, "an object without a type");
	is_pu = !strcmp(type, "PU");
	is_node = !strcmp(type, "NUMANode");
	c->has_pu |= is_pu;
	c->has_node |= is_node;
	if (check_index(c, tag, end, is_pu || is_node))
		return -1;
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
	if (is_tag(tag, "topology"))
		c->is_old = !memmem(tag, (size_t)(end - tag), "version=", 8);
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
	if (c.without && (c.has_node || c.has_nodeset))
		return complain(&c, c.without,
				"the object has no nodeset=\"0x...\", and "
				"others have");
	if (!c.has_pu || (!c.has_node && !c.without))
		return sgang_errf(err, EINVAL,
				  "%s: is no description of a "
				  "machine by hwloc; write one with lstopo "
				  "FILE.xml",
				  label);
	return 0;
}
