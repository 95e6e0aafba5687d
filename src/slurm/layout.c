/* SPDX-License-Identifier: GPL-2.0-or-later */
/* layout.c - are slurmctld's records those of the headers we were built with? */

#define _GNU_SOURCE /* dladdr1() */

#include "config.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "release.h"

#include "layout.h"

#pragma weak node_record_count
#pragma weak node_record_table_ptr
#pragma weak part_list
#pragma weak slurm_conf
#pragma weak slurmctld_config

/* Slurm's allocator knows how much was asked for. A field more or less
 * anywhere in the record shows. */
static bool same_size(void *record, size_t size)
{
	return xsize(record) == size;
}

static bool fits_node(node_record_t *node_ptr, int index)
{
	return same_size(node_ptr, sizeof(*node_ptr)) &&
	       node_ptr->magic == NODE_MAGIC &&
	       node_ptr->index == (uint32_t)index &&
	       find_node_record(node_ptr->name) == node_ptr &&
	       same_size(node_ptr->config_ptr, sizeof(config_record_t)) &&
	       node_ptr->config_ptr->magic == CONFIG_MAGIC;
}

static bool fits_nodes(void)
{
	node_record_t *node_ptr;

	for (int i = 0; (node_ptr = next_node(&i)); i++) {
		if (!fits_node(node_ptr, i))
			return false;
	}
	return true;
}

static bool fits_partitions(void)
{
	part_record_t *part_ptr = part_list ? list_peek(part_list) : NULL;

	return !part_ptr || (same_size(part_ptr, sizeof(*part_ptr)) &&
			     part_ptr->magic == PART_MAGIC &&
			     find_part_record(part_ptr->name) == part_ptr);
}

/* A full word, an empty one and a partial one: the same on any machine. */
static bool fits_bitmaps(void)
{
	const bitoff_t bits = 130;
	bitstr_t *map = bit_alloc(bits);
	const uint64_t *word = (const uint64_t *)&map[RELEASE_BITMAP_HEAD];
	bool fits;

	bit_nset(map, 0, 63);
	bit_set(map, bits - 1);
	fits = word[0] == UINT64_MAX && !word[1] && word[2] &&
	       (bits - 1) >> BITSTR_SHIFT == 2;
	FREE_NULL_BITMAP(map);
	return fits;
}

/* The linker knows the size of a variable of another file. */
static bool fits_variable(const void *variable, size_t size)
{
	const ElfW(Sym) *symbol = NULL;
	Dl_info info;

	if (!dladdr1(variable, &info, (void **)&symbol, RTLD_DL_SYMENT) ||
	    !symbol || info.dli_saddr != variable)
		return true;
	return symbol->st_size == size;
}

const char *sgang_layout_tables(void)
{
	static const char *wrong;
	static bool seen;

	if (seen)
		return wrong;
	seen = true;
	if (!fits_variable(&slurm_conf, sizeof(slurm_conf)) ||
	    !fits_variable(&slurmctld_config, sizeof(slurmctld_config)))
		wrong = "settings";
	else if (!fits_bitmaps())
		wrong = "bitmaps";
	else if (!fits_nodes())
		wrong = "node records";
	else if (!fits_partitions())
		wrong = "partition records";
	return wrong;
}

/* A record that slurmctld is about to forget has no number any more. */
static bool fits_job(job_record_t *job_ptr)
{
	return same_size(job_ptr, sizeof(*job_ptr)) &&
	       job_ptr->magic == JOB_MAGIC &&
	       (job_ptr->job_id == NO_VAL ||
		find_job_record(job_ptr->job_id) == job_ptr);
}

static bool fits_details(job_details_t *details)
{
	return !details || (same_size(details, sizeof(*details)) &&
			    details->magic == DETAILS_MAGIC);
}

const char *sgang_layout_jobs(struct job_record *job_ptr)
{
	static const char *wrong;
	static bool seen;

	if (seen || !job_ptr)
		return wrong;
	seen = true;
	if (!fits_job(job_ptr))
		wrong = "job records";
	else if (!fits_details(job_ptr->details))
		wrong = "details of jobs";
	return wrong;
}

/* GRES records come and go with jobs and do not say what they are, so each is
 * checked each time. */
const void *sgang_layout_gres(const void *record, size_t size)
{
	static bool told;

	if (!record || same_size((void *)record, size))
		return record;
	if (!told)
		error("gang: GRES records are not laid out as in the headers this was built with; GRES are left to Slurm alone");
	told = true;
	return NULL;
}

struct gres_node_state *sgang_layout_node_gres(uint32_t node, uint32_t kind)
{
	const node_record_t *node_ptr = node_record_table_ptr[node];
	list_t *list = node_ptr ? node_ptr->gres_list : NULL;
	gres_state_t *gres = list ? list_find_first(list, gres_find_id, &kind) :
				    NULL;
	gres_node_state_t *ns = gres ? gres->gres_data : NULL;

	return sgang_layout_gres(ns, sizeof(*ns)) ? ns : NULL;
}
