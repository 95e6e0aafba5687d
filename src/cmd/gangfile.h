/* SPDX-License-Identifier: GPL-2.0-or-later */
/* gangfile.h - a file that describes a gang and the jobs it is made of
 *
 *   gang: train			# or NAMESPACE/NAME
 *   min-member: 4			# any --gang-... option of the gang,
 *					# without "gang-"
 *   options: [--time=10]		# of sbatch, for all roles
 *   roles:
 *     - name: driver
 *       order: 0			# and rank: of its members
 *       script: driver.sh		# or command: "..."
 *       args: [a, b]
 *       options: [--nodes=1]		# of sbatch, for this role
 *     - name: worker
 *       count: 3
 *       array: yes			# one job array instead of 3 jobs
 *       script: worker.sh
 *
 * Roles may be in each other, and say what they need: then the gang is a tree of
 * groups (core/gang/role_path.h), and the name of a role is a path.
 *
 *   min: 2			# of the roles right below
 *   roles:
 *     - name: replica1
 *       min: 2
 *       topology: require:leaf
 *       roles:
 *         - {name: encode, min: 1, count: 1, script: encode.sh}
 *         - {name: decode, min: 4, count: 6, script: decode.sh, weight: 10}
 *     - {name: replica2, like: replica1}
 *
 * With `placeholders: soft` or `hard` each role has so many placeholders as it
 * needs members. A role without script and command has no other jobs: its
 * members come later.
 *
 * A role may be of another gang, `gang: NAME`, and then set the options of that
 * gang. The gangs of one file are a group of gangs unless `groups` says
 * otherwise. With `pool: yes` it is a pool, which is in no group.
 */

#ifndef SGANG_GANGFILE_H
#define SGANG_GANGFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cmd/words.h"
#include "core/base/err.h"
#include "core/gang/spec.h"
#include "files/tree.h"

struct sgang_filegang {
	struct sgang_spec spec; /* complete: what was not said is there
				 * with its default */
	uint64_t members;       /* in the file */
	uint32_t groups;        /* of a tree: right in it */
	size_t line;
};

struct sgang_role {
	char *name;      /* in a tree a path */
	char *role_text; /* as --gang-role has it */
	size_t gang;     /* which of the file's */
	uint32_t count;
	bool array;
	uint32_t placeholders; /* that keep nodes for its members */
	bool order_set;
	uint32_t order;
	bool rank_set;
	uint32_t rank;
	char *script; /* path; NULL: there is a command */
	const char *command;
	struct sgang_words args;
	struct sgang_words options;
	size_t line;
};

struct sgang_gangfile {
	const char *path;        /* borrowed */
	const char *user;        /* borrowed */
	struct sgang_tree *tree; /* has the texts */
	struct sgang_words options;
	struct sgang_filegang *gang; /* the file's own is the first */
	size_t n_gangs;
	struct sgang_role *role;
	size_t n_roles;
	bool is_tree; /* of groups */
};

/* Read 'path'; a gang without a namespace is one of 'user', who submits it.
 * Both must outlive 'file'. Returns 0 and '*file', to be emptied with
 * sgang_gangfile_clear(), or -1 with errno and 'err' filled, which names the
 * file and, where there is one, the line. '*file' is then untouched. */
int sgang_gangfile_load(const char *path, const char *user,
			struct sgang_gangfile *file, struct sgang_error *err);
void sgang_gangfile_clear(struct sgang_gangfile *file);

/* The number of jobs of the role, without placeholders: an array is one. */
uint32_t sgang_gangfile_jobs(const struct sgang_role *role);

/* The command that submits one job of the role, or the array of its
 * placeholders. Returns 0 and '*words', to be
 * emptied with sgang_words_clear(), or -1 with ENOMEM and 'err' filled. */
int sgang_gangfile_command(const struct sgang_gangfile *file,
			   const struct sgang_role *role, bool placeholder,
			   struct sgang_words *words, struct sgang_error *err);

#endif
