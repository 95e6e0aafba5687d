/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spec.c - what one member says about its gang: the --gang... options */

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "spec.h"
#include "text.h"

/* What Slurm puts in front of an option's name in spank_job_env. The plugin's
 * name is "gang"; bytes that are no letter or digit arrive as '_'. */
#define ENV_PREFIX "_SLURM_SPANK_OPTION_gang_"

/* To add an option: a number here, a row in options[] and in setters[], a field
 * in struct sgang_spec, a paragraph in spank_gang.8. */
enum {
	OPT_GANG,
	OPT_MIN_MEMBER,
	OPT_TOTAL_NUMBER,
	OPT_TOPOLOGY,
	OPT_RANK,
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
		.help = "members that are needed to start (default 1)",
	},
	[OPT_TOTAL_NUMBER] = {
		.name = "gang-total-number",
		.arg = "N",
		.help = "members that are expected (default: min-member)",
	},
	[OPT_TOPOLOGY] = {
		.name = "gang-topology",
		.arg = "require:LEVEL|prefer:LEVEL",
		.help = "highest level of the fabric that the gang may span",
	},
	[OPT_RANK] = {
		.name = "gang-rank",
		.arg = "N",
		.help = "position of this member in the ring (default: order "
			"of submission)",
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

/* RFC 1123 label; 'value' is the whole option, for the message. */
static int check_name(const char *name, const char *value,
		      struct sgang_error *err)
{
	size_t length = strlen(name), i;

	if (!length)
		return refuse(err, EINVAL, OPT_GANG, value,
			      "the name is missing, expected "
			      "[NAMESPACE/]NAME");
	if (length > SGANG_NAME_MAX)
		return refuse(err, E2BIG, OPT_GANG, value,
			      "a gang's name has at most 63 characters");
	for (i = 0; i < length; i++) {
		if (is_upper(name[i]))
			return refuse(err, EINVAL, OPT_GANG, value,
				      "a gang's name has no upper-case "
				      "letters");
		if (name[i] == '/')
			return refuse(err, EINVAL, OPT_GANG, value,
				      "there is more than one slash, expected "
				      "[NAMESPACE/]NAME");
		if (!is_lower(name[i]) && !is_digit(name[i]) && name[i] != '-')
			return refuse(err, EINVAL, OPT_GANG, value,
				      "a gang's name has only the letters a "
				      "to z, digits and '-'");
	}
	if (name[0] == '-' || name[length - 1] == '-')
		return refuse(err, EINVAL, OPT_GANG, value,
			      "a gang's name begins and ends with a letter or "
			      "a digit");
	return 0;
}

/* Users and accounts are named by the site, so little is forbidden: what would
 * break a list of names, a record's words or somebody's terminal. */
static int check_namespace(const char *ns, size_t length, const char *value,
			   struct sgang_error *err)
{
	size_t i;

	if (!length)
		return refuse(err, EINVAL, OPT_GANG, value,
			      "the namespace before the slash is empty; leave "
			      "the slash out to use your user name");
	if (length > SGANG_NAMESPACE_MAX)
		return refuse(err, E2BIG, OPT_GANG, value,
			      "a namespace has at most 255 characters");
	for (i = 0; i < length; i++)
		if (ns[i] <= ' ' || ns[i] > '~' || strchr(",\"'", ns[i]))
			return refuse(err, EINVAL, OPT_GANG, value,
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

	if (slash && check_namespace(value, length, value, err))
		return -1;
	if (check_name(name, value, err))
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
				  " to %d", options[option].name,
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

static const struct {
	const char *word;
	enum sgang_topo_policy policy;
} policies[] = {
	{ "prefer", SGANG_TOPO_PREFER },
	{ "require", SGANG_TOPO_REQUIRE },
};

static const char *policy_word(enum sgang_topo_policy policy)
{
	return policies[policy == SGANG_TOPO_REQUIRE].word;
}

static bool is_level(const char *level)
{
	const char *p;

	for (p = level; *p; p++)
		if (!is_lower(*p) && !is_upper(*p) && !is_digit(*p) &&
		    *p != '-' && *p != '_')
			return false;
	return p > level;
}

static int set_topology(struct sgang_spec *spec, const char *value,
			struct sgang_error *err)
{
	size_t i, length = strcspn(value, ":");
	const char *level = value + length;

	if (*level == ':')
		level++;
	for (i = 0; i < sizeof(policies) / sizeof(policies[0]); i++) {
		if (strlen(policies[i].word) != length ||
		    strncasecmp(policies[i].word, value, length))
			continue;
		if (strlen(level) >= sizeof(spec->level))
			return refuse(err, E2BIG, OPT_TOPOLOGY, value,
				      "a level's name has at most 31 "
				      "characters");
		if (!is_level(level))
			break;
		spec->topo = policies[i].policy;
		strcpy(spec->level, level);
		return 0;
	}
	return refuse(err, EINVAL, OPT_TOPOLOGY, value,
		      "expected require:LEVEL or prefer:LEVEL, where LEVEL is "
		      "the name of a level of the fabric, such as leaf");
}

static int (*const setters[OPTIONS])(struct sgang_spec *, const char *,
				     struct sgang_error *) = {
	[OPT_GANG] = set_gang,
	[OPT_MIN_MEMBER] = set_min_member,
	[OPT_TOTAL_NUMBER] = set_total_number,
	[OPT_TOPOLOGY] = set_topology,
	[OPT_RANK] = set_rank,
};

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

int sgang_spec_check(const struct sgang_spec *spec, struct sgang_error *err)
{
	const char *orphan = NULL;

	if (!spec->name[0]) {
		if (spec->min_member)
			orphan = options[OPT_MIN_MEMBER].name;
		else if (spec->total)
			orphan = options[OPT_TOTAL_NUMBER].name;
		else if (spec->level[0])
			orphan = options[OPT_TOPOLOGY].name;
		else if (spec->rank_set)
			orphan = options[OPT_RANK].name;
	}
	if (orphan)
		return sgang_errf(err, EINVAL,
				  "--%s is given but no gang: add --gang=NAME",
				  orphan);
	if (spec->total && spec->min_member > spec->total)
		return sgang_errf(err, EINVAL,
				  "--gang-min-member=%" PRIu32 " is above "
				  "--gang-total-number=%" PRIu32 ": a gang "
				  "cannot need more members than it has",
				  spec->min_member, spec->total);
	return 0;
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
	const char *name = entry + strlen(ENV_PREFIX);
	size_t length = strcspn(name, "=");
	const char *value = name[length] ? name + length + 1 : "";
	char shown[SGANG_TEXT_SHOWN], shown_seen[SGANG_TEXT_SHOWN];
	int i = find_env_option(name, length);

	if (i < 0)
		return sgang_errf(err, EINVAL,
				  "%s: there is no such gang option",
				  sgang_text_show(shown, entry));
	if (seen[i] && strcmp(seen[i], value))
		return sgang_errf(err, EINVAL,
				  "--%s=%s and --%s=%s: give one of them",
				  options[i].name,
				  sgang_text_show(shown_seen, seen[i]),
				  options[i].alias ? options[i].alias :
						     options[i].name,
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
		if (!env[i] || strncmp(env[i], ENV_PREFIX, strlen(ENV_PREFIX)))
			continue;
		if (take_entry(&said, env[i], seen, err))
			return -1;
	}
	if (sgang_spec_check(&said, err))
		return -1;
	*spec = said;
	return spec->name[0] != '\0';
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

static int agree_number(int option, uint32_t first, uint32_t later,
			struct sgang_error *err)
{
	if (!first || !later || first == later)
		return 0;
	return sgang_errf(err, EINVAL,
			  "--%s=%" PRIu32 ": the gang's earlier members said "
			  "%" PRIu32, options[option].name, later, first);
}

int sgang_spec_agree(const struct sgang_spec *first,
		     const struct sgang_spec *later, struct sgang_error *err)
{
	struct sgang_spec both = *later;

	if (agree_number(OPT_MIN_MEMBER, first->min_member, later->min_member,
			 err) ||
	    agree_number(OPT_TOTAL_NUMBER, first->total, later->total, err))
		return -1;
	if (first->level[0] && later->level[0] &&
	    (first->topo != later->topo ||
	     strcasecmp(first->level, later->level)))
		return sgang_errf(err, EINVAL,
				  "--gang-topology=%s:%s: the gang's earlier "
				  "members said %s:%s",
				  policy_word(later->topo), later->level,
				  policy_word(first->topo), first->level);
	/* one said the minimum, the other the total */
	sgang_spec_merge(&both, first);
	return sgang_spec_check(&both, err);
}

void sgang_spec_merge(struct sgang_spec *into, const struct sgang_spec *from)
{
	if (!into->name[0]) {
		memcpy(into->ns, from->ns, sizeof(into->ns));
		memcpy(into->name, from->name, sizeof(into->name));
	}
	if (!into->min_member)
		into->min_member = from->min_member;
	if (!into->total)
		into->total = from->total;
	if (!into->level[0]) {
		into->topo = from->topo;
		memcpy(into->level, from->level, sizeof(into->level));
	}
}
