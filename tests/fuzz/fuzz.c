/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fuzz.c - every parser under libFuzzer; contrib/fuzz builds and runs it
 *
 * SGANG_FUZZ in the environment names the parser: a row of the table at the end.
 * What a parser returns is used and given up as its callers do it; beyond that
 * the sanitizers say what is wrong. A new parser is a function and a row, and a
 * folder of that name in tests/data/fuzz.
 */

#define _GNU_SOURCE /* memfd_create() */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cmd/gangfile.h"
#include "core/base/array.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/fabric/fabric.h"
#include "core/fabric/fabric_lines.h"
#include "core/fabric/parallel.h"
#include "core/gang/conf.h"
#include "core/gang/extra.h"
#include "core/gang/lists.h"
#include "core/gang/record.h"
#include "core/gang/spec.h"
#include "files/fabric_file.h"
#include "files/node_topo_hwloc.h"
#include "twin/site.h"
#include "twin/trace.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A promise of the parser that is not kept. */
static void must(bool kept, const char *what)
{
	if (kept)
		return;
	fprintf(stderr, "fuzz: %s\n", what);
	abort();
}

/* A message is one line of text. */
static void must_say(const struct sgang_error *err)
{
	must(err->text[0] && !strpbrk(err->text, "\n\t\033"),
	     "an error without a sentence of one line");
}

/* A file of this text, for parsers that read files. Its path is good until the
 * next call. */
static const char *file_of(const char *text, size_t size)
{
	static char path[32];
	static int fd = -1;

	if (fd < 0)
		fd = memfd_create("fuzz", MFD_CLOEXEC);
	must(fd >= 0 && !ftruncate(fd, 0) &&
		     pwrite(fd, text, size, 0) == (ssize_t)size,
	     "no file");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return path;
}

static const char *const nodes[] = {
	"n1", "n2", "n3", "n4", "n5", "n6", "n7", "n8", "a", "b", "c", "d",
};
#define NODES (sizeof(nodes) / sizeof(nodes[0]))

static void fuzz_fabric(const char *text, size_t size)
{
	struct sgang_fabric *fabric;
	struct sgang_error err;
	struct sgang_conf conf;

	sgang_conf_default(&conf);
	fabric = sgang_fabric_load_file(&conf, file_of(text, size), nodes,
					NODES, &err);
	if (fabric)
		must(sgang_fabric_nodes(fabric) == NODES, "nodes are lost");
	else
		must_say(&err);
	sgang_fabric_destroy(fabric);
	sgang_conf_free(&conf);
}

static void fuzz_fabric_lines(const char *text, size_t size)
{
	struct sgang_fabric *fabric;
	struct sgang_error err;

	(void)size;
	fabric = sgang_fabric_lines_read(text, "x", nodes, NODES, &err);
	if (fabric)
		must(sgang_fabric_nodes(fabric) == NODES, "nodes are lost");
	else
		must_say(&err);
	sgang_fabric_destroy(fabric);
}

static void fuzz_conf(const char *text, size_t size)
{
	struct sgang_fabric *fabric;
	struct sgang_error err;
	struct sgang_conf conf;

	if (sgang_conf_load(file_of(text, size), &conf, &err)) {
		must_say(&err);
		return;
	}
	fabric = sgang_fabric_load_file(&conf, NULL, nodes, NODES, &err);
	if (!fabric)
		must_say(&err);
	sgang_fabric_destroy(fabric);
	sgang_conf_free(&conf);
}

static void fuzz_hwloc(const char *text, size_t size)
{
	struct sgang_node_topo *topo;
	struct sgang_error err;

	(void)size;
	topo = sgang_node_topo_parse(text, "fuzz.xml", &err);
	if (!topo)
		must_say(&err);
	sgang_node_topo_destroy(topo);
}

/* A line for each option, "min-member=4". */
static void fuzz_spec(const char *text, size_t size)
{
	static const char prefix[] = "_SLURM_SPANK_OPTION_gang_";
	char *copy = strdup(text), *rest = copy, *line, *env[64];
	struct sgang_spec spec;
	struct sgang_error err;
	size_t n = 0;

	(void)size;
	must(copy != NULL, "no memory");
	while (n < 64 && (line = strsep(&rest, "\n"))) {
		must(asprintf(&env[n], "%s%s", prefix, line) >= 0, "no memory");
		n++;
	}
	if (sgang_spec_of_job(&spec, env, n, "alice", &err) < 0)
		must_say(&err);
	while (n)
		free(env[--n]);
	free(copy);
}

/* What was read and is written is read as the same. */
static void fuzz_record(const char *text, size_t size)
{
	struct sgang_record record, again;
	char *written, *twice;

	(void)size;
	(void)sgang_record_has_ended(text);
	(void)sgang_record_parse_brief(text, &record);
	if (sgang_record_parse(text, &record) != 1)
		return;
	written = sgang_record_format(&record, NULL);
	must(written && sgang_record_parse(written, &again) == 1,
	     "what was written cannot be read");
	twice = sgang_record_format(&again, NULL);
	must(twice && !strcmp(written, twice), "a record changes");
	free(written);
	free(twice);
}

/* Rows that were read have room when they are written again. */
static void fuzz_rows(const char *text)
{
	char others[SGANG_OTHERS_SIZE] = "", lacks[SGANG_LACKS_SIZE] = "";
	struct sgang_list_other other;
	struct sgang_list_lack lack;
	const char *at = text;

	while (strlen(text) < SGANG_OTHERS_SIZE &&
	       sgang_lists_next_other(&at, &other))
		must(sgang_lists_add_other(others, &other), "a row is lost");
	for (at = text; strlen(text) < SGANG_LACKS_SIZE &&
			sgang_lists_next_lack(&at, &lack);)
		must(sgang_lists_add_lack(lacks, &lack), "a row is lost");
}

static void fuzz_lists(const char *text, size_t size)
{
	char helps[SGANG_HELPS_SIZE], choices[SGANG_CHOICE_SIZE];
	char hops[SGANG_HOPS_SIZE];
	struct sgang_list_choice choice;
	struct sgang_list_help help;
	struct sgang_costs costs;
	struct sgang_ring ring;
	uint32_t rank[64];

	fuzz_rows(text);
	sgang_costs_default(&costs);
	if (!sgang_lists_read_hops(text, &costs, &ring))
		sgang_lists_write_hops(&ring, &costs, hops);
	if (sgang_lists_read_help(text, &help)) {
		sgang_lists_write_help(help.what, help.count, help.list, helps);
		must(sgang_lists_read_help(helps, &help), "helps are lost");
	}
	if (sgang_lists_read_choice(text, &choice)) {
		sgang_lists_write_choice(&choice, choices);
		must(sgang_lists_read_choice(choices, &choice),
		     "a choice is lost");
	}
	(void)sgang_lists_read_layout(text, rank, size % 65);
}

static void fuzz_hostlist(const char *text, size_t size)
{
	struct sgang_error err;
	char **name, *folded;
	uint32_t tasks, throttle;
	size_t n;

	(void)size;
	(void)sgang_array_parse(text, &tasks, &throttle);
	if (sgang_hostlist_expand(text, &name, &n, &err)) {
		must_say(&err);
		return;
	}
	folded = sgang_hostlist_fold((const char *const *)name, n);
	must(folded != NULL, "names cannot be folded");
	free(folded);
	sgang_hostlist_free(name);
}

/* What is left of somebody's own words has none of ours. */
static void fuzz_extra(const char *text, size_t size)
{
	const struct sgang_extra gang = { "alice", "train", 8 };
	char *bare, *named;

	(void)size;
	bare = sgang_extra_format(text, NULL, 0);
	named = sgang_extra_format(text, &gang, 1);
	must(bare && named && sgang_extra_found(named), "a gang is not named");
	free(bare);
	free(named);
}

static void fuzz_gangfile(const char *text, size_t size)
{
	struct sgang_gangfile file;
	struct sgang_words words;
	struct sgang_error err;

	if (sgang_gangfile_load(file_of(text, size), "alice", &file, &err)) {
		must_say(&err);
		return;
	}
	for (size_t i = 0; i < file.n_roles; i++) {
		must(!sgang_gangfile_command(&file, &file.role[i], false,
					     &words, &err),
		     "there is no command");
		sgang_words_clear(&words);
	}
	sgang_gangfile_clear(&file);
}

static void fuzz_parallel(const char *text, size_t size)
{
	struct sgang_parallel parallel;
	struct sgang_error err;

	(void)size;
	if (sgang_parallel_parse(text, &parallel, &err))
		must_say(&err);
	else
		(void)sgang_parallel_check(&parallel, 64, &err);
}

static void fuzz_text(const char *text, size_t size)
{
	char *repaired = sgang_text_repair(text);
	uint64_t number;
	uint32_t seconds;

	(void)size;
	must(!repaired || !sgang_text_repair(repaired),
	     "what was repaired is no UTF-8");
	(void)sgang_text_number(text, 0, UINT64_MAX, &number);
	(void)sgang_text_time(text, &seconds);
	free(repaired);
}

static void fuzz_site(const char *text, size_t size)
{
	struct sgang_error err;
	struct sgang_site *site = sgang_site_load(file_of(text, size), &err);
	size_t i;

	if (!site) {
		must_say(&err);
		return;
	}
	must(site->n_nodes <= SGANG_HOSTLIST_MAX * size && site->n_partitions,
	     "no partition");
	for (i = 0; i < site->n_partitions; i++)
		must(sgang_nodeset_size(site->partitions[i].nodes) ==
			     site->n_nodes,
		     "a partition of other nodes");
	sgang_site_destroy(site);
}

/* In every way to make gangs, which the last byte chooses. */
static void fuzz_trace(const char *text, size_t size)
{
	const struct sgang_trace_terms terms = {
		.gangs = size ? (unsigned char)text[size - 1] % 4 : 0,
		.column = "name",
		.within = 60,
	};
	struct sgang_trace *trace;
	struct sgang_spec spec;
	struct sgang_error err;
	size_t i;

	trace = sgang_trace_load(file_of(text, size), &terms, &err);
	if (!trace) {
		must_say(&err);
		return;
	}
	for (i = 0; i < trace->n_jobs; i++) {
		const struct sgang_trace_job *job = &trace->jobs[i];

		must(job->nodes && job->cpus && job->ranks, "a job of nothing");
		must(!i || job->submit >= job[-1].submit, "not in order");
		sgang_spec_init(&spec);
		must(!*job->gang ||
			     !sgang_spec_set(&spec, "gang", job->gang, NULL),
		     "a name that no gang can have");
	}
	must(trace->n_gangs <= trace->n_jobs, "more gangs than jobs");
	sgang_trace_destroy(trace);
}

static const struct parser {
	const char *name;
	void (*fuzz)(const char *text, size_t size);
} parsers[] = {
	{ "conf", fuzz_conf },
	{ "extra", fuzz_extra },
	{ "fabric_lines", fuzz_fabric_lines },
	{ "gangfile", fuzz_gangfile },
	{ "hostlist", fuzz_hostlist },
	{ "hwloc", fuzz_hwloc },
	{ "lists", fuzz_lists },
	{ "parallel", fuzz_parallel },
	{ "record", fuzz_record },
	{ "site", fuzz_site },
	{ "spec", fuzz_spec },
	{ "text", fuzz_text },
	{ "topology_conf", fuzz_fabric },
	{ "topology_yaml", fuzz_fabric },
	{ "trace", fuzz_trace },
};
#define PARSERS (sizeof(parsers) / sizeof(parsers[0]))

static const struct parser *parser;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	const char *name = getenv("SGANG_FUZZ");

	(void)argc;
	(void)argv;
	for (size_t i = 0; i < PARSERS; i++) {
		if (!name)
			puts(parsers[i].name);
		else if (!strcmp(parsers[i].name, name))
			parser = &parsers[i];
	}
	if (!parser)
		exit(name ? 2 : 0);
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	must(text != NULL, "no memory");
	memcpy(text, data, size);
	text[size] = '\0';
	parser->fuzz(text, size);
	free(text);
	return 0;
}
