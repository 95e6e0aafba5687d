/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fit_shaped.c - whether the parts fit, in each shape that they may have */

#include <stdint.h>

#include "attempt_private.h"

int sgang_fit_shaped(struct attempt *a, int64_t when)
{
	if (when ? sgang_fit_at(a, when) : sgang_fit_parts(a) == 0)
		return 1;
	return sgang_fewer_fit(a, when) ? 1 : sgang_uneven_fit(a, when, NULL);
}

int sgang_fit_shaped_at(struct attempt *a, int64_t when,
			struct sgang_nodeset *nodes)
{
	if (sgang_fit_nodes_at(a, when, nodes))
		return 1;
	if (sgang_fewer_fit(a, when))
		return sgang_fit_nodes_at(a, when, nodes) ? 1 : -1;
	return sgang_uneven_fit(a, when, nodes);
}
