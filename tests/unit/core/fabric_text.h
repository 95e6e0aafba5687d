/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_text.h - a whole fabric as text, and what must hold of every one
 *
 * For tests that have included cmocka.h.
 */

#ifndef FABRIC_TEXT_H
#define FABRIC_TEXT_H

#include <stdint.h>
#include <stdio.h>

#include "core/fabric/fabric.h"

/* The whole tree as text: every domain with its level and nodes. */
static inline const char *describe(const struct sgang_fabric *fabric, char *buf)
{
	const uint32_t *order = sgang_fabric_order(fabric);
	char *p = buf;
	uint32_t d, i;

	*p = '\0';
	for (d = 0; d < sgang_fabric_domains(fabric); d++) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);

		p += sprintf(p, "%s%s/%u:", d ? " " : "", domain->name,
			     domain->level);
		for (i = 0; i < domain->n_nodes; i++)
			p += sprintf(p, "%s%s", i ? "," : "",
				     sgang_fabric_node_name(
					     fabric,
					     order[domain->first_pos + i]));
	}
	return buf;
}

/* Everything in fabric.h that must hold of every tree. */
static inline void check_invariants(const struct sgang_fabric *fabric)
{
	const uint32_t *order = sgang_fabric_order(fabric);
	const uint32_t *pos = sgang_fabric_pos(fabric);
	uint32_t n = sgang_fabric_nodes(fabric), d, c, i;

	for (i = 0; i < n; i++) {
		const char *name = sgang_fabric_node_name(fabric, i);
		const struct sgang_domain *leaf = sgang_fabric_domain(
			fabric, sgang_fabric_leaf(fabric, i));

		assert_int_equal(order[pos[i]], i);
		assert_int_equal(sgang_fabric_find_node(fabric, name), i);
		assert_int_equal(leaf->n_children, 0);
		assert_in_range(pos[i], leaf->first_pos,
				leaf->first_pos + leaf->n_nodes - 1);
	}
	assert_int_equal(sgang_fabric_domain(fabric, 0)->n_nodes, n);
	assert_int_equal(sgang_fabric_domain(fabric, 0)->parent,
			 SGANG_DOMAIN_NONE);
	for (d = 0; d < sgang_fabric_domains(fabric); d++) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									d);
		uint32_t at = domain->first_pos, lowest = 0;

		for (c = 0; c < domain->n_children; c++) {
			const struct sgang_domain *child = sgang_fabric_domain(
				fabric, domain->first_child + c);
			uint32_t low = UINT32_MAX;

			assert_int_equal(child->parent, d);
			assert_true(domain->first_child + c > d);
			assert_true(child->level < domain->level);
			assert_int_equal(child->first_pos, at);
			for (i = 0; i < child->n_nodes; i++) {
				if (order[at + i] < low)
					low = order[at + i];
			}
			assert_true(!c || low > lowest);
			lowest = low;
			at += child->n_nodes;
		}
		if (domain->n_children)
			assert_int_equal(at,
					 domain->first_pos + domain->n_nodes);
	}
}

#endif
