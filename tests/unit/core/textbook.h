/* SPDX-License-Identifier: GPL-2.0-or-later */
/* textbook.h - the fabric of the golden numbers (behaviours 4.17, 4.18, 4.36)
 *
 * 4 racks of 2 islands of 4 GPUs; an island is a node, a rack a leaf. Included
 * after unit.h.
 */

#ifndef TESTS_UNIT_TEXTBOOK_H
#define TESTS_UNIT_TEXTBOOK_H

#include "core/fabric/fabric.h"

static const char textbook[] =
	"SwitchName=r1 Nodes=n[1-2]\nSwitchName=r2 Nodes=n[3-4]\n"
	"SwitchName=r3 Nodes=n[5-6]\nSwitchName=r4 Nodes=n[7-8]\n"
	"SwitchName=root Switches=r[1-4]\n";

#define TEXTBOOK_GPUS 32

/* What tests have as their state. */
struct textbook {
	struct sgang_fabric *fabric;
	struct sgang_costs costs;
};

static inline int open_textbook(void **state)
{
	static struct textbook book;

	book.fabric = sgang_fabric_parse(textbook, "textbook", NULL, 0, NULL);
	sgang_costs_default(&book.costs);
	*state = &book;
	return book.fabric ? 0 : -1;
}

static inline int close_textbook(void **state)
{
	struct textbook *book = *state;

	sgang_fabric_destroy(book->fabric);
	return 0;
}

#endif
