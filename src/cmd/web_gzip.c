/* SPDX-License-Identifier: GPL-2.0-or-later */
/* web_gzip.c - a text that many ask for, compressed once
 *
 * The file has a block that is stored, which is what stands in front, and then
 * those of the text, which look at nothing before them. Its checksum is made of
 * the two. Source: RFC 1951 and 1952.
 */

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef HAVE_ZLIB
#include <zlib.h>
#endif

#include "cmd/web_gzip.h"

void sgang_web_gzip_clear(struct sgang_web_gzip *gzip)
{
	free(gzip->body);
	memset(gzip, 0, sizeof(*gzip));
}

#ifdef HAVE_ZLIB

/* A deflate stream without head and tail. */
#define RAW (-MAX_WBITS)
#define MEMORY_LEVEL 8

int sgang_web_gzip(struct sgang_web_gzip *gzip, const char *text, size_t length)
{
	z_stream stream = { .next_in = (unsigned char *)(uintptr_t)text };
	size_t most;
	int rc;

	if (gzip->body)
		return 0;
	if (length > UINT32_MAX / 2 ||
	    deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, RAW, MEMORY_LEVEL,
			 Z_DEFAULT_STRATEGY) != Z_OK)
		return -1;
	most = deflateBound(&stream, length);
	gzip->body = malloc(most);
	stream.avail_in = (uInt)length;
	stream.next_out = gzip->body;
	stream.avail_out = (uInt)most;
	rc = gzip->body ? deflate(&stream, Z_FINISH) : Z_MEM_ERROR;
	gzip->size = stream.total_out;
	deflateEnd(&stream);
	if (rc != Z_STREAM_END) {
		sgang_web_gzip_clear(gzip);
		return -1;
	}
	gzip->sum = crc32(0, (const unsigned char *)text, (uInt)length);
	gzip->length = length;
	return 0;
}

/* The least significant byte first. */
static void put(unsigned char *to, uint32_t number, int bytes)
{
	for (int i = 0; i < bytes; i++)
		to[i] = (unsigned char)(number >> 8 * i);
}

size_t sgang_web_gzip_ends(const struct sgang_web_gzip *gzip, const char *front,
			   size_t length, unsigned char *head,
			   unsigned char tail[SGANG_WEB_GZIP_TAIL])
{
	/* deflate, no name, no time, any system */
	static const unsigned char gzip_head[10] = { 0x1f, 0x8b, 8, 0, 0,
						     0,    0,    0, 0, 255 };
	uint32_t sum = (uint32_t)crc32_combine(
		crc32(0, (const unsigned char *)front, (uInt)length), gzip->sum,
		(z_off_t)gzip->length);

	memcpy(head, gzip_head, sizeof(gzip_head));
	head[10] = 0; /* a stored block, not the last */
	put(head + 11, (uint32_t)length, 2);
	put(head + 13, ~(uint32_t)length, 2);
	memcpy(head + 15, front, length);
	put(tail, sum, 4);
	put(tail + 4, (uint32_t)(length + gzip->length), 4);
	return SGANG_WEB_GZIP_HEAD(length);
}

#else

int sgang_web_gzip(struct sgang_web_gzip *gzip, const char *text, size_t length)
{
	(void)gzip;
	(void)text;
	(void)length;
	return -1;
}

size_t sgang_web_gzip_ends(const struct sgang_web_gzip *gzip, const char *front,
			   size_t length, unsigned char *head,
			   unsigned char tail[SGANG_WEB_GZIP_TAIL])
{
	(void)gzip;
	(void)front;
	(void)length;
	(void)head;
	(void)tail;
	return 0;
}

#endif
