/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ringtext.c - what a ring does, in words, for the verbs that explain */

#include <errno.h>
#include <string.h>

#include "cmd/ringtext.h"
#include "core/base/text.h"
#include "core/fabric/allreduce.h"

int sgang_ringtext_bytes(const char *value, uint64_t *bytes,
			 struct sgang_error *err)
{
	static const char letters[] = "KMGT";
	size_t length = strlen(value);
	const char *letter = length ? strchr(letters, value[length - 1]) : NULL;
	char shown[SGANG_TEXT_SHOWN], number[24] = "";
	uint64_t factor = 1, count = 0;

	if (letter)
		length--;
	for (; letter && letter >= letters; letter--)
		factor *= 1000;
	if (length < sizeof(number))
		memcpy(number, value, length);
	if (sgang_text_number(number, 1, UINT64_MAX / factor, &count))
		return sgang_errf(
			err, EINVAL,
			"--bytes=%s: expected a number "
			"above 0, which K, M, G or T may follow, like "
			"1G",
			sgang_text_show(shown, value));
	*bytes = count * factor;
	return 0;
}

void sgang_ringtext_time(const struct sgang_ring *ring,
			 const struct sgang_costs *costs, uint64_t bytes,
			 struct sgang_ringtext_time *time)
{
	struct sgang_allreduce found;

	if (!sgang_allreduce_time(ring, costs, bytes, &found)) {
		time->slowest = "(null)";
		strcpy(time->seconds, "(null)");
		return;
	}
	time->slowest = costs->name[found.slowest];
	snprintf(time->seconds, sizeof(time->seconds), "%.4g", found.seconds);
}

void sgang_ringtext_json_time(const struct sgang_ring *ring,
			      const struct sgang_costs *costs, uint64_t bytes,
			      struct json_object *object)
{
	struct sgang_allreduce found;
	bool known = sgang_allreduce_time(ring, costs, bytes, &found);

	json_object_object_add(
		object, "slowest",
		!known ? NULL :
			 json_object_new_string(costs->name[found.slowest]));
	json_object_object_add(object, "seconds",
			       !known ? NULL :
					json_object_new_double(found.seconds));
}
