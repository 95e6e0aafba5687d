/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sgang.h - all of libsgang: fabrics, what rings cost in them, and the planner
 *
 * doc/library.md says how a program uses it, contrib/examples/plan_one.c is
 * such a program. The headers below describe each function.
 */

#ifndef SGANG_H
#define SGANG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#include "core/base/err.h"
#include "core/base/nodeset.h"
#include "core/base/parallel_words.h"
#include "core/fabric/costs.h"
#include "core/fabric/devices.h"
#include "core/fabric/fabric.h"
#include "core/fabric/parallel.h"
#include "core/fabric/ring.h"
#include "core/plan/plan.h"

#ifdef __cplusplus
}
#endif

#endif
