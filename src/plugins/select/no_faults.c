/* SPDX-License-Identifier: GPL-2.0-or-later */
/* no_faults.c - no failures on demand, unless the tests' faults.c is loaded too
 */

#include "faults.h"

const struct sgang_faults *sgang_faults;
