/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_words.c - command lines, commands, and messages in sgang's words */

#include "../unit.h"
#include "../texts.h"
#include "cmd/spawn.h"
#include "cmd/spectext.h"
#include "cmd/words.h"

/* What a shell would have to read to get these words. */
TEST(words_are_quoted)
{
	static const char *const words[] = {
		"sbatch", "--time=1:00", "",           "a b",  "it's",
		"$HOME",  "x;y",         "*",          "a\nb", "%j.out",
		"~",      "\\",          "a,b/c@d+e_f"
	};
	static const char wanted[] =
		"sbatch --time=1:00 '' 'a b' 'it'\\''s' '$HOME' 'x;y' '*' "
		"'a\nb' %j.out '~' '\\' a,b/c@d+e_f\n";
	struct sgang_words list = { NULL, 0 };
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(words); i++)
		assert_int_equal(sgang_words_add(&list, &err, "%s", words[i]),
				 0);
	assert_int_equal(list.n, COUNT(words));
	assert_null(list.word[list.n]);
	sgang_words_print(&list, printing());
	assert_printed(wanted);
	sgang_words_clear(&list);
	assert_null(list.word);
	assert_int_equal(list.n, 0);
}

TEST(words_are_appended)
{
	struct sgang_words a = { NULL, 0 }, b = { NULL, 0 };
	struct sgang_error err;

	assert_int_equal(sgang_words_add(&a, &err, "n=%d", 7), 0);
	assert_int_equal(sgang_words_append(&b, &a, &err), 0);
	assert_int_equal(sgang_words_append(&b, &a, &err), 0);
	sgang_words_clear(&a);
	assert_int_equal(sgang_words_append(&b, &a, &err), 0);
	assert_int_equal(b.n, 2);
	assert_string_equal(b.word[0], "n=7");
	assert_string_equal(b.word[1], "n=7");
	sgang_words_clear(&b);
}

/* Run a command of a shell. */
static int run(const char *command, char *out, size_t size)
{
	char *argv[] = { "sh", "-c", (char *)command, NULL };
	struct sgang_error err;

	return sgang_spawn(argv, out, size, &err);
}

TEST(commands_are_run)
{
	char out[16];

	assert_int_equal(run("echo hello", out, sizeof(out)), 0);
	assert_string_equal(out, "hello\n");
	assert_int_equal(run("exit 3", out, sizeof(out)), 3);
	assert_string_equal(out, "");
	assert_int_equal(run("kill -9 $$", out, sizeof(out)), 128 + 9);
	/* it has nothing on its standard input */
	assert_int_equal(run("cat; echo $#", out, sizeof(out)), 0);
	assert_string_equal(out, "0\n");
}

/* More than there is room for is read and dropped, so that nobody waits. */
TEST(long_output_is_cut)
{
	char out[8];

	assert_int_equal(run("printf 1234567", out, sizeof(out)), 0);
	assert_string_equal(out, "1234567");
	assert_int_equal(run("printf 12345678", out, sizeof(out)), 0);
	assert_string_equal(out, "1234567");
	assert_int_equal(run("head -c 1000000 /dev/zero | tr '\\0' x", out,
			     sizeof(out)),
			 0);
	assert_string_equal(out, "xxxxxxx");
}

TEST(no_such_command)
{
	char *argv[] = { "/no/such/command", NULL };
	struct sgang_error err;
	char out[8];

	assert_int_equal(sgang_spawn(argv, out, sizeof(out), &err), -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(err.text, "cannot run /no/such/command: No such "
				      "file or directory");
}

TEST(options_have_our_names)
{
	static const struct {
		const char *text;
		const char *option;
		const char *key;
	} cases[] = {
		{ "--gang-mode=x: expected", "--mode=x: expected",
		  "mode=x: expected" },
		{ "--gang-min-member=3 is above --gang-total-number=2: no",
		  "--min-member=3 is above --total-number=2: no",
		  "min-member=3 is above total-number=2: no" },
		{ "--gang=A: no", "--gang=A: no", "gang=A: no" },
		/* what the user typed stays */
		{ "--gang-groups=--gang-mode: no", "--groups=--gang-mode: no",
		  "groups=--gang-mode: no" },
		{ "", "", "" },
	};
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(cases); i++) {
		strcpy(err.text, cases[i].text);
		sgang_spectext_option(&err);
		assert_string_equal(err.text, cases[i].option);
		strcpy(err.text, cases[i].text);
		sgang_spectext_key(&err);
		assert_string_equal(err.text, cases[i].key);
	}
}

TEST_MAIN(NULL, NULL)
