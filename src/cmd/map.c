/* SPDX-License-Identifier: GPL-2.0-or-later */
/* map.c - where each rank of a gang is, in several formats */

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/map.h"
#include "core/gang/lists.h"
#include "core/gang/ranks.h"

/* A rank: number 'local' of those on the node. */
struct seat {
	const struct sgang_map_member *member;
	const struct sgang_map_node *node;
	uint64_t rank;
	uint32_t local;
};

void sgang_map_clear(struct sgang_map_member *member)
{
	free(member->node);
	free(member->rank);
	member->node = NULL;
	member->rank = NULL;
	member->n = 0;
}

/* The position in the allocation of each node of the ring. Returns 0, or -1
 * with 'err' filled. */
static int find_ring(const struct sgang_alloc *alloc, char *const *ring,
		     size_t *where, struct sgang_error *err)
{
	char **listed = calloc(alloc->n + 1, sizeof(*listed));
	size_t i;
	int rc;

	if (!listed)
		return sgang_err_memory(err);
	for (i = 0; i < alloc->n; i++)
		listed[i] = alloc->node[i].name;
	rc = sgang_ranks_order(listed, ring, alloc->n, where, err);
	free(listed);
	return rc;
}

int sgang_map_fill(struct sgang_map_member *member,
		   const struct sgang_alloc *alloc, uint64_t ranks,
		   char *const *ring, struct sgang_error *err)
{
	size_t n = alloc->n, i;
	uint32_t *cpus = calloc(n, sizeof(*cpus));
	uint32_t *counts = calloc(n, sizeof(*counts));
	size_t *where = calloc(n, sizeof(*where));
	struct sgang_map_node *nodes = calloc(n, sizeof(*nodes));
	int rc = -1;

	if (!cpus || !counts || !where || !nodes) {
		sgang_err_memory(err);
		goto out;
	}
	if (ranks > SGANG_MAP_RANKS_MAX) {
		sgang_errf(err, EINVAL,
			   "job %" PRIu32 " has %" PRIu64 " ranks,"
			   " more than the %d that can be listed",
			   member->job_id, ranks, SGANG_MAP_RANKS_MAX);
		goto out;
	}
	if (find_ring(alloc, ring, where, err))
		goto out;
	for (i = 0; i < n; i++)
		cpus[i] = alloc->node[i].cpus;
	sgang_ranks_spread(cpus, n, alloc->cpus_per_rank, ranks, counts);
	for (i = 0; i < n; i++) {
		nodes[i].has = &alloc->node[where[i]];
		nodes[i].ranks = counts[where[i]];
	}
	member->node = nodes;
	member->n = n;
	nodes = NULL;
	rc = 0;
out:
	free(cpus);
	free(counts);
	free(where);
	free(nodes);
	return rc;
}

/* Go to the next rank; begin with all zero. False: no more. */
static bool next_seat(const struct sgang_map_member *members, size_t n,
		      struct seat *seat)
{
	const struct sgang_map_member *end = members + n;

	if (!seat->node) {
		seat->member = members;
		seat->node = n ? members->node : NULL;
		seat->rank = n ? members->first : 0;
	} else {
		seat->local++;
		seat->rank++;
	}
	while (seat->member < end) {
		for (; seat->node < seat->member->node + seat->member->n;
		     seat->node++, seat->local = 0)
			if (seat->local < seat->node->ranks)
				return true;
		seat->member++;
		if (seat->member == end)
			break;
		seat->node = seat->member->node;
		seat->rank = seat->member->first;
	}
	return false;
}

/* ---- ranks in the order of their numbers ---- */

static uint64_t places_of(const struct sgang_map_member *member)
{
	uint64_t places = 0;
	size_t i;

	for (i = 0; i < member->n; i++)
		places += member->node[i].ranks;
	return places;
}

int sgang_map_layout(struct sgang_map_member *member, const char *text,
		     struct sgang_error *err)
{
	uint64_t n = places_of(member);

	if (!text[0])
		return 0;
	member->rank = calloc(n ? n : 1, sizeof(*member->rank));
	if (!member->rank)
		return sgang_err_memory(err);
	if (!sgang_lists_read_layout(text, member->rank, n))
		return 0;
	return sgang_errf(err, EINVAL,
			  "the ranks of job %" PRIu32 " are too "
			  "many to be listed in its record; "
			  "SLURM_GANG_LAYOUT has them in the job",
			  member->job_id);
}

/* Members that share a node go the same way there. */
void sgang_map_rails(struct sgang_map_member *members, size_t n)
{
	const char *last = NULL;
	bool backwards = true;
	size_t i, k;

	for (i = 0; i < n; i++) {
		for (k = 0; k < members[i].n; k++) {
			struct sgang_map_node *node = &members[i].node[k];

			if (!node->ranks)
				continue;
			if (!last || strcmp(node->has->name, last))
				backwards = !backwards;
			node->backwards = backwards;
			last = node->has->name;
		}
	}
}

static int by_rank(const void *one, const void *two)
{
	const struct seat *a = one, *b = two;

	return a->rank < b->rank ? -1 : a->rank > b->rank;
}

/* All seats in the order of ranks, to be freed. Returns NULL without memory. */
static struct seat *list_seats(const struct sgang_map_member *members, size_t n,
			       size_t *n_seats)
{
	struct seat seat = { NULL, NULL, 0, 0 }, *seats;
	uint64_t places = 0;
	bool sorted = true;
	size_t i;

	for (i = 0; i < n; i++) {
		places += places_of(&members[i]);
		sorted &= !members[i].rank;
	}
	seats = calloc(places + 1, sizeof(*seats));
	for (i = 0; seats && next_seat(members, n, &seat); i++) {
		seats[i] = seat;
		if (seat.member->rank)
			seats[i].rank = seat.member->rank[seat.rank -
							  seat.member->first];
	}
	*n_seats = i;
	if (seats && !sorted)
		qsort(seats, i, sizeof(*seats), by_rank);
	return seats;
}

int sgang_map_hostfile(FILE *out, const struct sgang_map_member *members,
		       size_t n, struct sgang_error *err)
{
	size_t n_seats, i;
	struct seat *seats = list_seats(members, n, &n_seats);

	if (!seats)
		return sgang_err_memory(err);
	for (i = 0; i < n_seats; i++)
		fprintf(out, "%s\n", seats[i].node->has->name);
	free(seats);
	return 0;
}

/* The seat's part of a list: from '*first', as many as the return value.
 * Several ranks share a thing if there are fewer things than ranks. */
static size_t share(const struct seat *seat, size_t n, size_t *first)
{
	size_t ranks = seat->node->ranks;
	size_t local = seat->node->backwards ? ranks - 1 - seat->local :
					       seat->local;
	size_t end = (local + 1) * n / ranks;

	*first = local * n / ranks;
	if (!n)
		return 0;
	return end > *first ? end - *first : 1;
}

/* "0:0-1;0:3;1:0": a range ends at a gap and with the socket. Open MPI 4.1 does
 * not read "0:0-1,3", whatever its manual says. */
static void print_cores(FILE *out, const uint32_t *core, size_t n,
			uint32_t per_socket)
{
	size_t i, last;

	for (i = 0; i < n; i = last + 1) {
		uint32_t socket = core[i] / per_socket;

		for (last = i;
		     last + 1 < n && core[last + 1] == core[last] + 1 &&
		     core[last + 1] / per_socket == socket;
		     last++)
			;
		fprintf(out, "%s%" PRIu32 ":%" PRIu32, i ? ";" : "", socket,
			core[i] % per_socket);
		if (last > i)
			fprintf(out, "-%" PRIu32, core[last] % per_socket);
	}
}

static int print_slot(FILE *out, const struct seat *seat, size_t rank,
		      struct sgang_error *err)
{
	const struct sgang_alloc_node *has = seat->node->has;
	size_t first, count = share(seat, has->cores.n, &first);

	if (!count || !has->cores_per_socket)
		return sgang_errf(err, ENODATA,
				  "Slurm does not know the cores "
				  "of job %" PRIu32 " on node %s",
				  seat->member->job_id, has->name);
	fprintf(out, "rank %zu=%s slot=", rank, has->name);
	print_cores(out, has->cores.index + first, count,
		    has->cores_per_socket);
	fputc('\n', out);
	return 0;
}

int sgang_map_rankfile(FILE *out, const struct sgang_map_member *members,
		       size_t n, struct sgang_error *err)
{
	size_t n_seats, i;
	struct seat *seats = list_seats(members, n, &n_seats);
	int rc = 0;

	if (!seats)
		return sgang_err_memory(err);
	for (i = 0; i < n_seats && !rc; i++)
		rc = print_slot(out, &seats[i], i, err);
	free(seats);
	return rc;
}

/* -1: none. */
static int64_t first_gpu(const struct seat *seat)
{
	const struct sgang_indices *gpus = &seat->node->has->gpus;
	size_t first;

	return share(seat, gpus->n, &first) ? (int64_t)gpus->index[first] : -1;
}

/* The island of the rank's GPU, or without a GPU of its first core; -1:
 * unknown. */
static int64_t island_of(const struct seat *seat, int64_t gpu)
{
	const struct sgang_node_topo *topo = seat->node->topo;
	const struct sgang_indices *cores = &seat->node->has->cores;
	size_t first;

	if (!topo)
		return -1;
	if (gpu >= 0)
		return gpu < topo->n_gpus ? (int64_t)topo->gpu[gpu].island : -1;
	if (!share(seat, cores->n, &first) ||
	    cores->index[first] >= topo->n_cores)
		return -1;
	return topo->core_island[cores->index[first]];
}

/* The card nearest to the GPU; NULL: unknown. */
static const char *nic_of(const struct seat *seat, int64_t gpu)
{
	const struct sgang_node_topo *topo = seat->node->topo;

	if (!topo || gpu < 0 || gpu >= topo->n_gpus || !topo->gpu[gpu].nic[0])
		return NULL;
	return topo->gpu[gpu].nic;
}

static struct json_object *number_or_null(int64_t number)
{
	return number < 0 ? NULL : json_object_new_int64(number);
}

static struct json_object *json_seat(const struct seat *seat)
{
	struct json_object *object = json_object_new_object();
	int64_t gpu = first_gpu(seat);
	const char *nic = nic_of(seat, gpu);
	const struct {
		const char *key;
		struct json_object *value;
	} fields[] = {
		{ "rank", json_object_new_uint64(seat->rank) },
		{ "member", json_object_new_int64(seat->member->member_rank) },
		{ "job_id", json_object_new_int64(seat->member->job_id) },
		{ "node", json_object_new_string(seat->node->has->name) },
		{ "local_rank", json_object_new_int64(seat->local) },
		{ "gpu", number_or_null(gpu) },
		{ "island", number_or_null(island_of(seat, gpu)) },
		{ "nic", nic ? json_object_new_string(nic) : NULL },
	};
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		json_object_object_add(object, fields[i].key, fields[i].value);
	if (seat->member->role)
		json_object_object_add(
			object, "role",
			json_object_new_string(seat->member->role));
	return object;
}

struct json_object *sgang_map_json(const struct sgang_map_member *members,
				   size_t n)
{
	size_t n_seats, i;
	struct seat *seats = list_seats(members, n, &n_seats);
	struct json_object *list = seats ? json_object_new_array() : NULL;

	for (i = 0; list && i < n_seats; i++)
		json_object_array_add(list, json_seat(&seats[i]));
	free(seats);
	return list;
}
