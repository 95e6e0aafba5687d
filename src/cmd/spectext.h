/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spectext.h - messages of core/spec.h in the words of sgang
 *
 * These messages name the options of sbatch, --gang-min-member=0. With sgang
 * create the user typed --min-member=0, and wrote min-member: 0 in a file.
 */

#ifndef SGANG_SPECTEXT_H
#define SGANG_SPECTEXT_H

#include "core/base/err.h"

/* Make the message say --min-member. */
void sgang_spectext_option(struct sgang_error *err);

/* Make the message say min-member, and gang instead of --gang. */
void sgang_spectext_key(struct sgang_error *err);

#endif
