/* SPDX-License-Identifier: GPL-2.0-or-later */
/* web_gzip.h - a text that many ask for, compressed once
 *
 * What stands in front of it differs from answer to answer, so it is not
 * compressed: a file of gzip may have both.
 */

#ifndef SGANG_WEB_GZIP_H
#define SGANG_WEB_GZIP_H

#include <stddef.h>

struct sgang_web_gzip {
	unsigned char *body; /* compressed; NULL: not yet, or not at all */
	size_t size;         /* of it */
	unsigned long sum;   /* of the text */
	size_t length;       /* of the text */
};

/* Bytes of the head and of the tail of an answer with 'front' bytes in front:
 * at most so many. */
#define SGANG_WEB_GZIP_HEAD(front) ((front) + 15)
#define SGANG_WEB_GZIP_TAIL 8
/* The longest front. */
#define SGANG_WEB_GZIP_FRONT 65535

/* Compress the text, unless that was done. Returns 0, or -1 without memory, or
 * where sgang is built without zlib. */
int sgang_web_gzip(struct sgang_web_gzip *gzip, const char *text,
		   size_t length);

/* The bytes before and behind the body of a file of gzip that has the text and
 * 'front' in front of it. Returns the size of the head. */
size_t sgang_web_gzip_ends(const struct sgang_web_gzip *gzip, const char *front,
			   size_t length, unsigned char *head,
			   unsigned char tail[SGANG_WEB_GZIP_TAIL]);

void sgang_web_gzip_clear(struct sgang_web_gzip *gzip);

#endif
