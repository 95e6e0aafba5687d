/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ringtext.h - a ring in words, for the verbs that explain */

#ifndef SGANG_RINGTEXT_H
#define SGANG_RINGTEXT_H

#include <json-c/json.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/fabric/ring.h"

/* Bytes on each rank that are reduced unless --bytes says something else. */
#define SGANG_RINGTEXT_BYTES UINT64_C(1000000000)

/* Read the value of --bytes, a number that K, M, G or T (powers of 1000) may
 * follow. Returns 0, or -1 with 'err' filled. */
int sgang_ringtext_bytes(const char *value, uint64_t *bytes,
			 struct sgang_error *err);

/* Put into 'object' the level that is "slowest" in an all-reduce of 'bytes',
 * and its time in "seconds"; null if unknown. */
void sgang_ringtext_json_time(const struct sgang_ring *ring,
			      const struct sgang_costs *costs, uint64_t bytes,
			      struct json_object *object);

/* Put into 'object' the "hops", an object with those of each level. */
void sgang_ringtext_json_hops(const struct sgang_ring *ring,
			      const struct sgang_costs *costs,
			      struct json_object *object);

#endif
