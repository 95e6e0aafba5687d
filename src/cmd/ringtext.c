/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ringtext.c - a ring in words, for the verbs that explain */

#include <errno.h>
#include <string.h>

#include "cmd/json.h"
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

void sgang_ringtext_json_time(const struct sgang_ring *ring,
			      const struct sgang_costs *costs, uint64_t bytes,
			      struct json_object *object)
{
	struct sgang_allreduce found;
	bool known = sgang_allreduce_time(ring, costs, bytes, &found);

	sgang_json_string(object, "slowest",
			  known ? costs->name[found.slowest] : NULL);
	json_object_object_add(object, "seconds",
			       !known ? NULL :
					json_object_new_double(found.seconds));
}

void sgang_ringtext_json_hops(const struct sgang_ring *ring,
			      const struct sgang_costs *costs,
			      struct json_object *object)
{
	struct json_object *hops = sgang_json_inner(object, "hops");
	int level;

	for (level = 0; level < SGANG_LEVELS; level++)
		if (ring->hops[level])
			sgang_json_number(hops, costs->name[level],
					  ring->hops[level]);
}
