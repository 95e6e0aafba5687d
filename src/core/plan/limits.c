/* SPDX-License-Identifier: GPL-2.0-or-later */
/* limits.c - how hard each part of the planner works before it gives up */

#include "plan_private.h"

const struct sgang_plan_limits sgang_plan_limits_default = {
	.prove_tries = 200000,
	.blocks_steps = 8000000,
	.cut_steps = 8000000,
	.order_hops = 800000,
	.cuts_steps = 400000,
	.cuts_piece_steps = 500000,
	.cuts_tree_steps = 250000,
	.roles_exact_steps = 2000000,
	.roles_blocks_steps = 3200000,
	.roles_cut_steps = 1000000,
	.roles_lay_steps = 1000000,
	.tree_steps_first = 100000,
	.tree_steps_again = 2500000,
	.choose_steps = 2000000,
	.tired_points = 64,
};
