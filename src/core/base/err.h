/* SPDX-License-Identifier: GPL-2.0-or-later */
/* err.h - one sentence for a human about what went wrong */

#ifndef SGANG_ERR_H
#define SGANG_ERR_H

#include <stddef.h>

/* Long enough for a file name, a line number and a remedy. A longer text is
 * cut and ends in "+". Control characters become '?'. */
struct sgang_error {
	char text[512];
};

/* Write the sentence into 'err' (NULL is fine: only errno is set), set errno
 * to 'errnum' and return -1, so that a caller can say
 * `return sgang_errf(err, EINVAL, "...")`. Arguments may point into
 * 'err->text' itself. */
int sgang_errf(struct sgang_error *err, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with ENOMEM and "out of memory". */
int sgang_err_memory(struct sgang_error *err);

#endif
