/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_records.c - what scontrol show topology prints, as a topology.yaml */

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "files/fabric_records.h"

/* NULL: it is not there. */
struct record {
	const char *name; /* of the switch or block; a larger block has none */
	const char *nodes, *switches, *size;
};

/* Slurm joins blocks by at most 16 sizes. */
#define SIZES_MAX 32

struct writer {
	FILE *out;
	const char *size[SIZES_MAX]; /* of blocks, in their order */
	size_t n_sizes;
	bool blocks, any;
};

static const char *value_of(const char *word, const char *key)
{
	size_t length = strlen(key);

	return strncmp(word, key, length) ? NULL : word + length;
}

static struct record take_apart(char *line)
{
	struct record record = { NULL };
	const char *value;
	char *word;

	while ((word = strsep(&line, " "))) {
		if ((value = value_of(word, "SwitchName=")) ||
		    (value = value_of(word, "BlockName=")))
			record.name = value;
		else if ((value = value_of(word, "Nodes=")) && *value)
			record.nodes = value;
		else if ((value = value_of(word, "Switches=")))
			record.switches = value;
		else if ((value = value_of(word, "BlockSize=")))
			record.size = value;
	}
	return record;
}

/* Blocks of one size follow each other, the smallest first. */
static void note_size(struct writer *w, const char *size)
{
	if (w->n_sizes < SIZES_MAX &&
	    (!w->n_sizes || strcmp(w->size[w->n_sizes - 1], size)))
		w->size[w->n_sizes++] = size;
}

/* The record of a switch with switches has the nodes of all that is below. */
static void write_record(struct writer *w, const struct record *record)
{
	if (record->size)
		note_size(w, record->size);
	if (!record->name)
		return;
	w->any = true;
	fprintf(w->out, "      - %s: \"%s\"\n", w->blocks ? "block" : "switch",
		record->name);
	if (record->switches)
		fprintf(w->out, "        children: \"%s\"\n", record->switches);
	else if (record->nodes)
		fprintf(w->out, "        nodes: \"%s\"\n", record->nodes);
}

static void write_all(struct writer *w, char *records)
{
	char *line;
	size_t i;

	fprintf(w->out, "- topology: default\n  %s:\n    %s:\n",
		w->blocks ? "block" : "tree",
		w->blocks ? "blocks" : "switches");
	while ((line = strsep(&records, "\n"))) {
		struct record record = take_apart(line);

		write_record(w, &record);
	}
	for (i = 0; i < w->n_sizes; i++)
		fprintf(w->out, "%s%s%s", i ? ", " : "    block_sizes: [ ",
			w->size[i], i + 1 < w->n_sizes ? "" : " ]\n");
}

char *sgang_fabric_records_yaml(const char *records)
{
	struct writer w = { .blocks = strstr(records, "BlockName=") != NULL };
	char *copy = strdup(records), *text = NULL;
	bool good = false;
	size_t size;

	/* It is for people whose lines are short. */
	if (getenv("SLURM_TOPO_LEN")) {
		free(copy);
		errno = EINVAL;
		return NULL;
	}
	w.out = copy ? open_memstream(&text, &size) : NULL;
	if (w.out) {
		write_all(&w, copy);
		good = !fclose(w.out);
	}
	errno = good ? EINVAL : ENOMEM;
	if (!good || !w.any) {
		free(text);
		text = NULL;
	}
	free(copy);
	return text;
}
