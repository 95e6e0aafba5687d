/* SPDX-License-Identifier: GPL-2.0-or-later */
/* at_work.c - is slurm-gang at work in this slurmctld? */

#define _GNU_SOURCE /* dl_iterate_phdr(), process_vm_readv() */

#include "config.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "release.h"

#include "at_work.h"
#include "core/base/err.h"
#include "core/gang/spec.h"

#pragma weak slurm_conf
#pragma weak slurm_xsize

#define SELECT_TYPE "select/cons_tres"
#define SELECT_FILE "select_cons_tres.so"

#define VERSION_SIZE 32

typedef const char *off_f(void);
typedef bool never_f(struct job_descriptor *job_desc,
		     const struct sgang_select_member *members, size_t n,
		     uint32_t spare, uint32_t others,
		     const struct sgang_spec *spec, char *why, size_t size);
typedef bool alike_f(uint32_t job_id, uint32_t other);
typedef uint64_t written_f(void);
typedef char *answer_f(const char *question);
typedef bool barred_f(const char *partitions, char *why, size_t size);

void sgang_at_work_version(unsigned int version, char *text, size_t size)
{
	snprintf(text, size, "%u.%02u.%u", SLURM_VERSION_MAJOR(version),
		 SLURM_VERSION_MINOR(version), SLURM_VERSION_MICRO(version));
}

/* ---- the select plugin that is loaded ---- */

/* Names of loaded files. */
struct names {
	char **name;
	size_t n;
};

/* Callback of dl_iterate_phdr(). The linker's locks are held: nothing may be
 * opened here, or this thread and another that opens a plugin deadlock. */
static int note_name(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct names *names = arg;

	(void)size;
	if (!info->dlpi_name[0])
		return 0;
	xrecalloc(names->name, names->n + 1, sizeof(char *));
	names->name[names->n++] = xstrdup(info->dlpi_name);
	return 0;
}

/* Our select plugin stays loaded until slurmctld ends. */
static void *look_up(const char *name, const char *symbol)
{
	void *file = dlopen(name, RTLD_LAZY | RTLD_NOLOAD);
	void *found = file ? dlsym(file, symbol) : NULL;

	if (file)
		dlclose(file);
	return found;
}

static void *find(const char *symbol)
{
	struct names names = { NULL, 0 };
	void *found = NULL;

	dl_iterate_phdr(note_name, &names);
	for (size_t i = 0; i < names.n; i++) {
		if (!found)
			found = look_up(names.name[i], symbol);
		xfree(names.name[i]);
	}
	xfree(names.name);
	return found;
}

/* ---- why there is none ---- */

/* The whole file, of '*size' bytes, for free(); NULL if it cannot be read. */
static char *read_file(const char *path, size_t *size)
{
	FILE *in = fopen(path, "re");
	struct stat st;
	char *data = NULL;

	if (in && !fstat(fileno(in), &st) && st.st_size > 0)
		data = malloc(st.st_size);
	*size = data ? fread(data, 1, st.st_size, in) : 0;
	if (in)
		fclose(in);
	return data;
}

/* True if the file is one of ours. Our plugins contain the version of Slurm
 * that they were built for, behind words that may also stand without one. */
static bool is_ours(const char *path, char version[VERSION_SIZE])
{
	static const char mark[] = "slurm-gang for Slurm ";
	size_t size;
	char *data = read_file(path, &size), *at = data, *end = data + size;

	version[0] = '\0';
	while (data && !version[0] &&
	       (at = memmem(at, end - at, mark, sizeof(mark) - 1))) {
		at += sizeof(mark) - 1;
		snprintf(version, VERSION_SIZE, "%.*s",
			 (int)MIN(end - at, VERSION_SIZE - 1), at);
		version[strspn(version, "0123456789.")] = '\0';
	}
	free(data);
	return version[0];
}

/* The first select plugin of ours in PluginDir, and whether Slurm's own stands
 * before it. */
struct ours {
	char path[PATH_MAX]; /* empty: there is none */
	char version[VERSION_SIZE];
	bool second;
};

static void look_for_ours(const char *plugindir, struct ours *ours)
{
	char *dirs = xstrdup(plugindir), *rest = NULL, *dir;
	char path[PATH_MAX];

	*ours = (struct ours){ .path = "" };
	for (dir = strtok_r(dirs, ":", &rest); dir;
	     dir = strtok_r(NULL, ":", &rest)) {
		snprintf(path, sizeof(path), "%s/" SELECT_FILE, dir);
		if (access(path, R_OK))
			continue;
		if (is_ours(path, ours->version)) {
			memcpy(ours->path, path, sizeof(path));
			break;
		}
		ours->second = true;
	}
	xfree(dirs);
}

/* Nothing that this depends on changes before slurmctld is started anew. */
static void find_why_none(struct sgang_error *why)
{
	struct ours ours;

	look_for_ours(slurm_conf.plugindir, &ours);
	if (!ours.path[0])
		sgang_errf(why, 0,
			   "PluginDir in slurm.conf names no folder "
			   "that has slurm-gang's " SELECT_FILE);
	else if (strcmp(ours.version, SGANG_SLURM))
		sgang_errf(why, 0,
			   "%s was built for Slurm %s, and this is " SGANG_SLURM
			   "; build slurm-gang for it",
			   ours.path, ours.version);
	else if (ours.second)
		sgang_errf(why, 0,
			   "PluginDir in slurm.conf names the folder "
			   "of %s after that of Slurm's own; it must be first",
			   ours.path);
	else
		sgang_errf(why, 0, "slurmctld has not loaded %s; restart it",
			   ours.path);
}

/* Submissions and the queue guard ask at the same time. */
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;

static const char *why_none(void)
{
	static struct sgang_error why;

	pthread_mutex_lock(&asking);
	if (!why.text[0])
		find_why_none(&why);
	pthread_mutex_unlock(&asking);
	return why.text;
}

static void *find_once(void **found, const char *symbol)
{
	void *known;

	pthread_mutex_lock(&asking);
	if (!*found)
		*found = find(symbol);
	known = *found;
	pthread_mutex_unlock(&asking);
	return known;
}

/* Some releases load every select plugin there is, and use one. */
const char *sgang_at_work_off(bool *told)
{
	static _Thread_local char other[128];
	static void *found;
	off_f *off;

	*told = false;
	if (xstrcmp(slurm_conf.select_type, SELECT_TYPE)) {
		snprintf(other, sizeof(other),
			 "slurm.conf has SelectType=%s, "
			 "and gangs need " SELECT_TYPE,
			 slurm_conf.select_type);
		return other;
	}
	off = (off_f *)find_once(&found, SGANG_SELECT_OFF);
	*told = off;
	return off ? off() : why_none();
}

bool sgang_at_work_never(struct job_descriptor *job_desc,
			 const struct sgang_select_member *members, size_t n,
			 uint32_t spare, uint32_t others,
			 const struct sgang_spec *spec, char *why, size_t size)
{
	static void *found;
	never_f *never = (never_f *)find_once(&found, SGANG_SELECT_NEVER);

	return never &&
	       never(job_desc, members, n, spare, others, spec, why, size);
}

bool sgang_at_work_barred(const char *partitions, char *why, size_t size)
{
	static void *found;
	barred_f *barred = (barred_f *)find_once(&found, SGANG_SELECT_BARRED);

	return barred && barred(partitions, why, size);
}

bool sgang_at_work_alike(uint32_t job_id, uint32_t other)
{
	static void *found;
	alike_f *alike = (alike_f *)find_once(&found, SGANG_SELECT_ALIKE);

	return alike && alike(job_id, other);
}

uint64_t sgang_at_work_written(void)
{
	static void *found;
	written_f *written = (written_f *)find_once(&found,
						    SGANG_SELECT_WRITTEN);

	return written ? written() : 0;
}

char *sgang_at_work_answer(const char *question)
{
	static void *found;
	answer_f *answer = (answer_f *)find_once(&found, SGANG_SELECT_ANSWER);

	return answer ? answer(question) : NULL;
}

uint64_t sgang_at_work_moved(void)
{
	static void *found;
	written_f *moved = (written_f *)find_once(&found, SGANG_SELECT_MOVED);

	return moved ? moved() : 0;
}

/* ---- jobs whose record is laid out in another way ---- */

/* Copy memory that may not be there. */
static bool peek(const void *from, void *to, size_t size)
{
	struct iovec local = { to, size }, remote = { (void *)from, size };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) ==
	       (ssize_t)size;
}

/* A list with more strings than this is not SPANK's. */
#define STRINGS_MAX 4096

/* True if the word is the address of a list of strings, one of which is an
 * option of ours. A list of anything else ends in a word that is no address. */
static bool has_option(const char *const *list)
{
	static const char prefix[] = SGANG_SPEC_ENV;
	char text[sizeof(prefix) - 1];
	const char *string;

	if (!list || (uintptr_t)list % sizeof(void *))
		return false;
	for (int i = 0; i < STRINGS_MAX; i++) {
		if (!peek(&list[i], &string, sizeof(string)) ||
		    !peek(string, text, 1))
			return false;
		if (peek(string, text, sizeof(text)) &&
		    !memcmp(text, prefix, sizeof(text)))
			return true;
	}
	return false;
}

bool sgang_at_work_concerns(const void *job)
{
	const void *const *word = job;
	size_t words = slurm_xsize ? slurm_xsize((void *)job) / sizeof(*word) :
				     0;

	for (size_t i = 0; i < words; i++) {
		if (has_option((const char *const *)word[i]))
			return true;
	}
	return false;
}
