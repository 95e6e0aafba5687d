/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fail_plan.h - plans that run out of memory
 *
 * Included after unit.h, by tests that are linked as fail_alloc.h says.
 */

#ifndef TESTS_UNIT_FAIL_PLAN_H
#define TESTS_UNIT_FAIL_PLAN_H

#include "core/plan/plan.h"
#include "fail_alloc.h"

/* Whichever allocation fails, ENOMEM is said and nothing is kept. Returns what
 * the plan does for which memory suffices, which takes 'least' allocations at
 * the least. */
static inline int fail_plans(const struct sgang_plan_request *request,
			     unsigned long least)
{
	unsigned long n;
	bool failed;
	int rc;

	for (n = 1, failed = true; failed; n++) {
		struct sgang_placement *placement = NULL;
		struct sgang_nofit nofit;
		long live = fail_live;

		fail_at(n);
		rc = sgang_plan(request, &placement, &nofit, NULL);
		failed = fail_happened;
		fail_at(0);
		if (failed) {
			assert_int_equal(rc, -1);
			assert_int_equal(errno, ENOMEM);
			assert_null(placement);
		}
		sgang_placement_destroy(placement);
		assert_int_equal(fail_live, live);
	}
	assert_true(n - 2 >= least);
	return rc;
}

#endif
