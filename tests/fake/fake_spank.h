/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fake_spank.h - the few functions of Slurm that a SPANK plugin calls */

#ifndef TESTS_FAKE_SPANK_H
#define TESTS_FAKE_SPANK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <slurm/slurm.h>
#include <slurm/spank.h>

#define FAKE_SPANK_OPTIONS 40

struct fake_spank {
	enum spank_context context; /* what loads the plugin */
	int register_rc;            /* what spank_option_register says */
	uint32_t step;              /* of slurmstepd ... */
	char *argv[2];              /* ... what it runs, ends with NULL, */
	char *env[8];               /* in which environment */

	const char *plugins; /* slurmctld's JobSubmitPlugins= */
	bool is_down;        /* slurmctld does not answer */

	/* what the plugin did; names are copies */
	struct {
		char name[64];
		spank_opt_cb_f cb;
		int val;
	} option[FAKE_SPANK_OPTIONS];
	size_t n_options;
	char unset[FAKE_SPANK_OPTIONS][128]; /* from the job's environment */
	size_t n_unset;
	char set[128];    /* the last variable it set, NAME=value
			   * */
	char error[1024]; /* last line that was logged as error */
	size_t n_errors;
	size_t n_asked; /* slurmctld */
};

extern struct fake_spank fake_spank;

/* What slurm.conf at hand says. */
extern slurm_conf_t slurm_conf;

/* A fresh host of this kind. */
void fake_spank_reset(enum spank_context context);

/* As Slurm does when a user types --name=value; -1 if it is not registered. */
int fake_spank_type(const char *name, const char *value, int remote);

#endif
