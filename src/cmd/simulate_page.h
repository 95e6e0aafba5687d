/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_page.h - what the page of sgang simulate is made of */

#ifndef SGANG_SIMULATE_PAGE_H
#define SGANG_SIMULATE_PAGE_H

/* Generated from simulate.html and simulate.js: their lines, and NULL. */
extern const char *const sgang_simulate_page[];
extern const char *const sgang_simulate_js[];

#endif
