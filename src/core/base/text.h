/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.h - words that a user wrote: strict numbers, and quoting for messages */

#ifndef SGANG_TEXT_H
#define SGANG_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Read 'text' as a decimal number: digits only, no sign, no blank, nothing
 * after it. Returns 0 and '*value', or -1 with errno EINVAL (not a number) or
 * ERANGE (outside min..max, however long it is); '*value' is then untouched. */
int sgang_text_number(const char *text, uint64_t min, uint64_t max,
		      uint64_t *value);

/* Read 'text' as a number above 0 with at most six digits behind the point,
 * such as "900", "37.5" or "0.25": no sign, no exponent, a point whatever the
 * locale. Returns 0 and '*value', or -1 with errno EINVAL (not such a number)
 * or ERANGE (0, or above 'max'); '*value' is then untouched. */
int sgang_text_decimal(const char *text, uint32_t max, double *value);

/* The same the other way, without needless digits. Returns 'shown'. */
#define SGANG_DECIMAL_SHOWN 32
const char *sgang_text_show_decimal(char shown[SGANG_DECIMAL_SHOWN],
				    double value);

/* Read a duration as Slurm writes them: "minutes", "minutes:seconds",
 * "hours:minutes:seconds", "days-hours", "days-hours:minutes",
 * "days-hours:minutes:seconds"; "INFINITE" and "UNLIMITED" (any case) are
 * UINT32_MAX. Returns 0 and '*seconds', or -1 with errno EINVAL (not a
 * duration) or ERANGE (nothing, or more than UINT32_MAX - 1 seconds);
 * '*seconds' is then untouched. */
int sgang_text_time(const char *text, uint32_t *seconds);

/* The same the other way, "1-02:03:04" and "00:10:00", "UNLIMITED" for
 * UINT32_MAX, as squeue prints it. Returns 'shown'. */
#define SGANG_TIME_SHOWN 24
const char *sgang_text_show_time(char shown[SGANG_TIME_SHOWN],
				 uint32_t seconds);

/* The order in which slurmctld sorts the names of its nodes: numbers in them
 * count as numbers, those that begin with 0 digit by digit; other bytes by
 * their value. For example n9 before n10, and n010 before n09. Below 0, 0 or
 * above 0, as strcmp(). Source: strnatcmp() of Slurm 22.05 to 26.05, written
 * anew. */
int sgang_text_compare(const char *one, const char *two);

/* Close a stream of open_memstream(), NULL when that failed; '*text' is what was
 * written. Returns it, for the caller to free, or NULL with ENOMEM and nothing
 * to free. */
char *sgang_text_close(FILE *out, char **text);

/* A copy of 'text' in UTF-8, for the caller to free: each byte that is no part
 * of a character becomes U+FFFD. NULL: it is UTF-8 as it is, errno 0, or there
 * is no memory, ENOMEM. */
char *sgang_text_repair(const char *text);

/* Room for a word in a message. */
#define SGANG_TEXT_SHOWN 96

/* Copy 'text' (NULL reads "(nothing)") into 'shown' for a message: bytes that
 * are not printable ASCII become '?', so that nobody's terminal or log is
 * upset, and what is too long ends in "...". Returns 'shown'. */
const char *sgang_text_show(char shown[SGANG_TEXT_SHOWN], const char *text);

#endif
