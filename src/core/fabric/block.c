/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block.c - blocks of nodes, and the larger ones they are joined to
 *
 *   BlockName=b1 Nodes=n[1-18]
 *   BlockName=b2 Nodes=n[19-36]
 *   BlockName=b3 Nodes=n[37-54]
 *   BlockSizes=18,36
 *
 *                b[1-3]             joins all, one level above the last size
 *               /      \
 *          b[1-2]      b3           36 = 18 * 2: two blocks each
 *          /    \                   one block is left over, which is no pair
 *         b1    b2
 */

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "draft.h"

/* The keys in the order of the rules. */
enum { KEY_BLOCK, KEY_NODES };
enum { KEY_SIZES };

/* The sizes that Slurm joins by default: 1, 2, 4, 8, 16 blocks. */
#define JOINED_DEFAULT UINT32_C(0x1f)

const struct sgang_draft_words sgang_block_words = {
	.thing = "block",
	.has = "in",
	.once = "in one block",
	.define = "a line BlockName=",
	.blocks = true,
};

static int take_block(struct sgang_conf_reader *reader,
		      struct sgang_place place,
		      char *const value[SGANG_LINE_KEYS])
{
	uint32_t number;

	if (sgang_draft_switch(reader->draft, value[KEY_BLOCK], place, &number,
			       reader->err))
		return -1;
	/* one without nodes keeps its number free for those to come */
	if (!value[KEY_NODES])
		return 0;
	return sgang_draft_nodes(reader->draft, number, value[KEY_NODES], place,
				 reader->err);
}

int sgang_block_size(struct sgang_block_sizes *sizes, const char *word,
		     struct sgang_place place, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint32_t power = 0;
	uint64_t size;

	if (sgang_text_number(word, 1, INT32_MAX, &size))
		return sgang_errf(err, EINVAL,
				  "%s:%u: the block size \"%s\" "
				  "is not a number from 1 to %d",
				  place.file, place.line,
				  sgang_text_show(shown, word), INT32_MAX);
	if (!sizes->base)
		sizes->base = (uint32_t)size;
	while (power < SGANG_BLOCK_POWER_MAX &&
	       (uint64_t)sizes->base << power < size)
		power++;
	if ((uint64_t)sizes->base << power != size)
		return sgang_errf(err, EINVAL,
				  "%s:%u: the block size %" PRIu64
				  " is not the first one, %" PRIu32 ", times a "
				  "power of two up to %u",
				  place.file, place.line, size, sizes->base,
				  1u << SGANG_BLOCK_POWER_MAX);
	sizes->joined |= UINT32_C(1) << power;
	return 0;
}

static int take_sizes(struct sgang_conf_reader *reader,
		      struct sgang_place place,
		      char *const value[SGANG_LINE_KEYS])
{
	char *list = value[KEY_SIZES], *word;

	if (reader->sizes.base)
		return sgang_errf(reader->err, EINVAL,
				  "%s:%u: BlockSizes= is "
				  "given a second time, expected it once",
				  place.file, place.line);
	while ((word = strsep(&list, ","))) {
		if (sgang_block_size(&reader->sizes, word, place, reader->err))
			return -1;
	}
	return 0;
}

const struct sgang_line_rule sgang_block_line = {
	.words = &sgang_block_words,
	.key = { "BlockName", "Nodes" },
	.take = take_block,
};

const struct sgang_line_rule sgang_block_sizes_line = {
	.words = &sgang_block_words,
	.key = { "BlockSizes" },
	.take = take_sizes,
};

/* Join 'size' blocks each. 'top' has, at the number of the first block of each
 * group of 'below' blocks, what this group is by now. */
static int join_by(struct sgang_draft *draft, uint32_t *top, uint32_t n_blocks,
		   uint32_t size, uint32_t below, struct sgang_error *err)
{
	uint32_t first, i, end;

	for (first = 0; first < n_blocks; first = end) {
		uint32_t left = n_blocks - first;

		if (left <= below)
			break;
		end = first + (size < left ? size : left);
		if (sgang_draft_group(draft, first, end - first, err))
			return -1;
		for (i = first; i < end; i += below)
			sgang_draft_move(draft, top[i],
					 sgang_draft_switches(draft) - 1);
		top[first] = sgang_draft_switches(draft) - 1;
	}
	return 0;
}

int sgang_draft_join(struct sgang_draft *draft,
		     const struct sgang_block_sizes *sizes,
		     struct sgang_error *err)
{
	struct sgang_block_sizes all = *sizes;
	uint32_t n = sgang_draft_switches(draft), below = 1, power, i;
	uint32_t *top = malloc(n * sizeof(*top));
	int rc = 0;

	if (!top)
		return sgang_errf(err, ENOMEM, "fabric: out of memory");
	if (!all.base)
		all.joined = JOINED_DEFAULT;
	sgang_draft_size(draft, &all);
	for (i = 0; i < n; i++)
		top[i] = i;
	for (power = 1; power <= SGANG_BLOCK_POWER_MAX && !rc && below < n;
	     power++) {
		if (!(all.joined >> power & 1))
			continue;
		rc = join_by(draft, top, n, UINT32_C(1) << power, below, err);
		below = UINT32_C(1) << power;
	}
	if (!rc && below < n)
		rc = join_by(draft, top, n, n, below, err);
	free(top);
	return rc;
}
