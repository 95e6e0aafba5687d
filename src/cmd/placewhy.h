/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placewhy.h - sgang place --explain: what speaks for a placement
 *
 * Beside the chosen placement: the best one if the cluster were empty, what
 * Slurm by itself would choose (core/stock.h), and what else was possible
 * (core/explain.h), with the time of an all-reduce over each ring.
 */

#ifndef SGANG_PLACEWHY_H
#define SGANG_PLACEWHY_H

#include <json-c/json.h>
#include <stdint.h>

#include "cmd/offline.h"
#include "core/base/err.h"
#include "core/plan/explain.h"
#include "core/plan/plan.h"

struct sgang_placewhy;

/* Find out about 'placement', the answer of sgang_offline_plan() to 'request',
 * and tell its 'others'; all is borrowed.
 * Returns what to free with sgang_placewhy_destroy(), or NULL with errno and
 * 'err' filled. */
struct sgang_placewhy *
sgang_placewhy_create(const struct sgang_offline *offline,
		      const struct sgang_plan_request *request,
		      const struct sgang_placement *placement,
		      const struct sgang_others *others, uint64_t bytes,
		      struct sgang_error *err);
/* NULL is fine. Keeps errno. */
void sgang_placewhy_destroy(struct sgang_placewhy *why);

/* Print it as lines. */
void sgang_placewhy_print(const struct sgang_placewhy *why);
/* As a JSON object, which is the caller's. */
struct json_object *sgang_placewhy_json(const struct sgang_placewhy *why);

/* Put the reason that decides into nofit->text. */
void sgang_placewhy_nofit(const struct sgang_plan_request *request,
			  struct sgang_nofit *nofit);

#endif
