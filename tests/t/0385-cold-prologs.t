#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0385-cold-prologs.t - cold spares where Slurm runs Prologs

test_description='--gang-spares=N:cold with PrologSlurmctld and PrologFlags=Alloc'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

cat >tells.sh <<-'EOS'
	#!/bin/bash
	cd "$SLURM_SUBMIT_DIR"
	echo $SLURM_JOB_ID $SLURM_GANG_MEMBER_RANK >>begun
	until test -e go; do
		if rm $SLURM_JOB_ID.fail 2>/dev/null; then exit 3; fi
		read -rt 0.1 <> <(:) || :
	done
EOS
chmod 755 tells.sh
: >begun
slurm_setup -n 6 -c 2 --gang --conf \
'KillWait=2
PrologFlags=Alloc'
# A path in slurm.conf has no blanks.
for name in node ctld; do
	cat >"$slurm_dir/etc/$name.sh" <<-EOS
		#!/bin/bash
		echo \$SLURM_JOB_ID >>"$PWD/$name"
	EOS
	chmod 755 "$slurm_dir/etc/$name.sh"
	: >$name
done
cat >>"$slurm_dir/etc/slurm.conf" <<-EOF
	Prolog=$slurm_dir/etc/node.sh
	PrologSlurmctld=$slurm_dir/etc/ctld.sh
EOF
slurm_start

member()
{
	submit -N1 -n2 --exclusive -t 10 --gang=ring --gang-min-member=3 \
		--gang-spares=1:cold "$PWD/tells.sh"
}
ran() { grep -qx "$2${3:+ $3}" $1; }
is_cold() { job_is $1 CONFIGURING && test "$(gang_record $1 cold)" = 1; }
loses()
{
	for id in ${members[@]}; do
		test "$(gang_record $id rank | cut -d/ -f1)" != $1 || lost=$id
	done
	touch $lost.fail && wait_for 20 ran begun $spare $1
}

test_expect_success '6.5 PrologSlurmctld runs for it, the Prolog of its node does not' '
	members=($(member) $(member) $(member)) &&
	wait_for 40 all_in RUNNING ${members[@]} && spare=$(member) &&
	wait_for 20 is_cold $spare && wait_for 20 ran ctld $spare &&
	! ran node $spare
'
test_expect_success '6.5 it is launched after that of its node' '
	wait_for 20 test -s begun && loses 1 && ran node $spare &&
	job_is $spare RUNNING && test "$(grep -c "^$spare " begun)" = 1
'
test_expect_success '6.5 slurmctld ends and comes back: PrologSlurmctld runs again' '
	spare=$(member) && wait_for 20 is_cold $spare &&
	slurm_saved $spare && slurm_kill9_ctld && slurm_start_ctld &&
	wait_for 40 gang_log root/ring "found cold spare $spare again" &&
	is_cold $spare && loses 2 && ran node $spare &&
	test "$(grep -c "^$spare " begun)" = 1
'
test_expect_success '6.5 cancelled, it leaves nothing on its node' '
	spare=$(member) && wait_for 20 is_cold $spare &&
	drop $spare && ! ran node $spare
'
last_case 'touch go && clear_cluster; nothing_left'
