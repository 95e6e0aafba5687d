/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spec.c - what one member says about its gang: the --gang... options */

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/parallel_words.h"
#include "core/base/text.h"
#include "reserve.h"
#include "role_tree.h"
#include "spec.h"

/* The prefix of an option's name in spank_job_env. The plugin's name is "gang";
 * bytes that are no letter or digit arrive as '_'. */

/* Largest number in --gang-min-tres; the unit of memory is MB. */
#define TRES_MAX UINT64_C(1000000000000)

/* To add an option: a number here, a row in options[], in setters[] and in
 * fields[], a field in struct sgang_spec, a paragraph in spank_gang.8. */
enum {
	OPT_GANG,
	OPT_MIN_MEMBER,
	OPT_TOTAL_NUMBER,
	OPT_TOPOLOGY,
	OPT_RANK,
	OPT_MODE,
	OPT_GROUPS,
	OPT_WAITING_TIME,
	OPT_MATCH,
	OPT_ORDER,
	OPT_ON_FAILURE,
	OPT_MIN_TRES,
	OPT_GROUP_TOPOLOGY,
	OPT_EXCLUSIVE,
	OPT_PARALLEL,
	OPT_RUN_TIME,
	OPT_COMM_SHARE,
	OPT_RANK_ORDER,
	OPT_PREEMPT,
	OPT_MAX_RESTARTS,
	OPT_ON_STALE,
	OPT_STALE_GRACE,
	OPT_SPARES,
	OPT_ON_SUCCESS,
	OPT_ON_DRAIN,
	OPT_SPARE_POOL,
	OPT_POOL,
	OPT_ROLE,
	OPT_TREE,
	OPT_PLACEHOLDERS,
	OPT_PLACEHOLDER_TIMEOUT,
	OPT_PLACEHOLDER_UNUSED,
	OPT_PLACEHOLDER,
	OPT_RESERVE,
	OPT_RESERVED,
	OPT_OBJECT,
	OPTIONS
};

static const struct sgang_option options[OPTIONS + 1] = {
	[OPT_GANG] = {
		.name = "gang",
		.arg = "[NAMESPACE/]NAME",
		.help = "join this gang: its jobs start together or not at all",
	},
	[OPT_MIN_MEMBER] = {
		.name = "gang-min-member",
		.alias = "gang-min-available",
		.arg = "N",
		.help = "members that are needed to start",
	},
	[OPT_TOTAL_NUMBER] = {
		.name = "gang-total-number",
		.arg = "N",
		.help = "members that are expected (default: min-member)",
	},
	[OPT_TOPOLOGY] = {
		.name = "gang-topology",
		.arg = "require:LEVEL|prefer:LEVEL[@TIME]|spread:LEVEL|auto",
		.help = "highest level of the fabric that the gang may span, "
			"or how to wait for a better place",
	},
	[OPT_RANK] = {
		.name = "gang-rank",
		.arg = "N",
		.help = "position of this member in the ring (default: order "
			"of submission)",
	},
	[OPT_MODE] = {
		.name = "gang-mode",
		.arg = "strict|nonstrict",
		.help = "whether members keep what they got while the gang "
			"waits for the rest (default strict: no)",
	},
	[OPT_GROUPS] = {
		.name = "gang-groups",
		.arg = "NAMESPACE/NAME,...",
		.help = "gangs that start only together with this one",
	},
	[OPT_WAITING_TIME] = {
		.name = "gang-waiting-time",
		.arg = "TIME",
		.help = "longest wait since the first member was placed "
			"(default: gang.conf)",
	},
	[OPT_MATCH] = {
		.name = "gang-match",
		.arg = "once-satisfied|only-waiting|waiting-and-running",
		.help = "what counts towards the minimum once the gang has "
			"started (default once-satisfied)",
	},
	[OPT_ORDER] = {
		.name = "gang-order",
		.arg = "N",
		.help = "members with a lower number belong to the minimum "
			"first (default: last)",
	},
	[OPT_ON_FAILURE] = {
		.name = "gang-on-failure",
		.arg = "ignore|kill|requeue|replace",
		.help = "what becomes of the others when a member fails "
			"(default ignore)",
	},
	[OPT_MIN_TRES] = {
		.name = "gang-min-tres",
		.arg = "cpu=N,mem=SIZE,node=N",
		.help = "do not try to start the gang while less is free",
	},
	[OPT_GROUP_TOPOLOGY] = {
		.name = "gang-group-topology",
		.arg = "require:LEVEL|prefer:LEVEL[@TIME]|spread:LEVEL",
		.help = "the same for the whole gang group",
	},
	[OPT_EXCLUSIVE] = {
		.name = "gang-exclusive",
		.arg = "LEVEL",
		.help = "no other gang in the domains of this level that the "
			"gang uses",
	},
	[OPT_PARALLEL] = {
		.name = "gang-parallel",
		.arg = "NAME=SIZE,...[:NAME=WEIGHT,...]",
		.help = "groups of ranks that communicate, such as "
			"tp=8,dp=4,pp=2; the first varies fastest",
	},
	[OPT_RUN_TIME] = {
		.name = "gang-run-time",
		.arg = "TIME",
		.help = "how long the gang will run in the best place, for "
			"--gang-topology=auto (default: the time limit)",
	},
	[OPT_COMM_SHARE] = {
		.name = "gang-comm-share",
		.arg = "FRACTION",
		.help = "share of a step that communicates, for "
			"--gang-topology=auto (default 0.3)",
	},
	[OPT_RANK_ORDER] = {
		.name = "gang-rank-order",
		.arg = "submit|ring",
		.help = "order of members in the ring: as submitted, or as "
			"the ring costs the least (default: gang.conf)",
	},
	[OPT_PREEMPT] = {
		.name = "gang-preempt",
		.arg = "yes|no",
		.help = "whether the gang preempts the jobs that Slurm lets "
			"it preempt (default yes)",
	},
	[OPT_MAX_RESTARTS] = {
		.name = "gang-max-restarts",
		.arg = "N",
		.help = "how often --gang-on-failure=requeue restarts the gang "
			"(default 5)",
	},
	[OPT_ON_STALE] = {
		.name = "gang-on-stale",
		.arg = "ignore|kill|requeue",
		.help = "what becomes of a gang that runs below its minimum "
			"for too long (default ignore)",
	},
	[OPT_STALE_GRACE] = {
		.name = "gang-stale-grace",
		.arg = "TIME",
		.help = "for how long it may (default a minute)",
	},
	[OPT_SPARES] = {
		.name = "gang-spares",
		.arg = "N[:cold]",
		.help = "members without a member rank, until one is lost "
			"(default none); cold ones are not launched before",
	},
	[OPT_ON_SUCCESS] = {
		.name = "gang-on-success",
		.arg = "leader|all|N",
		.help = "who must complete for the gang to be done, which ends "
			"the others (default all)",
	},
	[OPT_ON_DRAIN] = {
		.name = "gang-on-drain",
		.arg = "ignore|replace",
		.help = "whether a member whose node drains moves to another "
			"one (default ignore)",
	},
	[OPT_SPARE_POOL] = {
		.name = "gang-spare-pool",
		.arg = "POOL",
		.help = "the pool whose spares take the place of lost members",
	},
	[OPT_POOL] = {
		.name = "gang-pool",
		.arg = "yes",
		.help = "the members are spares for other gangs",
		.hidden = true,
	},
	[OPT_ROLE] = {
		.name = "gang-role",
		.arg = "GROUP[:min=N]/...",
		.help = "group of this member in the gang's tree of groups, "
			"such as replica1/decode, and what each group needs",
	},
	[OPT_TREE] = {
		.name = "gang-tree",
		.arg = "GROUP/...:min=N,...",
		.help = "what groups of the gang's tree need, if their members "
			"do not say it",
	},
	[OPT_PLACEHOLDERS] = {
		.name = "gang-placeholders",
		.arg = "soft|hard",
		.help = "whether a gang starts or fails when some placeholders "
			"are not ready in time",
	},
	[OPT_PLACEHOLDER_TIMEOUT] = {
		.name = "gang-placeholder-timeout",
		.arg = "TIME",
		.help = "this time, from the first one placed (default 15 "
			"minutes)",
	},
	[OPT_PLACEHOLDER_UNUSED] = {
		.name = "gang-placeholder-unused",
		.arg = "TIME",
		.help = "for how long placeholders wait for their members "
			"(default: as long as the gang is there)",
	},
	[OPT_PLACEHOLDER] = {
		.name = "gang-placeholder",
		.arg = "1",
		.help = "this job keeps its nodes for a member to come, and "
			"never runs",
	},
	[OPT_RESERVE] = {
		.name = "gang-reserve",
		.arg = "GROUP:N,...",
		.help = "keep nodes for N members of each group, by "
			"placeholders (sbatch only)",
	},
	[OPT_RESERVED] = {
		.name = "gang-reserved",
		.arg = "FIRST-LAST|no",
		.help = "the array that --gang-reserve has made of this job",
		.hidden = true,
	},
	[OPT_OBJECT] = {
		.name = "gang-object",
		.arg = "1",
		.help = "this job defines the gang and is no member of it",
		.hidden = true,
	},
};

static int refuse(struct sgang_error *err, int errnum, int option,
		  const char *value, const char *why)
{
	char shown[SGANG_TEXT_SHOWN];

	return sgang_errf(err, errnum, "--%s=%s: %s", options[option].name,
			  sgang_text_show(shown, value), why);
}

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* RFC 1123 label; 'option' and 'value' are for the message. */
static int check_name(const char *name, int option, const char *value,
		      struct sgang_error *err)
{
	size_t length = strlen(name), i;

	if (!length)
		return refuse(err, EINVAL, option, value,
			      option == OPT_GANG ?
				      "the name is missing, expected "
				      "[NAMESPACE/]NAME" :
				      "the name is missing, expected "
				      "NAMESPACE/NAME");
	if (length > SGANG_NAME_MAX)
		return refuse(err, E2BIG, option, value,
			      "a gang's name has at most 63 characters");
	for (i = 0; i < length; i++) {
		if (is_upper(name[i]))
			return refuse(err, EINVAL, option, value,
				      "a gang's name has no upper-case "
				      "letters");
		if (name[i] == '/')
			return refuse(
				err, EINVAL, option, value,
				option == OPT_GANG ?
					"there is more than one slash, expected "
					"[NAMESPACE/]NAME" :
					"there is more than one slash, expected "
					"NAMESPACE/NAME");
		if (!is_lower(name[i]) && !is_digit(name[i]) && name[i] != '-')
			return refuse(err, EINVAL, option, value,
				      "a gang's name has only the letters a "
				      "to z, digits and '-'");
	}
	if (name[0] == '-' || name[length - 1] == '-')
		return refuse(err, EINVAL, option, value,
			      "a gang's name begins and ends with a letter or "
			      "a digit");
	return 0;
}

/* Users and accounts are named by the site, so little is forbidden: what would
 * break a list of names, a record's words or somebody's terminal. */
static int check_namespace(const char *ns, size_t length, int option,
			   const char *value, struct sgang_error *err)
{
	size_t i;

	if (!length && option == OPT_GANG)
		return refuse(err, EINVAL, option, value,
			      "the namespace before the slash is empty; leave "
			      "the slash out to use your user name");
	if (!length)
		return refuse(err, EINVAL, option, value,
			      "the namespace before the slash is empty");
	if (length > SGANG_NAMESPACE_MAX)
		return refuse(err, E2BIG, option, value,
			      "a namespace has at most 255 characters");
	for (i = 0; i < length; i++)
		if (ns[i] <= ' ' || ns[i] > '~' || strchr(",\"'", ns[i]))
			return refuse(err, EINVAL, option, value,
				      "a namespace is a user or an account, "
				      "without blanks, commas, quotes and "
				      "unprintable characters");
	return 0;
}

static int set_gang(struct sgang_spec *spec, const char *value,
		    struct sgang_error *err)
{
	const char *slash = strchr(value, '/');
	const char *name = slash ? slash + 1 : value;
	size_t length = slash ? (size_t)(slash - value) : 0;

	if (slash && check_namespace(value, length, OPT_GANG, value, err))
		return -1;
	if (check_name(name, OPT_GANG, value, err))
		return -1;
	memcpy(spec->ns, value, length);
	spec->ns[length] = '\0';
	strcpy(spec->name, name);
	return 0;
}

static int set_number(uint32_t *field, int option, uint32_t min,
		      const char *value, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint64_t number;

	if (sgang_text_number(value, min, SGANG_MEMBERS_MAX, &number))
		return sgang_errf(err, EINVAL,
				  "--%s=%s: expected a number from %" PRIu32
				  " to %d",
				  options[option].name,
				  sgang_text_show(shown, value), min,
				  SGANG_MEMBERS_MAX);
	*field = (uint32_t)number;
	return 0;
}

static int set_min_member(struct sgang_spec *spec, const char *value,
			  struct sgang_error *err)
{
	return set_number(&spec->min_member, OPT_MIN_MEMBER, 1, value, err);
}

static int set_total_number(struct sgang_spec *spec, const char *value,
			    struct sgang_error *err)
{
	return set_number(&spec->total, OPT_TOTAL_NUMBER, 1, value, err);
}

static int set_rank(struct sgang_spec *spec, const char *value,
		    struct sgang_error *err)
{
	if (set_number(&spec->rank, OPT_RANK, 0, value, err))
		return -1;
	spec->rank_set = true;
	return 0;
}

static int set_policy(char field[SGANG_POLICY_SIZE], int option,
		      const char *value, struct sgang_policy *policy,
		      struct sgang_error *err)
{
	struct sgang_error why;

	if (!*value)
		return refuse(err, EINVAL, option, value,
			      "nothing is said, expected such as "
			      "require:LEVEL");
	if (sgang_policy_parse(value, policy, &why))
		return refuse(err, errno, option, value, why.text);
	strcpy(field, value);
	return 0;
}

static int set_topology(struct sgang_spec *spec, const char *value,
			struct sgang_error *err)
{
	struct sgang_policy policy;

	return set_policy(spec->topology, OPT_TOPOLOGY, value, &policy, err);
}

static int set_group_topology(struct sgang_spec *spec, const char *value,
			      struct sgang_error *err)
{
	char field[SGANG_POLICY_SIZE];
	struct sgang_policy policy;

	if (set_policy(field, OPT_GROUP_TOPOLOGY, value, &policy, err))
		return -1;
	if (policy.automatic || policy.n_groups)
		return refuse(err, EINVAL, OPT_GROUP_TOPOLOGY, value,
			      "a gang group knows require:LEVEL, "
			      "prefer:LEVEL[@TIME] and spread:LEVEL alone");
	memcpy(spec->group_topology, field, sizeof(field));
	return 0;
}

static int set_exclusive(struct sgang_spec *spec, const char *value,
			 struct sgang_error *err)
{
	if (strlen(value) >= sizeof(spec->exclusive))
		return refuse(err, E2BIG, OPT_EXCLUSIVE, value,
			      "a level's name has at most 31 characters");
	if (!sgang_policy_is_level(value))
		return refuse(err, EINVAL, OPT_EXCLUSIVE, value,
			      "expected the name of a level of the fabric, "
			      "such as leaf");
	strcpy(spec->exclusive, value);
	return 0;
}

static int set_parallel(struct sgang_spec *spec, const char *value,
			struct sgang_error *err)
{
	struct sgang_parallel parallel;
	struct sgang_error why;

	if (strlen(value) >= sizeof(spec->parallel))
		return refuse(err, E2BIG, OPT_PARALLEL, value,
			      "it has more than 255 characters");
	if (sgang_parallel_of(value, 0, &parallel, &why))
		return refuse(err, EINVAL, OPT_PARALLEL, value, why.text);
	strcpy(spec->parallel, value);
	return 0;
}

static int set_run_time(struct sgang_spec *spec, const char *value,
			struct sgang_error *err)
{
	uint32_t seconds;

	if (sgang_text_time(value, &seconds) || seconds == SGANG_FOREVER)
		return refuse(err, EINVAL, OPT_RUN_TIME, value,
			      "expected a time above 0 such as 30 (minutes), "
			      "10:00 or 1-12");
	spec->run_time = seconds;
	return 0;
}

/* "1", "0.3", ".25": parts of SGANG_SHARE_ONE, which has three digits. */
static int set_comm_share(struct sgang_spec *spec, const char *value,
			  struct sgang_error *err)
{
	uint32_t parts = 0, unit = SGANG_SHARE_ONE;
	const char *p = value;

	if (is_digit(*p))
		parts = (uint32_t)(*p++ - '0') * unit;
	if (*p == '.')
		for (p++; is_digit(*p) && unit > 1; p++) {
			unit /= 10;
			parts += (uint32_t)(*p - '0') * unit;
		}
	if (*p || !parts || parts > SGANG_SHARE_ONE)
		return refuse(err, EINVAL, OPT_COMM_SHARE, value,
			      "expected a fraction above 0 and at most 1, such "
			      "as 0.3, with at most three decimals");
	spec->comm_share = parts;
	return 0;
}

static const char *const modes[] = {
	[SGANG_MODE_UNSET] = "",
	[SGANG_MODE_STRICT] = "strict",
	[SGANG_MODE_NONSTRICT] = "nonstrict",
};

static const char *const matches[] = {
	[SGANG_MATCH_UNSET] = "",
	[SGANG_MATCH_ONCE_SATISFIED] = "once-satisfied",
	[SGANG_MATCH_ONLY_WAITING] = "only-waiting",
	[SGANG_MATCH_WAITING_AND_RUNNING] = "waiting-and-running",
};

static const char *const failures[] = {
	[SGANG_ON_FAILURE_UNSET] = "",
	[SGANG_ON_FAILURE_IGNORE] = "ignore",
	[SGANG_ON_FAILURE_KILL] = "kill",
	[SGANG_ON_FAILURE_REQUEUE] = "requeue",
	[SGANG_ON_FAILURE_REPLACE] = "replace", /* the last */
};

static const char *const placeholders[] = {
	[SGANG_PLACEHOLDERS_UNSET] = "",
	[SGANG_PLACEHOLDERS_SOFT] = "soft",
	[SGANG_PLACEHOLDERS_HARD] = "hard",
};

static const char *const preempts[] = {
	[SGANG_PREEMPT_UNSET] = "",
	[SGANG_PREEMPT_YES] = "yes",
	[SGANG_PREEMPT_NO] = "no",
};

static const char *const rank_orders[] = {
	[SGANG_RANK_ORDER_UNSET] = "",
	[SGANG_RANK_ORDER_SUBMIT] = "submit",
	[SGANG_RANK_ORDER_RING] = "ring",
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* The number of 'value' among the 'n' words behind the first, which stands for
 * unset; 0 when there is none. */
static unsigned int find_word(const char *const *words, size_t n, int option,
			      const char *value, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	unsigned int i;

	for (i = 1; i < n; i++)
		if (!strcasecmp(words[i], value))
			return i;
	sgang_errf(err, EINVAL, "--%s=%s: expected one of %s",
		   options[option].name, sgang_text_show(shown, value),
		   options[option].arg);
	return 0;
}

static int set_mode(struct sgang_spec *spec, const char *value,
		    struct sgang_error *err)
{
	unsigned int i = find_word(modes, COUNT(modes), OPT_MODE, value, err);

	if (!i)
		return -1;
	spec->mode = (enum sgang_mode)i;
	return 0;
}

static int set_match(struct sgang_spec *spec, const char *value,
		     struct sgang_error *err)
{
	unsigned int i = find_word(matches, COUNT(matches), OPT_MATCH, value,
				   err);

	if (!i)
		return -1;
	spec->match = (enum sgang_match)i;
	return 0;
}

static int set_on_failure(struct sgang_spec *spec, const char *value,
			  struct sgang_error *err)
{
	unsigned int i = find_word(failures, COUNT(failures), OPT_ON_FAILURE,
				   value, err);

	if (!i)
		return -1;
	spec->on_failure = (enum sgang_on_failure)i;
	return 0;
}

static int set_rank_order(struct sgang_spec *spec, const char *value,
			  struct sgang_error *err)
{
	unsigned int i = find_word(rank_orders, COUNT(rank_orders),
				   OPT_RANK_ORDER, value, err);

	if (!i)
		return -1;
	spec->rank_order = (enum sgang_rank_order)i;
	return 0;
}

static int set_preempt(struct sgang_spec *spec, const char *value,
		       struct sgang_error *err)
{
	unsigned int i = find_word(preempts, COUNT(preempts), OPT_PREEMPT,
				   value, err);

	if (!i)
		return -1;
	spec->preempt = (enum sgang_preempt)i;
	return 0;
}

static int set_waiting_time(struct sgang_spec *spec, const char *value,
			    struct sgang_error *err)
{
	if (!sgang_text_time(value, &spec->waiting_time))
		return 0;
	return refuse(err, EINVAL, OPT_WAITING_TIME, value,
		      "expected a time above 0 such as 30 (minutes), 10:00 or "
		      "1-12, or UNLIMITED");
}

static int set_order(struct sgang_spec *spec, const char *value,
		     struct sgang_error *err)
{
	if (set_number(&spec->order, OPT_ORDER, 0, value, err))
		return -1;
	spec->order_set = true;
	return 0;
}

static int set_max_restarts(struct sgang_spec *spec, const char *value,
			    struct sgang_error *err)
{
	return set_number(&spec->max_restarts, OPT_MAX_RESTARTS, 1, value, err);
}

static int set_spares(struct sgang_spec *spec, const char *value,
		      struct sgang_error *err)
{
	size_t length = strcspn(value, ":");
	char shown[SGANG_TEXT_SHOWN], number[16];

	if (length >= sizeof(number) ||
	    (value[length] && strcmp(value + length, ":cold")))
		return sgang_errf(err, EINVAL,
				  "--%s=%s: expected a number, or a number and "
				  ":cold",
				  options[OPT_SPARES].name,
				  sgang_text_show(shown, value));
	memcpy(number, value, length);
	number[length] = '\0';
	if (set_number(&spec->spares, OPT_SPARES, 1, number, err))
		return -1;
	spec->spares_cold = value[length] != '\0';
	return 0;
}

static int set_on_success(struct sgang_spec *spec, const char *value,
			  struct sgang_error *err)
{
	if (!strcmp(value, "leader"))
		spec->on_success = SGANG_ON_SUCCESS_LEADER;
	else if (!strcmp(value, "all"))
		spec->on_success = SGANG_ON_SUCCESS_ALL;
	else if (strspn(value, "0123456789"))
		return set_number(&spec->on_success, OPT_ON_SUCCESS, 1, value,
				  err);
	else
		return refuse(err, EINVAL, OPT_ON_SUCCESS, value,
			      "expected leader, all or a number of members");
	return 0;
}

static int set_on_stale(struct sgang_spec *spec, const char *value,
			struct sgang_error *err)
{
	unsigned int i = find_word(failures, SGANG_ON_FAILURE_REPLACE,
				   OPT_ON_STALE, value, err);

	if (!i)
		return -1;
	spec->on_stale = (enum sgang_on_failure)i;
	return 0;
}

static int set_on_drain(struct sgang_spec *spec, const char *value,
			struct sgang_error *err)
{
	if (!strcmp(value, "ignore"))
		spec->on_drain = SGANG_ON_FAILURE_IGNORE;
	else if (!strcmp(value, "replace"))
		spec->on_drain = SGANG_ON_FAILURE_REPLACE;
	else
		return refuse(err, EINVAL, OPT_ON_DRAIN, value,
			      "expected one of ignore|replace");
	return 0;
}

static int set_stale_grace(struct sgang_spec *spec, const char *value,
			   struct sgang_error *err)
{
	if (!sgang_text_time(value, &spec->stale_grace))
		return 0;
	return refuse(err, EINVAL, OPT_STALE_GRACE, value,
		      "expected a time above 0 such as 30 (minutes), 10:00 or "
		      "1-12, or UNLIMITED");
}

static int set_spare_pool(struct sgang_spec *spec, const char *value,
			  struct sgang_error *err)
{
	if (!*value)
		return refuse(err, EINVAL, OPT_SPARE_POOL, value,
			      "expected the name of a pool");
	if (strchr(value, '/'))
		return refuse(err, EINVAL, OPT_SPARE_POOL, value,
			      "a pool is of the gang's own namespace: give its "
			      "name alone");
	if (check_name(value, OPT_SPARE_POOL, value, err))
		return -1;
	memset(spec->spare_pool, 0, sizeof(spec->spare_pool));
	strcpy(spec->spare_pool, value);
	return 0;
}

static int set_pool(struct sgang_spec *spec, const char *value,
		    struct sgang_error *err)
{
	if (strcasecmp(value, "yes") && strcasecmp(value, "no"))
		return refuse(err, EINVAL, OPT_POOL, value,
			      "expected yes or no");
	spec->pool = !strcasecmp(value, "yes");
	return 0;
}

static int set_role(struct sgang_spec *spec, const char *value,
		    struct sgang_error *err)
{
	struct sgang_role_path path;
	struct sgang_error why;

	if (sgang_role_path_parse(value, &path, &why))
		return refuse(err, errno, OPT_ROLE, value, why.text);
	strcpy(spec->role, value);
	return 0;
}

static int set_tree(struct sgang_spec *spec, const char *value,
		    struct sgang_error *err)
{
	struct sgang_error why;

	if (sgang_role_tree_check_list(value, &why))
		return refuse(err, errno, OPT_TREE, value, why.text);
	strcpy(spec->tree, value);
	return 0;
}

static int set_placeholders(struct sgang_spec *spec, const char *value,
			    struct sgang_error *err)
{
	unsigned int i = find_word(placeholders, COUNT(placeholders),
				   OPT_PLACEHOLDERS, value, err);

	if (!i)
		return -1;
	spec->placeholders = (enum sgang_placeholders)i;
	return 0;
}

static int set_placeholder_time(uint32_t *seconds, int option,
				const char *value, struct sgang_error *err)
{
	if (!sgang_text_time(value, seconds))
		return 0;
	return refuse(err, EINVAL, option, value,
		      "expected a time above 0 such as 30 (minutes), 10:00 or "
		      "1-12, or UNLIMITED");
}

static int set_placeholder_timeout(struct sgang_spec *spec, const char *value,
				   struct sgang_error *err)
{
	return set_placeholder_time(&spec->placeholder_timeout,
				    OPT_PLACEHOLDER_TIMEOUT, value, err);
}

static int set_placeholder_unused(struct sgang_spec *spec, const char *value,
				  struct sgang_error *err)
{
	return set_placeholder_time(&spec->placeholder_unused,
				    OPT_PLACEHOLDER_UNUSED, value, err);
}

static int set_placeholder(struct sgang_spec *spec, const char *value,
			   struct sgang_error *err)
{
	if (strcmp(value, "1") && strcmp(value, "yes"))
		return refuse(err, EINVAL, OPT_PLACEHOLDER, value,
			      "expected 1");
	spec->placeholder = true;
	return 0;
}

static int set_reserve(struct sgang_spec *spec, const char *value,
		       struct sgang_error *err)
{
	struct sgang_error why;

	if (sgang_reserve_check(value, &why))
		return refuse(err, errno, OPT_RESERVE, value, why.text);
	spec->reserve = true;
	return 0;
}

static int set_reserved(struct sgang_spec *spec, const char *value,
			struct sgang_error *err)
{
	if (!*value || strlen(value) >= sizeof(spec->reserved))
		return refuse(err, EINVAL, OPT_RESERVED, value,
			      "expected FIRST-LAST or no");
	strcpy(spec->reserved, value);
	return 0;
}

static int set_object(struct sgang_spec *spec, const char *value,
		      struct sgang_error *err)
{
	if (strcmp(value, "1") && strcmp(value, "yes"))
		return refuse(err, EINVAL, OPT_OBJECT, value, "expected 1");
	spec->object = true;
	return 0;
}

/* Take the item at '*at' off a list, up to a comma, into 'item', which has room
 * for the whole list. Returns false behind the last; an empty one is an item
 * too. */
static bool next_item(const char **at, char *item)
{
	size_t length;

	if (!*at)
		return false;
	length = strcspn(*at, ",");
	memcpy(item, *at, length);
	item[length] = '\0';
	*at = (*at)[length] ? *at + length + 1 : NULL;
	return true;
}

static int check_group(const char *entry, struct sgang_error *err)
{
	const char *slash = strchr(entry, '/');

	if (!*entry)
		return sgang_errf(err, EINVAL,
				  "--gang-groups: there is an "
				  "empty entry in the list, expected "
				  "NAMESPACE/NAME,...");
	if (!slash)
		return refuse(err, EINVAL, OPT_GROUPS, entry,
			      "write NAMESPACE/NAME, where NAMESPACE is the "
			      "user or account of that gang");
	if (check_namespace(entry, (size_t)(slash - entry), OPT_GROUPS, entry,
			    err))
		return -1;
	return check_name(slash + 1, OPT_GROUPS, entry, err);
}

static bool list_has(const char *list, const char *entry)
{
	size_t length = strlen(entry), n;

	for (; *list; list += n + (list[n] == ',')) {
		n = strcspn(list, ",");
		if (n == length && !memcmp(list, entry, n))
			return true;
	}
	return false;
}

static int set_groups(struct sgang_spec *spec, const char *value,
		      struct sgang_error *err)
{
	char entry[SGANG_GROUPS_SIZE], list[SGANG_GROUPS_SIZE] = "";
	const char *at = *value ? value : NULL;
	size_t used = 0, length;

	if (strlen(value) >= sizeof(list))
		return refuse(err, E2BIG, OPT_GROUPS, value,
			      "the list has more than 511 characters");
	while (next_item(&at, entry)) {
		if (check_group(entry, err))
			return -1;
		if (list_has(list, entry))
			continue;
		if (used)
			list[used++] = ',';
		length = strlen(entry);
		memcpy(list + used, entry, length + 1);
		used += length;
	}
	memcpy(spec->groups, list, sizeof(list));
	spec->groups_set = true;
	return 0;
}

/* "2048M", with or without a B behind it, is 2048. A K is a part of a MB and
 * rounded up, as Slurm does. */
static int read_memory(const char *text, uint64_t *megabytes)
{
	static const char suffixes[] = "kKmMgGtT";
	size_t length = strspn(text, "0123456789");
	const char *suffix = suffixes + 2;
	char digits[24];
	uint64_t number;

	if (length >= sizeof(digits))
		return -1;
	memcpy(digits, text, length);
	digits[length] = '\0';
	if (sgang_text_number(digits, 1, TRES_MAX * 1024, &number))
		return -1;
	if (text[length]) {
		suffix = strchr(suffixes, text[length]);
		if (!suffix ||
		    (text[length + 1] && strcasecmp(text + length + 1, "B")))
			return -1;
	}
	if (suffix < suffixes + 2)
		number = (number + 1023) / 1024;
	for (; suffix >= suffixes + 4; suffix -= 2)
		number = number <= TRES_MAX ? number * 1024 : TRES_MAX + 1;
	if (number > TRES_MAX)
		return -1;
	*megabytes = number;
	return 0;
}

static int read_count(const char *text, uint64_t *count)
{
	return sgang_text_number(text, 1, TRES_MAX, count);
}

static const struct {
	const char *key;
	size_t offset;
	int (*read)(const char *text, uint64_t *number);
	const char *unit;
} tres[] = {
	{ "cpu", offsetof(struct sgang_spec, min_cpus), read_count, "" },
	{ "mem", offsetof(struct sgang_spec, min_memory), read_memory, "M" },
	{ "node", offsetof(struct sgang_spec, min_nodes), read_count, "" },
};

/* Take one "key=number"; false when it is none. '*twice' is then the key if it
 * was there. */
static bool take_tres(uint64_t numbers[COUNT(tres)], char *item,
		      const char **twice)
{
	char *number = strchr(item, '=');
	size_t i;

	if (!number)
		return false;
	*number++ = '\0';
	for (i = 0; i < COUNT(tres); i++) {
		if (strcasecmp(tres[i].key, item))
			continue;
		*twice = numbers[i] ? tres[i].key : NULL;
		return !*twice && !tres[i].read(number, &numbers[i]);
	}
	return false;
}

static int set_min_tres(struct sgang_spec *spec, const char *value,
			struct sgang_error *err)
{
	uint64_t numbers[COUNT(tres)] = { 0 };
	const char *at = value, *twice = NULL;
	char item[128] = "", why[32];
	bool good = strlen(value) < sizeof(item);
	size_t i;

	while (good && next_item(&at, item))
		good = take_tres(numbers, item, &twice);
	if (twice) {
		snprintf(why, sizeof(why), "%s is said twice", twice);
		return refuse(err, EINVAL, OPT_MIN_TRES, value, why);
	}
	if (!good)
		return refuse(err, EINVAL, OPT_MIN_TRES, value,
			      "expected cpu=N, mem=SIZE and node=N, each at "
			      "most once, where SIZE is like 2048M or 64G");
	for (i = 0; i < COUNT(tres); i++)
		memcpy((char *)spec + tres[i].offset, &numbers[i],
		       sizeof(numbers[i]));
	return 0;
}

static int (*const setters[OPTIONS])(struct sgang_spec *, const char *,
				     struct sgang_error *) = {
	[OPT_GANG] = set_gang,
	[OPT_MIN_MEMBER] = set_min_member,
	[OPT_TOTAL_NUMBER] = set_total_number,
	[OPT_TOPOLOGY] = set_topology,
	[OPT_RANK] = set_rank,
	[OPT_MODE] = set_mode,
	[OPT_GROUPS] = set_groups,
	[OPT_WAITING_TIME] = set_waiting_time,
	[OPT_MATCH] = set_match,
	[OPT_ORDER] = set_order,
	[OPT_ON_FAILURE] = set_on_failure,
	[OPT_MIN_TRES] = set_min_tres,
	[OPT_GROUP_TOPOLOGY] = set_group_topology,
	[OPT_EXCLUSIVE] = set_exclusive,
	[OPT_PARALLEL] = set_parallel,
	[OPT_RUN_TIME] = set_run_time,
	[OPT_COMM_SHARE] = set_comm_share,
	[OPT_RANK_ORDER] = set_rank_order,
	[OPT_PREEMPT] = set_preempt,
	[OPT_MAX_RESTARTS] = set_max_restarts,
	[OPT_ON_STALE] = set_on_stale,
	[OPT_STALE_GRACE] = set_stale_grace,
	[OPT_SPARES] = set_spares,
	[OPT_ON_SUCCESS] = set_on_success,
	[OPT_ON_DRAIN] = set_on_drain,
	[OPT_SPARE_POOL] = set_spare_pool,
	[OPT_POOL] = set_pool,
	[OPT_ROLE] = set_role,
	[OPT_TREE] = set_tree,
	[OPT_PLACEHOLDERS] = set_placeholders,
	[OPT_PLACEHOLDER_TIMEOUT] = set_placeholder_timeout,
	[OPT_PLACEHOLDER_UNUSED] = set_placeholder_unused,
	[OPT_PLACEHOLDER] = set_placeholder,
	[OPT_RESERVE] = set_reserve,
	[OPT_RESERVED] = set_reserved,
	[OPT_OBJECT] = set_object,
};

/* ---- what was said, field by field ---- */

static void show_number(const struct sgang_spec *spec, char *text, size_t size,
			const void *field)
{
	(void)spec;
	snprintf(text, size, "%" PRIu32, *(const uint32_t *)field);
}

static void show_spares(const struct sgang_spec *spec, char *text, size_t size,
			const void *field)
{
	(void)field;
	snprintf(text, size, "%" PRIu32 "%s", spec->spares,
		 spec->spares_cold ? ":cold" : "");
}

static void show_pool(const struct sgang_spec *spec, char *text, size_t size,
		      const void *field)
{
	(void)field;
	snprintf(text, size, "%s", spec->pool ? "yes" : "no");
}

static void show_text(const struct sgang_spec *spec, char *text, size_t size,
		      const void *field)
{
	(void)spec;
	snprintf(text, size, "%s", (const char *)field);
}

static void show_mode(const struct sgang_spec *spec, char *text, size_t size,
		      const void *field)
{
	(void)field;
	snprintf(text, size, "%s", sgang_mode_word(spec->mode));
}

static void show_match(const struct sgang_spec *spec, char *text, size_t size,
		       const void *field)
{
	(void)field;
	snprintf(text, size, "%s", sgang_match_word(spec->match));
}

static void show_on_failure(const struct sgang_spec *spec, char *text,
			    size_t size, const void *field)
{
	(void)field;
	snprintf(text, size, "%s", sgang_on_failure_word(spec->on_failure));
}

static void show_on_stale(const struct sgang_spec *spec, char *text,
			  size_t size, const void *field)
{
	(void)field;
	snprintf(text, size, "%s", sgang_on_failure_word(spec->on_stale));
}

static void show_on_drain(const struct sgang_spec *spec, char *text,
			  size_t size, const void *field)
{
	(void)field;
	snprintf(text, size, "%s", sgang_on_failure_word(spec->on_drain));
}

static void show_on_success(const struct sgang_spec *spec, char *text,
			    size_t size, const void *field)
{
	(void)field;
	sgang_on_success_show(text, size, spec->on_success);
}

static void show_rank_order(const struct sgang_spec *spec, char *text,
			    size_t size, const void *field)
{
	(void)field;
	snprintf(text, size, "%s", sgang_rank_order_word(spec->rank_order));
}

static void show_preempt(const struct sgang_spec *spec, char *text, size_t size,
			 const void *field)
{
	(void)field;
	snprintf(text, size, "%s", preempts[spec->preempt]);
}

static void show_placeholders(const struct sgang_spec *spec, char *text,
			      size_t size, const void *field)
{
	(void)field;
	snprintf(text, size, "%s", placeholders[spec->placeholders]);
}

static void show_time(const struct sgang_spec *spec, char *text, size_t size,
		      const void *field)
{
	char shown[SGANG_TIME_SHOWN];

	(void)spec;
	snprintf(text, size, "%s",
		 sgang_text_show_time(shown, *(const uint32_t *)field));
}

static void show_groups(const struct sgang_spec *spec, char *text, size_t size,
			const void *field)
{
	(void)field;
	snprintf(text, size, "%s", spec->groups);
}

static void show_share(const struct sgang_spec *spec, char *text, size_t size,
		       const void *field)
{
	(void)field;
	snprintf(text, size, "%" PRIu32 ".%03" PRIu32,
		 spec->comm_share / SGANG_SHARE_ONE,
		 spec->comm_share % SGANG_SHARE_ONE);
}

static void show_tres(const struct sgang_spec *spec, char *text, size_t size,
		      const void *field)
{
	size_t i;

	for (i = 0; i < COUNT(tres); i++)
		if ((const char *)spec + tres[i].offset == field)
			snprintf(text, size, "%s=%" PRIu64 "%s", tres[i].key,
				 *(const uint64_t *)field, tres[i].unit);
}

/* The field that each option fills. An option that fills several fields, which
 * can be given apart, has a row for each. */
static const struct field {
	int option;
	bool own;    /* each member's own, not of the gang */
	size_t said; /* these bytes are not all 0 when it is said */
	size_t said_size;
	size_t offset; /* and these belong to it */
	size_t size;
	/* the value as it is typed, of what members must agree about; 'field'
	 * is what 'said' points to */
	void (*show)(const struct sgang_spec *spec, char *text, size_t size,
		     const void *field);
} fields[] = {
#define AT(member) offsetof(struct sgang_spec, member)
#define SIZE(member) sizeof(((struct sgang_spec *)NULL)->member)
/* all bytes from 'first' to 'last', told by one of them */
#define SPAN(told, first, last) \
	AT(told), SIZE(told), AT(first), AT(last) + SIZE(last) - AT(first)
#define ALONE(member) SPAN(member, member, member)
#define WORD(member) SPAN(member[0], member, member)
	{ OPT_GANG, false, SPAN(name[0], ns, name), NULL },
	{ OPT_MIN_MEMBER, false, ALONE(min_member), show_number },
	{ OPT_TOTAL_NUMBER, false, ALONE(total), show_number },
	{ OPT_TOPOLOGY, false, WORD(topology), show_text },
	{ OPT_RANK, true, SPAN(rank_set, rank_set, rank), NULL },
	{ OPT_MODE, false, ALONE(mode), show_mode },
	{ OPT_GROUPS, false, SPAN(groups_set, groups_set, groups),
	  show_groups },
	{ OPT_WAITING_TIME, false, ALONE(waiting_time), show_time },
	{ OPT_MATCH, false, ALONE(match), show_match },
	{ OPT_ORDER, true, SPAN(order_set, order_set, order), NULL },
	{ OPT_ON_FAILURE, false, ALONE(on_failure), show_on_failure },
	{ OPT_MIN_TRES, false, ALONE(min_cpus), show_tres },
	{ OPT_MIN_TRES, false, ALONE(min_memory), show_tres },
	{ OPT_MIN_TRES, false, ALONE(min_nodes), show_tres },
	{ OPT_GROUP_TOPOLOGY, false, WORD(group_topology), show_text },
	{ OPT_EXCLUSIVE, false, WORD(exclusive), show_text },
	{ OPT_PARALLEL, false, WORD(parallel), show_text },
	{ OPT_RUN_TIME, false, ALONE(run_time), show_time },
	{ OPT_COMM_SHARE, false, ALONE(comm_share), show_share },
	{ OPT_RANK_ORDER, false, ALONE(rank_order), show_rank_order },
	{ OPT_PREEMPT, false, ALONE(preempt), show_preempt },
	{ OPT_MAX_RESTARTS, false, ALONE(max_restarts), show_number },
	{ OPT_ON_STALE, false, ALONE(on_stale), show_on_stale },
	{ OPT_STALE_GRACE, false, ALONE(stale_grace), show_time },
	{ OPT_SPARES, false, SPAN(spares, spares, spares_cold), show_spares },
	{ OPT_ON_SUCCESS, false, ALONE(on_success), show_on_success },
	{ OPT_ON_DRAIN, false, ALONE(on_drain), show_on_drain },
	{ OPT_SPARE_POOL, false, WORD(spare_pool), show_text },
	{ OPT_POOL, false, ALONE(pool), show_pool },
	{ OPT_ROLE, true, WORD(role), NULL },
	{ OPT_TREE, false, WORD(tree), show_text },
	{ OPT_PLACEHOLDERS, false, ALONE(placeholders), show_placeholders },
	{ OPT_PLACEHOLDER_TIMEOUT, false, ALONE(placeholder_timeout),
	  show_time },
	{ OPT_PLACEHOLDER_UNUSED, false, ALONE(placeholder_unused), show_time },
	{ OPT_PLACEHOLDER, true, ALONE(placeholder), NULL },
	{ OPT_RESERVE, true, ALONE(reserve), NULL },
	{ OPT_RESERVED, true, WORD(reserved), NULL },
	{ OPT_OBJECT, true, ALONE(object), NULL },
#undef AT
#undef SIZE
#undef SPAN
#undef ALONE
#undef WORD
};

static bool is_said(const struct sgang_spec *spec, const struct field *field)
{
	const char *at = (const char *)spec + field->said;
	size_t i;

	for (i = 0; i < field->said_size; i++)
		if (at[i])
			return true;
	return false;
}

static void show_field(const struct sgang_spec *spec, const struct field *field,
		       char *text, size_t size)
{
	field->show(spec, text, size, (const char *)spec + field->said);
}

const struct sgang_option *sgang_spec_options(void)
{
	return options;
}

void sgang_spec_init(struct sgang_spec *spec)
{
	memset(spec, 0, sizeof(*spec));
}

static int find_option(const char *name)
{
	int i;

	for (i = 0; i < OPTIONS; i++)
		if (!strcmp(name, options[i].name) ||
		    (options[i].alias && !strcmp(name, options[i].alias)))
			return i;
	return -1;
}

int sgang_spec_set(struct sgang_spec *spec, const char *option,
		   const char *value, struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	int i = find_option(option);

	if (i < 0)
		return sgang_errf(err, EINVAL,
				  "--%s: there is no such option, see "
				  "spank_gang(8)",
				  sgang_text_show(shown, option));
	return setters[i](spec, value ? value : "", err);
}

static int check_object(const struct sgang_spec *spec, struct sgang_error *err)
{
	const char *own = spec->rank_set  ? options[OPT_RANK].name :
			  spec->order_set ? options[OPT_ORDER].name :
			  spec->role[0]   ? options[OPT_ROLE].name :
					    NULL;

	if (own)
		return sgang_errf(err, EINVAL,
				  "--%s is said by members, not by what "
				  "defines their gang",
				  own);
	if (!sgang_spec_defines(spec) && !spec->pool)
		return sgang_errf(err, EINVAL,
				  "a gang is defined by --gang-min-member or "
				  "--gang-total-number: add one of them");
	return 0;
}

/* Other options that decide where members are in the ring. */
static int check_rank_order(const struct sgang_spec *spec,
			    struct sgang_error *err)
{
	int other = spec->rank_set    ? OPT_RANK :
		    spec->parallel[0] ? OPT_PARALLEL :
					OPTIONS;

	if (spec->rank_order != SGANG_RANK_ORDER_RING || other == OPTIONS)
		return 0;
	return sgang_errf(
		err, EINVAL,
		"--gang-rank-order=ring: --%s says where ranks are in "
		"the ring, give one of them",
		options[other].name);
}

int sgang_spec_check_pool(const struct sgang_spec *spec,
			  struct sgang_error *err)
{
	size_t i;

	for (i = 0; i < COUNT(fields); i++) {
		int option = fields[i].option;

		if (option == OPT_GANG || option == OPT_POOL ||
		    option == OPT_OBJECT || !is_said(spec, &fields[i]))
			continue;
		return sgang_errf(err, EINVAL,
				  "--%s is given for a pool, whose members are "
				  "spares that wait one by one: leave it out",
				  options[option].name);
	}
	return 0;
}

static int check_spare_pool(const struct sgang_spec *spec,
			    struct sgang_error *err)
{
	if (!strcmp(spec->name, spec->spare_pool))
		return sgang_errf(err, EINVAL,
				  "--gang-spare-pool=%s: a gang is not its own "
				  "pool, name another one",
				  spec->spare_pool);
	if (spec->exclusive[0])
		return sgang_errf(err, EINVAL,
				  "--gang-spare-pool=%s: with "
				  "--gang-exclusive=%s the pool may have no "
				  "spare where the gang is, give one of them",
				  spec->spare_pool, spec->exclusive);
	return 0;
}

/* Options that trees of groups do not have, and why; slurm-gang.7 has these
 * sentences too. */
static const struct {
	int option;
	const char *value, *why;
} not_of_trees[] = {
	{ OPT_PARALLEL, "", "as its groups are rings of their own" },
	{ OPT_SPARE_POOL, "", "as spares of a pool have no group" },
	{ OPT_SPARES, "=N:cold", "as a cold spare is kept for any member" },
	{ OPT_MODE, "=nonstrict", "as a group starts as a whole" },
	{ OPT_RANK_ORDER, "=ring", "as ranks are in the order of groups" },
	{ OPT_TOPOLOGY, " but require:LEVEL and prefer:LEVEL",
	  "as what else it can say is of a single ring" },
};

/* Groups have levels, minima and rings of their own. */
static int check_tree(const struct sgang_spec *spec, struct sgang_error *err)
{
	int option = spec->role[0] ? OPT_ROLE : OPT_TREE, other = OPTIONS;
	struct sgang_policy policy;
	size_t i;

	if (!spec->role[0] && !spec->tree[0])
		return 0;
	sgang_spec_policy(spec, &policy);
	if (spec->parallel[0])
		other = OPT_PARALLEL;
	else if (spec->spare_pool[0])
		other = OPT_SPARE_POOL;
	else if (spec->spares_cold)
		other = OPT_SPARES;
	else if (spec->mode == SGANG_MODE_NONSTRICT)
		other = OPT_MODE;
	else if (spec->rank_order == SGANG_RANK_ORDER_RING)
		other = OPT_RANK_ORDER;
	else if (policy.spread[0] || policy.automatic || policy.n_groups)
		other = OPT_TOPOLOGY;
	for (i = 0; i < COUNT(not_of_trees); i++) {
		if (not_of_trees[i].option == other)
			break;
	}
	if (other == OPTIONS || i == COUNT(not_of_trees))
		return 0;
	return sgang_errf(err, EINVAL,
			  "--%s: a gang that is a tree of groups has no "
			  "--%s%s, %s: leave it out",
			  options[option].name, options[other].name,
			  not_of_trees[i].value, not_of_trees[i].why);
}

int sgang_spec_check_placeholders(const struct sgang_spec *spec,
				  struct sgang_error *err)
{
	int other = spec->spares                             ? OPT_SPARES :
		    spec->spare_pool[0]                      ? OPT_SPARE_POOL :
		    spec->mode == SGANG_MODE_NONSTRICT       ? OPT_MODE :
		    spec->match > SGANG_MATCH_ONCE_SATISFIED ? OPT_MATCH :
		    spec->on_failure == SGANG_ON_FAILURE_REQUEUE ?
							       OPT_ON_FAILURE :
		    spec->on_stale == SGANG_ON_FAILURE_REQUEUE ? OPT_ON_STALE :
								 OPTIONS;

	if (spec->placeholder && !spec->placeholders)
		return sgang_errf(err, EINVAL,
				  "--gang-placeholder is given but no "
				  "--gang-placeholders=soft or =hard");
	if (spec->reserve)
		return sgang_errf(err, EINVAL,
				  "--gang-reserve: only sbatch makes "
				  "placeholders; elsewhere say which job is "
				  "one, with --gang-placeholder=1");
	if (!spec->placeholders || other == OPTIONS)
		return 0;
	return sgang_errf(err, EINVAL,
			  "--gang-placeholders: a gang with placeholders has "
			  "no --%s%s, leave it out",
			  options[other].name,
			  other == OPT_MODE ? "=nonstrict" :
			  other == OPT_ON_FAILURE || other == OPT_ON_STALE ?
					      "=requeue" :
					      "");
}

int sgang_spec_check_match(const struct sgang_spec *spec,
			   struct sgang_error *err)
{
	int other = spec->spares        ? OPT_SPARES :
		    spec->spare_pool[0] ? OPT_SPARE_POOL :
		    spec->on_failure == SGANG_ON_FAILURE_REPLACE ?
					  OPT_ON_FAILURE :
		    spec->on_drain == SGANG_ON_FAILURE_REPLACE ? OPT_ON_DRAIN :
								 OPTIONS;

	if (spec->match != SGANG_MATCH_ONLY_WAITING || other == OPTIONS)
		return 0;
	return sgang_errf(
		err, EINVAL,
		"--gang-match=only-waiting: a member that comes "
		"alone waits for a whole gang, so no lost one is replaced; "
		"leave out --%s%s, or say waiting-and-running",
		options[other].name,
		other == OPT_ON_FAILURE || other == OPT_ON_DRAIN ? "=replace" :
								   "");
}

int sgang_spec_check(const struct sgang_spec *spec, struct sgang_error *err)
{
	size_t i;

	for (i = 0; i < COUNT(fields) && !spec->name[0]; i++)
		if (is_said(spec, &fields[i]))
			return sgang_errf(err, EINVAL,
					  "--%s is given but no gang: add "
					  "--gang=NAME",
					  options[fields[i].option].name);
	if (check_tree(spec, err) || sgang_spec_check_placeholders(spec, err) ||
	    sgang_spec_check_match(spec, err))
		return -1;
	if (spec->total && spec->min_member > spec->total)
		return sgang_errf(err, EINVAL,
				  "--gang-min-member=%" PRIu32 " is above "
				  "--gang-total-number=%" PRIu32 ": a gang "
				  "cannot need more members than it has",
				  spec->min_member, spec->total);
	if (check_rank_order(spec, err))
		return -1;
	if (spec->spare_pool[0] && check_spare_pool(spec, err))
		return -1;
	if (spec->pool && sgang_spec_check_pool(spec, err))
		return -1;
	return spec->object ? check_object(spec, err) : 0;
}

/* ---- options that need another one ---- */

static bool holds(const struct sgang_spec *spec)
{
	return sgang_spec_mode(spec) == SGANG_MODE_NONSTRICT;
}

static bool restarts(const struct sgang_spec *spec)
{
	return spec->on_failure == SGANG_ON_FAILURE_REQUEUE ||
	       spec->on_failure == SGANG_ON_FAILURE_REPLACE ||
	       spec->on_stale == SGANG_ON_FAILURE_REQUEUE ||
	       spec->on_drain == SGANG_ON_FAILURE_REPLACE;
}

static bool becomes_stale(const struct sgang_spec *spec)
{
	return spec->on_stale > SGANG_ON_FAILURE_IGNORE;
}

static bool is_automatic(const struct sgang_spec *spec)
{
	struct sgang_policy policy;

	sgang_spec_policy(spec, &policy);
	return policy.automatic;
}

static bool has_placeholders(const struct sgang_spec *spec)
{
	return spec->placeholders;
}

/* Options that have an effect in some gangs only, and what these say. All stand
 * in spank_gang.8, at the end of its options. */
static const struct {
	int option;
	bool (*has_effect)(const struct sgang_spec *spec);
	const char *without;
} needs[] = {
	{ OPT_WAITING_TIME, holds, "--gang-mode=nonstrict" },
	{ OPT_MAX_RESTARTS, restarts,
	  "--gang-on-failure=requeue or another option that restarts jobs" },
	{ OPT_STALE_GRACE, becomes_stale, "--gang-on-stale=kill or =requeue" },
	{ OPT_RUN_TIME, is_automatic, "--gang-topology=auto" },
	{ OPT_COMM_SHARE, is_automatic, "--gang-topology=auto" },
	{ OPT_PLACEHOLDER_TIMEOUT, has_placeholders, "--gang-placeholders" },
	{ OPT_PLACEHOLDER_UNUSED, has_placeholders, "--gang-placeholders" },
};

static bool says(const struct sgang_spec *spec, int option)
{
	size_t i;

	for (i = 0; i < COUNT(fields); i++)
		if (fields[i].option == option && is_said(spec, &fields[i]))
			return true;
	return false;
}

bool sgang_spec_idle(const struct sgang_spec *said,
		     const struct sgang_spec *all, struct sgang_error *note)
{
	char text[sizeof(note->text)] = "";
	size_t used = 0, i;

	for (i = 0; i < COUNT(needs) && used < sizeof(text); i++) {
		if (!says(said, needs[i].option) || needs[i].has_effect(all))
			continue;
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s--%s has no effect without %s",
					 used ? "; " : "",
					 options[needs[i].option].name,
					 needs[i].without);
	}
	if (used)
		sgang_errf(note, 0, "%s", text);
	return used;
}

/* "gang_min_member" -> the option of that name or alias, -1 for none. */
static int find_env_option(const char *name, size_t length)
{
	char word[64];
	size_t i;

	if (length >= sizeof(word))
		return -1;
	for (i = 0; i < length; i++)
		word[i] = name[i] == '_' ? '-' : name[i];
	word[length] = '\0';
	return find_option(word);
}

/* Take one entry of spank_job_env. 'seen' keeps the value of each option that
 * was met before: an alias may repeat its option but not contradict it. */
static int take_entry(struct sgang_spec *spec, const char *entry,
		      const char *seen[OPTIONS], struct sgang_error *err)
{
	const char *name = entry + strlen(SGANG_SPEC_ENV);
	size_t length = strcspn(name, "=");
	const char *value = name[length] ? name + length + 1 : "";
	char shown[SGANG_TEXT_SHOWN], shown_seen[SGANG_TEXT_SHOWN];
	int i = find_env_option(name, length);

	if (i < 0)
		return sgang_errf(err, EINVAL,
				  "%s: there is no such gang option",
				  sgang_text_show(shown, entry));
	if (seen[i] && strcmp(seen[i], value))
		return sgang_errf(
			err, EINVAL, "--%s=%s and --%s=%s: give one of them",
			options[i].name, sgang_text_show(shown_seen, seen[i]),
			options[i].alias ? options[i].alias : options[i].name,
			sgang_text_show(shown, value));
	seen[i] = value;
	return setters[i](spec, value, err);
}

int sgang_spec_from_env(struct sgang_spec *spec, char *const *env, size_t n_env,
			struct sgang_error *err)
{
	const char *seen[OPTIONS] = { NULL };
	struct sgang_spec said;
	size_t i;

	sgang_spec_init(spec);
	sgang_spec_init(&said);
	for (i = 0; i < n_env; i++) {
		if (!env[i] ||
		    strncmp(env[i], SGANG_SPEC_ENV, strlen(SGANG_SPEC_ENV)))
			continue;
		if (take_entry(&said, env[i], seen, err))
			return -1;
	}
	if (sgang_spec_check(&said, err))
		return -1;
	*spec = said;
	return spec->name[0] != '\0';
}

/* The number of the gang option in an entry of the environment; -1: none. */
static int option_of_entry(const char *entry)
{
	const char *name = entry + strlen(SGANG_SPEC_ENV);

	if (strncmp(entry, SGANG_SPEC_ENV, strlen(SGANG_SPEC_ENV)))
		return -1;
	return find_env_option(name, strcspn(name, "="));
}

char **sgang_spec_env_of(char *const *env, size_t n_env, char *const *fellow,
			 size_t n_fellow, size_t *n)
{
	char **list = calloc(n_env + n_fellow + 1, sizeof(*list));
	size_t i;

	*n = 0;
	for (i = 0; list && i < n_env; i++)
		if (env[i] && option_of_entry(env[i]) < 0)
			list[(*n)++] = env[i];
	for (i = 0; list && i < n_fellow; i++) {
		int option = fellow[i] ? option_of_entry(fellow[i]) : -1;

		if (option >= 0 && option != OPT_RANK && option != OPT_ORDER)
			list[(*n)++] = fellow[i];
	}
	return list;
}

bool sgang_spec_is_placeholder(char *const *env, size_t n_env)
{
	static const char option[] = SGANG_SPEC_ENV "gang_placeholder=";

	for (size_t i = 0; i < n_env; i++) {
		if (env[i] && !strncmp(env[i], option, sizeof(option) - 1))
			return true;
	}
	return false;
}

bool sgang_spec_concerns(char *const *env, size_t n_env)
{
	size_t i;

	for (i = 0; i < n_env; i++) {
		if (env[i] && !strncmp(env[i], SGANG_SPEC_ENV,
				       sizeof(SGANG_SPEC_ENV) - 1))
			return true;
	}
	return false;
}

bool sgang_spec_exported(char *const *env, size_t n_env)
{
	static const char name[] = SGANG_SPEC_EXPORT SGANG_SPEC_ENV "gang=";
	const char *bare = name + sizeof(SGANG_SPEC_EXPORT) - 1;

	for (size_t i = 0; i < n_env; i++) {
		if (env[i] && (!strncmp(env[i], name, strlen(name)) ||
			       !strncmp(env[i], bare, strlen(bare))))
			return true;
	}
	return false;
}

int sgang_spec_of_job(struct sgang_spec *spec, char *const *env, size_t n_env,
		      const char *user, struct sgang_error *err)
{
	int rc = sgang_spec_from_env(spec, env, n_env, err);

	if (rc == 1 && !spec->ns[0] && user)
		strncpy(spec->ns, user, sizeof(spec->ns) - 1);
	return rc;
}

uint32_t sgang_spec_min(const struct sgang_spec *spec)
{
	return spec->min_member ? spec->min_member : 1;
}

uint32_t sgang_spec_total(const struct sgang_spec *spec)
{
	return spec->total ? spec->total : sgang_spec_min(spec);
}

bool sgang_spec_defines(const struct sgang_spec *spec)
{
	return spec->min_member || spec->total;
}

enum sgang_mode sgang_spec_mode(const struct sgang_spec *spec)
{
	return spec->mode ? spec->mode : SGANG_MODE_STRICT;
}

enum sgang_match sgang_spec_match(const struct sgang_spec *spec)
{
	return spec->match ? spec->match : SGANG_MATCH_ONCE_SATISFIED;
}

void sgang_spec_policy(const struct sgang_spec *spec,
		       struct sgang_policy *policy)
{
	/* the options were checked when they were set */
	memset(policy, 0, sizeof(*policy));
	(void)sgang_policy_parse(spec->topology, policy, NULL);
}

void sgang_spec_group_policy(const struct sgang_spec *spec,
			     struct sgang_policy *policy)
{
	memset(policy, 0, sizeof(*policy));
	(void)sgang_policy_parse(spec->group_topology, policy, NULL);
}

/* The same for the groups of a tree; 'role' is scratch. */
static const char *unknown_in_role(const char *text,
				   const struct sgang_costs *costs,
				   struct sgang_role_path *path)
{
	const char *unknown = NULL;
	uint32_t i;

	if (!*text || sgang_role_path_parse(text, path, NULL))
		return NULL;
	for (i = 0; i < path->n && !unknown; i++) {
		if (path->group[i].require[0] &&
		    sgang_costs_level(costs, path->group[i].require) < 0)
			unknown = path->group[i].require;
		else if (path->group[i].prefer[0] &&
			 sgang_costs_level(costs, path->group[i].prefer) < 0)
			unknown = path->group[i].prefer;
	}
	return unknown;
}

static const char *unknown_in_tree(const char *list,
				   const struct sgang_costs *costs,
				   struct sgang_role_path *path)
{
	const char *unknown = NULL;
	char text[SGANG_ROLE_SIZE];

	while (!unknown && sgang_role_path_next(&list, text))
		unknown = unknown_in_role(text, costs, path);
	return unknown;
}

bool sgang_spec_unknown_level(const struct sgang_spec *spec,
			      const struct sgang_costs *costs,
			      const char **option,
			      char level[SGANG_LEVEL_NAME_SIZE])
{
	struct sgang_policy policy, group_policy;
	struct sgang_role_path path;
	const char *unknown;

	sgang_spec_policy(spec, &policy);
	sgang_spec_group_policy(spec, &group_policy);
	*option = options[OPT_TOPOLOGY].name;
	unknown = sgang_policy_unknown(&policy, costs);
	if (!unknown) {
		*option = options[OPT_GROUP_TOPOLOGY].name;
		unknown = sgang_policy_unknown(&group_policy, costs);
	}
	if (!unknown && spec->exclusive[0] &&
	    sgang_costs_level(costs, spec->exclusive) < 0) {
		*option = options[OPT_EXCLUSIVE].name;
		unknown = spec->exclusive;
	}
	if (!unknown) {
		*option = options[OPT_ROLE].name;
		unknown = unknown_in_role(spec->role, costs, &path);
	}
	if (!unknown) {
		*option = options[OPT_TREE].name;
		unknown = unknown_in_tree(spec->tree, costs, &path);
	}
	if (unknown)
		memmove(level, unknown, strlen(unknown) + 1);
	return unknown != NULL;
}

const char *sgang_mode_word(enum sgang_mode mode)
{
	return (unsigned int)mode < COUNT(modes) ? modes[mode] : "";
}

const char *sgang_match_word(enum sgang_match match)
{
	return (unsigned int)match < COUNT(matches) ? matches[match] : "";
}

bool sgang_on_success_counts(uint32_t on_success)
{
	return on_success && on_success != SGANG_ON_SUCCESS_ALL;
}

void sgang_on_success_show(char *text, size_t size, uint32_t on_success)
{
	if (on_success == SGANG_ON_SUCCESS_LEADER)
		snprintf(text, size, "leader");
	else if (on_success == SGANG_ON_SUCCESS_ALL)
		snprintf(text, size, "all");
	else
		snprintf(text, size, "%" PRIu32, on_success);
}

const char *sgang_on_failure_word(enum sgang_on_failure on_failure)
{
	return (unsigned int)on_failure < COUNT(failures) ?
		       failures[on_failure] :
		       "";
}

const char *sgang_rank_order_word(enum sgang_rank_order order)
{
	return (unsigned int)order < COUNT(rank_orders) ? rank_orders[order] :
							  "";
}

enum sgang_rank_order sgang_rank_order_find(const char *word)
{
	unsigned int i = COUNT(rank_orders) - 1;

	while (i && strcasecmp(rank_orders[i], word))
		i--;
	return (enum sgang_rank_order)i;
}

const char *sgang_spec_value(const struct sgang_spec *spec, const char *option,
			     char text[SGANG_GROUPS_SIZE])
{
	int wanted = find_option(option);
	bool said = false;
	size_t i, used = 0;

	for (i = 0; i < COUNT(fields); i++) {
		if (fields[i].option != wanted || !fields[i].show ||
		    !is_said(spec, &fields[i]))
			continue;
		if (said)
			text[used++] = ',';
		show_field(spec, &fields[i], text + used,
			   SGANG_GROUPS_SIZE - used);
		used += strlen(text + used);
		said = true;
	}
	return said ? text : NULL;
}

/* ---- lists of gangs ---- */

bool sgang_spec_next_group(const char **at, char *ns, char *name)
{
	size_t ns_length, length;
	const char *entry;

	while (**at) {
		entry = *at;
		length = strcspn(entry, ",");
		*at += length + (entry[length] == ',');
		ns_length = strcspn(entry, "/");
		/* an entry that no option would have let in is none */
		if (ns_length >= length || ns_length > SGANG_NAMESPACE_MAX ||
		    length - ns_length - 1 > SGANG_NAME_MAX)
			continue;
		memcpy(ns, entry, ns_length);
		ns[ns_length] = '\0';
		length -= ns_length + 1;
		memcpy(name, entry + ns_length + 1, length);
		name[length] = '\0';
		return true;
	}
	return false;
}

bool sgang_spec_lists(const struct sgang_spec *spec, const char *ns,
		      const char *name)
{
	char listed_ns[SGANG_NAMESPACE_MAX + 1];
	char listed_name[SGANG_NAME_MAX + 1];
	const char *at = spec->groups;

	while (sgang_spec_next_group(&at, listed_ns, listed_name))
		if (!strcmp(listed_ns, ns) && !strcmp(listed_name, name))
			return true;
	return false;
}

/* Does 'b' list whatever 'a' lists? A gang that lists itself says nothing by
 * it. */
static bool lists_all(const struct sgang_spec *b, const struct sgang_spec *a)
{
	char ns[SGANG_NAMESPACE_MAX + 1], name[SGANG_NAME_MAX + 1];
	const char *at = a->groups;

	while (sgang_spec_next_group(&at, ns, name))
		if ((strcmp(ns, a->ns) || strcmp(name, a->name)) &&
		    !sgang_spec_lists(b, ns, name))
			return false;
	return true;
}

/* ---- members of one gang ---- */

static int agree_field(const struct sgang_spec *first,
		       const struct sgang_spec *later,
		       const struct field *field, struct sgang_error *err)
{
	char said[SGANG_GROUPS_SIZE], says[SGANG_GROUPS_SIZE];
	char shown_said[SGANG_TEXT_SHOWN], shown_says[SGANG_TEXT_SHOWN];
	bool same;

	if (!field->show || !is_said(first, field) || !is_said(later, field))
		return 0;
	show_field(first, field, said, sizeof(said));
	show_field(later, field, says, sizeof(says));
	if (field->option == OPT_GROUPS)
		same = lists_all(first, later) && lists_all(later, first);
	else
		same = !strcasecmp(said, says);
	if (same)
		return 0;
	return sgang_errf(err, EINVAL,
			  "--%s=%s: the gang's earlier members said %s",
			  options[field->option].name,
			  sgang_text_show(shown_says, says),
			  said[0] ? sgang_text_show(shown_said, said) :
				    "that there are none");
}

int sgang_spec_agree(const struct sgang_spec *first,
		     const struct sgang_spec *later, struct sgang_error *err)
{
	struct sgang_spec both = *later;
	size_t i;

	for (i = 0; i < COUNT(fields); i++)
		if (agree_field(first, later, &fields[i], err))
			return -1;
	/* one said the minimum, the other the total */
	sgang_spec_merge(&both, first);
	return sgang_spec_check(&both, err);
}

void sgang_spec_merge(struct sgang_spec *into, const struct sgang_spec *from)
{
	size_t i;

	for (i = 0; i < COUNT(fields); i++) {
		const struct field *field = &fields[i];

		if (!field->own && !is_said(into, field))
			memcpy((char *)into + field->offset,
			       (const char *)from + field->offset, field->size);
	}
}
