/* SPDX-License-Identifier: GPL-2.0-or-later */
/* draw.c - sgang topology without an action: what is drawn, and how */

#define _GNU_SOURCE /* open_memstream(), newlocale() */
#include <errno.h>
#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cmd/answer.h"
#include "cmd/draw.h"
#include "cmd/gangs.h"
#include "cmd/live.h"
#include "cmd/live_fabric.h"
#include "cmd/nodes.h"
#include "cmd/offline.h"
#include "cmd/scene.h"
#include "cmd/scene_html.h"
#include "cmd/scene_json.h"
#include "cmd/scene_layout.h"
#include "cmd/scene_svg.h"
#include "cmd/scene_text.h"
#include "cmd/write_file.h"
#include "core/base/text.h"

/* Columns where the width is unknown. */
#define WIDTH_DEFAULT 80
#define WIDTH_MAX 10000

/* ---- options ---- */

int sgang_draw_slots(struct sgang_draw *draw, const char *value,
		     struct sgang_error *err)
{
	return sgang_offline_slots(value, &draw->slots, err);
}

int sgang_draw_width(struct sgang_draw *draw, const char *value,
		     struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];
	uint64_t number;

	if (sgang_text_number(value, SGANG_SCENE_TEXT_MIN, WIDTH_MAX, &number))
		return sgang_errf(err, EINVAL,
				  "--width=%s: expected a number "
				  "of columns from %d to %d",
				  sgang_text_show(shown, value),
				  SGANG_SCENE_TEXT_MIN, WIDTH_MAX);
	draw->width = (uint32_t)number;
	return 0;
}

int sgang_draw_with(struct sgang_draw *draw, const char *value,
		    struct sgang_error *err)
{
	const char *equals = strchr(value, '=');
	char shown[SGANG_TEXT_SHOWN];
	const char **bigger;

	if (!equals || equals == value || !equals[1])
		return sgang_errf(err, EINVAL,
				  "--with=%s: expected GANG=NODES "
				  "in ring order, like train=n[1-4]=8",
				  sgang_text_show(shown, value));
	bigger = realloc(draw->with, (draw->n_with + 1) * sizeof(*bigger));
	if (!bigger)
		return sgang_err_memory(err);
	draw->with = bigger;
	draw->with[draw->n_with++] = value;
	return 0;
}

void sgang_draw_clear(struct sgang_draw *draw)
{
	free(draw->with);
	draw->with = NULL;
	draw->n_with = 0;
}

bool sgang_draw_asked(const struct sgang_draw *draw)
{
	return draw->topology || draw->slots || draw->free_list ||
	       draw->down_list || draw->n_with || draw->gang || draw->svg ||
	       draw->html || draw->width || draw->partition;
}

/* ---- offline ---- */

/* The values of each node from the options. */
struct offline {
	const struct sgang_draw *draw;
	struct sgang_scene *scene;
	uint32_t slots; /* of every node */
	uint32_t *free; /* by node */
	bool *down;
};

/* Without --slots a node is as large as the largest number that is named. */
static void note_largest(struct offline *offline,
			 const struct sgang_node_word *words, size_t n)
{
	size_t i;

	for (i = 0; !offline->draw->slots && i < n; i++)
		if (words[i].has_number && words[i].number > offline->slots)
			offline->slots = words[i].number;
}

static int read_words(const struct offline *offline, const char *text,
		      struct sgang_node_word **words, size_t *n,
		      struct sgang_error *err)
{
	return sgang_offline_words(offline->scene->fabric, text, '=',
				   SGANG_SLOTS_MAX, words, n, err);
}

/* The number of slots of a node must be known before anything is put on it. */
static int measure_nodes(struct offline *offline, struct sgang_error *err)
{
	const struct sgang_draw *draw = offline->draw;
	struct sgang_node_word *words;
	size_t n, i;

	offline->slots = draw->slots ? draw->slots : 1;
	for (i = 0; i < draw->n_with; i++) {
		if (read_words(offline, strchr(draw->with[i], '=') + 1, &words,
			       &n, err))
			return -1;
		note_largest(offline, words, n);
		free(words);
	}
	if (!draw->free_list)
		return 0;
	if (read_words(offline, draw->free_list, &words, &n, err))
		return -1;
	note_largest(offline, words, n);
	free(words);
	return 0;
}

/* Without --free all slots are free; with it, those it does not name are not.
 */
static int read_free(struct offline *offline, struct sgang_error *err)
{
	uint32_t count = sgang_fabric_nodes(offline->scene->fabric), i;
	struct sgang_node_word *words;
	int rc = 0;
	size_t n, w;

	for (i = 0; i < count; i++)
		offline->free[i] = offline->draw->free_list ? 0 :
							      offline->slots;
	if (!offline->draw->free_list)
		return 0;
	if (read_words(offline, offline->draw->free_list, &words, &n, err))
		return -1;
	for (w = 0; w < n && !rc; w++) {
		uint32_t slots = words[w].has_number ? words[w].number :
						       offline->slots;

		if (slots > offline->slots)
			rc = sgang_errf(
				err, EINVAL,
				"--free: node %s has %" PRIu32
				" slots, not %" PRIu32,
				sgang_fabric_node_name(offline->scene->fabric,
						       words[w].node),
				offline->slots, slots);
		offline->free[words[w].node] = slots;
	}
	free(words);
	return rc;
}

static int read_down(struct offline *offline, struct sgang_error *err)
{
	struct sgang_node_word *words;
	size_t n, i;

	if (!offline->draw->down_list)
		return 0;
	if (read_words(offline, offline->draw->down_list, &words, &n, err))
		return -1;
	for (i = 0; i < n; i++)
		offline->down[words[i].node] = true;
	free(words);
	return 0;
}

/* Gangs take slots that --free says are free. */
static int put_stops(struct offline *offline, struct sgang_scene_gang *gang,
		     uint32_t *left, const struct sgang_node_word *words,
		     size_t n, struct sgang_error *err)
{
	size_t i;

	for (i = 0; i < n; i++) {
		uint32_t node = words[i].node;
		uint32_t slots = words[i].has_number ? words[i].number :
						       offline->slots;
		char shown[SGANG_TEXT_SHOWN];

		if (slots > left[node])
			return sgang_errf(err, EINVAL,
					  "--with: gang %s takes %" PRIu32
					  " slots of node %s, which has "
					  "%" PRIu32 " for it",
					  sgang_text_show(shown, gang->name),
					  slots,
					  sgang_fabric_node_name(
						  offline->scene->fabric, node),
					  left[node]);
		left[node] -= slots;
		if (sgang_scene_stop(gang, node, slots, true, err))
			return -1;
	}
	return 0;
}

/* The cost of its ring, one rank on each slot. */
static int measure_ring(const struct sgang_scene *scene,
			struct sgang_scene_gang *gang, struct sgang_error *err)
{
	struct sgang_run *runs = calloc(gang->n_ring + 1, sizeof(*runs));
	size_t i, n = 0;

	if (!runs)
		return sgang_err_memory(err);
	for (i = 0; i < gang->n_ring; i++) {
		if (!gang->stop[i].slots)
			continue;
		runs[n].node = gang->stop[i].node;
		runs[n].slots = gang->stop[i].slots;
		runs[n++].ranks = gang->stop[i].slots;
	}
	sgang_ring_measure(scene->fabric, scene->costs, runs, n, &gang->ring);
	memcpy(gang->tier, scene->costs->name[gang->ring.tier],
	       sizeof(gang->tier));
	free(runs);
	return 0;
}

static int put_gang(struct offline *offline, const char *with, uint32_t *left,
		    struct sgang_error *err)
{
	const char *equals = strchr(with, '=');
	char *name = strndup(with, (size_t)(equals - with));
	struct sgang_scene_gang *gang = NULL;
	struct sgang_node_word *words;
	size_t n;
	int rc;

	if (!name)
		return sgang_err_memory(err);
	gang = sgang_scene_gang(offline->scene, name, "Running", err);
	free(name);
	if (!gang || read_words(offline, equals + 1, &words, &n, err))
		return -1;
	rc = put_stops(offline, gang, left, words, n, err);
	free(words);
	return rc ? -1 : measure_ring(offline->scene, gang, err);
}

/* Slots that --free does not name are busy. 'left' is free for gangs. */
static int put_all(struct offline *offline, uint32_t *left,
		   struct sgang_error *err)
{
	uint32_t n = sgang_fabric_nodes(offline->scene->fabric), i;
	size_t g;

	if (measure_nodes(offline, err) || read_free(offline, err) ||
	    read_down(offline, err))
		return -1;
	memcpy(left, offline->free, n * sizeof(*left));
	for (g = 0; g < offline->draw->n_with; g++)
		if (put_gang(offline, offline->draw->with[g], left, err))
			return -1;
	for (i = 0; i < n; i++)
		sgang_scene_node(offline->scene, i, offline->slots,
				 offline->slots - offline->free[i],
				 offline->down[i]);
	return 0;
}

static int fill_offline(const struct sgang_draw *draw,
			struct sgang_scene *scene, struct sgang_error *err)
{
	size_t n = sgang_fabric_nodes(scene->fabric);
	struct offline offline = { .draw = draw, .scene = scene };
	uint32_t *left = calloc(n, sizeof(*left));
	int rc;

	offline.free = calloc(n, sizeof(*offline.free));
	offline.down = calloc(n, sizeof(*offline.down));
	if (!left || !offline.free || !offline.down)
		rc = sgang_err_memory(err);
	else
		rc = put_all(&offline, left, err);
	free(offline.down);
	free(offline.free);
	free(left);
	return rc;
}

/* ---- the look ---- */

static bool is_utf8(void)
{
	locale_t locale = newlocale(LC_CTYPE_MASK, "", (locale_t)0);
	bool yes;

	if (!locale)
		return false;
	yes = !strcmp(nl_langinfo_l(CODESET, locale), "UTF-8");
	freelocale(locale);
	return yes;
}

static void fill_look(const struct sgang_draw *draw,
		      struct sgang_scene_look *look)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
	bool terminal = isatty(STDOUT_FILENO);
	struct winsize size = { .ws_col = 0 };

	look->utf8 = is_utf8();
	look->colour = terminal && (!no_color || !no_color[0]) &&
		       (!term || strcmp(term, "dumb") != 0);
	look->width = (int)draw->width;
	if (look->width)
		return;
	look->width = WIDTH_DEFAULT;
	if (terminal && !ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) &&
	    size.ws_col >= SGANG_SCENE_TEXT_MIN)
		look->width = size.ws_col;
}

/* ---- files ---- */

typedef int (*render_f)(const struct sgang_scene *scene,
			const struct sgang_scene_layout *layout, FILE *out,
			struct sgang_error *err);

/* Draw into memory: a file is written as a whole or not at all. */
static int render(const struct sgang_scene *scene, render_f draw, char **text,
		  size_t *size, struct sgang_error *err)
{
	struct sgang_scene_layout *layout = sgang_scene_layout_create(scene,
								      err);
	FILE *out;
	int rc;

	if (!layout)
		return -1;
	*text = NULL;
	out = open_memstream(text, size);
	rc = out ? draw(scene, layout, out, err) : sgang_err_memory(err);
	sgang_scene_layout_destroy(layout);
	if (out && fclose(out) && !rc)
		rc = sgang_err_memory(err);
	if (rc) {
		free(*text);
		*text = NULL;
	}
	return rc;
}

/* "-" is the standard output. */
static int draw_file(const struct sgang_scene *scene, const char *path,
		     render_f draw, struct sgang_error *err)
{
	char *text;
	size_t size;
	int rc = 0;

	if (!path)
		return 0;
	if (render(scene, draw, &text, &size, err))
		return -1;
	if (!strcmp(path, "-"))
		fwrite(text, 1, size, stdout); /* checked by main() */
	else
		rc = sgang_write_file(path, text, size, err);
	free(text);
	return rc;
}

/* ---- all of it ---- */

/* A name without a namespace is first looked for in the caller's own. */
static size_t find_gang(const struct sgang_scene *scene, const char *name)
{
	const char *user = strchr(name, '/') ? NULL : sgang_cmd_user();
	char own[SGANG_GANGS_NAME];
	size_t found = SGANG_SCENE_NONE;

	if (user &&
	    snprintf(own, sizeof(own), "%s/%s", user, name) < (int)sizeof(own))
		found = sgang_scene_find(scene, own);
	return found != SGANG_SCENE_NONE ? found :
					   sgang_scene_find(scene, name);
}

/* Returns an exit code, or -1 with 'err'. */
static int show(const struct sgang_draw *draw, struct sgang_scene *scene,
		struct sgang_error *err)
{
	struct sgang_scene_look look;

	if (draw->gang) {
		scene->picked = find_gang(scene, draw->gang);
		if (scene->picked == SGANG_SCENE_NONE)
			return sgang_cmd_no("no gang %s has nodes, or several "
					    "of that name have; sgang topology "
					    "without --gang names them",
					    draw->gang);
	}
	sgang_scene_close(scene);
	if (draw_file(scene, draw->svg, sgang_scene_svg, err) ||
	    draw_file(scene, draw->html, sgang_scene_html, err))
		return -1;
	if (!sgang_answer_is_text()) {
		sgang_answer_print(sgang_scene_json(scene), NULL);
		return SGANG_EXIT_YES;
	}
	if (draw->svg || draw->html)
		return SGANG_EXIT_YES;
	fill_look(draw, &look);
	return sgang_scene_text(scene, &look, stdout, err) ? -1 :
							     SGANG_EXIT_YES;
}

static int draw_offline(const struct sgang_draw *draw, struct sgang_error *err)
{
	struct sgang_offline offline = { .topology = draw->topology,
					 .conf_path = draw->conf_path };
	struct sgang_scene *scene = NULL;
	int code = -1;

	if (!sgang_offline_load(&offline, err))
		scene = sgang_scene_create(offline.fabric, &offline.conf.costs,
					   err);
	if (scene && !fill_offline(draw, scene, err))
		code = show(draw, scene, err);
	sgang_scene_destroy(scene);
	sgang_offline_clear(&offline);
	return code;
}

/* Draw by the topology of one partition, or of those of the gang's members. */
static struct sgang_fabric *
load_fabric(const struct sgang_draw *draw, const struct sgang_nodes *nodes,
	    const struct sgang_gangs *gangs, const struct sgang_conf *conf,
	    const char *dir, struct sgang_error *err)
{
	const struct sgang_gang *gang = NULL;
	const char **partitions = NULL;
	struct sgang_fabric *fabric;
	struct sgang_spec spec;
	size_t n = 0;

	sgang_spec_init(&spec);
	if (draw->partition)
		return sgang_live_fabric(nodes, conf, dir, &draw->partition, 1,
					 err);
	if (draw->gang && !sgang_spec_set(&spec, "gang", draw->gang, NULL) &&
	    sgang_gangs_find(gangs, &spec, sgang_cmd_user(), &gang, NULL) ==
		    1 &&
	    sgang_gangs_distinct(gang, sgang_gangs_partition, &partitions,
				 &n)) {
		sgang_err_memory(err);
		return NULL;
	}
	fabric = sgang_live_fabric(nodes, conf, dir, partitions, n, err);
	free(partitions);
	return fabric;
}

static int draw_live(const struct sgang_draw *draw,
		     const struct sgang_conf *conf, const char *dir,
		     struct sgang_error *err)
{
	struct sgang_live live = { 0 };
	char shown[SGANG_TEXT_SHOWN];
	int code = -1;

	if (sgang_live_load(&live, err)) {
		code = -1;
	} else if (draw->partition &&
		   !sgang_nodes_partition(&live.nodes, draw->partition)) {
		code = sgang_cmd_no("there is no partition %s; sinfo -s lists "
				    "them",
				    sgang_text_show(shown, draw->partition));
	} else if (!sgang_live_draw(&live,
				    load_fabric(draw, &live.nodes, &live.gangs,
						conf, dir, err),
				    conf, err)) {
		code = show(draw, live.scene, err);
	}
	sgang_live_clear(&live);
	return code;
}

int sgang_draw_check(const struct sgang_draw *draw, struct sgang_error *err)
{
	if (draw->topology && draw->partition)
		return sgang_errf(
			err, EINVAL,
			"--partition: a file has no "
			"partitions; TopologyName in the gang.conf of "
			"--conf chooses one of its topologies");
	if (!draw->topology &&
	    (draw->slots || draw->free_list || draw->down_list || draw->n_with))
		return sgang_errf(err, EINVAL,
				  "--slots, --free, --down and "
				  "--with say what a cluster looks like that "
				  "--topology=FILE describes");
	return 0;
}

int sgang_draw_run(const struct sgang_draw *draw, const struct sgang_conf *conf,
		   const char *dir, struct sgang_error *err)
{
	if (sgang_draw_check(draw, err))
		return -1;
	return draw->topology ? draw_offline(draw, err) :
				draw_live(draw, conf, dir, err);
}
