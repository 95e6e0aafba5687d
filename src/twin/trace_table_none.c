/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_table_none.c - rows of cells in a build without libcsv: there are none
 */

#include <errno.h>

#include "trace_private.h"

int sgang_trace_table_read(const struct sgang_trace_table *table,
			   struct sgang_error *err)
{
	return sgang_errf(err, ENOTSUP,
			  "%s: this sgang was built without libcsv, which "
			  "queues of sacct and CSV files need: only the "
			  "Standard Workload Format can be read",
			  table->label);
}
