/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spec.h - what one member says about its gang: the --gang... options
 *
 * The same table of options serves the SPANK plugin (which registers them and
 * checks their syntax), job_submit (which checks their sense) and the select
 * plugin (which acts on them). Slurm carries them in the job's spank_job_env as
 * _SLURM_SPANK_OPTION_gang_gang_min_member=4.
 */

#ifndef SGANG_SPEC_H
#define SGANG_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "err.h"

#define SGANG_NAME_MAX 63		/* RFC 1123 label */
#define SGANG_NAMESPACE_MAX 255
#define SGANG_MEMBERS_MAX 100000	/* largest min-member, total, rank */

enum sgang_topo_policy {
	SGANG_TOPO_PREFER,		/* the lowest level that fits */
	SGANG_TOPO_REQUIRE		/* never above the level */
};

struct sgang_spec {
	char ns[SGANG_NAMESPACE_MAX + 1];	/* "" until resolved: the user */
	char name[SGANG_NAME_MAX + 1];		/* "" : not a gang member */
	uint32_t min_member;			/* 0: not given */
	uint32_t total;				/* 0: not given */
	enum sgang_topo_policy topo;
	char level[32];				/* "" : not given */
	bool rank_set;
	uint32_t rank;
};

struct sgang_option {
	const char *name;		/* "gang-min-member" */
	const char *alias;		/* "gang-min-available" or NULL */
	const char *arg;		/* "N", for --help */
	const char *help;		/* one line, for --help */
};

/* The options; ends with a row whose name is NULL. */
const struct sgang_option *sgang_spec_options(void);

/* Start with nothing said. */
void sgang_spec_init(struct sgang_spec *spec);

/* Take one option (its name without dashes in front, or its alias). Returns 0,
 * or -1 with errno EINVAL (unknown option, bad value) or E2BIG (longer than
 * allowed) and 'err' saying --option=value and what was expected. 'spec' is
 * untouched on failure. */
int sgang_spec_set(struct sgang_spec *spec, const char *option,
		   const char *value, struct sgang_error *err);

/* Check that what was said holds together: a name when anything else was said,
 * min-member not above total. Returns 0 or -1 with EINVAL and 'err'. */
int sgang_spec_check(const struct sgang_spec *spec, struct sgang_error *err);

/* Read all _SLURM_SPANK_OPTION_gang_* entries of 'env' (others are ignored) and
 * check them. Returns 1 when the job is a member, 0 when it says nothing about
 * gangs, -1 with 'err' when it says nonsense. 'spec' is always initialised. */
int sgang_spec_from_env(struct sgang_spec *spec, char *const *env, size_t n_env,
			struct sgang_error *err);

/* The same for a job of 'user' (may be NULL: not known): where the job names no
 * namespace, it is the user. */
int sgang_spec_of_job(struct sgang_spec *spec, char *const *env, size_t n_env,
		      const char *user, struct sgang_error *err);

/* What holds when nothing is said: min-member 1, total = min-member. */
uint32_t sgang_spec_min(const struct sgang_spec *spec);
uint32_t sgang_spec_total(const struct sgang_spec *spec);

/* Does 'later' contradict 'first', a member of the same gang? What one of them
 * leaves out cannot contradict; rank is each member's own. Returns 0, or -1
 * with EINVAL and 'err' naming the option and both values. */
int sgang_spec_agree(const struct sgang_spec *first,
		     const struct sgang_spec *later, struct sgang_error *err);

/* Fill what 'into' leaves out from 'from'. */
void sgang_spec_merge(struct sgang_spec *into, const struct sgang_spec *from);

#endif
