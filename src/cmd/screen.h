/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.h - a terminal on which the same page is drawn again and again
 *
 * On a terminal the pages have the alternate screen, and what was there before
 * comes back when the program ends, however it ends. Elsewhere they are printed
 * one below the other, with an empty line between them.
 */

#ifndef SGANG_SCREEN_H
#define SGANG_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

/* Take the terminal, if there is one. Once in a program. */
void sgang_screen_open(void);

/* Give it back. May be called twice, and without an open. */
void sgang_screen_close(void);

/* True on a terminal, between open and close. Then pages are cut to its size.
 */
bool sgang_screen_is_terminal(void);

/* Columns and lines; 0: as many as there may be. */
void sgang_screen_size(size_t *columns, size_t *lines);

/* Draw the page: text with a line feed behind each line, which may hold colours
 * but is no wider than the screen. Lines that have no room are left out, and
 * the last one says so. */
void sgang_screen_draw(const char *page);

/* Wait so many seconds. Returns false when q has been pressed; true earlier
 * when the size has changed. */
bool sgang_screen_wait(unsigned int seconds);

#endif
