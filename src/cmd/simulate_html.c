/* SPDX-License-Identifier: GPL-2.0-or-later */
/* simulate_html.c - configurations side by side, as one page that needs nothing
 * else
 *
 * The page is simulate.html, of which a line that is a marker, "@HEADS@", is
 * replaced by what the table of markers says. What is drawn is drawn by
 * simulate.js from the data in the page.
 */

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/answer.h"
#include "cmd/json.h"
#include "cmd/markup.h"
#include "cmd/scene_svg.h"
#include "cmd/simulate.h"
#include "cmd/simulate_page.h"
#include "cmd/simulate_raster.h"
#include "cmd/simulate_rows.h"

/* The longest name that is shown. */
#define NAME_MAX_SHOWN 128

/* Rows of the table of what has changed. */
#define CHANGES 20

/* Steps of a distribution. */
#define STEPS 100

struct page {
	const struct sgang_simulation *simulation;
	FILE *out;
};

static void put_text(const struct page *page, const char *text)
{
	sgang_markup_text(page->out, text, NAME_MAX_SHOWN);
}

static void put_lines(const struct page *page, const char *const *line)
{
	for (; *line; line++)
		fputs(*line, page->out);
}

/* ---- the tables of numbers ---- */

static int put_title(const struct page *page, struct sgang_error *err)
{
	const char *slash = strrchr(page->simulation->jobs_path, '/');

	(void)err;
	fputs("Replay of ", page->out);
	put_text(page, slash ? slash + 1 : page->simulation->jobs_path);
	fputc('\n', page->out);
	return 0;
}

static int put_summary(const struct page *page, struct sgang_error *err)
{
	(void)err;
	sgang_simulate_words(page->simulation, page->out);
	fputs(".\n", page->out);
	return 0;
}

static int put_heads(const struct page *page, struct sgang_error *err)
{
	size_t i;

	(void)err;
	fputs("<tr><td></td>", page->out);
	for (i = 0; i < page->simulation->n; i++) {
		fputs("<th scope=\"col\" class=\"number\">", page->out);
		put_text(page, page->simulation->config[i].name);
		fputs("</th>", page->out);
	}
	if (page->simulation->n == 2)
		fputs("<th scope=\"col\" class=\"number\">Change</th>",
		      page->out);
	fputs("</tr>\n", page->out);
	return 0;
}

static const void *part_of(const struct sgang_measure *measure, bool gangs,
			   size_t class)
{
	return gangs ? &measure->gangs[class] : &measure->jobs[class];
}

/* 'of' are the structs of the row by configuration. */
static void put_row(const struct page *page,
		    const struct sgang_simulate_row *row, const void *const *of)
{
	char text[SGANG_SIMULATE_SHOWN];
	size_t n = page->simulation->n, i;

	fprintf(page->out, "<tr data-row=\"%s\"><th scope=\"row\">", row->key);
	put_text(page, row->label);
	fputs("</th>", page->out);
	for (i = 0; i < n; i++)
		fprintf(page->out, "<td class=\"number\">%s</td>",
			sgang_simulate_show(row->kind,
					    sgang_simulate_value(row, of[i]),
					    text));
	if (n == 2)
		fprintf(page->out, "<td class=\"number change\">%s</td>",
			sgang_simulate_show_change(
				row->kind, sgang_simulate_value(row, of[0]),
				sgang_simulate_value(row, of[1]), text));
	fputs("</tr>\n", page->out);
}

static void put_rows(const struct page *page,
		     const struct sgang_simulate_row *row,
		     const void *const *of)
{
	for (; row->key; row++)
		put_row(page, row, of);
}

/* "Gangs of 2-3 members": nothing if the queue has none. */
static int put_class(const struct page *page, const char *title, bool gangs,
		     size_t class, struct sgang_error *err)
{
	const struct sgang_simulation *simulation = page->simulation;
	const struct sgang_measure_class *first =
		part_of(&simulation->config[0].measure, gangs, class);
	const void **of;
	size_t i;

	if (!(first->n > 0))
		return 0;
	of = calloc(simulation->n, sizeof(*of));
	if (!of)
		return sgang_err_memory(err);
	for (i = 0; i < simulation->n; i++)
		of[i] = part_of(&simulation->config[i].measure, gangs, class);
	fprintf(page->out,
		"<tbody class=\"group\"><tr><th scope=\"rowgroup\" "
		"colspan=\"%zu\">%s</th></tr>\n",
		simulation->n + 1 + (simulation->n == 2), title);
	put_rows(page, sgang_simulate_class_rows, of);
	if (gangs || simulation->all_rings)
		put_rows(page, sgang_simulate_ring_rows, of);
	fputs("</tbody>\n", page->out);
	free(of);
	return 0;
}

static int put_numbers(const struct page *page, struct sgang_error *err)
{
	const struct sgang_simulation *simulation = page->simulation;
	const void **of = calloc(simulation->n, sizeof(*of));
	size_t i;

	if (!of)
		return sgang_err_memory(err);
	for (i = 0; i < simulation->n; i++)
		of[i] = &simulation->config[i].measure;
	fprintf(page->out,
		"<tbody class=\"group\"><tr><th scope=\"rowgroup\" "
		"colspan=\"%zu\">Cluster</th></tr>\n",
		simulation->n + 1 + (simulation->n == 2));
	put_rows(page, sgang_simulate_cluster_rows, of);
	fputs("</tbody>\n", page->out);
	free(of);
	return put_class(page, "Gangs", true, 0, err) ||
			       put_class(page, "Jobs of no gang", false, 0,
					 err) ?
		       -1 :
		       0;
}

static int put_classes(const struct page *page, struct sgang_error *err)
{
	char title[64];
	size_t class;

	for (class = 1; class < SGANG_MEASURE_CLASSES; class ++) {
		snprintf(title, sizeof(title), "Gangs of %s member%s",
			 sgang_measure_class_name[class], class > 1 ? "s" : "");
		if (put_class(page, title, true, class, err))
			return -1;
	}
	for (class = 1; class < SGANG_MEASURE_CLASSES; class ++) {
		snprintf(title, sizeof(title), "Jobs of no gang, %s node%s",
			 sgang_measure_class_name[class], class > 1 ? "s" : "");
		if (put_class(page, title, false, class, err))
			return -1;
	}
	return 0;
}

/* ---- what has changed ---- */

static void put_time(const struct page *page, int64_t time)
{
	char text[SGANG_ANSWER_TIME];

	fprintf(page->out, "<td>%s</td>",
		time ? sgang_answer_time(time, text) : "never");
}

static void put_change(const struct page *page,
		       const struct sgang_simulate_change *change)
{
	const struct sgang_trace_job *job =
		&page->simulation->trace->jobs[change->job];
	char text[SGANG_SIMULATE_SHOWN];

	fputs("<tr><th scope=\"row\">", page->out);
	if (change->is_gang) {
		fputs("gang ", page->out);
		put_text(page, job->gang);
	} else {
		fprintf(page->out, "job %" PRIu64, job->id);
	}
	fputs("</th><td>", page->out);
	put_text(page, job->user);
	fprintf(page->out, "</td><td class=\"number\">%" PRIu32 " %s%s</td>",
		change->size, change->is_gang ? "member" : "node",
		change->size == 1 ? "" : "s");
	put_time(page, change->before);
	put_time(page, change->after);
	fprintf(page->out, "<td class=\"number\">%s %s</td></tr>\n",
		sgang_simulate_show(SGANG_SIMULATE_SECONDS,
				    (double)(change->later < 0 ?
						     -change->later :
						     change->later),
				    text),
		change->later < 0 ? "sooner" : "later");
}

static void put_changes_head(const struct page *page, const char *one,
			     const char *other)
{
	fputs("<div class=\"wide\"><table><caption>", page->out);
	put_text(page, other);
	fputs(" against ", page->out);
	put_text(page, one);
	fputs(": the largest differences.</caption><thead><tr><th scope=\"col\">"
	      "What</th><th scope=\"col\">User</th><th scope=\"col\" "
	      "class=\"number\">Size</th><th scope=\"col\">",
	      page->out);
	put_text(page, one);
	fputs("</th><th scope=\"col\">", page->out);
	put_text(page, other);
	fputs("</th><th scope=\"col\" class=\"number\">Starts</th></tr></thead>"
	      "<tbody>\n",
	      page->out);
}

static int put_changes(const struct page *page, struct sgang_error *err)
{
	const struct sgang_simulate_config *config = page->simulation->config;
	struct sgang_simulate_change change[CHANGES];
	ssize_t n, k;
	size_t i;

	for (i = 1; i < page->simulation->n; i++) {
		n = sgang_simulate_changes(page->simulation, &config[0],
					   &config[i], change, CHANGES);
		if (n < 0)
			return sgang_err_memory(err);
		put_changes_head(page, config[0].name, config[i].name);
		for (k = 0; k < n; k++)
			put_change(page, &change[k]);
		if (!n)
			fputs("<tr><td colspan=\"6\">All starts are the "
			      "same.</td></tr>\n",
			      page->out);
		fputs("</tbody></table></div>\n", page->out);
	}
	return 0;
}

/* ---- the data ---- */

/* Names of a row of the timeline: its first and its last node. */
static void put_row_names(const struct sgang_simulation *simulation,
			  const struct sgang_simulate_raster *raster,
			  struct json_object *list)
{
	const uint32_t *order =
		sgang_fabric_order(simulation->config[0].fabric);
	char text[512];
	uint32_t row;

	for (row = 0; row < raster->rows; row++) {
		uint32_t first = row * raster->nodes;
		uint32_t last = first + raster->nodes - 1;

		if (last >= simulation->site->n_nodes)
			last = simulation->site->n_nodes - 1;
		if (first == last)
			snprintf(text, sizeof(text), "%.250s",
				 simulation->site->names[order[first]]);
		else
			snprintf(text, sizeof(text), "%.250s to %.250s",
				 simulation->site->names[order[first]],
				 simulation->site->names[order[last]]);
		sgang_json_item(list, text);
	}
}

/* The leaves, and the row in which each begins. */
static void put_leaves(const struct sgang_simulation *simulation,
		       const struct sgang_simulate_raster *raster,
		       struct json_object *list)
{
	const struct sgang_fabric *fabric = simulation->config[0].fabric;
	uint32_t n = sgang_fabric_domains(fabric), i;

	for (i = 0; i < n; i++) {
		const struct sgang_domain *domain = sgang_fabric_domain(fabric,
									i);
		struct json_object *row;

		if (domain->n_children)
			continue;
		row = sgang_json_row(list);
		sgang_json_string(row, "name", domain->name);
		json_object_object_add(
			row, "row",
			json_object_new_double((double)domain->first_pos /
					       (double)raster->nodes));
	}
}

static void put_gang_names(const struct sgang_simulation *simulation,
			   struct json_object *list)
{
	const struct sgang_outcome *outcome = &simulation->config[0].outcome;
	char text[512];
	size_t i;

	for (i = 0; i < outcome->n_gangs; i++) {
		const struct sgang_trace_job *job =
			&simulation->trace->jobs[outcome->gangs[i].first_job];
		struct json_object *row = sgang_json_row(list);

		snprintf(text, sizeof(text), "%.250s%s%.250s", job->user,
			 job->user[0] ? "/" : "", job->gang);
		sgang_json_string(row, "name", text);
		sgang_json_number(row, "members", outcome->gangs[i].n_members);
	}
}

/* When each gang of the first configuration starts in this one; 0: never. */
static void put_starts(const struct sgang_simulation *simulation,
		       const struct sgang_outcome *outcome,
		       struct json_object *list)
{
	const struct sgang_outcome *first = &simulation->config[0].outcome;
	size_t i;

	for (i = 0; i < first->n_gangs; i++) {
		uint32_t there = outcome->jobs[first->gangs[i].first_job].gang;

		json_object_array_add(
			list, json_object_new_int64(
				      there == SGANG_OUTCOME_NONE ?
					      0 :
					      outcome->gangs[there].start));
	}
}

/* What 0 %, 1 %, ... of them do not exceed. */
static void put_distribution(const int64_t *wait, size_t n,
			     struct json_object *list)
{
	size_t i;

	for (i = 0; n && i <= STEPS; i++)
		json_object_array_add(
			list, json_object_new_int64(wait[i * (n - 1) / STEPS]));
}

static double share(double part, double all)
{
	return all > 0 ? part / all : 0;
}

static void add_share(struct json_object *list, double value)
{
	char text[32];

	snprintf(text, sizeof(text), "%.4g", value);
	json_object_array_add(list, json_object_new_double_s(value, text));
}

static void put_samples(const struct sgang_simulation *simulation,
			const struct sgang_outcome *outcome,
			struct json_object *object)
{
	struct json_object *time = sgang_json_list(object, "time");
	struct json_object *busy = sgang_json_list(object, "busy");
	struct json_object *held = sgang_json_list(object, "held");
	struct json_object *waiting = sgang_json_list(object, "waiting");
	size_t i;

	for (i = 0; i < outcome->n_samples; i++) {
		const struct sgang_outcome_sample *at = &outcome->samples[i];

		json_object_array_add(time, json_object_new_int64(at->time));
		add_share(busy,
			  share((double)at->busy_cpus, (double)outcome->cpus));
		add_share(held,
			  share(at->held_nodes, simulation->site->n_nodes));
		json_object_array_add(waiting,
				      json_object_new_int64(at->waiting_jobs));
	}
}

static void put_config(const struct sgang_simulation *simulation,
		       const struct sgang_simulate_config *config,
		       struct json_object *object)
{
	sgang_json_string(object, "name", config->name);
	put_starts(simulation, &config->outcome,
		   sgang_json_list(object, "starts"));
	put_distribution(config->measure.gang_wait,
			 config->measure.n_gang_waits,
			 sgang_json_list(object, "gang_waits"));
	put_distribution(config->measure.job_wait, config->measure.n_job_waits,
			 sgang_json_list(object, "job_waits"));
	put_samples(simulation, &config->outcome,
		    sgang_json_inner(object, "samples"));
}

static int put_data(const struct page *page, struct sgang_error *err)
{
	const struct sgang_simulation *simulation = page->simulation;
	struct json_object *object = json_object_new_object(), *list;
	struct sgang_simulate_raster raster;
	size_t i;
	int rc;

	sgang_simulate_raster_size(simulation, &raster);
	sgang_json_string(object, "version", PACKAGE_VERSION);
	sgang_json_number(object, "from", (uint64_t)raster.from);
	sgang_json_number(object, "until", (uint64_t)raster.until);
	sgang_json_number(object, "columns", SGANG_SIMULATE_COLUMNS);
	sgang_json_number(object, "nodes", simulation->site->n_nodes);
	put_row_names(simulation, &raster, sgang_json_list(object, "rows"));
	put_leaves(simulation, &raster, sgang_json_list(object, "leaves"));
	put_gang_names(simulation, sgang_json_list(object, "gangs"));
	list = sgang_json_list(object, "configurations");
	for (i = 0; i < simulation->n; i++)
		put_config(simulation, &simulation->config[i],
			   sgang_json_row(list));
	rc = sgang_markup_json(page->out, object);
	fputc('\n', page->out);
	json_object_put(object);
	return rc ? sgang_err_memory(err) : 0;
}

static int put_rasters(const struct page *page, struct sgang_error *err)
{
	struct sgang_simulate_raster raster;
	size_t i;
	int rc = 0;

	fputc('[', page->out);
	for (i = 0; i < page->simulation->n && !rc; i++) {
		fputs(i ? ",\n" : "", page->out);
		rc = sgang_simulate_raster(page->simulation,
					   &page->simulation->config[i],
					   &raster, err);
		if (!rc)
			sgang_simulate_raster_json(&raster, page->out);
		free(raster.cell);
	}
	fputs("]\n", page->out);
	return rc;
}

/* ---- the page ---- */

static int put_js(const struct page *page, struct sgang_error *err)
{
	(void)err;
	put_lines(page, sgang_simulate_js);
	return 0;
}

static int put_css(const struct page *page, struct sgang_error *err)
{
	(void)err;
	put_lines(page, sgang_scene_css);
	return 0;
}

/* A picture for each configuration, one below the other. */
static int put_pictures(const struct page *page, struct sgang_error *err)
{
	size_t i;

	(void)err;
	for (i = 0; i < page->simulation->n; i++) {
		fprintf(page->out, "<figure><figcaption id=\"name-%zu\">", i);
		put_text(page, page->simulation->config[i].name);
		fprintf(page->out,
			"</figcaption><canvas tabindex=\"0\" role=\"application\" "
			"aria-labelledby=\"name-%zu timeline-title\" "
			"aria-describedby=\"timeline-help\" data-config=\"%zu\">"
			"</canvas></figure>\n",
			i, i);
	}
	return 0;
}

/* The replacement of a line of simulate.html. */
static const struct marker {
	const char *line;
	int (*put)(const struct page *page, struct sgang_error *err);
} markers[] = {
	{ "@CHANGES@\n", put_changes }, { "@CLASSES@\n", put_classes },
	{ "@CSS@\n", put_css },         { "@DATA@\n", put_data },
	{ "@HEADS@\n", put_heads },     { "@JS@\n", put_js },
	{ "@NUMBERS@\n", put_numbers }, { "@PICTURES@\n", put_pictures },
	{ "@RASTERS@\n", put_rasters }, { "@SUMMARY@\n", put_summary },
	{ "@TITLE@\n", put_title },
};
#define N_MARKERS (sizeof(markers) / sizeof(markers[0]))

static int put_line(const struct page *page, const char *line,
		    struct sgang_error *err)
{
	size_t i;

	for (i = 0; i < N_MARKERS; i++)
		if (!strcmp(line, markers[i].line))
			return markers[i].put(page, err);
	fputs(line, page->out);
	return 0;
}

int sgang_simulate_html(const struct sgang_simulation *simulation, FILE *out,
			struct sgang_error *err)
{
	const struct page page = { simulation, out };
	const char *const *line;

	for (line = sgang_simulate_page; *line; line++)
		if (put_line(&page, *line, err))
			return -1;
	return 0;
}
