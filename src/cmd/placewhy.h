/* SPDX-License-Identifier: GPL-2.0-or-later */
/* placewhy.h - sgang place --explain: the reasons for a placement
 *
 * The chosen placement is compared with the best one if the cluster were empty,
 * with Slurm's own choice (core/stock.h), and with other possible ones
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

/* Find the reasons for 'placement', the answer of sgang_offline_plan() to
 * 'request', and for its 'others'; all is borrowed. Returns a value to free
 * with sgang_placewhy_destroy(), or NULL with errno and 'err' filled. */
struct sgang_placewhy *
sgang_placewhy_create(const struct sgang_offline *offline,
		      const struct sgang_plan_request *request,
		      const struct sgang_placement *placement,
		      const struct sgang_others *others, uint64_t bytes,
		      struct sgang_error *err);
/* NULL is fine. Keeps errno. */
void sgang_placewhy_destroy(struct sgang_placewhy *why);

/* The reasons as a JSON object, which is the caller's; and the form (answer.h)
 * of an object with the hops of the ring in which this is "explain". */
struct json_object *sgang_placewhy_json(const struct sgang_placewhy *why);
#define SGANG_PLACEWHY_FORM_RING                                      \
	"ring_cost={ring_cost} cross_links={cross_links} tier={tier}" \
	" hops={hops%:} slowest={slowest} seconds={seconds%g}"
#define SGANG_PLACEWHY_FORM                                                 \
	"hops={hops%:}"                                                     \
	"<explain|[ slowest={slowest} seconds={seconds%g} bytes={bytes}]\n" \
	"<empty|empty: " SGANG_PLACEWHY_FORM_RING "\n>"                     \
	"<stock|stock: " SGANG_PLACEWHY_FORM_RING                           \
	" estimate={estimate} nodes={nodes}\n>"                             \
	"{stock%-|stock: no place\n}"                                       \
	"[order: ring_cost={order_cost}\n]"                                 \
	"<others|other: domain={domain} level={level}"                      \
	"[ weighted_cost={weighted_cost}][ ring_cost={ring_cost}]"          \
	"[ free={free} needed={needed}] why={why}\n>"                       \
	"[others_left_out={others_left_out%+}\n]>"

/* Put the decisive reason into nofit->text. */
void sgang_placewhy_nofit(const struct sgang_plan_request *request,
			  struct sgang_nofit *nofit);

#endif
