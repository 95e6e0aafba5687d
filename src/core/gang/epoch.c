/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epoch.c - who is in a gang, as text */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/gang/epoch.h"

static const char last_line[] = "# end\n";

static const char *const names[] = {
	SGANG_EPOCH_NUMBER,    SGANG_EPOCH_NAMESPACE,  SGANG_EPOCH_GANG,
	"SLURM_GANG_MEMBERS",  SGANG_EPOCH_IDS,        "SLURM_GANG_RANKS",
	SGANG_EPOCH_RANKS,     SGANG_EPOCH_NNODES,     "SLURM_GANG_NODELIST",
	SGANG_EPOCH_NODES,     SGANG_EPOCH_DRAINING,   "SLURM_GANG_HEAD_NODE",
	SGANG_EPOCH_HEAD_ADDR, "SLURM_GANG_RING_COST", SGANG_EPOCH_SPARES,
	SGANG_EPOCH_LAYOUTS,   SGANG_EPOCH_HEADS,      SGANG_EPOCH_HEAD_ADDRS,
};

const char *sgang_epoch_name(size_t i)
{
	return i < sizeof(names) / sizeof(*names) ? names[i] : NULL;
}

char *sgang_epoch_write(const char *(*get)(void *arg, const char *name),
			void *arg)
{
	char *text = NULL;
	size_t size;
	FILE *out;

	if (!get(arg, SGANG_EPOCH_NUMBER))
		return NULL;
	out = open_memstream(&text, &size);
	for (size_t i = 0; out && sgang_epoch_name(i); i++) {
		const char *value = get(arg, names[i]);

		if (value && !strpbrk(value, "'\n"))
			fprintf(out, "%s='%s'\n", names[i], value);
	}
	if (out)
		fputs(last_line, out);
	return sgang_text_close(out, &text);
}

/* The value's first byte and its length. */
static const char *find(const char *text, const char *name, size_t *length)
{
	size_t n = strlen(name);

	for (const char *line = text; line && *line;) {
		const char *end = strchr(line, '\n');

		if (end && !strncmp(line, name, n) &&
		    !strncmp(line + n, "='", 2) &&
		    end - line > (ptrdiff_t)n + 2 && end[-1] == '\'') {
			*length = (size_t)(end - line) - n - 3;
			return line + n + 2;
		}
		line = end ? end + 1 : NULL;
	}
	return NULL;
}

char *sgang_epoch_value(const char *text, const char *name)
{
	size_t length;
	const char *value = find(text, name, &length);

	return value ? strndup(value, length) : NULL;
}

uint64_t sgang_epoch_number(const char *text)
{
	size_t n = strlen(text), end = strlen(last_line), length;
	const char *value = find(text, SGANG_EPOCH_NUMBER, &length);
	uint64_t number = 0;
	char digits[24];

	if (n < end || strcmp(text + n - end, last_line) || !value ||
	    length >= sizeof(digits))
		return 0;
	memcpy(digits, value, length);
	digits[length] = '\0';
	if (sgang_text_number(digits, 1, UINT32_MAX, &number))
		return 0;
	return number;
}

bool sgang_epoch_next_id(const char **list, uint32_t *id)
{
	char *end;
	unsigned long value;

	if (**list < '0' || **list > '9')
		return false;
	value = strtoul(*list, &end, 10);
	if (value > UINT32_MAX)
		return false;
	*id = (uint32_t)value;
	*list = *end == ',' ? end + 1 : end;
	return true;
}
