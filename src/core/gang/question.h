/* SPDX-License-Identifier: GPL-2.0-or-later */
/* question.h - what sgang asks slurmctld, and how the answer comes back
 *
 * sgang asks when a job could start (the request of sbatch --test-only) that
 * carries SGANG_QUESTION_ENV and a question in its SPANK environment.
 * job_submit/gang refuses it before Slurm looks at it, with the answer as the
 * message of the refusal. Each line of the answer has a mark in front, because
 * Slurm's library gives such messages to its log, line by line. The last line
 * is the mark alone.
 */

#ifndef SGANG_QUESTION_H
#define SGANG_QUESTION_H

#include "core/base/err.h"
#include "spec.h"

#define SGANG_QUESTION_ENV SGANG_SPEC_ENV "gang_question="

/* The settings in force, as in SGANG_CONF_IN_FORCE (conf.h). */
#define SGANG_QUESTION_SETTINGS "settings"
/* The topologies in force (fabric_lines.h). */
#define SGANG_QUESTION_FABRIC "fabric"

/* The question in such an environment, borrowed from it; NULL: there is none.
 */
const char *sgang_question(char *const *env, size_t n_env);

/* Put the mark in front of each line, and the last line behind them. Returns a
 * string the caller frees, or NULL with ENOMEM. */
char *sgang_question_mark(const char *text);

/* The answer in what Slurm's library logged, without the marks. Returns a
 * string the caller frees; or NULL with errno and 'err': ENOMEM, or EPROTO
 * where there is no whole answer, with the first line that was logged. */
char *sgang_question_answer(const char *log, struct sgang_error *err);

#endif
