/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.c - a terminal on which the same page is drawn again and again */

#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "cmd/screen.h"

/* Alternate screen, no cursor, no wrapping; and back. */
#define ENTER "\033[?1049h\033[?25l\033[?7l"
#define LEAVE "\033[?7h\033[?25h\033[?1049l"

/* To the first line, and what is behind the text of each line away. */
#define HOME "\033[H"
#define END_OF_LINE "\033[K\n"
#define END_OF_PAGE "\033[J"

static struct termios before;       /* of the standard input */
static bool has_keys;               /* 'before' has to be set again */
static volatile sig_atomic_t taken; /* the screen has to be given back */
static volatile sig_atomic_t resized;
static bool printed; /* a page, where there is no terminal */

/* Only calls that a signal handler may make. */
void sgang_screen_close(void)
{
	if (!taken)
		return;
	taken = false;
	if (write(STDOUT_FILENO, LEAVE, sizeof(LEAVE) - 1) < 0) {
		/* then the terminal is gone */
	}
	if (has_keys)
		tcsetattr(STDIN_FILENO, TCSANOW, &before);
}

static void on_end(int number)
{
	sgang_screen_close();
	signal(number, SIG_DFL);
	raise(number);
}

static void on_resize(int number)
{
	(void)number;
	resized = true;
}

/* Keys are read one by one, without echo. A program that is stopped would leave
 * the screen as it is, so Ctrl-Z does nothing. */
static void take_keys(void)
{
	struct termios now;

	if (tcgetattr(STDIN_FILENO, &before))
		return;
	now = before;
	now.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	now.c_cc[VMIN] = 1;
	now.c_cc[VTIME] = 0;
	now.c_cc[VSUSP] = _POSIX_VDISABLE;
	has_keys = !tcsetattr(STDIN_FILENO, TCSANOW, &now);
}

void sgang_screen_open(void)
{
	static const int ends[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM };
	struct sigaction action = { .sa_handler = on_end,
				    .sa_flags = SA_RESTART };
	const char *terminal = getenv("TERM");
	size_t i;

	if (!isatty(STDOUT_FILENO) || !terminal || !terminal[0] ||
	    !strcmp(terminal, "dumb") || atexit(sgang_screen_close))
		return;
	fflush(stdout);
	sigemptyset(&action.sa_mask);
	for (i = 0; i < sizeof(ends) / sizeof(ends[0]); i++)
		sigaction(ends[i], &action, NULL);
	action.sa_handler = on_resize;
	sigaction(SIGWINCH, &action, NULL);
	take_keys();
	taken = true;
	fputs(ENTER, stdout);
	fflush(stdout);
}

bool sgang_screen_is_terminal(void)
{
	return taken;
}

void sgang_screen_size(size_t *columns, size_t *lines)
{
	struct winsize size;

	*columns = *lines = 0;
	if (!taken || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size))
		return;
	*columns = size.ws_col;
	*lines = size.ws_row;
}

/* All lines but the last of the screen, which would scroll. */
static void draw_lines(const char *page, size_t room)
{
	size_t used = 0, left = 0;
	const char *end;

	for (; *page; page = end + (*end == '\n')) {
		end = page + strcspn(page, "\n");
		if (room && used + 1 >= room && end[0] && end[1]) {
			left++;
			continue;
		}
		if (left)
			continue;
		fwrite(page, 1, (size_t)(end - page), stdout);
		fputs(END_OF_LINE, stdout);
		used++;
	}
	if (left)
		printf("... %zu more lines" END_OF_LINE, left + 1);
}

void sgang_screen_draw(const char *page)
{
	size_t columns, lines;

	if (taken) {
		sgang_screen_size(&columns, &lines);
		fputs(HOME, stdout);
		draw_lines(page, lines > 1 ? lines - 1 : lines);
		fputs(END_OF_PAGE, stdout);
	} else {
		if (printed)
			fputc('\n', stdout);
		fputs(page, stdout);
		printed = true;
	}
	fflush(stdout);
}

/* True if q has been pressed. Other keys are ignored. */
static bool read_keys(void)
{
	char keys[64];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys));

	if (n <= 0)
		has_keys = false; /* no more input will come */
	return n > 0 &&
	       (memchr(keys, 'q', (size_t)n) || memchr(keys, 'Q', (size_t)n));
}

static int64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

bool sgang_screen_wait(unsigned int seconds)
{
	int64_t end = milliseconds() + (int64_t)seconds * 1000, left;

	while ((left = end - milliseconds()) > 0) {
		struct pollfd keys = { STDIN_FILENO, POLLIN, 0 };
		int rc = poll(&keys, has_keys && taken ? 1 : 0, (int)left);

		if (rc > 0 && read_keys())
			return false;
		if (resized)
			break;
	}
	resized = false;
	return true;
}
