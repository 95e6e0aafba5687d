/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_gangfile.c - a file that describes a gang, read and refused
 *
 * What sgang submit makes of such files as a whole, and most of what can be
 * wrong in them, is in tests/t/0121-sgang-submit-file.t.
 */

#include <time.h>

#include "../unit.h"
#include "../texts.h"
#include "../core/fail_alloc.h"
#include "cmd/gangfile.h"

static int load(const char *text, struct sgang_gangfile *file,
		struct sgang_error *err)
{
	write_text(scratch_path, text);
	return sgang_gangfile_load(scratch_path, "alice", file, err);
}

/* A file that is right. */
static void take(const char *text, struct sgang_gangfile *file)
{
	struct sgang_error err;

	if (load(text, file, &err))
		fail_msg("%s", err.text);
}

/* The command of its role number 'i'. */
static void command_of(const struct sgang_gangfile *file, size_t i,
		       bool placeholders, struct sgang_words *words)
{
	struct sgang_error err;

	if (sgang_gangfile_command(file, &file->role[i], placeholders, words,
				   &err))
		fail_msg("%s", err.text);
}

static const char good[] =
	"gang: train\n"
	"mode: nonstrict\n"
	"options: [--time=10]\n"
	"roles:\n"
	"  - name: driver\n"
	"    order: 0\n"
	"    rank: 3\n"
	"    script: /dev/null\n"
	"    args: [a, 'b c']\n"
	"  - {name: worker, count: 3, array: yes, command: hostname}\n"
	"  - name: server\n"
	"    gang: proj/servers\n"
	"    waiting-time: 30\n"
	"    command: sleep 1\n"
	"    count: 2\n";

/* 6.5: a pool has no minimum, is in no group, and its members name it alone. */
TEST(a_pool_is_read)
{
	static const char text[] = "gang: train\n"
				   "spare-pool: reserve\n"
				   "roles:\n"
				   "  - {name: w, count: 2, command: a}\n"
				   "  - name: s\n"
				   "    gang: reserve\n"
				   "    pool: %s\n"
				   "    count: 3\n"
				   "    array: yes\n"
				   "    command: a\n";
	static const char *const yes[] = { "yes", "true" };
	static const char *const bad[][2] = {
		{ "maybe", "pool: expected yes or no" },
		{ "yes\n    min-member: 2", "min-member is given for a pool" },
		{ "yes\n    command: a\n"
		  "  - name: x\n    gang: reserve\n    pool: no",
		  "pool: gang alice/reserve has yes" },
	};
	struct sgang_words words;
	struct sgang_gangfile file;
	struct sgang_error err;
	char with[512];

	for (size_t i = 0; i < COUNT(yes); i++) {
		snprintf(with, sizeof(with), text, yes[i]);
		take(with, &file);
		assert_true(file.gang[1].spec.pool);
		assert_int_equal(file.gang[1].spec.min_member, 0);
		assert_int_equal(file.gang[1].spec.total, 0);
		assert_false(file.gang[0].spec.groups_set);
		assert_string_equal(file.gang[0].spec.spare_pool, "reserve");
		assert_int_equal(file.gang[0].spec.min_member, 2);
		command_of(&file, 1, false, &words);
		assert_string_equal(words.word[2], "--gang=alice/reserve");
		assert_string_equal(words.word[3], "--array=0-2");
		sgang_words_clear(&words);
		sgang_gangfile_clear(&file);
	}
	for (size_t i = 0; i < COUNT(bad); i++) {
		snprintf(with, sizeof(with), text, bad[i][0]);
		assert_int_equal(load(with, &file, &err), -1);
		assert_non_null(strstr(err.text, bad[i][1]));
	}
}

TEST(all_of_it_is_read)
{
	struct sgang_gangfile file;

	take(good, &file);
	assert_int_equal(file.n_gangs, 2);
	assert_string_equal(file.gang[0].spec.ns, "alice");
	assert_string_equal(file.gang[0].spec.name, "train");
	assert_int_equal(file.gang[0].spec.mode, SGANG_MODE_NONSTRICT);
	assert_int_equal(file.gang[0].spec.min_member, 4);
	assert_int_equal(file.gang[0].spec.total, 4);
	assert_int_equal(file.gang[0].members, 4);
	assert_string_equal(file.gang[0].spec.groups, "proj/servers");
	assert_string_equal(file.gang[1].spec.ns, "proj");
	assert_int_equal(file.gang[1].spec.mode, SGANG_MODE_UNSET);
	assert_int_equal(file.gang[1].spec.min_member, 2);
	assert_int_equal(file.gang[1].spec.waiting_time, 1800);
	assert_string_equal(file.gang[1].spec.groups, "alice/train");

	assert_int_equal(file.n_roles, 3);
	assert_string_equal(file.role[0].name, "driver");
	assert_string_equal(file.role[0].script, "/dev/null");
	assert_int_equal(file.role[0].args.n, 2);
	assert_true(file.role[0].order_set);
	assert_true(file.role[0].rank_set);
	assert_int_equal(file.role[0].rank, 3);
	assert_false(file.role[1].rank_set);
	assert_int_equal(sgang_gangfile_jobs(&file.role[0]), 1);
	assert_true(file.role[1].array);
	assert_false(file.role[1].order_set);
	assert_int_equal(file.role[1].count, 3);
	assert_int_equal(sgang_gangfile_jobs(&file.role[1]), 1);
	assert_int_equal(file.role[2].gang, 1);
	assert_int_equal(sgang_gangfile_jobs(&file.role[2]), 2);
	sgang_gangfile_clear(&file);
	assert_null(file.role);
}

TEST(a_command_is_made)
{
	static const char *const wanted[] = { "sbatch",
					      "--parsable",
					      "--gang=alice/train",
					      "--gang-min-member=4",
					      "--gang-total-number=4",
					      "--gang-mode=nonstrict",
					      "--gang-groups=proj/servers",
					      "--gang-order=0",
					      "--gang-rank=3",
					      "--job-name=driver",
					      "--time=10",
					      "/dev/null",
					      "a",
					      "b c" };
	struct sgang_words words;
	struct sgang_gangfile file;

	take(good, &file);
	command_of(&file, 0, false, &words);
	assert_int_equal(words.n, COUNT(wanted));
	for (size_t i = 0; i < COUNT(wanted); i++)
		assert_string_equal(words.word[i], wanted[i]);
	sgang_words_clear(&words);
	sgang_gangfile_clear(&file);
}

static void has_word(const struct sgang_words *words, const char *word)
{
	for (size_t i = 0; i < words->n; i++) {
		if (!strcmp(words->word[i], word))
			return;
	}
	fail_msg("%s is missing", word);
}

/* 1.2, 1.20: a role without jobs has placeholders alone. */
TEST(placeholders_are_arrays)
{
	static const char text[] = "gang: etl\n"
				   "placeholders: hard\n"
				   "placeholder-unused: 30\n"
				   "roles:\n"
				   "- {name: driver, min: 1, command: x}\n"
				   "- {name: executor, min: 8}\n";
	struct sgang_gangfile file;
	struct sgang_words words;

	take(text, &file);
	assert_int_equal(file.gang[0].members, 9);
	assert_int_equal(sgang_gangfile_jobs(&file.role[0]), 1);
	assert_int_equal(sgang_gangfile_jobs(&file.role[1]), 0);
	assert_int_equal(file.role[0].placeholders, 1);
	assert_int_equal(file.role[1].placeholders, 8);
	command_of(&file, 1, true, &words);
	has_word(&words, "--gang-placeholder=1");
	has_word(&words, "--gang-placeholders=hard");
	has_word(&words, "--gang-placeholder-unused=00:30:00");
	has_word(&words, "--gang-role=executor:min=8");
	has_word(&words, "--array=0-7");
	has_word(&words, "--wrap=exit 0");
	sgang_words_clear(&words);
	sgang_gangfile_clear(&file);
}

static const char serve[] = "gang: serve\n"
			    "options: [-N1]\n"
			    "roles:\n"
			    "  - name: replica1\n"
			    "    min: 2\n"
			    "    topology: require:spine,prefer:leaf\n"
			    "    options: [--exclusive]\n"
			    "    roles:\n"
			    "      - {name: encode, command: a}\n"
			    "      - name: decode\n"
			    "        min: 4\n"
			    "        count: 6\n"
			    "        weight: 10\n"
			    "        options: [--mem=1]\n"
			    "        command: b\n"
			    "  - {name: replica2, like: replica1, weight: 3}\n"
			    "  - name: replica3\n"
			    "    like: replica2\n"
			    "    topology: require:leaf\n"
			    "    min: 1\n";

/* 2.15, 2.16: a role that is like another one has what that has, and its own
 * words before it. */
TEST(a_tree_is_read)
{
	static const struct {
		const char *name, *role;
		uint32_t count;
	} wanted[] = {
		{ "replica1/encode",
		  "replica1:min=2:require=spine:prefer=leaf/encode:min=1", 1 },
		{ "replica1/decode",
		  "replica1:min=2:require=spine:prefer=leaf/"
		  "decode:min=4:weight=10",
		  6 },
		{ "replica2/encode",
		  "replica2:min=2:require=spine:prefer=leaf:weight=3/"
		  "encode:min=1",
		  1 },
		{ "replica2/decode",
		  "replica2:min=2:require=spine:prefer=leaf:weight=3/"
		  "decode:min=4:weight=10",
		  6 },
		{ "replica3/encode",
		  "replica3:min=1:require=leaf:weight=3/encode:min=1", 1 },
		{ "replica3/decode",
		  "replica3:min=1:require=leaf:weight=3/decode:min=4:weight=10",
		  6 },
	};
	struct sgang_gangfile file;
	struct sgang_words words;
	char option[SGANG_ROLE_SIZE + 16];

	take(serve, &file);
	assert_true(file.is_tree);
	assert_int_equal(file.n_gangs, 1);
	assert_int_equal(file.gang[0].groups, 3);
	assert_int_equal(file.gang[0].members, 21);
	assert_int_equal(file.gang[0].spec.min_member, 3);
	assert_int_equal(file.gang[0].spec.total, 21);
	assert_int_equal(file.n_roles, COUNT(wanted));
	for (size_t i = 0; i < COUNT(wanted); i++) {
		assert_string_equal(file.role[i].name, wanted[i].name);
		assert_string_equal(file.role[i].role_text, wanted[i].role);
		assert_int_equal(file.role[i].count, wanted[i].count);
		command_of(&file, i, false, &words);
		snprintf(option, sizeof(option), "--gang-role=%s",
			 wanted[i].role);
		has_word(&words, option);
		has_word(&words, "-N1");
		has_word(&words, "--exclusive");
		if (i & 1)
			has_word(&words, "--mem=1");
		sgang_words_clear(&words);
	}
	sgang_gangfile_clear(&file);
}

/* 2.18: each with its line. */
TEST(bad_trees_are_refused)
{
	static const struct {
		const char *roles; /* below "gang: a", from line 3 on */
		const char *why;   /* behind the file's name */
	} cases[] = {
		{ "- {name: r, roles: []}\n",
		  ":3: roles: expected a list of roles" },
		{ "- {name: r, roles: x}\n",
		  ":3: roles: expected a list of roles" },
		{ "- name: r\n  roles:\n  - x\n",
		  ":5: expected a role, which begins with name:" },
		{ "- name: r\n  roles:\n  - {command: x}\n",
		  ":5: this role has no name" },
		{ "- name: r\n  roles:\n  - {name: x}\n",
		  ":5: role \"r/x\" has neither script nor command" },
		{ "- name: r\n  roles:\n  - {name: x, command: y}\n"
		  "  - {name: x, command: z}\n",
		  ":6: name: there is a role \"x\" already" },
		{ "- name: r\n  min: 2\n  roles:\n  - {name: x, command: y}\n",
		  ":3: SubGroup r does not have enough children (1 < 2)" },
		{ "- name: r\n  roles:\n"
		  "  - {name: x, min: 3, count: 2, command: y}\n",
		  ":5: SubGroup r/x does not have enough children (2 < 3)" },
		{ "- name: r\n  min: 0\n  roles:\n  - {name: x, command: y}\n",
		  ":4: min: expected a number from 1 to 100000" },
		{ "- name: r\n  weight: heavy\n  roles:\n"
		  "  - {name: x, command: y}\n",
		  ":4: weight: expected a number from 0 to 1000000" },
		{ "- {name: x, command: y,\n weight: 1000001}\n",
		  ":4: weight: expected a number from 0 to 1000000" },
		{ "- name: r\n  roles:\n  - {name: x, command: y,\n"
		  "     topology: spread:leaf}\n",
		  ":6: topology: spread:leaf: roles have require:LEVEL and "
		  "prefer:LEVEL only" },
		{ "- name: r\n  frob: 1\n  roles:\n  - {name: x, command: y}\n",
		  ":4: frob: this is of roles with members, and \"r\" has "
		  "roles" },
		{ "- name: r\n  roles:\n  - {name: x, command: y}\n"
		  "  count: 2\n",
		  ":6: count: this is of roles with members, and \"r\" has "
		  "roles" },
		{ "- name: r\n  roles:\n  - name: x\n    command: y\n"
		  "    frob: 1\n",
		  ":7: unknown key \"frob\", see sgang(1)" },
		{ "- {name: s, like: r}\n- {name: r, command: x}\n",
		  ":3: like: \"r\": expected a role that comes before this "
		  "one, in the same list" },
		{ "- {name: r, like: r, command: x}\n",
		  ":3: like: \"r\": expected a role that comes before this "
		  "one, in the same list" },
		{ "- {name: r, command: x}\n- {name: s, like: [r]}\n",
		  ":4: like: \"\": expected a role that comes before this "
		  "one, in the same list" },
		{ "- name: r\n  roles:\n  - {name: x, command: y}\n"
		  "- name: s\n  like: r\n  roles:\n"
		  "  - {name: z, command: y}\n",
		  ":7: like: the roles in it are those of \"r\"" },
		{ "- {name: x, command: y, min: 1}\n"
		  "- {name: z, command: y, gang: b}\n",
		  ":4: gang: a tree of roles is one gang" },
		{ "- name: a\n  roles:\n  - name: b\n    roles:\n"
		  "    - name: c\n      roles:\n      - name: d\n"
		  "        roles:\n        - {name: e, command: y}\n",
		  ":11: roles: at most 4 roles may be in each other" },
		{ "- {name: Upper, min: 1, command: y}\n",
		  ":3: name: expected names of groups such as "
		  "replica1/decode: small letters, digits and '-' inside, each "
		  "of 1 to 63 characters" },
		{ "- {name: a234567890b234567890c234567890d234567890"
		  "e234567890f234567890abcd, min: 1, command: y}\n",
		  ":3: name: expected names of groups such as "
		  "replica1/decode: small letters, digits and '-' inside, each "
		  "of 1 to 63 characters" },
	};
	struct sgang_gangfile file = { .n_roles = 7 };
	struct sgang_error err;
	char text[1024];

	for (size_t i = 0; i < COUNT(cases); i++) {
		err.text[0] = '\0';
		snprintf(text, sizeof(text), "gang: a\nroles:\n%s",
			 cases[i].roles);
		if (load(text, &file, &err) != -1 || errno != EINVAL ||
		    strcmp(err.text + strlen(scratch_path), cases[i].why))
			fail_msg("%s%s\nnot %s", text, err.text, cases[i].why);
		assert_int_equal(file.n_roles, 7);
	}
}

/* An object inside of an object keeps the line of its key, also in the short
 * form of YAML. */
TEST(bad_files_are_refused)
{
	static const struct {
		const char *text;
		const char *why; /* behind the file's name */
	} cases[] = {
		{ "", ": there is nothing in it" },
		{ "gang: a\n", ":1: roles: is missing" },
		{ "roles: []\n", ":1: gang: is missing" },
		{ "gang: a\nroles:\n- name: x\n",
		  ":3: role \"x\" has neither script nor command" },
		{ "gang: a\nroles: [{name: x, command: y,\n count: 0}]\n",
		  ":3: count: expected a number from 1 to 100000" },
		{ "gang: a\nroles: [{name: x,\n command: {}}]\n",
		  ":3: command: expected a text" },
		{ "gang: a\nroles:\n- {name: x, script: /none}\n",
		  ":3: script: /none: No such file or directory" },
		{ "gang: a\nmode: fast\nroles: []\n",
		  ":2: mode=fast: expected one of strict|nonstrict" },
		{ "gang: a\nfrob: 1\nroles: []\n",
		  ":2: unknown key \"frob\", see sgang(1)" },
		{ "gang: a\nplacment: x\nmdoe: strict\nroles: []\n",
		  ":2: unknown key \"placment\", see sgang(1)" },
		{ "gang: a\nmdoe: strict\nroles: []\n",
		  ":2: unknown key \"mdoe\", did you mean \"mode\"?" },
		{ "gang: a\nroles: [{name: x, comand: y}]\n",
		  ":2: unknown key \"comand\", did you mean \"command\"?" },
		{ "gang: a\nroles:\n- name: x\n  roles:\n"
		  "  - {name: y, comand: z}\n",
		  ":5: unknown key \"comand\", did you mean \"command\"?" },
		{ "gang: a\nrank: 1\nroles: []\n",
		  ":2: rank: write the key rank in the role of this member" },
		{ "gang: a\nroles: [{name: x, command: y,\n rank: none}]\n",
		  ":3: rank: expected a number from 0 to 100000" },
		{ "gang: a\nrank-order: ring\nroles:\n"
		  "- {name: x, command: y, rank: 1}\n",
		  ":4: rank-order=ring: rank says where ranks are in the ring, "
		  "give one of them" },
		{ "gang: a\nroles:\n- name: x\n  gang: p\n  pool: yes\n"
		  "  order: 1\n  command: y\n"
		  "- {name: z, command: y}\n",
		  ":3: order is given for a pool, whose members are spares "
		  "that wait one by one: leave it out" },
		{ "gang: a\nroles:\n- {name: x, command: y, placeholder: 1}\n",
		  ":3: placeholder: say placeholders: soft and give the role "
		  "no script and no command" },
		{ "gang: a\nfr\\\"\x07: 1\nroles: []\n", ": control characters"
							 " are not allowed" },
		{ "gang: a\n\"fr\\ab\": 1\n",
		  ":2: unknown key \"fr?b\", see sgang(1)" },
		{ "gang: a\ngang: b\n", ":2: the key \"gang\" stands twice" },
		{ "gang: *x\n", ":1: aliases and tags of YAML are not "
				"understood here" },
		{ "[[[[[[[[[[[[[a]]]]]]]]]]]]]\n",
		  ":1: too many lists and maps inside of each other" },
	};
	struct sgang_gangfile file = { .n_roles = 7 };
	struct sgang_error err;

	for (size_t i = 0; i < COUNT(cases); i++) {
		err.text[0] = '\0';
		assert_int_equal(load(cases[i].text, &file, &err), -1);
		assert_int_equal(errno, EINVAL);
		assert_memory_equal(err.text, scratch_path,
				    strlen(scratch_path));
		assert_string_equal(err.text + strlen(scratch_path),
				    cases[i].why);
		assert_int_equal(file.n_roles, 7);
	}
}

/* What is said of an option that is written where the file has it, with a value
 * that no option takes. */
static const char *said_of(const char *form, const char *option,
			   struct sgang_error *err)
{
	struct sgang_gangfile file;
	char text[256];

	snprintf(text, sizeof(text), form, option);
	assert_int_equal(load(text, &file, err), -1);
	return err->text + strlen(scratch_path);
}

static bool is_key_of_gang(const char *key)
{
	struct sgang_error err;

	return strstr(said_of("gang: a\n%s: '?'\nroles: []\n", key, &err),
		      "=?: ");
}

static bool is_key_of_role(const char *key)
{
	struct sgang_error err;

	return strstr(said_of("gang: a\n"
			      "roles: [{name: x, command: y, %s: '?'}]\n",
			      key, &err),
		      ": expected a ");
}

/* A key, or the same in other words, which are named to who tries it. */
static void check_place(const char *option, bool other_words)
{
	const char *key = option + strlen("gang-"), *why;
	bool of_gang = is_key_of_gang(key);
	struct sgang_error err;

	if ((of_gang || is_key_of_role(key)) == other_words)
		fail_msg("%s", option);
	why = said_of("gang: a\n%s: '?'\nroles: []\n", key, &err);
	if (strstr(why, "unknown key"))
		fail_msg("%s", why);
	why = said_of("gang: a\noptions: ['--%s=1']\n", option, &err);
	if (!strstr(why, "cannot be here: ") ||
	    (strstr(why, "make it a key of the file") != NULL) != of_gang)
		fail_msg("%s", why);
}

/* 0.20: no option of sbatch is forgotten here. */
TEST(every_option_has_its_place)
{
	static const char *const other_words[] = { "gang-role",
						   "gang-placeholder",
						   "gang-reserve" };
	const struct sgang_option *option;
	size_t n_other = 0;

	for (option = sgang_spec_options(); option->name; option++) {
		bool other = false;

		if (option->hidden || !strcmp(option->name, "gang"))
			continue;
		for (size_t i = 0; i < COUNT(other_words); i++)
			other |= !strcmp(other_words[i], option->name);
		n_other += other;
		check_place(option->name, other);
		if (option->alias)
			check_place(option->alias, other);
	}
	assert_int_equal(n_other, COUNT(other_words));
}

TEST(files_that_cannot_be_read)
{
	struct sgang_gangfile file;
	struct sgang_error err;

	assert_int_equal(sgang_gangfile_load("/none", "alice", &file, &err),
			 -1);
	assert_int_equal(errno, ENOENT);
	assert_string_equal(err.text, "/none: No such file or directory");
	assert_int_equal(sgang_gangfile_load("/", "alice", &file, &err), -1);
	assert_int_equal(errno, EISDIR);
	assert_string_equal(err.text, "/: Is a directory");
}

/* Each allocation of ours fails once. */
TEST(no_memory_is_an_error)
{
	struct sgang_words words;
	struct sgang_gangfile file;
	struct sgang_error err;
	unsigned long n;
	int rc;

	for (n = 1;; n++) {
		words = (struct sgang_words){ NULL, 0 };
		fail_at(n);
		rc = load(good, &file, &err);
		if (!rc) {
			rc = sgang_gangfile_command(&file, &file.role[0], false,
						    &words, &err);
			sgang_gangfile_clear(&file);
		}
		if (!fail_happened)
			break;
		fail_at(0);
		assert_int_equal(rc, -1);
		assert_string_equal(err.text, "out of memory");
	}
	fail_at(0);
	assert_int_equal(rc, 0);
	assert_true(n > 50);
	sgang_words_clear(&words);
}

/* 32,000 keys are compared in a moment. */
TEST(many_keys)
{
	clock_t begun = clock();
	struct sgang_gangfile file;
	struct sgang_error err;
	char *text;
	FILE *out = printing();

	for (int i = 0; i < 32000; i++)
		fprintf(out, "k%d: 1\n", i);
	fprintf(out, "k5: 1\nk4: 1\n");
	text = printed();
	assert_int_equal(load(text, &file, &err), -1);
	assert_non_null(strstr(err.text, ":32001: the key \"k5\" stands"));
	assert_true((double)(clock() - begun) / CLOCKS_PER_SEC < 2);
	free(text);
}

TEST_MAIN(make_scratch, remove_scratch)
