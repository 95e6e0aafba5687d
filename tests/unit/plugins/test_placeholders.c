/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_placeholders.c - members take the nodes of placeholders */

#include "../unit.h"
#include "core/base/nodeset.h"
#include "core/gang/gang.h"
#include "toy_cluster.h"

#define SOFT "placeholders=soft|"
#define HARD "placeholders=hard|"
#define DRIVER SOFT "role=driver:min=1"
#define PLACE(role) SOFT "placeholder=1|role=" role

static uint32_t add(const char *more)
{
	return submit(MEMBER("etl", 2, .more = more, .time_limit = 600));
}

/* A driver runs, and so many placeholders keep nodes: those of a file of sgang
 * submit, without the driver's own. */
static uint32_t start(const char *driver, const char *place, uint32_t n,
		      uint32_t *placeholders)
{
	char own_place[128];
	uint32_t own, id;

	snprintf(own_place, sizeof(own_place), "%s|placeholder=1", driver);
	own = add(own_place);

	for (uint32_t i = 0; i < n; i++)
		placeholders[i] = add(place);
	settle();
	assert_int_equal(fake_state(own), FAKE_HELD);
	all_in_state(placeholders, n, FAKE_HELD);
	id = add(driver);
	pass();
	pass_to(&id, 1, FAKE_RUNNING);
	assert_int_equal(fake_state(own), FAKE_GONE);
	return id;
}

/* 6.17: what a role needs was said by its placeholders, and stays so when the last
 * of them have gone in one pass. */
TOY_TEST(test_promised)
{
	uint32_t places[3], driver, members[3];

	driver = start(DRIVER, PLACE("executor:min=3"), 3, places);
	recorded(driver, "min=4");
	for (int i = 0; i < 3; i++)
		members[i] = add(SOFT "role=executor");
	pass();
	pass_to(members, 3, FAKE_RUNNING);
	all_in_state(places, 3, FAKE_GONE);
	recorded(driver, "min=4");
	fake_fail(members[0], true);
	fail_and_pass(members[1], true);
	pass();
	recorded(driver, "min=4");
}

/* 6.18: no placeholder keeps its nodes for longer than its time limit. */
TOY_TEST(test_time_limit)
{
	uint32_t places[3], driver;

	driver = start(DRIVER, PLACE("executor:min=3"), 3, places);
	wait_to(590, places, 3, FAKE_HELD);
	wait_to(10, places, 3, FAKE_GONE);
	assert_int_equal(fake_state(driver), FAKE_RUNNING);
	recorded(places[0], "ended=timeout");
}

/* 6.19: a member of a role without placeholders starts with those of the others,
 * all or none, and is launched. */
TOY_TEST(test_driver_without)
{
	uint32_t wide = submit(plain(15, 200)), ids[3];

	settle_to(&wide, 1, FAKE_RUNNING);
	ids[0] = add(DRIVER);
	ids[1] = add(PLACE("w:min=2"));
	pass();
	ids[2] = add(PLACE("w:min=2"));
	settle();
	all_in_state(ids, 3, FAKE_PENDING);
	end_and_pass(wide);
	settle();
	assert_int_equal(fake_state(ids[0]), FAKE_RUNNING);
	all_in_state(ids + 1, 2, FAKE_HELD);
	recorded(ids[0], "rank=*/3");
	ids[0] = add(SOFT "role=w");
	pass();
	pass_to(ids, 1, FAKE_RUNNING);
	assert_int_equal(fake_state(ids[1]), FAKE_GONE);
}

/* 1.26: a member that is larger than its placeholders says so as long as there are
 * some, whatever Slurm writes there. */
TOY_TEST(test_larger)
{
	static const char *const says_so =
		"Gang alice/etl: larger than the placeholders of role executor "
		"(nodes:2 > nodes:1)";
	uint32_t places[2], larger[2];

	(void)start(HARD "role=driver:min=1",
		    HARD "placeholder=1|role=executor:min=2", 2, places);
	for (int i = 0; i < 2; i++)
		larger[i] = submit(MEMBER("etl", 2,
					  .more = HARD "role=executor",
					  .nodes = 2, .time_limit = 600));
	pass();
	for (int n = 0; n < 3; n++) {
		for (int i = 0; i < 2; i++) {
			says(larger[i], says_so);
			fake_reason(larger[i], "");
		}
		pass();
	}
	says(larger[0], says_so);
	logged("is larger than", 2);
	for (int i = 0; i < 2; i++) {
		fake_lose(places[i]);
		fake_reason(larger[i], "");
	}
	wait_and_pass(1);
	pass();
	says(larger[0], "");
}

/* ... also when slurmctld dies in between: once. */
TOY_TEST(test_driver_killed)
{
	for (uint32_t n = 1; n <= 4; n++) {
		uint32_t ids[3];

		afresh(setup, "save %u", n);
		ids[0] = add(DRIVER);
		ids[1] = add(PLACE("w:min=2"));
		ids[2] = add(PLACE("w:min=2"));
		pass();
		schedule();
		fake_snapshot();
		fake_die_at_save((n + 1) / 2, n % 2);
		pass();
		come_back(true);
		schedule_and_pass();
		for (int i = 0; i < 4; i++)
			wait_and_pass(6);
		assert_int_equal(fake_state(ids[0]), FAKE_RUNNING);
		/* its node knows that it was launched, or it is now */
		assert_in_range(fake_job(ids[0])->launches, n < 4, 1);
		all_in_state(ids + 1, 2, FAKE_HELD);
	}
}

TEST_MAIN(NULL, NULL)
