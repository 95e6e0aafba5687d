/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.c - what a task is told of its place in the gang */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/gang/epoch.h"
#include "plugins/spank/task.h"

static const char *find(const struct sgang_task *task, const char *name)
{
	size_t n = strlen(name);

	for (char *const *entry = task->env; entry && *entry; entry++)
		if (!strncmp(*entry, name, n) && (*entry)[n] == '=')
			return *entry + n + 1;
	return NULL;
}

static bool find_number(const struct sgang_task *task, const char *name,
			uint64_t *number)
{
	const char *text = find(task, name);

	return text && !sgang_text_number(text, 0, UINT32_MAX, number);
}

/* The sum of the numbers before number n of a list, and that number. */
static bool find_item(const char *list, uint64_t n, uint64_t *before,
		      uint32_t *item)
{
	*before = 0;
	for (uint64_t i = 0; list && sgang_epoch_next_id(&list, item); i++) {
		if (i == n)
			return true;
		*before += *item;
	}
	return false;
}

/* Which name of the list it is. */
static bool find_name(const char *list, const char *name, uint64_t *place)
{
	size_t n = strlen(name);

	for (*place = 0; list && *list; (*place)++) {
		size_t length = strcspn(list, ",");

		if (length == n && !strncmp(list, name, n))
			return true;
		list += length;
		list += *list == ',';
	}
	return false;
}

bool sgang_task_node(const struct sgang_task *task, uint64_t *node_rank)
{
	uint64_t member, before, place;
	uint32_t nodes;

	if (!find_number(task, "SLURM_GANG_MEMBER_RANK", &member) ||
	    !find_item(find(task, SGANG_EPOCH_NODES), member, &before,
		       &nodes) ||
	    !find_name(find(task, "SLURM_GANG_MEMBER_NODELIST"), task->node,
		       &place))
		return false;
	*node_rank = before + place;
	return true;
}

bool sgang_task_run(const struct sgang_task *task, uint64_t *ranks,
		    uint64_t *offset)
{
	return task->tasks &&
	       find_number(task, "SLURM_GANG_RUN_RANKS", ranks) &&
	       find_number(task, "SLURM_GANG_RUN_OFFSET", offset);
}

bool sgang_task_rank(const struct sgang_task *task, uint64_t *rank)
{
	const char *layout = find(task, "SLURM_GANG_LAYOUT");
	uint64_t member, offset, ranks = 0, before;
	bool run = sgang_task_run(task, &ranks, &offset);
	uint32_t own, number;

	if (!task->tasks || (run && !ranks) ||
	    !find_number(task, "SLURM_GANG_MEMBER_RANK", &member) ||
	    !find_item(find(task, SGANG_EPOCH_RANKS), member, &before, &own))
		return false;
	if (!run && (own != task->tasks ||
		     !find_number(task, "SLURM_GANG_RANK_OFFSET", &offset)))
		return false;
	*rank = offset + task->id;
	/* communication groups may number them otherwise */
	if (own == task->tasks && layout && layout[0]) {
		if (!find_item(layout, task->id, &before, &number))
			return false;
		*rank = number;
	}
	return true;
}
