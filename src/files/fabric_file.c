/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fabric_file.c - the fabric that gang.conf and a topology file describe */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/fabric/draft.h"
#include "files/fabric_file.h"
#include "files/fabric_yaml.h"

/* slurmctld calls what a topology.conf describes so. */
#define CONF_NAME "default"

static int read_text(struct sgang_draft *draft, const char *text,
		     const char *path,
		     const struct sgang_topology_choice *choice,
		     struct sgang_error *err)
{
	char shown[SGANG_TEXT_SHOWN];

	if (sgang_fabric_is_yaml(text))
		return sgang_fabric_read_yaml(draft, text, path, choice, err);
	if (*choice->name && strcmp(choice->name, CONF_NAME))
		return sgang_errf(err, EINVAL,
				  "%s: it is a topology.conf, so "
				  "its topology is called \"" CONF_NAME "\", "
				  "but %s is \"%s\"",
				  path, choice->by,
				  sgang_text_show(shown, choice->name));
	return sgang_fabric_read_conf(draft, text, path, err);
}

static int add_nvlinks(struct sgang_draft *draft, const struct sgang_conf *conf,
		       struct sgang_error *err)
{
	const struct sgang_nvlink *nvlink;
	struct sgang_place place;
	size_t count, i;

	nvlink = sgang_conf_nvlinks(conf, &count, &place.file);
	for (i = 0; i < count; i++) {
		place.line = nvlink[i].line;
		if (sgang_draft_nvlink(draft, nvlink[i].name, nvlink[i].nodes,
				       place, err))
			return -1;
	}
	return 0;
}

/* 'text' NULL: all nodes are on one leaf. */
static struct sgang_fabric *load(const struct sgang_conf *conf,
				 const struct sgang_fabric_text *text,
				 const struct sgang_topology_choice *choice,
				 const char *const *nodes, uint32_t n_nodes,
				 struct sgang_error *err)
{
	struct sgang_draft *draft = sgang_draft_create(nodes, n_nodes, err);
	struct sgang_fabric *fabric = NULL;
	int rc;

	if (!draft)
		return NULL;
	if (text) {
		sgang_draft_only(draft, text->only);
		rc = read_text(draft, text->text, text->label, choice, err);
	} else {
		rc = sgang_draft_flat(draft, err);
	}
	if (!rc && !add_nvlinks(draft, conf, err))
		fabric = sgang_draft_build(draft, err);
	sgang_draft_destroy(draft);
	return fabric;
}

struct sgang_fabric *sgang_fabric_load_text(
	const struct sgang_conf *conf, const struct sgang_fabric_text *text,
	const struct sgang_topology_choice *choice, const char *const *nodes,
	uint32_t n_nodes, struct sgang_error *err)
{
	return load(conf, text, choice, nodes, n_nodes, err);
}

struct sgang_fabric *
sgang_fabric_load_other(const struct sgang_conf *conf, const char *path,
			const struct sgang_topology_choice *choice,
			const char *const *nodes, uint32_t n_nodes,
			struct sgang_error *err)
{
	struct sgang_fabric_text text = { .label = path };
	struct sgang_fabric *fabric;
	char *read;
	int saved;

	if (!path)
		return load(conf, NULL, choice, nodes, n_nodes, err);
	read = sgang_text_file_read(path, SGANG_FABRIC_FILE_MAX,
				    SGANG_FABRIC_FILE_KIND, err);
	if (!read)
		return NULL;
	text.text = read;
	fabric = load(conf, &text, choice, nodes, n_nodes, err);
	saved = errno;
	free(read);
	errno = saved;
	return fabric;
}

struct sgang_fabric *sgang_fabric_load_file(const struct sgang_conf *conf,
					    const char *path,
					    const char *const *nodes,
					    uint32_t n_nodes,
					    struct sgang_error *err)
{
	const struct sgang_topology_choice choice = {
		conf->topology_name, "TopologyName in gang.conf"
	};

	return sgang_fabric_load_other(conf, path, &choice, nodes, n_nodes,
				       err);
}
