/* SPDX-License-Identifier: GPL-2.0-or-later */
/* site_shown.c - a cluster as scontrol prints it
 *
 *	NodeName=n1 Arch=x86_64 CPUTot=64 Gres=gpu:8 OS=Linux 6.1 #1 SMP
 *	   RealMemory=515000 Weight=1 Partitions=gpu,long Comment=to test
 *	PartitionName=gpu Default=YES MaxTime=1-00:00:00 Nodes=n[1-64]
 *
 * Some values have blanks in them, and users write the last ones: of a key that
 * is there twice the first counts. Without -o a record goes on in lines that
 * begin with blanks. If there is no record of a partition, what nodes say makes
 * them.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "site_private.h"

static const char node_key[] = "NodeName=";
static const char partition_key[] = "PartitionName=";

struct reader {
	struct sgang_site_draft *draft;
	struct sgang_place place; /* of the record at hand */
	bool of_nodes;            /* partitions are what nodes say */
};

static bool begins(const char *text, const char *key)
{
	return !strncmp(text, key, strlen(key));
}

/* Cut the next Key=Value off; words without '=' are passed over. */
static bool next_pair(char **text, char **key, char **value)
{
	while ((*key = strsep(text, " \t\r\n"))) {
		*value = strchr(*key, '=');
		if (!*value)
			continue;
		*(*value)++ = '\0';
		return true;
	}
	return false;
}

/* ---- nodes ---- */

/* What counts of a node. */
enum key { CPUS, GRES, MEMORY, WEIGHT, PARTITIONS, KEYS };

static const char *const names[KEYS] = { "CPUTot", "Gres", "RealMemory",
					 "Weight", "Partitions" };

static enum key find_key(const char *name)
{
	enum key key;

	for (key = 0; key < KEYS; key++)
		if (!strcmp(names[key], name))
			break;
	return key;
}

static int take_number(const struct reader *reader, enum key key,
		       const char *value, uint64_t max, uint64_t *number)
{
	return sgang_site_number(names[key], value, 0, max, number,
				 reader->place, reader->draft->err);
}

static int take_numbers(const struct reader *reader, const char *value[KEYS],
			struct sgang_site_node *node)
{
	uint64_t cpus, weight = 1;

	if (take_number(reader, CPUS, value[CPUS], UINT32_MAX, &cpus) ||
	    (value[MEMORY] && take_number(reader, MEMORY, value[MEMORY],
					  UINT64_MAX, &node->memory)) ||
	    (value[WEIGHT] &&
	     take_number(reader, WEIGHT, value[WEIGHT], UINT32_MAX, &weight)))
		return -1;
	node->cpus = (uint32_t)cpus;
	node->weight = (uint32_t)weight;
	if (!value[GRES] || !sgang_site_gpus(value[GRES], &node->gpus))
		return 0;
	if (errno == ENOMEM)
		return sgang_err_memory(reader->draft->err);
	return sgang_conf_complain(reader->place,
				   "expected Gres=gpu:TYPE:NUMBER, found",
				   value[GRES], reader->draft->err);
}

static int add_partition(const struct reader *reader, const char *name)
{
	const struct sgang_site_draft_set set = { .name = name,
						  .nodes = "",
						  .feature = name };
	struct sgang_site_draft_partition partition;

	sgang_site_partition_init(&partition);
	partition.partition.name = name;
	partition.nodes = name;
	return sgang_site_add_set(reader->draft, &set, reader->place) ||
			       sgang_site_add_partition(reader->draft,
							&partition,
							reader->place) ?
		       -1 :
		       0;
}

static bool is_known(const struct sgang_site_draft *draft, const char *name)
{
	size_t i;

	for (i = 0; i < draft->n_partitions; i++)
		if (!strcmp(draft->partitions[i].partition.name, name))
			return true;
	return false;
}

/* A partition is the set of the nodes that name it, as if that were a feature
 * of theirs. */
static int add_partitions(const struct reader *reader, const char *list)
{
	char *copy = strdup(list), *rest = copy, *name;
	int rc = 0;

	if (!copy)
		return sgang_err_memory(reader->draft->err);
	while (!rc && (name = strsep(&rest, ",")))
		if (*name && !is_known(reader->draft, name))
			rc = add_partition(reader, name);
	free(copy);
	return rc;
}

static int read_node(const struct reader *reader, char *text)
{
	struct sgang_site_draft_node node = { .features = "" };
	const char *value[KEYS] = { NULL }, *list;
	char *name, *word, *key;

	next_pair(&text, &key, &name);
	while (next_pair(&text, &key, &word)) {
		enum key found = find_key(key);

		if (found < KEYS && !value[found])
			value[found] = word;
	}
	if (!value[CPUS])
		return sgang_conf_complain(reader->place,
					   "expected CPUTot=, as scontrol show "
					   "node prints it, for node",
					   name, reader->draft->err);
	if (take_numbers(reader, value, &node.node))
		return -1;
	list = value[PARTITIONS];
	if (reader->of_nodes && list) {
		node.features = sgang_site_text(reader->draft, list);
		if (!node.features || add_partitions(reader, list))
			return -1;
	}
	return sgang_site_add_nodes(reader->draft, name, &node, reader->place);
}

/* ---- records ---- */

static int read_partition(const struct reader *reader, char *text)
{
	struct sgang_site_draft_partition partition;
	char *key, *value;

	sgang_site_partition_init(&partition);
	next_pair(&text, &key, &value);
	partition.partition.name = value;
	while (next_pair(&text, &key, &value))
		if (sgang_site_partition_key(&partition, key, value,
					     reader->place,
					     reader->draft->err) < 0)
			return -1;
	return sgang_site_add_partition(reader->draft, &partition,
					reader->place);
}

/* Cut the next record off: a line and those behind it that begin with blanks.
 * '*lines' is how many. NULL at the end. */
static char *next_record(char **text, uint32_t *lines)
{
	char *record = *text, *end = record;

	*lines = 0;
	if (!*record)
		return NULL;
	do {
		end += strcspn(end, "\n");
		++*lines;
		if (!*end)
			break;
		end++;
	} while (*end == ' ' || *end == '\t');
	*text = end;
	if (end[-1] == '\n')
		end[-1] = '\0';
	return record;
}

static int read_record(const struct reader *reader, char *record)
{
	if (!record[strspn(record, " \t\r\n")])
		return 0;
	if (begins(record, node_key))
		return read_node(reader, record);
	if (begins(record, partition_key))
		return read_partition(reader, record);
	record[strcspn(record, " \t\r\n")] = '\0';
	return sgang_conf_complain(reader->place,
				   "expected NodeName= or PartitionName= at "
				   "the start of the line, found",
				   record, reader->draft->err);
}

static bool has_partitions(const char *text)
{
	const char *at;

	for (at = text; (at = strstr(at, partition_key)); at++)
		if (at == text || at[-1] == '\n')
			return true;
	return false;
}

int sgang_site_read_shown(struct sgang_site_draft *draft, const char *text,
			  const char *label)
{
	struct reader reader = { .draft = draft, .place = { label, 1 } };
	char *copy = strdup(text), *rest = copy, *record;
	uint32_t lines;
	int rc = 0, saved;

	if (!copy)
		return sgang_err_memory(draft->err);
	reader.of_nodes = !has_partitions(text);
	while (!rc && (record = next_record(&rest, &lines))) {
		rc = read_record(&reader, record);
		reader.place.line += lines;
	}
	saved = errno;
	free(copy);
	errno = saved;
	return rc;
}
