/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_epoch.c - who is in a gang, as text (6.3) */

#include "../unit.h"
#include "core/gang/epoch.h"

struct pair {
	const char *name, *value;
};

static const char *get(void *arg, const char *name)
{
	for (const struct pair *p = arg; p->name; p++) {
		if (!strcmp(p->name, name))
			return p->value;
	}
	return NULL;
}

static struct pair known[] = {
	{ "SLURM_GANG_NAME", "train" },
	{ "SLURM_GANG_JOB_IDS", "812,0,814" },
	{ "SLURM_GANG_EPOCH", "3" },
	{ "SLURM_GANG_HEAD_NODE", "it's" },
	{ "SLURM_GANG_NODELIST", "" },
	{ "SLURM_GANG_DRAINING", "n1,n3" },
	{ NULL, NULL },
};

static const char text[] = "SLURM_GANG_EPOCH='3'\n"
			   "SLURM_GANG_NAME='train'\n"
			   "SLURM_GANG_JOB_IDS='812,0,814'\n"
			   "SLURM_GANG_NODELIST=''\n"
			   "SLURM_GANG_DRAINING='n1,n3'\n"
			   "# end\n";

TEST(written)
{
	char *made = sgang_epoch_write(get, known);

	assert_string_equal(made, text);
	free(made);
	known[2].value = NULL;
	assert_null(sgang_epoch_write(get, known));
	known[2].value = "3";
}

TEST(read_again)
{
	char *value = sgang_epoch_value(text, "SLURM_GANG_JOB_IDS");

	assert_string_equal(value, "812,0,814");
	free(value);
	value = sgang_epoch_value(text, "SLURM_GANG_NODELIST");
	assert_string_equal(value, "");
	free(value);
	value = sgang_epoch_value(text, "SLURM_GANG_DRAINING");
	assert_string_equal(value, "n1,n3");
	free(value);
	assert_null(sgang_epoch_value(text, "SLURM_GANG_JOB"));
	assert_null(sgang_epoch_value(text, "GANG_NAME"));
	assert_int_equal(sgang_epoch_number(text), 3);
}

/* Of a text that was cut anywhere nothing is believed. */
TEST(cut)
{
	for (size_t n = 0; n + 1 < sizeof(text); n++) {
		char *part = strndup(text, n);

		assert_int_equal(sgang_epoch_number(part), 0);
		free(part);
	}
}

TEST(spoilt)
{
	static const char *const bad[] = {
		"# end\n",
		"SLURM_GANG_EPOCH=3\n# end\n",
		"SLURM_GANG_EPOCH='\n# end\n",
		"SLURM_GANG_EPOCH=''\n# end\n",
		"SLURM_GANG_EPOCH='0'\n# end\n",
		"SLURM_GANG_EPOCH='-1'\n# end\n",
		"SLURM_GANG_EPOCH='4294967296'\n# end\n",
		"SLURM_GANG_EPOCH='11111111111111111111111111111'\n# end\n",
	};

	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(sgang_epoch_number(bad[i]), 0);
}

TEST(ids)
{
	const char *list = "812,0,814x";
	uint32_t id;

	assert_true(sgang_epoch_next_id(&list, &id));
	assert_int_equal(id, 812);
	assert_true(sgang_epoch_next_id(&list, &id));
	assert_int_equal(id, 0);
	assert_true(sgang_epoch_next_id(&list, &id));
	assert_int_equal(id, 814);
	assert_false(sgang_epoch_next_id(&list, &id));
	list = "99999999999";
	assert_false(sgang_epoch_next_id(&list, &id));
	list = "";
	assert_false(sgang_epoch_next_id(&list, &id));
}

TEST_MAIN(NULL, NULL)
