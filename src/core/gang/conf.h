/* SPDX-License-Identifier: GPL-2.0-or-later */
/* conf.h - gang.conf, the settings of slurm-gang
 *
 * Key=Value lines, several on a line allowed, '#' comments, keys and the words
 * of values without regard to case, as in slurm.conf. A table in conf.c has
 * type, default, range and help of every key. To add a key: a row there, a
 * field here, a line in etc/gang.conf and a paragraph in gang.conf.5.
 */

#ifndef SGANG_CONF_H
#define SGANG_CONF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/err.h"
#include "core/fabric/fabric.h"
#include "core/fabric/partition_words.h"
#include "spec.h"

/* The gangs that an admin defines (GangName= lines); shared, never changed. */
struct sgang_definitions;

/* A NVLinkDomain= line: nodes that NVLink joins across their chassis. */
struct sgang_nvlink {
	char *name;
	char *nodes;   /* a host list expression */
	uint32_t line; /* of gang.conf */
};

/* All of them, in the order of the file; shared, never changed. */
struct sgang_nvlinks;

/* Its NodeTopology= lines, see node_lines.h. */
struct sgang_node_lines;

/* The file in StateSaveLocation in which slurmctld publishes the settings in
 * force: the lines of sgang_conf_print_sources(), and in front of them comments
 * "# file=PATH" (of gang.conf), "# since=SECONDS" (since the epoch), and if
 * there is something to say "# mistake=TEXT" (the file has one, and these are
 * the settings from before it) or "# off=TEXT" (why nothing is in force; then
 * there are no settings). */
#define SGANG_CONF_IN_FORCE "gang_settings"

/* More keys than this there cannot be. */
#define SGANG_CONF_KEYS_MAX 48

/* Room for what is said of some partitions or accounts. */
#define SGANG_CONF_WORDS 1024

/* Stands where a level may stand: --gang-exclusive may name none. */
#define SGANG_CONF_NO_LEVEL "none"

/* The plugin's lines that slurmctld writes with SlurmctldDebug=info. */
enum sgang_conf_log {
	SGANG_CONF_LOG_ERROR, /* problems to fix */
	SGANG_CONF_LOG_INFO,  /* also phase changes */
	SGANG_CONF_LOG_DEBUG  /* everything */
};

struct sgang_conf {
	struct sgang_costs costs; /* LevelNames= HopCosts= LevelBandwidth=
				   * LevelLatency= AllowUnconnected=, and
				   * the NVLink level if there is one */
	uint32_t n_level_names;   /* levels that LevelNames= names */
	uint32_t n_hop_costs;     /* levels that HopCosts= prices */
	bool gangs;               /* Gangs=yes|no: start together */
	bool placement;           /* Placement=yes|no: by ring cost */
	bool weight_first;        /* WeightFirst=no|yes: Weight of nodes
				   * comes before ring cost */
	bool place_all;           /* PlaceAll=no|yes: jobs without --gang
				   * too */
	char topology_file[1024]; /* TopologyFile=, absolute; "": what
				   * Slurm reads beside slurm.conf */
	char topology_name[SGANG_TOPOLOGY_NAME]; /* TopologyName=, one
						  * of those of a topology.yaml;
						  * "": its default */
	/* Words as in partition_words.h; "": what holds for the cluster holds
	 * for every partition, and accounts have no limits of their own. */
	char partition_topology[SGANG_CONF_WORDS]; /* PartitionTopology= */
	char partition_max_waiting_time[SGANG_CONF_WORDS];
	/* PartitionMaxWaitingTime= */
	char partition_max_exclusive[SGANG_CONF_WORDS];
	/* PartitionMaxExclusive= */
	char partition_placeholders[SGANG_CONF_WORDS];
	/* PartitionPlaceholders= */
	char account_max_gangs[SGANG_CONF_WORDS]; /* AccountMaxGangs= */
	char account_max_members[SGANG_CONF_WORDS];
	/* AccountMaxGangMembers= */
	enum sgang_rank_order rank_order; /* RankOrder=submit|ring, of
					   * gangs that do not say */
	uint32_t waiting_time;            /* WaitingTime=, seconds or
					   * SGANG_FOREVER; default 600 */
	bool placeholders;                /* Placeholders=yes|no */
	uint32_t placeholder_timeout;     /* PlaceholderTimeout=, seconds or
					   * SGANG_FOREVER; default 900 */
	uint32_t max_waiting_time;        /* MaxWaitingTime=, seconds or
					   * SGANG_FOREVER; default a day */
	char max_exclusive[32];           /* MaxExclusive=, a level or none; "":
					   * leaf */
	char account_rules[4096];         /* GangAccountRules=; "": none */
	double exclusive_share;           /* MinExclusiveShare=, 0 to 1 */
	/* UINT32_MAX: no limit */
	uint32_t max_gangs;            /* MaxGangs= */
	uint32_t max_gangs_per_user;   /* MaxGangsPerUser= */
	uint32_t max_members;          /* MaxGangMembers= */
	uint32_t max_members_per_user; /* MaxGangMembersPerUser= */
	bool preemption;               /* GangPreemption=yes|no: gangs
					* preempt what Slurm lets them */
	bool node_extra;               /* NodeExtra=yes|no: nodes name their
					* gangs in their extra field */
	enum sgang_conf_log log_level; /* LogLevel=error|info|debug */
	char metrics_file[1024];       /* MetricsFile=, absolute; "": none */
	char node_topology_dir[1024];  /* NodeTopologyDir=; "": the folder
					* node-topology. Relative ones are
					* beside gang.conf */
	struct sgang_node_lines *node_lines;   /* NodeTopology= lines; NULL:
						* none */
	struct sgang_definitions *definitions; /* GangName= lines; NULL: none */
	struct sgang_nvlinks *nvlinks; /* NVLinkDomain= lines; NULL: none */
	uint32_t key_line[SGANG_CONF_KEYS_MAX]; /* where each key of the table
						 * stands; 0: nowhere, it is
						 * the default */
};

/* The defaults own nothing and need no sgang_conf_free(). */
void sgang_conf_default(struct sgang_conf *conf);

/* Make 'to' (whose contents are overwritten, not freed) say the same. Cannot
 * fail: what lines define is shared and counted. Any thread. */
void sgang_conf_copy(struct sgang_conf *to, const struct sgang_conf *from);
/* Give up what it owns and set the defaults. */
void sgang_conf_free(struct sgang_conf *conf);

/* The topology by which jobs of the partition are placed, where slurm.conf says
 * 'own' (NULL: nothing): that of PartitionTopology= or, unless gang.conf has a
 * TopologyFile= of its own, Slurm's; "": the cluster's. True if gang.conf
 * decides it.
 */
bool sgang_conf_topology_of(const struct sgang_conf *conf,
			    const char *partition, const char *own,
			    char topology[SGANG_TOPOLOGY_NAME]);

/* The longest that gangs may hold with a job in these partitions, as in "a,b"
 * or NULL: the shortest of theirs, where that of one of which
 * PartitionMaxWaitingTime= says nothing is MaxWaitingTime=. Seconds, or
 * SGANG_FOREVER. */
uint32_t sgang_conf_max_waiting_time(const struct sgang_conf *conf,
				     const char *partitions);

/* Room for "PartitionMaxExclusive=gpu:leaf". */
#define SGANG_CONF_SAID (2 * SGANG_TOPOLOGY_NAME + 32)

/* True if gangs may have placeholders in all of these partitions, as above. If
 * not, 'said' is the setting that forbids them. */
bool sgang_conf_may_keep(const struct sgang_conf *conf, const char *partitions,
			 char said[SGANG_CONF_SAID]);

/* The highest level that --gang-exclusive may name for a job in these
 * partitions, as above, and in 'said' the setting that bounds it; -1: it may
 * name none. */
int sgang_conf_max_exclusive(const struct sgang_conf *conf,
			     const char *partitions,
			     char said[SGANG_CONF_SAID]);

/* The same for a definition, of which no partition is known yet: the highest
 * that some partition allows. */
int sgang_conf_any_exclusive(const struct sgang_conf *conf,
			     char said[SGANG_CONF_SAID]);

/* The number that such words say for the account, or else for "*", which is
 * every other account; UINT32_MAX: no limit. 'account' may be NULL: it has
 * none. */
uint32_t sgang_conf_account_limit(const char *words, const char *account);

/* True if GangAccountRules= lets the user have members in the gangs of that
 * namespace. A namespace that has no list there is open to all. */
bool sgang_conf_may_join(const struct sgang_conf *conf, const char *ns,
			 const char *user);

/* The GangName= line of that gang: a spec with its namespace and name in place,
 * valid as long as 'conf'; NULL when there is no such line. */
const struct sgang_spec *sgang_conf_gang(const struct sgang_conf *conf,
					 const char *ns, const char *name);

/* The NVLink domains, '*count' of them (none: NULL), and in '*path' the file
 * that has their lines. Valid as long as 'conf'. Neither their nodes nor
 * whether one node is in two of them has been looked at: the fabric does. */
const struct sgang_nvlink *sgang_conf_nvlinks(const struct sgang_conf *conf,
					      size_t *count, const char **path);

/* Read 'path' over the defaults. Returns 0, or -1 with errno (ENOENT no such
 * file, EINVAL what is in it, ENOMEM, or why it cannot be opened) and 'err'
 * saying file:line, what is wrong and what was expected; '*conf' is then
 * untouched. A repeated key is an error, so is a gang or an NVLink domain that
 * is defined twice, and a node in two NodeTopology= lines. */
int sgang_conf_load(const char *path, struct sgang_conf *conf,
		    struct sgang_error *err);

/* The same from memory; 'label' stands for the path in messages. */
int sgang_conf_parse(const char *text, const char *label,
		     struct sgang_conf *conf, struct sgang_error *err);

/* Print every key with its value in 'conf', one Key=Value line each, in the
 * order of the table; sgang_conf_load() reads it back to the same settings. A tab
 * and a comment behind it tell where it comes from: "HopCosts=1,2\t#
 * /etc/slurm/gang.conf:7", or "# default". 'path' is the file that was loaded;
 * NULL when there was none. */
void sgang_conf_print_sources(const struct sgang_conf *conf, const char *path,
			      FILE *out);

#endif
