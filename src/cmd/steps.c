/* SPDX-License-Identifier: GPL-2.0-or-later */
/* steps.c - several sruns at once, as if they were one */

#define _GNU_SOURCE /* pipe2(), execvpe() */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cmd/answer.h"
#include "cmd/cmd.h"
#include "cmd/feed.h"
#include "cmd/json.h"
#include "cmd/lines.h"
#include "cmd/steps.h"

/* srun passes these on. */
static const int passed_on[] = { SIGHUP,  SIGINT,  SIGQUIT, SIGALRM,
				 SIGTERM, SIGUSR1, SIGUSR2, SIGCONT };
#define N_PASSED_ON (sizeof(passed_on) / sizeof(passed_on[0]))

#define SECOND_MS 1000

enum { OUT, ERR, STREAMS };

static const char *const streams[] = { [OUT] = "stdout", [ERR] = "stderr" };

/* A line of output says whose it is. */
struct stream {
	const struct run *run;
	const struct sgang_step *step;
	int which;
	int fd; /* -1: closed, or the command has our own */
	struct sgang_lines lines;
};

struct child {
	struct sgang_step *step;
	pid_t pid; /* 0: it has ended, or was never started */
	struct stream stream[STREAMS];
};

struct run {
	const struct sgang_steps *steps;
	struct child *child;
	size_t n;
	struct sgang_feed *feed;
	struct pollfd *fds; /* signals, streams, feed */
	int signals;
	sigset_t before; /* the mask of signals that we were started with, */
	struct rlimit files; /* and how many files we could have */
	int width;           /* of a label */
	int64_t interrupted; /* when SIGINT came last, in ms */
	bool ending;
};

/* ---- output ---- */

/* "12: text" of task 12 of a step; false: srun itself says something. */
static bool read_label(const struct sgang_step *step, char *line, char **text,
		       uint64_t *rank)
{
	char *digits = line + strspn(line, " "), *end;
	unsigned long long task;

	if (!isdigit((unsigned char)*digits))
		return false;
	task = strtoull(digits, &end, 10);
	if (*end != ':' || task >= step->tasks)
		return false;
	*text = end + 1 + (end[1] == ' ');
	*rank = step->rank ? step->rank[task] : step->first + task;
	return true;
}

static void write_json(const struct stream *stream, const char *text,
		       uint64_t rank)
{
	struct json_object *object = json_object_new_object();

	sgang_json_number(object, "rank", rank);
	sgang_json_string(object, "stream", streams[stream->which]);
	sgang_json_string(object, "text", text);
	sgang_answer_line(object);
}

static void write_line(void *arg, char *line, size_t n)
{
	struct stream *stream = arg;
	FILE *out = stream->which == OUT ? stdout : stderr;
	uint64_t rank;
	char *text;

	if (!read_label(stream->step, line, &text, &rank)) {
		/* nothing of srun's is an answer */
		out = stream->run->steps->json ? stderr : out;
		fwrite(line, 1, n, out);
		putc('\n', out);
	} else if (stream->run->steps->json) {
		write_json(stream, text, rank);
	} else {
		fprintf(out, "%*" PRIu64 ": ", stream->run->width, rank);
		fwrite(text, 1, n - (size_t)(text - line), out);
		putc('\n', out);
	}
}

static void close_stream(struct stream *stream)
{
	if (stream->fd < 0)
		return;
	sgang_lines_end(&stream->lines, write_line, stream);
	close(stream->fd);
	stream->fd = -1;
}

static void read_stream(struct stream *stream)
{
	char part[16384];
	ssize_t n = read(stream->fd, part, sizeof(part));

	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0 || sgang_lines_add(&stream->lines, part, (size_t)n,
				      write_line, stream))
		close_stream(stream);
}

/* ---- starting ---- */

/* The ends of pipes for a command; -1: it has ours. */
struct ends {
	int mine[3], its[3];
};

static void close_ends(const int fd[3])
{
	for (int i = 0; i < 3; i++)
		if (fd[i] >= 0)
			close(fd[i]);
}

static int open_ends(const struct run *run, struct ends *ends)
{
	bool wanted[3] = { true, run->steps->label, run->steps->label };
	int fd[2];

	*ends = (struct ends){ { -1, -1, -1 }, { -1, -1, -1 } };
	for (int i = 0; i < 3; i++) {
		if (!wanted[i])
			continue;
		if (pipe2(fd, O_CLOEXEC)) {
			close_ends(ends->mine);
			close_ends(ends->its);
			return -1;
		}
		ends->mine[i] = fd[i ? 0 : 1];
		ends->its[i] = fd[i ? 1 : 0];
		(void)fcntl(ends->mine[i], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

/* In a process group of its own: what a terminal sends us, and what it tells us,
 * is passed on by us, once. When we are killed, srun ends its step. */
static void become(const struct run *run, const struct sgang_step *step,
		   const struct ends *ends, pid_t parent)
{
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(128 + SIGTERM);
	for (int i = 0; i < 3; i++)
		if (ends->its[i] >= 0 && dup2(ends->its[i], i) < 0)
			_exit(127);
	signal(SIGPIPE, SIG_DFL);
	(void)setrlimit(RLIMIT_NOFILE, &run->files);
	sigprocmask(SIG_SETMASK, &run->before, NULL);
	execvpe(step->argv[0], step->argv, step->env);
	dprintf(STDERR_FILENO, "sgang: cannot run %s: %s\n", step->argv[0],
		strerror(errno));
	_exit(127);
}

static int start(struct run *run, size_t i, struct sgang_error *err)
{
	struct child *child = &run->child[i];
	pid_t self = getpid();
	struct ends ends;

	if (open_ends(run, &ends))
		return sgang_errf(err, errno, "no pipe to %s: %s",
				  child->step->argv[0], strerror(errno));
	child->pid = fork();
	if (!child->pid)
		become(run, child->step, &ends, self);
	close_ends(ends.its);
	if (child->pid < 0) {
		child->pid = 0;
		close_ends(ends.mine);
		return sgang_errf(err, errno, "cannot start %s: %s",
				  child->step->argv[0], strerror(errno));
	}
	run->feed->pipe[i].fd = ends.mine[0];
	for (int k = 0; k < STREAMS; k++)
		child->stream[k].fd = ends.mine[1 + k];
	return 0;
}

/* ---- signals and ends ---- */

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static void signal_all(const struct run *run, int number)
{
	for (size_t i = 0; i < run->n; i++)
		if (run->child[i].pid)
			kill(run->child[i].pid, number);
}

/* srun kills its tasks when it gets SIGTERM, and was told to do so at one SIGINT,
 * which they get as well. */
static void end_all(struct run *run, int number)
{
	run->ending = true;
	signal_all(run, number);
}

static void interrupt(struct run *run)
{
	int64_t now = now_ms();

	if (now - run->interrupted <= SECOND_MS) {
		end_all(run, SIGINT);
		return;
	}
	run->interrupted = now;
	fprintf(stderr, "sgang: interrupt (one more within 1 sec to abort)\n");
	for (size_t i = 0; i < run->n; i++)
		if (run->child[i].pid)
			fprintf(stderr, "sgang: JobId=%" PRIu32 ": running\n",
				run->child[i].step->job_id);
}

/* A step that has failed may end the others. */
static void judge(struct run *run, const struct sgang_step *step)
{
	if (!step->code || run->ending)
		return;
	if (run->steps->kill_on_bad_exit)
		fprintf(stderr,
			"sgang: the step in JobId=%" PRIu32
			" has failed: ending all others\n",
			step->job_id);
	else if (run->steps->is_gone(step->job_id))
		fprintf(stderr,
			"sgang: JobId=%" PRIu32
			" does not run any more: ending the steps in all "
			"others\n",
			step->job_id);
	else
		return;
	end_all(run, SIGTERM);
}

/* What it wrote last is still to be read. */
static void reap(struct run *run)
{
	int status;

	for (size_t i = 0; i < run->n; i++) {
		struct child *child = &run->child[i];

		if (!child->pid || waitpid(child->pid, &status, WNOHANG) <= 0)
			continue;
		child->pid = 0;
		child->step->code = WIFSIGNALED(status) ?
					    128 + WTERMSIG(status) :
					    WEXITSTATUS(status);
		judge(run, child->step);
	}
}

static void take_signals(struct run *run)
{
	struct signalfd_siginfo info;

	while (read(run->signals, &info, sizeof(info)) == sizeof(info)) {
		if (info.ssi_signo == SIGCHLD)
			reap(run);
		else if (info.ssi_signo == SIGINT)
			interrupt(run);
		else
			signal_all(run, (int)info.ssi_signo);
	}
}

/* ---- the loop ---- */

static bool goes_on(const struct run *run)
{
	for (size_t i = 0; i < run->n; i++)
		if (run->child[i].pid || run->child[i].stream[OUT].fd >= 0 ||
		    run->child[i].stream[ERR].fd >= 0)
			return true;
	return false;
}

static struct stream *stream_of(const struct run *run, size_t i)
{
	return &run->child[i / STREAMS].stream[i % STREAMS];
}

/* A reader that is gone ends srun, too. */
static void flush(struct run *run)
{
	if ((fflush(stdout) || ferror(stdout)) && !run->ending)
		end_all(run, SIGPIPE);
}

static void look(struct run *run)
{
	struct pollfd *of_streams = run->fds + 1;
	struct pollfd *of_feed = of_streams + STREAMS * run->n;

	run->fds[0] = (struct pollfd){ .fd = run->signals, .events = POLLIN };
	for (size_t i = 0; i < STREAMS * run->n; i++)
		of_streams[i] = (struct pollfd){ .fd = stream_of(run, i)->fd,
						 .events = POLLIN };
	sgang_feed_poll(run->feed, of_feed);
	if (poll(run->fds, 2 + (STREAMS + 1) * run->n, -1) < 0)
		return;
	for (size_t i = 0; i < STREAMS * run->n; i++)
		if (of_streams[i].fd >= 0 && of_streams[i].revents)
			read_stream(stream_of(run, i));
	flush(run);
	sgang_feed_move(run->feed, of_feed);
	if (run->fds[0].revents)
		take_signals(run);
}

static int count_digits(uint64_t number)
{
	return snprintf(NULL, 0, "%" PRIu64, number);
}

/* Three pipes for each member can be more than a shell allows. The steps have the
 * limit of before, which srun hands on. */
static void allow_files(struct run *run)
{
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &run->files);
	limit = run->files;
	limit.rlim_cur = limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

static int catch_signals(struct run *run, struct sgang_error *err)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < N_PASSED_ON; i++)
		sigaddset(&set, passed_on[i]);
	sigprocmask(SIG_BLOCK, &set, &run->before);
	/* as srun: a shell ignores some for what it runs in the background */
	for (size_t i = 0; i < N_PASSED_ON; i++)
		signal(passed_on[i], SIG_DFL);
	signal(SIGPIPE, SIG_IGN);
	run->signals = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return run->signals < 0 ? sgang_errf(err, errno, "no signalfd: %s",
					     strerror(errno)) :
				  0;
}

static int prepare(struct run *run, struct sgang_error *err)
{
	size_t n = run->n;

	run->child = calloc(n, sizeof(*run->child));
	run->feed = calloc(1, sizeof(*run->feed));
	run->fds = calloc(2 + (STREAMS + 1) * n, sizeof(*run->fds));
	if (run->feed) {
		run->feed->pipe = calloc(n, sizeof(*run->feed->pipe));
		run->feed->n = n;
	}
	if (!run->child || !run->feed || !run->feed->pipe || !run->fds)
		return sgang_err_memory(err);
	for (size_t i = 0; i < n; i++) {
		run->child[i].step = &run->steps->step[i];
		run->feed->pipe[i].fd = -1;
	}
	for (size_t i = 0; i < STREAMS * n; i++)
		*stream_of(run, i) = (struct stream){
			.run = run,
			.step = &run->steps->step[i / STREAMS],
			.which = (int)(i % STREAMS),
			.fd = -1,
		};
	return catch_signals(run, err);
}

static void clear(struct run *run)
{
	if (run->feed) {
		if (run->feed->pipe)
			sgang_feed_close(run->feed);
		free(run->feed->pipe);
	}
	if (run->signals >= 0)
		close(run->signals);
	free(run->feed);
	free(run->fds);
	free(run->child);
}

/* All of them or none: those that run when one cannot be started are ended. */
static int start_all(struct run *run, struct sgang_error *err)
{
	allow_files(run);
	for (size_t i = 0; i < run->n; i++) {
		if (!start(run, i, err))
			continue;
		end_all(run, SIGTERM);
		return -1;
	}
	return 0;
}

int sgang_steps_run(struct sgang_steps *steps, struct sgang_error *err)
{
	struct run run = { .steps = steps, .n = steps->n, .signals = -1 };
	int code = 0;

	run.width = count_digits(steps->tasks - 1);
	run.interrupted = now_ms() - 2 * SECOND_MS;
	if (prepare(&run, err)) {
		clear(&run);
		return -1;
	}
	if (start_all(&run, err))
		code = -1;
	while (goes_on(&run))
		look(&run);
	for (size_t i = 0; i < steps->n && code >= 0; i++)
		if (steps->step[i].code > code)
			code = steps->step[i].code;
	clear(&run);
	return code;
}
