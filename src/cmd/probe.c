/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.c - what hwloc sees on this machine, and how it travels */

#include <errno.h>
#include <hwloc.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/probe.h"

/* slurmd cuts what a task prints after 1,024 bytes. */
#define LINE_MAX_BYTES 400

/* Elements of one line that identify the machine, or are not needed. hwloc
 * writes each element in a line of its own. */
static const char *const dropped[] = {
	"<info ",   "<page_type ", "<support ", "<userdata", "</userdata",
	"<memattr", "</memattr",   "<cpukind",  "</cpukind",
};
#define N_DROPPED (sizeof(dropped) / sizeof(dropped[0]))

static bool is_dropped(const char *line)
{
	size_t i;

	line += strspn(line, " \t");
	for (i = 0; i < N_DROPPED; i++)
		if (!strncmp(line, dropped[i], strlen(dropped[i])))
			return true;
	return false;
}

/* Copy the lines that are kept. NULL without memory. */
static char *anonymous(const char *xml)
{
	char *copy = malloc(strlen(xml) + 1), *to = copy;
	size_t length;

	for (; copy && *xml; xml += length) {
		length = strcspn(xml, "\n");
		length += xml[length] == '\n';
		if (is_dropped(xml))
			continue;
		memcpy(to, xml, length);
		to += length;
	}
	if (copy)
		*to = '\0';
	return copy;
}

static int discover(hwloc_topology_t hw)
{
	return hwloc_topology_set_flags(
		       hw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED) ||
			       hwloc_topology_set_cache_types_filter(
				       hw, HWLOC_TYPE_FILTER_KEEP_NONE) ||
			       hwloc_topology_set_icache_types_filter(
				       hw, HWLOC_TYPE_FILTER_KEEP_NONE) ||
			       hwloc_topology_set_io_types_filter(
				       hw, HWLOC_TYPE_FILTER_KEEP_IMPORTANT) ||
			       hwloc_topology_load(hw) ?
		       -1 :
		       0;
}

char *sgang_probe_xml(struct sgang_error *err)
{
	char *xml = NULL, *kept = NULL;
	hwloc_topology_t hw;
	int length;

	if (hwloc_topology_init(&hw)) {
		sgang_err_memory(err);
		return NULL;
	}
	if (discover(hw)) {
		sgang_errf(err, errno,
			   "hwloc cannot describe this machine: "
			   "%s",
			   strerror(errno));
	} else if (hwloc_topology_export_xmlbuffer(hw, &xml, &length, 0)) {
		sgang_errf(err, ENOMEM, "hwloc cannot write XML: %s",
			   strerror(errno));
	} else {
		kept = anonymous(xml);
		hwloc_free_xmlbuffer(hw, xml);
		if (!kept)
			sgang_err_memory(err);
	}
	hwloc_topology_destroy(hw);
	return kept;
}

void sgang_probe_print(const char *node, const char *xml, FILE *out)
{
	size_t used = 0;

	for (; *xml; xml++) {
		if (!used)
			fprintf(out, SGANG_PROBE_WORD "%s +", node);
		if (*xml == '\n')
			fputs("\\n", out);
		else if (*xml == '\\')
			fputs("\\\\", out);
		else
			fputc(*xml, out);
		if (++used == LINE_MAX_BYTES) {
			fputc('\n', out);
			used = 0;
		}
	}
	if (used)
		fputc('\n', out);
	fprintf(out, SGANG_PROBE_WORD "%s .\n", node);
}

void sgang_probe_unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		if (*text == '\\' && text[1])
			*to++ = *++text == 'n' ? '\n' : *text;
		else
			*to++ = *text;
	}
	*to = '\0';
}
