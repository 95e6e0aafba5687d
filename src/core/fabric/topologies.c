/* SPDX-License-Identifier: GPL-2.0-or-later */
/* topologies.c - the topologies of one cluster */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "topologies.h"

struct sgang_topologies *sgang_topologies_create(struct sgang_fabric *fabric,
						 struct sgang_error *err)
{
	struct sgang_topologies *all = calloc(1, sizeof(*all));

	if (!all) {
		sgang_fabric_destroy(fabric);
		sgang_err_memory(err);
		return NULL;
	}
	if (sgang_topologies_add(all, "", fabric, err)) {
		sgang_topologies_destroy(all);
		return NULL;
	}
	return all;
}

int sgang_topologies_add(struct sgang_topologies *all, const char *name,
			 struct sgang_fabric *fabric, struct sgang_error *err)
{
	struct sgang_topology *more;
	char *copy = strdup(name);

	more = realloc(all->topology, (all->n + 1) * sizeof(*more));
	if (more)
		all->topology = more;
	if (!more || !copy) {
		free(copy);
		sgang_fabric_destroy(fabric);
		return sgang_err_memory(err);
	}
	all->topology[all->n++] = (struct sgang_topology){
		.name = copy,
		.fabric = fabric,
	};
	return 0;
}

int sgang_topologies_bar(struct sgang_topologies *all, const char *name,
			 const char *why, struct sgang_error *err)
{
	struct sgang_topology_barred *more, one;

	more = realloc(all->barred, (all->n_barred + 1) * sizeof(*more));
	if (more)
		all->barred = more;
	one.name = strdup(name);
	one.why = strdup(why);
	if (!more || !one.name || !one.why) {
		free(one.name);
		free(one.why);
		return sgang_err_memory(err);
	}
	all->barred[all->n_barred++] = one;
	return 0;
}

const char *sgang_topologies_barred(const struct sgang_topologies *all,
				    const char *name)
{
	size_t i;

	for (i = 0; i < all->n_barred; i++)
		if (!strcmp(all->barred[i].name, name))
			return all->barred[i].why;
	return NULL;
}

const struct sgang_topology *
sgang_topologies_find(const struct sgang_topologies *all, const char *name)
{
	size_t i;

	for (i = 1; i < all->n && *name; i++)
		if (!strcmp(all->topology[i].name, name))
			return &all->topology[i];
	return &all->topology[0];
}

static void look_inside_none(struct sgang_topologies *all)
{
	size_t i;

	for (i = 0; i < all->n; i++) {
		sgang_devices_destroy(all->topology[i].devices);
		all->topology[i].devices = NULL;
	}
}

int sgang_topologies_look_inside(struct sgang_topologies *all,
				 const uint32_t *islands,
				 struct sgang_error *err)
{
	size_t i;

	look_inside_none(all);
	for (i = 0; i < all->n && islands; i++) {
		struct sgang_topology *topology = &all->topology[i];

		topology->devices = sgang_devices_create(topology->fabric,
							 islands, err);
		if (!topology->devices) {
			int saved = errno;

			look_inside_none(all);
			errno = saved;
			return -1;
		}
	}
	return 0;
}

void sgang_topologies_destroy(struct sgang_topologies *all)
{
	int saved = errno;
	size_t i;

	if (!all)
		return;
	look_inside_none(all);
	for (i = 0; i < all->n; i++) {
		sgang_fabric_destroy(all->topology[i].fabric);
		free(all->topology[i].name);
	}
	for (i = 0; i < all->n_barred; i++) {
		free(all->barred[i].name);
		free(all->barred[i].why);
	}
	free(all->topology);
	free(all->barred);
	free(all);
	errno = saved;
}
