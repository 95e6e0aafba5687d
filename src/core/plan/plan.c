/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.c - one joint placement for all members of a gang
 *
 * In their order, and in a better one where any will do; then in segments.
 */

#include <errno.h>

#include "plan_private.h"

int sgang_plan(const struct sgang_plan_request *asked,
	       struct sgang_placement **placement, struct sgang_nofit *nofit,
	       struct sgang_error *err)
{
	struct sgang_plan_request request = *asked;
	struct sgang_placement *made = NULL;
	struct sgang_budget own;
	uint64_t aside = 0;
	bool segments;
	int rc;

	sgang_budget_init(&own, SGANG_PLAN_STEPS);
	if (!request.budget)
		request.budget = &own;
	request.any_order = sgang_any_matters(asked);
	segments = sgang_segments_any(asked);
	if (request.any_order || segments)
		aside = request.budget->left / 2;
	request.budget->left -= aside;
	rc = sgang_plan_ordered(&request, &made, nofit, err);
	request.budget->left += aside;
	if (rc <= 0)
		return rc;
	if (request.any_order && sgang_any_order(&request, &made))
		rc = -1;
	else if (segments)
		rc = sgang_segments_keep(&request, &made, nofit);
	if (rc > 0) {
		*placement = made;
		return 1;
	}
	sgang_placement_destroy(made);
	return rc < 0 && errno == ENOMEM ?
		       sgang_errf(err, ENOMEM, "plan: out of memory") :
		       rc;
}
