/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_checkpoint.c - ckpt=TIME in the comment of a job */

#include <time.h>

#include "../unit.h"
#include "core/gang/checkpoint.h"

/* 2026-11-22T12:00:00 where local time is UTC+1. */
#define NOW 1795345200

static const struct {
	const char *text;
	int64_t when;
} texts[] = {
	{ NULL, 0 },
	{ "", 0 },
	{ " ,; ", 0 },
	{ "ckpt=", 0 },
	{ "ckpt=1795345000", 1795345000 },
	{ "ckpt=1795345200", NOW },
	{ "ckpt=1795345201", 0 },
	{ "ckpt=0", 0 },
	{ "ckpt=-5", 0 },
	{ "ckpt=17953x", 0 },
	{ "ckpt=99999999999999999999999999", 0 },
	{ "ckpt=2026-11-22T11:59:00", NOW - 60 },
	{ "ckpt=2026-11-22T12:00:01", 0 },
	{ "ckpt=2026-07-01T00:00:00", 1782856800 },
	{ "ckpt=2026-02-30T00:00:00", 0 },
	{ "ckpt=2026-13-01T00:00:00", 0 },
	{ "ckpt=2026-00-01T00:00:00", 0 },
	{ "ckpt=2026-11-22T24:00:00", 0 },
	{ "ckpt=2026-11-22T10:60:00", 0 },
	{ "ckpt=2026-11-22", 0 },
	{ "ckpt=2026-11-22T11:59", 0 },
	{ "ckpt=2026-11-22 11:59:00", 0 },
	{ "ckpt=2026-11-22T11:59:00Z", 0 },
	{ "ckpt=1795345000000000000000000000000000000000000000000", 0 },
	{ "run 7, ckpt=1795345000; seed=3", 1795345000 },
	{ "xckpt=1795345000", 0 },
	{ "CKPT=1795345000", 0 },
	{ "ckpt =1795345000", 0 },
	/* the last of several, whatever their order */
	{ "ckpt=1795345100 ckpt=1795345000", 1795345100 },
	{ "ckpt=1795345000,ckpt=1795349999,ckpt=soon", 1795345000 },
};

TEST(moments_are_read)
{
	for (size_t i = 0; i < COUNT(texts); i++) {
		if (sgang_checkpoint_told(texts[i].text, NOW) != texts[i].when)
			fail_msg("%s: %lld", texts[i].text,
				 (long long)sgang_checkpoint_told(texts[i].text,
								  NOW));
	}
}

int main(void)
{
	setenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3", 1);
	tzset();
	return run_all_tests(NULL, NULL);
}
