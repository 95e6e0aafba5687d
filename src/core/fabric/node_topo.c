/* SPDX-License-Identifier: GPL-2.0-or-later */
/* node_topo.c - what is inside a node: islands, GPUs, cores, network cards */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "devices.h"
#include "node_topo.h"

static int check_count(uint64_t count, uint32_t max, const char *what,
		       struct sgang_error *err)
{
	if (count <= max)
		return 0;
	return sgang_errf(err, EINVAL,
			  "a node with %" PRIu64 " %s; at most "
			  "%" PRIu32 " are possible",
			  count, what, max);
}

/* An array that is never NULL, so that it can be told from a failure. */
static void *array(uint32_t count, size_t size)
{
	return calloc(count ? count : 1, size);
}

struct sgang_node_topo *sgang_node_topo_alloc(uint32_t islands, uint32_t gpus,
					      uint32_t cores, uint32_t nics,
					      struct sgang_error *err)
{
	struct sgang_node_topo *topo;

	if (check_count(gpus, SGANG_NODE_GPUS_MAX, "GPUs", err) ||
	    check_count(cores, SGANG_NODE_CORES_MAX, "cores", err) ||
	    check_count(nics, SGANG_NODE_NICS_MAX, "network cards", err))
		return NULL;
	if (!islands || islands > (gpus ? gpus : cores)) {
		sgang_errf(err, EINVAL,
			   "%" PRIu32 " islands for %" PRIu32
			   " GPUs and %" PRIu32 " cores",
			   islands, gpus, cores);
		return NULL;
	}
	topo = calloc(1, sizeof(*topo));
	if (topo) {
		topo->n_islands = islands;
		topo->n_gpus = gpus;
		topo->n_cores = cores;
		topo->n_nics = nics;
		topo->island = array(islands, sizeof(*topo->island));
		topo->gpu = array(gpus, sizeof(*topo->gpu));
		topo->core_island = array(cores, sizeof(*topo->core_island));
		topo->nic = array(nics, sizeof(*topo->nic));
	}
	if (!topo || !topo->island || !topo->gpu || !topo->core_island ||
	    !topo->nic) {
		sgang_node_topo_destroy(topo);
		sgang_err_memory(err);
		return NULL;
	}
	return topo;
}

void sgang_node_topo_destroy(struct sgang_node_topo *topo)
{
	int saved = errno;

	if (!topo)
		return;
	free(topo->island);
	free(topo->gpu);
	free(topo->core_island);
	free(topo->nic);
	free(topo);
	errno = saved;
}

/* Without the brackets at its end, "gpu:(null):2(IDX:0-1)": a type that is not
 * known is in brackets, too. */
static size_t without_bracket(const char *entry, size_t length)
{
	size_t at = length;

	if (!at || entry[at - 1] != ')')
		return length;
	while (at && entry[at] != '(')
		at--;
	return at;
}

/* The number behind the last colon of "gpu:a100:4(S:0)"; without one it is 1.
 */
static uint64_t count_of(const char *entry, size_t length)
{
	size_t end = without_bracket(entry, length), digits = end;
	uint64_t count = 0;

	while (digits && entry[digits - 1] >= '0' && entry[digits - 1] <= '9')
		digits--;
	if (digits == end || !digits || entry[digits - 1] != ':')
		return 1;
	for (; digits < end && count <= UINT32_MAX; digits++)
		count = 10 * count + (uint64_t)(entry[digits] - '0');
	return count > UINT32_MAX ? UINT32_MAX : count;
}

/* Up to the comma behind it; in brackets there may be others. */
static size_t entry_length(const char *entry)
{
	size_t length = 0, depth = 0;

	for (; entry[length] && (depth || entry[length] != ','); length++) {
		depth += entry[length] == '(';
		depth -= depth && entry[length] == ')';
	}
	return length;
}

uint64_t sgang_node_topo_gres(const char *gres)
{
	uint64_t gpus = 0;

	while (gres && *gres) {
		size_t length = entry_length(gres);

		if (!strncmp(gres, "gpu", 3) && strchr(":(,", gres[3]))
			gpus += count_of(gres, length);
		gres += length;
		gres += *gres == ',';
	}
	return gpus;
}

int sgang_node_topo_fits(const struct sgang_node_topo *topo, uint32_t cores,
			 uint64_t gpus, struct sgang_error *err)
{
	if (topo->n_islands > SGANG_ISLANDS_MAX)
		return sgang_errf(err, EINVAL,
				  "the description \"%s\" has %" PRIu32
				  " islands, more than the %d that are "
				  "told apart: leave it out of gang.conf",
				  topo->name, topo->n_islands,
				  SGANG_ISLANDS_MAX);
	if (topo->n_cores != cores)
		return sgang_errf(err, EINVAL,
				  "the description \"%s\" has %" PRIu32
				  " cores, for Slurm the node has %" PRIu32
				  ": correct Sockets= and "
				  "CoresPerSocket= of the node in slurm.conf, "
				  "or NodeTopology= in gang.conf",
				  topo->name, topo->n_cores, cores);
	if (gpus && topo->n_gpus != gpus)
		return sgang_errf(err, EINVAL,
				  "the description \"%s\" has %" PRIu32
				  " GPUs, for Slurm the node has %" PRIu64
				  ": correct Gres= of the node in "
				  "slurm.conf, or NodeTopology= in gang.conf",
				  topo->name, topo->n_gpus, gpus);
	return 0;
}

/* The arrays hold no padding and their texts are zero to the end: whoever
 * fills them starts from zeroes. */
bool sgang_node_topo_equal(const struct sgang_node_topo *a,
			   const struct sgang_node_topo *b)
{
	return a->n_islands == b->n_islands && a->n_gpus == b->n_gpus &&
	       a->n_cores == b->n_cores && a->n_nics == b->n_nics &&
	       !memcmp(a->island, b->island,
		       a->n_islands * sizeof(*a->island)) &&
	       !memcmp(a->gpu, b->gpu, a->n_gpus * sizeof(*a->gpu)) &&
	       !memcmp(a->core_island, b->core_island,
		       a->n_cores * sizeof(*a->core_island)) &&
	       !memcmp(a->nic, b->nic, a->n_nics * sizeof(*a->nic));
}
