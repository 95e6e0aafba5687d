/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cmd_place.c - sgang place: where would a gang go, and what would it cost? */

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/json.h"
#include "cmd/member.h"
#include "cmd/offline.h"
#include "cmd/place_live.h"
#include "cmd/placewhy.h"
#include "cmd/resources.h"
#include "cmd/ringtext.h"
#include "cmd/rolefile.h"
#include "cmd/spectext.h"
#include "cmd/suggest.h"
#include "core/base/hostlist.h"
#include "core/base/text.h"
#include "core/fabric/open_sizes.h"
#include "core/gang/policy.h"
#include "core/gang/spec.h"
#include "core/plan/plan.h"

enum {
	OPT_TOPOLOGY,
	OPT_CONF,
	OPT_SLOTS,
	OPT_FREE,
	OPT_TOTAL,
	OPT_WEIGHT,
	OPT_MEMBER,
	OPT_ROLES,
	OPT_MINIMUM,
	OPT_GANG_TOPOLOGY,
	OPT_PARALLEL,
	OPT_RANK_ORDER,
	OPT_EXPLAIN,
	OPT_BYTES,
	OPT_LIVE,
	OPT_GANG,
	OPT_PARTITION,
	OPT_TIME
};

static const struct sgang_cmd_option options[] = {
	[OPT_TOPOLOGY] = { "topology", "FILE", "topology.conf to read", 0 },
	[OPT_CONF] = { "conf", "FILE", "gang.conf with hop costs and names",
		       0 },
	[OPT_SLOTS] = { "slots", "N", "slots of every node (1)", 0 },
	[OPT_FREE] = { "free", "LIST",
		       "what is free, n[1-4]=8,n5=2:gpu=1 (all)", 0 },
	[OPT_TOTAL] = { "total", "LIST",
			"what there is, as in --free (the most that is free)",
			0 },
	[OPT_WEIGHT] = { "weight", "LIST",
			 "Slurm's Weight of nodes, n[1-4]=10,n5=100 (1)", 0 },
	[OPT_MEMBER] = { "member", "SHAPE",
			 "4x8, 4xall or 4x8:gpu=4; may be repeated", 0 },
	[OPT_ROLES] = { "roles", "FILE",
			"a gang as a tree of roles, a file of sgang submit",
			0 },
	[OPT_MINIMUM] = { "minimum", NULL,
			  "of --roles no more than their minima", 0 },
	[OPT_GANG_TOPOLOGY] = { "gang-topology", "POLICY",
				"require:[GROUP:]LEVEL, prefer:LEVEL or "
				"spread:LEVEL",
				0 },
	[OPT_PARALLEL] = { "parallel", "GROUPS",
			   "groups over the ranks, tp=8,dp=?[:tp=100,dp=10]",
			   0 },
	[OPT_RANK_ORDER] = { "rank-order", "WORD",
			     "order of members in the ring: submit or ring",
			     0 },
	[OPT_EXPLAIN] = { "explain", NULL,
			  "say why, and what else was possible", 0 },
	[OPT_BYTES] = { "bytes", "N", "of an all-reduce, for --explain (1G)",
			0 },
	[OPT_LIVE] = { "live", NULL,
		       "when and where on this cluster, as slurmctld sees it",
		       0 },
	[OPT_GANG] = { "gang", "NAME",
		       "for --live: this gang, with --member "
		       "as a further one",
		       0 },
	[OPT_PARTITION] = { "partition", "NAME", "for --live: in this one", 0 },
	[OPT_TIME] = { "time", "MINUTES", "for --live: the time limit", 0 },
	{ NULL, NULL, NULL, 0 }
};

struct request {
	struct sgang_offline offline;
	uint32_t slots;         /* 0: not said */
	const char *free_list;  /* NULL: all is free */
	const char *total_list; /* NULL: each node has the most that
				 * one has free */
	struct sgang_resources resources;
	const char *weight_list; /* NULL: all nodes weigh the same */
	struct sgang_spec spec;  /* --gang-topology, --rank-order */
	struct sgang_parallel parallel;
	struct sgang_open_sizes sizes; /* --parallel with open sizes; n 0: none
					*/
	bool explain;
	uint64_t bytes; /* --bytes; 0: not said */
	struct sgang_members members;
	bool live;
	const char *partition;  /* --partition; NULL: not said */
	uint64_t minutes;       /* --time; 0: not said */
	const char *roles_path; /* --roles; NULL: none */
	bool minimum;
	struct sgang_rolefile roles;
	struct sgang_plan_group *group; /* of them, those that are placed */
	uint32_t *role_of;              /* by group */
	uint32_t n_groups;
	uint32_t *free; /* by node index and resource */
	uint32_t *total;
	uint32_t *weight;
};

/* Open sizes count as 1 until they are filled in. */
static int read_parallel(struct request *request, const char *value,
			 struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error why;

	request->sizes.parallel.n = 0;
	if (!sgang_open_sizes_any(value))
		return sgang_offline_parallel(value, &request->parallel, err);
	if (sgang_open_sizes_parse(value, &request->sizes, &why))
		return sgang_errf(err, EINVAL, "--parallel=%s: %s",
				  sgang_text_show(shown, value), why.text);
	request->parallel = request->sizes.parallel;
	return 0;
}

static int read_rank_order(struct request *request, const char *value,
			   struct sgang_error *err)
{
	if (!sgang_spec_set(&request->spec, "gang-rank-order", value, err))
		return 0;
	sgang_spectext_option(err);
	return -1;
}

static int read_live(struct request *request, int option, const char *value,
		     struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	switch (option) {
	case OPT_LIVE:
		request->live = true;
		return 0;
	case OPT_GANG:
		return sgang_spec_set(&request->spec, "gang", value, err);
	case OPT_PARTITION:
		request->partition = value;
		return 0;
	default:
		if (!sgang_text_number(value, 1, UINT32_MAX - 1,
				       &request->minutes))
			return 0;
		return sgang_errf(err, EINVAL,
				  "--time=%s: expected a number of minutes",
				  sgang_text_show(shown, value));
	}
}

static int read_option(void *arg, int option, const char *value,
		       struct sgang_error *err)
{
	struct request *request = arg;

	switch (option) {
	case OPT_TOPOLOGY:
		request->offline.topology = value;
		return 0;
	case OPT_CONF:
		request->offline.conf_path = value;
		return 0;
	case OPT_SLOTS:
		return sgang_offline_slots(value, &request->slots, err);
	case OPT_FREE:
		request->free_list = value;
		return 0;
	case OPT_TOTAL:
		request->total_list = value;
		return 0;
	case OPT_WEIGHT:
		request->weight_list = value;
		return 0;
	case OPT_MEMBER:
		return sgang_members_add(&request->members, &request->resources,
					 value, err);
	case OPT_ROLES:
		request->roles_path = value;
		return 0;
	case OPT_MINIMUM:
		request->minimum = true;
		return 0;
	case OPT_GANG_TOPOLOGY:
		return sgang_spec_set(&request->spec, "gang-topology", value,
				      err);
	case OPT_PARALLEL:
		return read_parallel(request, value, err);
	case OPT_RANK_ORDER:
		return read_rank_order(request, value, err);
	case OPT_EXPLAIN:
		request->explain = true;
		return 0;
	case OPT_BYTES:
		return sgang_ringtext_bytes(value, &request->bytes, err);
	default:
		return read_live(request, option, value, err);
	}
}

/* A list of values of nodes. NULL: not given. */
struct said {
	const char *option;
	struct sgang_node_amounts *node;
	size_t n;
};

static int read_list(struct request *request, const char *list,
		     struct said *said, struct sgang_error *err)
{
	struct sgang_error why;

	said->node = NULL;
	said->n = 0;
	if (list && sgang_resources_nodes(
			    &request->resources, request->offline.fabric, list,
			    request->slots ? request->slots : SGANG_SLOTS_MAX,
			    &said->node, &said->n, &why))
		return sgang_errf(err, EINVAL, "--%s: %s", said->option,
				  why.text);
	return 0;
}

/* If the amounts of nodes are not given, each has the largest number in --free
 * of a resource; of slots 1 if none is given, too. */
static void find_largest(const struct request *request,
			 const struct said *free_of,
			 struct sgang_amounts *largest)
{
	uint32_t d;
	size_t i;

	memset(largest, 0, sizeof(*largest));
	for (i = 0; i < free_of->n; i++) {
		for (d = 0; d < request->resources.n; d++) {
			if (free_of->node[i].amounts.of[d] > largest->of[d])
				largest->of[d] = free_of->node[i].amounts.of[d];
		}
	}
	largest->of[0] = request->slots ? request->slots :
			 largest->of[0] ? largest->of[0] :
					  1;
}

static void set_nodes(uint32_t *numbers, uint32_t n_dims,
		      const struct said *said)
{
	size_t i;

	for (i = 0; i < said->n; i++)
		memcpy(numbers + (size_t)said->node[i].node * n_dims,
		       said->node[i].amounts.of, n_dims * sizeof(*numbers));
}

/* No node has more free than it has. */
static int check_free(const struct request *request, struct sgang_error *err)
{
	uint32_t n = sgang_fabric_nodes(request->offline.fabric), d;
	uint32_t n_dims = request->resources.n;
	size_t i;

	for (i = 0; i < (size_t)n * n_dims; i++) {
		d = (uint32_t)(i % n_dims);
		if (request->free[i] > request->total[i])
			return sgang_errf(
				err, EINVAL,
				"--free: %s has %" PRIu32
				" %s free and %" PRIu32 " in all",
				sgang_fabric_node_name(request->offline.fabric,
						       (uint32_t)(i / n_dims)),
				request->free[i],
				d ? request->resources.name[d] : "slots",
				request->total[i]);
	}
	return 0;
}

/* Fill free[] and total[] with the given values. */
static int fill_nodes(struct request *request, const struct said *free_of,
		      const struct said *total_of, struct sgang_error *err)
{
	uint32_t n = sgang_fabric_nodes(request->offline.fabric), i;
	uint32_t n_dims = request->resources.n;
	size_t size = n_dims * sizeof(uint32_t);
	struct sgang_amounts largest;

	request->free = calloc(n, size);
	request->total = calloc(n, size);
	if (!request->free || !request->total)
		return sgang_err_memory(err);
	find_largest(request, free_of, &largest);
	for (i = 0; i < n && !request->total_list; i++)
		memcpy(request->total + (size_t)i * n_dims, largest.of, size);
	set_nodes(request->total, n_dims, total_of);
	if (request->free_list)
		set_nodes(request->free, n_dims, free_of);
	else
		memcpy(request->free, request->total, n * size);
	return check_free(request, err);
}

/* A node that is not named has Slurm's default Weight. */
static int fill_weights(struct request *request, struct sgang_error *err)
{
	uint32_t n = sgang_fabric_nodes(request->offline.fabric), i;
	struct sgang_node_word *words = NULL;
	struct sgang_error why;
	size_t n_words = 0, k;
	int rc = 0;

	if (!request->weight_list)
		return 0;
	request->weight = malloc(n * sizeof(*request->weight));
	if (!request->weight)
		return sgang_err_memory(err);
	for (i = 0; i < n; i++)
		request->weight[i] = 1;
	if (sgang_offline_words(request->offline.fabric, request->weight_list,
				'=', UINT32_MAX, &words, &n_words, &why))
		return sgang_errf(err, EINVAL, "--weight: %s", why.text);
	for (k = 0; k < n_words && !rc; k++) {
		request->weight[words[k].node] = words[k].number;
		if (!words[k].has_number)
			rc = sgang_errf(
				err, EINVAL,
				"--weight: %s: expected "
				"NODE=WEIGHT like n[1-4]=10",
				sgang_fabric_node_name(request->offline.fabric,
						       words[k].node));
	}
	free(words);
	return rc;
}

/* For each resource that a member asks for some node must have some. */
static int check_asked(const struct request *request, uint32_t asked,
		       struct sgang_error *err)
{
	uint32_t n = sgang_fabric_nodes(request->offline.fabric), d, i;
	uint32_t n_dims = request->resources.n;

	for (d = 1; d < asked; d++) {
		for (i = 0; i < n && !request->total[i * n_dims + d]; i++)
			;
		if (i == n)
			return sgang_errf(err, EINVAL,
					  "--member: no node has "
					  "any %s, expected some in --free or "
					  "--total",
					  request->resources.name[d]);
	}
	return 0;
}

static int fill_slots(struct request *request, struct sgang_error *err)
{
	struct said free_of = { .option = "free" };
	struct said total_of = { .option = "total" };
	uint32_t asked = request->resources.n;
	int rc;

	rc = sgang_offline_default_slots(&request->offline, &request->slots,
					 err);
	if (!rc)
		rc = read_list(request, request->total_list, &total_of, err);
	if (!rc)
		rc = read_list(request, request->free_list, &free_of, err);
	if (!rc && request->resources.n > 1 && request->offline.inside)
		rc = sgang_errf(err, EINVAL,
				"--member: slots are all that is "
				"known of the inside of nodes, leave %s to a "
				"gang.conf without NodeTopology",
				request->resources.name[1]);
	if (!rc)
		rc = fill_nodes(request, &free_of, &total_of, err);
	if (!rc)
		rc = check_asked(request, asked, err);
	free(free_of.node);
	free(total_of.node);
	return rc;
}

/* The needs of members, and the nodes where they may be. Of places inside of
 * nodes only slots are known. */
static int fill_members(struct request *request,
			const struct sgang_plan_request *plan,
			struct sgang_error *err)
{
	if (request->offline.inside && !sgang_members_plain(&request->members))
		return sgang_errf(err, EINVAL,
				  "--member: slots are all that is "
				  "known of the inside of nodes, leave whole "
				  "nodes, nodes= and require= to a gang.conf "
				  "without NodeTopology");
	return sgang_members_settle(&request->members, plan, err);
}

/* The highest level that the gang, and the rings of each group, may span, and
 * the one at which members are in different domains. Without a clock `prefer:`
 * sets no limit: preferring the lowest is what the plan does anyway. */
static int take_policy(const struct request *request,
		       struct sgang_plan_request *plan, struct sgang_error *err)
{
	const struct sgang_costs *costs = &request->offline.conf.costs;
	char unknown[SGANG_LEVEL_NAME_SIZE], names[SGANG_LEVEL_NAMES_SIZE];
	struct sgang_policy policy;
	struct sgang_error why;
	const char *option;

	plan->max_level = SGANG_LEVEL_UNCONNECTED;
	if (sgang_spec_unknown_level(&request->spec, costs, &option, unknown))
		return sgang_errf(err, EINVAL,
				  "--%s: there is no level "
				  "\"%s\"; the levels are %s",
				  option, unknown,
				  sgang_costs_names(costs, names));
	sgang_spec_policy(&request->spec, &policy);
	if (policy.require[0])
		plan->max_level = (uint32_t)sgang_costs_level(costs,
							      policy.require);
	plan->spread = policy.spread[0];
	if (plan->spread)
		plan->spread_level = (uint32_t)sgang_costs_level(costs,
								 policy.spread);
	if (sgang_policy_require(&request->parallel, &policy, costs,
				 plan->require, &why))
		return sgang_errf(err, EINVAL,
				  "--gang-topology=%s; --parallel "
				  "names them",
				  why.text);
	return 0;
}

/* ---- roles ---- */

/* The number of the members of a role, or of the roles in it, that are placed.
 */
static uint32_t wanted(const struct request *request, uint32_t role)
{
	const struct sgang_filerole *r = &request->roles.role[role];

	return request->minimum ? r->min : r->count;
}

/* The number of a role among its sisters, from 0 on. */
static uint32_t sister(const struct sgang_rolefile *roles, uint32_t role)
{
	uint32_t i, n = 0;

	for (i = roles->role[role].parent + 1; i < role; i++)
		n += roles->role[i].parent == roles->role[role].parent;
	return n;
}

static int add_members(struct request *request, uint32_t role,
		       struct sgang_error *err)
{
	const struct sgang_filerole *r = &request->roles.role[role];
	struct sgang_error why;
	char text[512];

	snprintf(text, sizeof(text), "%" PRIu32 "*%s", wanted(request, role),
		 r->shape);
	if (!sgang_members_add(&request->members, &request->resources, text,
			       &why))
		return 0;
	return sgang_errf(err, errno, "%s:%zu: %s", request->roles_path,
			  r->line, why.text);
}

/* Read the file, and take its members. A role is a group, unless it is left out
 * or in one that is. */
static int read_roles(struct request *request, struct sgang_error *err)
{
	struct sgang_rolefile *roles = &request->roles;
	uint32_t *group_of, r, g;
	int rc = 0;

	if (sgang_rolefile_load(request->roles_path, roles, err))
		return -1;
	request->group = calloc(roles->n, sizeof(*request->group));
	request->role_of = calloc(roles->n, sizeof(*request->role_of));
	group_of = calloc(roles->n, sizeof(*group_of));
	if (!request->group || !request->role_of || !group_of)
		rc = sgang_err_memory(err);
	for (r = 0; r < roles->n && !rc; r++) {
		const struct sgang_filerole *role = &roles->role[r];
		uint32_t up = r ? group_of[role->parent] : 0;

		group_of[r] = SGANG_PLAN_NO_GROUP;
		if (up == SGANG_PLAN_NO_GROUP ||
		    (r && sister(roles, r) >= wanted(request, role->parent)))
			continue;
		g = group_of[r] = request->n_groups++;
		request->role_of[g] = r;
		request->group[g] = (struct sgang_plan_group){
			.name = role->path,
			.parent = r ? up : SGANG_PLAN_NO_GROUP,
			.weight = role->weight,
			.first = request->members.n
		};
		if (role->shape)
			rc = add_members(request, r, err);
		for (; !rc && role->shape && g != SGANG_PLAN_NO_GROUP;
		     g = request->group[g].parent)
			request->group[g].n_members = request->members.n -
						      request->group[g].first;
	}
	free(group_of);
	return rc;
}

/* The number of a level that a role names; UNCONNECTED: it names none. */
static int find_level(const struct request *request,
		      const struct sgang_filerole *role, const char *word,
		      const char *level, uint32_t *number,
		      struct sgang_error *err)
{
	const struct sgang_costs *costs = &request->offline.conf.costs;
	char names[SGANG_LEVEL_NAMES_SIZE];
	int found;

	*number = SGANG_LEVEL_UNCONNECTED;
	if (!level[0])
		return 0;
	found = sgang_costs_level(costs, level);
	if (found < 0)
		return sgang_errf(err, EINVAL,
				  "%s:%zu: topology: %s:%s: there is no such "
				  "level; the levels are %s",
				  request->roles_path, role->line, word, level,
				  sgang_costs_names(costs, names));
	*number = (uint32_t)found;
	return 0;
}

/* Levels that groups require and prefer. A level above that of the group around
 * it would have no effect. */
static int take_levels(struct request *request, struct sgang_error *err)
{
	uint32_t g, up;

	if (request->n_groups && request->offline.inside)
		return sgang_errf(err, EINVAL,
				  "--roles: places inside of nodes are not "
				  "known to roles, leave them to a gang.conf "
				  "without NodeTopology");
	for (g = 0; g < request->n_groups; g++) {
		struct sgang_plan_group *group = &request->group[g];
		const struct sgang_filerole *role =
			&request->roles.role[request->role_of[g]];

		if (find_level(request, role, "require", role->policy.require,
			       &group->require, err) ||
		    find_level(request, role, "prefer", role->policy.prefer,
			       &group->prefer, err))
			return -1;
		up = g ? request->group[group->parent].require :
			 SGANG_LEVEL_UNCONNECTED;
		if (role->policy.require[0] && group->require > up)
			return sgang_errf(
				err, EINVAL,
				"%s:%zu: topology: %s requires %s, and %s "
				"above it %s, which is less",
				request->roles_path, role->line, group->name,
				role->policy.require,
				request->group[group->parent].name,
				request->offline.conf.costs.name[up]);
		if (!role->policy.require[0])
			group->require = up;
	}
	return 0;
}

/* The leaf role of a member: the last group that has it. */
static const char *role_of_member(const struct request *request,
				  uint32_t member)
{
	const char *name = NULL;
	uint32_t g;

	for (g = 0; g < request->n_groups && request->group[g].first <= member;
	     g++) {
		if (member <
		    request->group[g].first + request->group[g].n_members)
			name = request->group[g].name;
	}
	return name;
}

/* The least cost of a group if it is the only one. 0: unknown. */
static uint64_t bound_alone(const struct sgang_plan_request *plan, uint32_t g)
{
	const struct sgang_plan_group *group = &plan->group[g];
	struct sgang_plan_group alone = *group;
	struct sgang_plan_request request = *plan;
	struct sgang_placement *placement = NULL;
	struct sgang_budget budget;
	uint64_t bound = 0;

	sgang_budget_init(&budget, SGANG_PLAN_STEPS / 4);
	alone.parent = SGANG_PLAN_NO_GROUP;
	alone.first = 0;
	alone.weight = 1;
	request.members = plan->members + group->first;
	request.n_members = group->n_members;
	request.group = &alone;
	request.n_groups = 1;
	request.budget = &budget;
	if (sgang_plan(&request, &placement, NULL, NULL) > 0)
		bound = placement->bound;
	sgang_placement_destroy(placement);
	return bound;
}

/* A row for each group. */
static int put_roles(const struct request *request,
		     const struct sgang_plan_request *plan,
		     const struct sgang_placement *placement,
		     struct json_object *object, struct sgang_error *err)
{
	const struct sgang_costs *costs = plan->costs;
	struct json_object *list, *row;
	struct sgang_ring ring;
	uint32_t g;

	if (!request->n_groups)
		return 0;
	sgang_json_number(object, "weighted_cost", placement->weighted_cost);
	if (placement->above)
		sgang_json_number(object, "above_preferred", placement->above);
	list = sgang_json_list(object, "roles");
	for (g = 0; g < request->n_groups; g++) {
		if (sgang_plan_group_ring(plan, placement, g, &ring))
			return sgang_err_memory(err);
		row = sgang_json_row(list);
		sgang_json_string(row, "role", request->group[g].name);
		sgang_json_number(row, "ranks", ring.ranks);
		sgang_json_number(row, "weight", request->group[g].weight);
		sgang_json_number(row, "cost", ring.cost);
		if (request->explain)
			sgang_json_number(row, "bound", bound_alone(plan, g));
		sgang_json_number(row, "cross_links", ring.cross_links);
		sgang_json_string(row, "tier", costs->name[ring.tier]);
	}
	return 0;
}

#define FORM_ROLES                                                     \
	"[above_preferred={above_preferred}\n]"                        \
	"<roles|role={role} ranks={ranks} weight={weight} cost={cost}" \
	"[ bound={bound}] cross_links={cross_links} tier={tier}\n>"

/* ---- answers ---- */

/* The index before which the runs of the member that begins at runs[i] end. */
static size_t member_end(const struct sgang_placement *placement, size_t i)
{
	uint32_t member = placement->runs[i].member;

	while (i < placement->n_runs && placement->runs[i].member == member)
		i++;
	return i;
}

/* Slots the way Slurm writes tasks per node: "8(x4),2". */
static void print_slots(const struct sgang_run *runs, size_t n)
{
	size_t i = 0, first;

	while (i < n) {
		for (first = i; i < n && runs[i].slots == runs[first].slots;)
			i++;
		printf("%s%" PRIu32, first ? "," : "", runs[first].slots);
		if (i - first > 1)
			printf("(x%zu)", i - first);
	}
}

/* Join runs over nodes: islands of one node that follow each other count as
 * one. Returns their number. */
static size_t join_nodes(const struct request *request,
			 const struct sgang_run *runs, size_t n,
			 struct sgang_run *joined)
{
	size_t i, count = 0;

	for (i = 0; i < n; i++) {
		uint32_t node = sgang_offline_node(&request->offline,
						   runs[i].node);

		if (count && joined[count - 1].node == node) {
			joined[count - 1].slots += runs[i].slots;
			continue;
		}
		joined[count] = runs[i];
		joined[count++].node = node;
	}
	return count;
}

/* Room for the numbers of all islands of a node. */
#define ISLANDS_SIZE (3 * SGANG_ISLANDS_MAX + 1)

/* "0+1", of the first node of the runs. Returns the number of these runs. */
static size_t name_islands(const struct sgang_devices *devices,
			   const struct sgang_run *runs, size_t n,
			   char text[ISLANDS_SIZE])
{
	uint32_t node = devices->node[runs[0].node];
	size_t i, used = 0;

	for (i = 0; i < n && devices->node[runs[i].node] == node; i++)
		used += (size_t)snprintf(text + used, ISLANDS_SIZE - used,
					 "%s%" PRIu32, i ? "+" : "",
					 runs[i].node - devices->first[node]);
	return i;
}

/* " islands=0+1(x2),0", where islands are known. */
static void print_islands(const struct request *request,
			  const struct sgang_run *runs, size_t n)
{
	char text[ISLANDS_SIZE], next[ISLANDS_SIZE];
	size_t i, count;

	if (!request->offline.inside)
		return;
	printf(" islands=");
	i = name_islands(request->offline.inside->devices, runs, n, text);
	while (true) {
		for (count = 1; i < n; count++) {
			size_t more =
				name_islands(request->offline.inside->devices,
					     runs + i, n - i, next);

			if (strcmp(text, next))
				break;
			i += more;
		}
		printf("%s", text);
		if (count > 1)
			printf("(x%zu)", count);
		if (i == n)
			return;
		putchar(',');
		i += name_islands(request->offline.inside->devices, runs + i,
				  n - i, text);
	}
}

static int print_member(const struct request *request,
			const struct sgang_run *runs, size_t n_runs,
			struct sgang_error *err)
{
	struct sgang_run *joined = calloc(n_runs, sizeof(*joined));
	const char **names = calloc(n_runs, sizeof(*names));
	char *list = NULL;
	size_t i, n = 0;

	if (joined && names) {
		n = join_nodes(request, runs, n_runs, joined);
		for (i = 0; i < n; i++)
			names[i] = sgang_fabric_node_name(
				request->offline.fabric, joined[i].node);
		list = sgang_hostlist_fold(names, n);
	}
	free(names);
	if (list) {
		printf("member=%" PRIu32, runs[0].member);
		if (request->n_groups)
			printf(" role=%s",
			       role_of_member(request, runs[0].member));
		printf(" nodes=%s slots=", list);
		print_slots(joined, n);
		print_islands(request, runs, n_runs);
		putchar('\n');
	}
	free(joined);
	free(list);
	return list ? 0 : sgang_err_memory(err);
}

/* The costs of the ring and of the groups. The groups fit: they were planned.
 */
static int find_cost(const struct request *request,
		     const struct sgang_placement *placement,
		     struct sgang_offline_cost *cost, struct sgang_error *err)
{
	cost->ring = placement->ring;
	cost->parallel = &request->parallel;
	if (!request->parallel.n)
		return 0;
	return sgang_parallel_measure(sgang_offline_places(&request->offline),
				      &request->offline.conf.costs,
				      placement->runs, placement->n_runs,
				      &request->parallel, placement->layout,
				      &cost->groups, err);
}

/* A placement of the least cost may still not be proved to weigh the least. */
static void tell_unproved(const struct sgang_placement *placement)
{
	uint64_t cost = placement->weighted_cost ? placement->weighted_cost :
						   placement->ring.cost;

	if (placement->exact)
		return;
	if (placement->bound < cost)
		fprintf(stderr,
			"sgang: not proved to be the cheapest, no "
			"placement costs less than %" PRIu64 "\n",
			placement->bound);
	else
		fputs("sgang: no placement costs less; not proved that none of "
		      "this cost has lighter nodes\n",
		      stderr);
}

static void put_member(const struct request *request,
		       const struct sgang_run *runs, size_t n,
		       struct json_object *member)
{
	const struct sgang_islands *inside = request->offline.inside;
	struct json_object *nodes, *part;
	size_t i;

	sgang_json_number(member, "member", runs[0].member);
	if (request->n_groups)
		sgang_json_string(member, "role",
				  role_of_member(request, runs[0].member));
	nodes = sgang_json_list(member, "nodes");
	for (i = 0; i < n; i++) {
		uint32_t node = sgang_offline_node(&request->offline,
						   runs[i].node);

		part = sgang_json_row(nodes);
		sgang_json_string(
			part, "node",
			sgang_fabric_node_name(request->offline.fabric, node));
		if (inside)
			sgang_json_number(part, "island",
					  runs[i].node -
						  inside->devices->first[node]);
		sgang_json_number(part, "slots", runs[i].slots);
	}
}

/* A line of text each, or all in 'list'. */
static int put_members(const struct request *request,
		       const struct sgang_placement *placement,
		       struct json_object *list, struct sgang_error *err)
{
	size_t i, end;

	for (i = 0; i < placement->n_runs; i = end) {
		const struct sgang_run *runs = placement->runs + i;

		end = member_end(placement, i);
		if (!sgang_answer_is_text())
			put_member(request, runs, end - i,
				   sgang_json_row(list));
		else if (print_member(request, runs, end - i, err))
			return -1;
	}
	return 0;
}

/* The rank of each position of the ring. */
static void put_layout(const struct sgang_placement *placement,
		       struct json_object *object)
{
	struct json_object *ranks;
	uint64_t i;

	if (!placement->layout)
		return;
	ranks = sgang_json_list(object, "layout");
	for (i = 0; i < placement->ring.ranks; i++)
		json_object_array_add(
			ranks, json_object_new_uint64(placement->layout[i]));
}

#define FORM SGANG_OFFLINE_FORM_COST FORM_ROLES "[layout={layout%r}\n]"

/* 'why' is NULL without --explain. */
static int print_placement(const struct request *request,
			   const struct sgang_plan_request *plan,
			   const struct sgang_placement *placement,
			   const struct sgang_placewhy *why,
			   struct sgang_error *err)
{
	struct sgang_offline_cost cost;
	struct json_object *object;

	if (find_cost(request, placement, &cost, err))
		return -1;
	object = json_object_new_object();
	sgang_json_bool(object, "fits", true);
	sgang_offline_json_cost(&request->offline, &cost, object);
	sgang_json_bool(object, "exact", placement->exact);
	sgang_json_number(object, "bound", placement->bound);
	put_layout(placement, object);
	if (put_roles(request, plan, placement, object, err) ||
	    put_members(request, placement, sgang_json_list(object, "members"),
			err)) {
		json_object_put(object);
		return -1;
	}
	if (why)
		json_object_object_add(object, "explain",
				       sgang_placewhy_json(why));
	sgang_answer_print(object, why ? FORM SGANG_PLACEWHY_FORM : FORM);
	if (sgang_answer_is_text())
		tell_unproved(placement);
	return 0;
}

/* The invisible root above several real ones has no name of its own. */
static const char *domain_name(const struct sgang_domain *domain)
{
	return domain->name[0] ? domain->name : "(all)";
}

static void print_nofit(const struct request *request,
			const struct sgang_nofit *nofit)
{
	struct json_object *object = json_object_new_object(), *rows, *row;
	size_t i;

	if (sgang_answer_is_text())
		sgang_cmd_no("%s: %s",
			     nofit->unproved ?
				     "no place was found for the gang" :
				     "the gang does not fit",
			     nofit->text);
	sgang_json_bool(object, "fits", false);
	sgang_json_bool(object, "certain", !nofit->unproved);
	sgang_json_string(object, "reason", nofit->text);
	rows = sgang_json_list(object, "domains");
	for (i = 0; i < nofit->n_rows; i++) {
		const struct sgang_domain *domain = sgang_fabric_domain(
			sgang_offline_places(&request->offline),
			nofit->row[i].domain);

		row = sgang_json_row(rows);
		sgang_json_string(row, "domain", domain_name(domain));
		sgang_json_string(
			row, "level",
			request->offline.conf.costs.name[domain->level]);
		sgang_json_number(row, "free", nofit->row[i].free);
		sgang_json_number(row, "needed", nofit->row[i].needed);
	}
	sgang_answer_print(object, "<domains|domain={domain} level={level}"
				   " free={free} needed={needed}\n>");
}

static int show_placement(const struct request *request,
			  const struct sgang_plan_request *plan,
			  const struct sgang_placement *placement,
			  const struct sgang_others *others,
			  struct sgang_error *err)
{
	uint64_t bytes = request->bytes ? request->bytes : SGANG_RINGTEXT_BYTES;
	struct sgang_placewhy *why = NULL;
	int rc;

	if (request->explain && !request->n_groups) {
		why = sgang_placewhy_create(&request->offline, plan, placement,
					    others, bytes, err);
		if (!why)
			return -1;
	}
	rc = print_placement(request, plan, placement, why, err);
	sgang_placewhy_destroy(why);
	return rc;
}

/* Sizes are open: print those that suit. Returns an exit code, or -1 with
 * 'err'. */
static int suggest(const struct request *request,
		   const struct sgang_plan_request *plan,
		   struct sgang_error *err)
{
	struct sgang_suggestion *list;
	struct sgang_error why;
	bool fits;
	size_t n;

	if (sgang_suggest(&request->offline, plan, &request->sizes, &list, &n,
			  &why))
		return sgang_errf(err, errno, "--parallel: %s", why.text);
	fits = list[0].fits;
	sgang_suggest_print(plan->costs, list, n);
	free(list);
	if (!fits)
		fprintf(stderr, "sgang: the gang does not fit, whatever the "
				"sizes; give them to see why\n");
	return fits ? SGANG_EXIT_YES : SGANG_EXIT_NO;
}

/* Plan and print. Returns an exit code, or -1 with 'err' filled. */
/* The planner of groups does not support required nodes. */
static int refuse_required(const struct request *request,
			   struct sgang_error *err)
{
	for (size_t i = 0; i < request->members.n; i++) {
		if (request->members.member[i].required)
			return sgang_errf(err, EINVAL,
					  "--member: require= "
					  "does not go with --parallel");
	}
	return 0;
}

static int answer(struct request *request, struct sgang_error *err)
{
	struct sgang_placement *placement = NULL;
	struct sgang_plan_request plan = { 0 };
	struct sgang_others others;
	struct sgang_nofit nofit;
	int rc;

	if ((request->roles_path && read_roles(request, err)) ||
	    sgang_offline_load(&request->offline, err) ||
	    take_levels(request, err) || take_policy(request, &plan, err) ||
	    fill_slots(request, err) || fill_weights(request, err))
		return -1;
	plan.n_dims = request->resources.n;
	plan.fabric = request->offline.fabric;
	plan.costs = &request->offline.conf.costs;
	plan.free = request->free;
	plan.total = request->total;
	plan.weight = request->weight;
	plan.weight_first = request->offline.conf.weight_first;
	if (fill_members(request, &plan, err))
		return -1;
	if (request->parallel.n && refuse_required(request, err))
		return -1;
	plan.members = request->members.member;
	plan.n_members = request->members.n;
	plan.any_order = request->spec.rank_order == SGANG_RANK_ORDER_RING;
	if (request->sizes.parallel.n)
		return suggest(request, &plan, err);
	if (request->parallel.n)
		plan.parallel = &request->parallel;
	plan.group = request->group;
	plan.n_groups = request->n_groups;

	rc = sgang_offline_plan(&request->offline, &plan, &placement,
				request->explain && !plan.n_groups ? &others :
								     NULL,
				&nofit, err);
	if (rc < 0)
		return -1;
	if (rc == 0) {
		if (request->explain && !plan.n_groups)
			sgang_placewhy_nofit(&plan, &nofit);
		print_nofit(request, &nofit);
		return SGANG_EXIT_NO;
	}
	rc = show_placement(request, &plan, placement, &others, err);
	sgang_placement_destroy(placement);
	return rc < 0 ? -1 : SGANG_EXIT_YES;
}

/* A file describes all members. */
static int run_roles(struct request *request)
{
	struct sgang_error err;
	int code;

	if (request->members.n)
		return sgang_cmd_bad("--roles has the members, give it or "
				     "--member");
	if (request->parallel.n || request->sizes.parallel.n ||
	    request->spec.topology[0] ||
	    request->spec.rank_order == SGANG_RANK_ORDER_RING || request->bytes)
		return sgang_cmd_bad("--roles: --parallel, --gang-topology, "
				     "--rank-order and --bytes are not for "
				     "roles; a file has topology: and weight:");
	code = answer(request, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

/* The files and lists describe another cluster than this one. */
static int run_live(struct request *request)
{
	const struct sgang_place_live live = {
		.spec = &request->spec,
		.members = &request->members,
		.n_resources = request->resources.n,
		.partition = request->partition,
		.time_limit = (uint32_t)request->minutes,
	};
	struct sgang_error err;
	int code;

	if (request->offline.topology || request->free_list ||
	    request->total_list || request->weight_list || request->slots ||
	    request->roles_path || request->parallel.n ||
	    request->sizes.parallel.n || request->explain || request->bytes)
		return sgang_cmd_bad("--live goes with --member, --gang, "
				     "--gang-topology, --partition and --time "
				     "alone");
	if (!request->members.n && !request->spec.name[0])
		return sgang_cmd_bad("--live: say --member=SHAPE or "
				     "--gang=NAME");
	code = sgang_place_live(&live, &err);
	return code < 0 ? sgang_cmd_bad("%s", err.text) : code;
}

static int run(const struct sgang_verb *verb, int argc, char **argv)
{
	struct request request = { .slots = 0, .resources = { .n = 1 } };
	char shown[SGANG_TEXT_SHOWN];
	struct sgang_error err;
	int next, code;

	sgang_spec_init(&request.spec);
	next = sgang_cmd_read(verb, argc, argv, read_option, &request);
	if (next != SGANG_CMD_END)
		code = sgang_cmd_exit(next);
	else if (optind < argc)
		code = sgang_cmd_bad("unexpected word \"%s\", see sgang place "
				     "--help",
				     sgang_text_show(shown, argv[optind]));
	else if (request.live)
		code = run_live(&request);
	else if (request.spec.name[0] || request.partition || request.minutes)
		code = sgang_cmd_bad("--gang, --partition and --time are for "
				     "--live, which is not given");
	else if (request.roles_path)
		code = run_roles(&request);
	else if (request.minimum)
		code = sgang_cmd_bad("--minimum is for --roles, which is not "
				     "given");
	else if (!request.members.n)
		code = sgang_cmd_bad("no --member=SHAPE is given, see sgang "
				     "place --help");
	else if (request.spec.rank_order == SGANG_RANK_ORDER_RING &&
		 request.parallel.n)
		code = sgang_cmd_bad("--rank-order=ring: --parallel says where "
				     "ranks are in the ring, give one of them");
	else if (request.explain && request.sizes.parallel.n)
		code = sgang_cmd_bad("--explain is for one placement: give all "
				     "sizes of --parallel");
	else if (request.bytes && !request.explain)
		code = sgang_cmd_bad("--bytes is for --explain, which is not "
				     "given");
	else if ((code = answer(&request, &err)) < 0)
		code = sgang_cmd_bad("%s", err.text);
	sgang_members_clear(&request.members);
	sgang_rolefile_clear(&request.roles);
	free(request.group);
	free(request.role_of);
	free(request.free);
	free(request.total);
	free(request.weight);
	sgang_offline_clear(&request.offline);
	return code;
}

const struct sgang_verb sgang_verb_place = {
	.name = "place",
	.operands = NULL,
	.summary = "where a gang would go, what its ring would cost; needs no "
		   "Slurm",
	.options = options,
	.run = run
};
