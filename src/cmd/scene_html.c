/* SPDX-License-Identifier: GPL-2.0-or-later */
/* scene_html.c - a scene as one page that needs nothing else
 *
 * The page is page.html. A line of it that is a marker, "@GANGS@", is replaced
 * by what the table of markers says.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/markup.h"
#include "cmd/scene_html.h"
#include "cmd/scene_json.h"
#include "cmd/scene_svg.h"

/* The longest name that is shown in a table. */
#define NAME_MAX_SHOWN 128

struct page {
	const struct sgang_scene *scene;
	const struct sgang_scene_layout *layout;
	FILE *out;
};

static void put_cell(struct page *page, uint64_t number)
{
	fprintf(page->out, "<td class=\"number\">%" PRIu64 "</td>", number);
}

static int put_title(struct page *page, struct sgang_error *err)
{
	const char *name = sgang_fabric_domain(page->scene->fabric, 0)->name;

	(void)err;
	if (page->scene->cluster[0]) {
		fputs("Cluster ", page->out);
		sgang_markup_text(page->out, page->scene->cluster,
				  NAME_MAX_SHOWN);
		fputs(": fabric", page->out);
	} else {
		fputs("Fabric", page->out);
	}
	if (name[0])
		fputc(' ', page->out);
	sgang_markup_text(page->out, name, NAME_MAX_SHOWN);
	fputc('\n', page->out);
	return 0;
}

static int put_summary(struct page *page, struct sgang_error *err)
{
	(void)err;
	sgang_scene_svg_words(page->scene, page->out);
	fputc('\n', page->out);
	return 0;
}

static int put_svg(struct page *page, struct sgang_error *err)
{
	return sgang_scene_svg_inline(page->scene, page->layout, page->out,
				      err);
}

/* The level and the cost of a hop there, the highest first. */
static int put_levels(struct page *page, struct sgang_error *err)
{
	const struct sgang_costs *costs = page->scene->costs;
	uint32_t level = sgang_fabric_top_level(page->scene->fabric) + 1;

	(void)err;
	while (level--) {
		fprintf(page->out, "<tr%s><th scope=\"row\">",
			level > costs->leaf ? " data-crosses" : "");
		sgang_markup_text(page->out, costs->name[level],
				  NAME_MAX_SHOWN);
		fputs("</th>", page->out);
		put_cell(page, costs->hop[level]);
		fputs("<td class=\"number\"></td><td class=\"number\"></td>"
		      "</tr>\n",
		      page->out);
	}
	return 0;
}

/* "leaf 6 x 4, spine 2 x 16" */
static void put_hops(struct page *page, const struct sgang_ring *ring)
{
	const struct sgang_costs *costs = page->scene->costs;
	const char *comma = "";
	int i;

	for (i = 0; i < SGANG_LEVELS; i++) {
		if (!ring->hops[i])
			continue;
		fputs(comma, page->out);
		sgang_markup_text(page->out, costs->name[i], NAME_MAX_SHOWN);
		fprintf(page->out,
			"&nbsp;%" PRIu64 "&nbsp;&times;&nbsp;%" PRIu32,
			ring->hops[i], costs->hop[i]);
		comma = ", ";
	}
}

static void put_gang(struct page *page, size_t which)
{
	const struct sgang_scene_gang *gang = &page->scene->gang[which];

	fprintf(page->out,
		"<tr data-gang=\"%zu\"><th scope=\"row\"><button "
		"type=\"button\" class=\"pick\" data-gang=\"%zu\" "
		"aria-pressed=\"%s\" tabindex=\"%d\">",
		which, which, which == page->scene->picked ? "true" : "false",
		which ? -1 : 0);
	sgang_markup_text(page->out, gang->name, NAME_MAX_SHOWN);
	fprintf(page->out, "</button></th><td>%s</td>", gang->phase);
	if (gang->members)
		put_cell(page, gang->members);
	else
		fputs("<td class=\"number\">-</td>", page->out);
	put_cell(page, gang->slots);
	if (gang->n_ring) {
		put_cell(page, gang->ring.cost);
		put_cell(page, gang->ring.cross_links);
		fputs("<td>", page->out);
		sgang_markup_text(page->out, gang->tier, NAME_MAX_SHOWN);
		fputs("</td><td class=\"words\">", page->out);
		put_hops(page, &gang->ring);
		fputs("</td></tr>\n", page->out);
	} else {
		fputs("<td class=\"number\">-</td><td class=\"number\">-</td>"
		      "<td>-</td><td>-</td></tr>\n",
		      page->out);
	}
}

static int put_gangs(struct page *page, struct sgang_error *err)
{
	size_t i;

	(void)err;
	for (i = 0; i < page->scene->n_gangs; i++)
		put_gang(page, i);
	if (!page->scene->n_gangs)
		fputs("<tr><td colspan=\"8\">No gang has nodes.</td></tr>\n",
		      page->out);
	return 0;
}

/* A row for each role of each gang that is a tree of groups. */
static int put_roles(struct page *page, struct sgang_error *err)
{
	const struct sgang_scene *scene = page->scene;

	for (size_t i = 0; i < scene->n_gangs; i++) {
		const struct sgang_scene_gang *gang = &scene->gang[i];

		for (uint32_t r = 0; r < gang->n_roles; r++) {
			char *nodes = sgang_scene_role_nodes(scene, gang, r);

			if (!nodes)
				return sgang_err_memory(err);
			fputs("<tr><th scope=\"row\">", page->out);
			sgang_markup_text(page->out, gang->name,
					  NAME_MAX_SHOWN);
			fputs("</th><td>", page->out);
			sgang_markup_text(page->out, gang->role[r],
					  NAME_MAX_SHOWN);
			fputs("</td><td class=\"words\">", page->out);
			sgang_markup_text(page->out, nodes, NAME_MAX_SHOWN);
			fputs("</td></tr>\n", page->out);
			free(nodes);
		}
	}
	return 0;
}

/* The picture in words: a row for each domain. */
static int put_domains(struct page *page, struct sgang_error *err)
{
	const struct sgang_scene *scene = page->scene;
	uint32_t n = sgang_fabric_domains(scene->fabric), i;
	struct sgang_scene_sum sum;

	(void)err;
	for (i = 0; i < n; i++) {
		const struct sgang_domain *domain =
			sgang_fabric_domain(scene->fabric, i);

		sgang_scene_sum(scene, i, &sum);
		fputs("<tr><th scope=\"row\">", page->out);
		sgang_markup_text(page->out,
				  domain->name[0] ? domain->name : "(all)",
				  NAME_MAX_SHOWN);
		fputs("</th><td>", page->out);
		sgang_markup_text(page->out, scene->costs->name[domain->level],
				  NAME_MAX_SHOWN);
		fputs("</td>", page->out);
		put_cell(page, sum.nodes);
		put_cell(page, sum.slots);
		put_cell(page, sum.kind[SGANG_SCENE_FREE]);
		put_cell(page, sum.kind[SGANG_SCENE_BUSY]);
		put_cell(page, sum.kind[SGANG_SCENE_THIS] +
				       sum.kind[SGANG_SCENE_GANG]);
		put_cell(page, sum.kind[SGANG_SCENE_DOWN]);
		fputs("</tr>\n", page->out);
	}
	return 0;
}

/* The corner of each node's box, in the order of the nodes of the scene. */
static struct json_object *json_places(const struct page *page)
{
	struct json_object *list = json_object_new_array();
	const uint32_t *order = sgang_fabric_order(page->scene->fabric);
	uint32_t n = sgang_fabric_nodes(page->scene->fabric), i;

	for (i = 0; i < n; i++) {
		const struct sgang_box *box = &page->layout->node[order[i]];

		json_object_array_add(list, json_object_new_int(box->x));
		json_object_array_add(list, json_object_new_int(box->y));
	}
	return list;
}

static int put_data(struct page *page, struct sgang_error *err)
{
	struct json_object *object = sgang_scene_json(page->scene);
	int rc;

	json_object_object_add(object, "places", json_places(page));
	json_object_object_add(object, "width",
			       json_object_new_int(page->layout->node[0].w));
	json_object_object_add(object, "height",
			       json_object_new_int(page->layout->node[0].h));
	rc = sgang_markup_json(page->out, object);
	fputc('\n', page->out);
	json_object_put(object);
	return rc ? sgang_err_memory(err) : 0;
}

/* The replacement of a line of page.html. */
static const struct marker {
	const char *line;
	int (*put)(struct page *page, struct sgang_error *err);
} markers[] = {
	{ "@DATA@\n", put_data },   { "@DOMAINS@\n", put_domains },
	{ "@GANGS@\n", put_gangs }, { "@LEVELS@\n", put_levels },
	{ "@ROLES@\n", put_roles }, { "@SUMMARY@\n", put_summary },
	{ "@SVG@\n", put_svg },     { "@TITLE@\n", put_title },
};
#define N_MARKERS (sizeof(markers) / sizeof(markers[0]))

static int put_line(struct page *page, const char *line,
		    struct sgang_error *err)
{
	size_t i;

	for (i = 0; i < N_MARKERS; i++)
		if (!strcmp(line, markers[i].line))
			return markers[i].put(page, err);
	fputs(line, page->out);
	return 0;
}

int sgang_scene_html(const struct sgang_scene *scene,
		     const struct sgang_scene_layout *layout, FILE *out,
		     struct sgang_error *err)
{
	struct page page = { scene, layout, out };
	const char *const *line;

	for (line = sgang_page_html; *line; line++)
		if (put_line(&page, *line, err))
			return -1;
	return 0;
}
