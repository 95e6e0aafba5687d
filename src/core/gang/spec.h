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

#include "core/base/err.h"
#include "policy.h"
#include "reserve.h"
#include "role_path.h"

#define SGANG_NAME_MAX 63 /* RFC 1123 label */
#define SGANG_NAMESPACE_MAX 255
#define SGANG_MEMBERS_MAX 100000 /* largest min-member, total, rank */
#define SGANG_GROUPS_SIZE 512    /* bytes of a list of gangs */
#define SGANG_FOREVER UINT32_MAX /* a waiting time without end */
#define SGANG_PARALLEL_SIZE 256  /* bytes of --gang-parallel */
#define SGANG_SHARE_ONE 1000     /* --gang-comm-share=1 */

/* 0 is always: not given. */
enum sgang_mode {
	SGANG_MODE_UNSET,
	SGANG_MODE_STRICT,   /* a waiting gang holds nothing (0.2) */
	SGANG_MODE_NONSTRICT /* members keep what they got (0.7) */
};

/* Members that count towards the minimum after the first start. */
enum sgang_match {
	SGANG_MATCH_UNSET,
	SGANG_MATCH_ONCE_SATISFIED,     /* nothing is asked any more (0.11) */
	SGANG_MATCH_ONLY_WAITING,       /* they must be a whole gang again */
	SGANG_MATCH_WAITING_AND_RUNNING /* those that run count too */
};

/* The action when a member fails or is lost (3.2, 3.19). */
enum sgang_on_failure {
	SGANG_ON_FAILURE_UNSET,
	SGANG_ON_FAILURE_IGNORE,
	SGANG_ON_FAILURE_KILL,
	SGANG_ON_FAILURE_REQUEUE,
	SGANG_ON_FAILURE_REPLACE /* it alone is requeued, the others go on */
};

/* In which order members are in the ring (7.9). */
enum sgang_rank_order {
	SGANG_RANK_ORDER_UNSET,
	SGANG_RANK_ORDER_SUBMIT, /* as they were submitted */
	SGANG_RANK_ORDER_RING    /* as the ring costs the least */
};

/* What becomes of a gang of which not all placeholders get their nodes in time.
 */
enum sgang_placeholders {
	SGANG_PLACEHOLDERS_UNSET, /* it has none */
	SGANG_PLACEHOLDERS_SOFT,  /* it starts with what there is */
	SGANG_PLACEHOLDERS_HARD   /* it fails */
};

/* May it preempt the jobs that Slurm lets its members preempt? */
enum sgang_preempt {
	SGANG_PREEMPT_UNSET, /* yes */
	SGANG_PREEMPT_YES,
	SGANG_PREEMPT_NO
};

/* --gang-on-success, where it is no number of members */
#define SGANG_ON_SUCCESS_ALL UINT32_MAX
#define SGANG_ON_SUCCESS_LEADER (UINT32_MAX - 1)

struct sgang_spec {
	char ns[SGANG_NAMESPACE_MAX + 1]; /* "" until resolved: the user */
	char name[SGANG_NAME_MAX + 1];    /* "" : not a gang member */
	uint32_t min_member;              /* 0: not given */
	uint32_t total;                   /* 0: not given */
	char topology[SGANG_POLICY_SIZE]; /* policy.h; "": not given */
	char group_topology[SGANG_POLICY_SIZE]; /* of its gang group as a whole:
						 * require, prefer, spread */
	char exclusive[SGANG_LEVEL_NAME_SIZE];  /* no other gang in the domains
						 * of this level that it uses */
	char parallel[SGANG_PARALLEL_SIZE];     /* parallel.h; "": not given */
	uint32_t run_time;   /* seconds it is expected to run;
			      * 0: not given */
	uint32_t comm_share; /* of a step's time, in parts of
			      * SGANG_SHARE_ONE; 0: not
			      * given */
	bool rank_set;
	uint32_t rank;
	enum sgang_rank_order rank_order;
	enum sgang_mode mode;
	enum sgang_match match;
	enum sgang_on_failure on_failure;
	enum sgang_preempt preempt;
	uint32_t max_restarts;          /* by on_failure; 0: not given */
	enum sgang_on_failure on_stale; /* too few run for ... */
	uint32_t stale_grace;           /* ... these seconds,
					 * SGANG_FOREVER; 0: not given */
	uint32_t on_success;            /* so many must complete for the gang
					 * to be done; 0: not given */
	enum sgang_on_failure on_drain; /* of a node under a member: ignore,
					 * replace */
	uint32_t spares;                /* members without a member rank that
					 * wait for one to be lost ... */
	bool spares_cold;               /* ... and are not launched before */
	bool pool;                      /* its members are spares for other
					 * gangs; only definitions say so */
	char spare_pool[SGANG_NAME_MAX + 1]; /* that pool, of its namespace; "":
					      * none */
	uint32_t waiting_time;               /* seconds, SGANG_FOREVER; 0:
					 * not given */
	bool groups_set;                     /* an empty list counts */
	char groups[SGANG_GROUPS_SIZE];      /* "NS/NAME,NS/NAME", each once,
					 * as given otherwise */
	uint64_t min_cpus;                   /* --gang-min-tres=cpu=N, */
	uint64_t min_memory;                 /* mem=SIZE in MB (Slurm's
					 * suffixes K M G T; none: M), */
	uint64_t min_nodes;                  /* node=N; 0: not given. The
					 * gang is not tried while less
					 * is free (0.15) */
	bool order_set;                      /* --gang-order: each member's
					 * own, like rank */
	uint32_t order;
	char role[SGANG_ROLE_SIZE]; /* the member's place in the gang's tree
					 * of groups, role_path.h; "": the gang
					 * is no tree. Each member's own */
	char tree[SGANG_ROLE_LIST_SIZE]; /* what these groups need; "": not
					  * given */
	enum sgang_placeholders placeholders;
	uint32_t placeholder_timeout; /* seconds, from the first one placed;
				       * SGANG_FOREVER; 0: not given */
	uint32_t placeholder_unused;  /* ... for those that nobody replaces */
	bool placeholder; /* keeps its nodes for a member to come, and never
			   * runs */
	bool reserve;     /* wants placeholders made, as only sbatch does */
	char reserved[SGANG_RESERVED_SIZE]; /* the array that was made of it for
					     * --gang-reserve, "1-8", or "no";
					     * "": it was not */
	bool object;                        /* defines the gang and is no
		      * member of it */
};

struct sgang_option {
	const char *name;  /* "gang-min-member" */
	const char *alias; /* "gang-min-available" or NULL */
	const char *arg;   /* "N", for --help */
	const char *help;  /* one line, for --help */
	bool hidden;       /* set by sgang(1), not an option of
			    * sbatch */
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

/* Has some option of 'said' no effect in a gang of which 'all' is said? Then
 * 'note' names each, and what would give it one. */
bool sgang_spec_idle(const struct sgang_spec *said,
		     const struct sgang_spec *all, struct sgang_error *note);

/* Check that what was said holds together: a name when anything else was said,
 * min-member not above total. Returns 0 or -1 with EINVAL and 'err'. */
int sgang_spec_check(const struct sgang_spec *spec, struct sgang_error *err);

/* Check that nothing is said that a pool or a member of one cannot have: the
 * members are spares that wait one by one. Returns as above. */
int sgang_spec_check_pool(const struct sgang_spec *spec,
			  struct sgang_error *err);

/* Check that a gang whose later members wait for a whole gang has nothing that
 * replaces a lost one. Returns as above. */
int sgang_spec_check_match(const struct sgang_spec *spec,
			   struct sgang_error *err);

/* Check that nothing is said that a gang with placeholders cannot have: they
 * are placed all at once, and have a place in the ring. Returns as above. */
int sgang_spec_check_placeholders(const struct sgang_spec *spec,
				  struct sgang_error *err);

/* How Slurm names the options of SPANK plugin "gang" in a job's environment. */
#define SGANG_SPEC_EXPORT "SLURM_SPANK_"
#define SGANG_SPEC_ENV "_SLURM_SPANK_OPTION_gang_"

/* Read all _SLURM_SPANK_OPTION_gang_* entries of 'env' (others are ignored) and
 * check them. Returns 1 when the job is a member, 0 when it says nothing about
 * gangs, -1 with 'err' when it says nonsense. 'spec' is always initialised. */
int sgang_spec_from_env(struct sgang_spec *spec, char *const *env, size_t n_env,
			struct sgang_error *err);

/* The entries of 'env' with the options of gangs replaced by those of 'fellow',
 * a member of another gang, without rank and order, which are its own. The
 * caller frees the list, but not the borrowed entries. NULL without memory. */
char **sgang_spec_env_of(char *const *env, size_t n_env, char *const *fellow,
			 size_t n_fellow, size_t *n);

/* True if the job of this environment is a placeholder, which never runs. */
bool sgang_spec_is_placeholder(char *const *env, size_t n_env);

/* True if the environment of SPANK options has one about gangs. O(n_env); NULL
 * entries are passed over. */
bool sgang_spec_concerns(char *const *env, size_t n_env);

/* True if the environment of a script names a gang by a variable that Slurm's
 * commands take, or pass on, as --gang. O(n_env); NULL entries are passed over.
 */
bool sgang_spec_exported(char *const *env, size_t n_env);

/* The same for a job of 'user' (may be NULL: not known): where the job names no
 * namespace, it is the user. */
int sgang_spec_of_job(struct sgang_spec *spec, char *const *env, size_t n_env,
		      const char *user, struct sgang_error *err);

/* Defaults: min-member 1, total = min-member. */
uint32_t sgang_spec_min(const struct sgang_spec *spec);
uint32_t sgang_spec_total(const struct sgang_spec *spec);

/* Check that 'later' does not contradict 'first', a member of the same gang. An
 * option that one of them leaves out cannot contradict; rank is each member's
 * own. Returns 0, or -1 with EINVAL and 'err' naming the option and both
 * values. */
int sgang_spec_agree(const struct sgang_spec *first,
		     const struct sgang_spec *later, struct sgang_error *err);

/* Fill what 'into' leaves out from 'from'. Rank, order and object are not of
 * the gang and stay. */
void sgang_spec_merge(struct sgang_spec *into, const struct sgang_spec *from);

/* Does it say how many members the gang needs? A gang of which nobody says so
 * is Undefined (0.25, 0.26). */
bool sgang_spec_defines(const struct sgang_spec *spec);

/* Defaults: strict, once-satisfied. */
enum sgang_mode sgang_spec_mode(const struct sgang_spec *spec);
enum sgang_match sgang_spec_match(const struct sgang_spec *spec);

/* Options about levels; empty if none is set. */
void sgang_spec_policy(const struct sgang_spec *spec,
		       struct sgang_policy *policy);
void sgang_spec_group_policy(const struct sgang_spec *spec,
			     struct sgang_policy *policy);

/* Does one of its options name a level that 'costs' does not have? '*option' is
 * then the option, without dashes in front, and 'level' the first such name. */
bool sgang_spec_unknown_level(const struct sgang_spec *spec,
			      const struct sgang_costs *costs,
			      const char **option,
			      char level[SGANG_LEVEL_NAME_SIZE]);

/* The words users type: "nonstrict", "once-satisfied", "kill"; "" for UNSET. */
const char *sgang_mode_word(enum sgang_mode mode);
const char *sgang_match_word(enum sgang_match match);
const char *sgang_on_failure_word(enum sgang_on_failure on_failure);
/* Does it end others, once some have completed? */
bool sgang_on_success_counts(uint32_t on_success);
#define SGANG_ON_SUCCESS_SHOWN 16
void sgang_on_success_show(char *text, size_t size, uint32_t on_success);
const char *sgang_rank_order_word(enum sgang_rank_order order);

/* The reverse, case ignored: UNSET when there is no such order. */
enum sgang_rank_order sgang_rank_order_find(const char *word);

/* The value of an option that the members of a gang share, as it is typed:
 * "cpu=5,mem=2048M" for "gang-min-tres". Returns 'text', or NULL if the option
 * was not given, and always NULL for rank, order, object and the gang itself.
 */
const char *sgang_spec_value(const struct sgang_spec *spec, const char *option,
			     char text[SGANG_GROUPS_SIZE]);

/* Take the next "NS/NAME" off the list at '*at' (start with spec->groups).
 * Returns false at its end. 'ns' and 'name' have room for SGANG_NAMESPACE_MAX
 * + 1 and SGANG_NAME_MAX + 1 bytes. */
bool sgang_spec_next_group(const char **at, char *ns, char *name);

/* Does its list of groups name that gang? */
bool sgang_spec_lists(const struct sgang_spec *spec, const char *ns,
		      const char *name);

#endif
