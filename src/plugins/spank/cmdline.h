/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmdline.h - the command line of this process, as the user typed it */

#ifndef SGANG_CMDLINE_H
#define SGANG_CMDLINE_H

/* A vector that ends with NULL, in one block that the caller frees; NULL: it
 * cannot be read. */
char **sgang_cmdline(void);

#endif
