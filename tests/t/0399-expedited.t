#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0399-expedited.t - Slurm's expedited requeue is none for members of gangs
#
# Slurm 25.11 and later: a job that fails is requeued at once and at the head of
# the queue, but held where no node's epilog failed. A gang would wait for the
# one that is held.

test_description='sbatch --requeue=expedite'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf 'KillWait=2
SlurmctldParameters=enable_expedited_requeue'
sbatch --help | grep -q -e '--requeue.*expedite' || {
	slurm_cleanup
	skip_test "$(slurmctld -V) has no expedited requeue"
}
sed -i 's/^JobSubmitPlugins=.*/JobSubmitPlugins=gang,lua/' "$SLURM_CONF"
# Asks for it in the name of whoever calls the job "lua".
cat >"$slurm_dir/etc/job_submit.lua" <<'END'
function slurm_job_submit(job, parts, uid)
	if job.name == "lua" then
		job.bitflags = slurm.EXPEDITED_REQUEUE
		job.requeue = 1
	end
	return slurm.SUCCESS
end
function slurm_job_modify(job, record, parts, uid)
	return slurm.SUCCESS
end
END
slurm_start

# Tells GANG.log when it starts; one that finds ID.fail fails.
cat >member.sh <<-'END'
	#!/bin/bash
	cd "$SLURM_SUBMIT_DIR"
	echo "$SLURM_JOB_ID start" >>"$SLURM_JOB_NAME.log"
	for ((;;)); do
		! rm "$SLURM_JOB_ID.fail" 2>/dev/null || exit 3
		read -rt 0.1 <> <(:) || :
	done
END

member() { submit -N 1 --exclusive --gang-min-member=3 "$@" member.sh; }

# Three members in the array "members" run: gather [OPTIONS]
gather()
{
	local i

	members=()
	for i in 1 2 3; do
		members+=($(member "$@")) || return 1
	done
	wait_for 15 all_in RUNNING ${members[@]}
}

# The command is refused in one sentence, and no job is left of it.
refused()
{
	local before=$(squeue -h | wc -l)

	test_must_fail "$@" 2>err && cat err &&
		grep -e '--requeue=expedite: .*--gang-on-failure=requeue begins the whole gang again' err &&
		test "$(squeue -h | wc -l)" = "$before"
}

asks="sbatch -N 1 --gang=no --gang-min-member=2"

test_expect_success 'what Slurm does: it holds an ordinary job that failed' '
	id=$(submit -N 1 -J alone --requeue=expedite member.sh) &&
	wait_state $id RUNNING && test "$(job_field $id ExpeditedRequeue)" = Yes &&
	touch $id.fail && wait_state $id "PENDING|REQUEUE_HOLD" &&
	wait_for 15 "test \"\$(job_field $id Priority)\" = 0" &&
	scancel $id && wait_for 15 nodes_idle
'
test_expect_success '6.9 a member is refused, with what to say instead' '
	refused $asks --requeue=expedite --wrap true &&
	refused $asks --requeue=expedite --array=0-3 --wrap true &&
	refused $asks --requeue=expedite --gang-on-failure=requeue --wrap true &&
	SBATCH_REQUEUE=expedite refused $asks --wrap true
'
test_expect_success '6.9 also one whose script asks for it' '
	printf "#!/bin/sh\n#SBATCH --requeue=expedite\ntrue\n" >asks.sh &&
	refused $asks asks.sh
'
test_expect_success '6.9 and all jobs of sgang submit' '
	cat >gang.yaml <<-END &&
	gang: filed
	roles:
	  - name: first
	    command: "true"
	  - name: second
	    options: [--requeue=expedite]
	    command: "true"
	END
	refused "$top_builddir/src/cmd/sgang" submit gang.yaml
'
test_expect_success '6.9 and a member that comes to a gang that runs' '
	gather -J late --gang=late &&
	refused sbatch -N 1 --gang=late --requeue=expedite --wrap true &&
	scancel ${members[@]} && wait_for 15 nodes_idle
'
test_expect_success 'a member is requeued as before with --requeue' '
	gather -J plain --gang=plain --requeue &&
	scancel ${members[@]} && wait_for 15 nodes_idle
'
test_expect_success '6.9 whoever has it by a later plugin fails, and is not held' '
	gather -J lua --gang=lua --gang-on-failure=ignore && one=${members[0]} &&
	test -z "$(job_field $one ExpeditedRequeue)" &&
	grep "job $one is a member of a gang: --requeue=expedite is taken as --requeue" \
		"$slurm_dir/log/slurmctld.log" &&
	touch $one.fail && wait_state $one FAILED &&
	test "$(restarts_of ${members[@]})" = 0 &&
	all_in RUNNING ${members[@]:1} && scancel ${members[@]} &&
	wait_for 15 nodes_idle
'
test_expect_success '6.9 with --gang-on-failure=requeue all run again, at once' '
	rm -f lua.log && gather -J lua --gang=again --gang-on-failure=requeue &&
	touch ${members[0]}.fail &&
	wait_for 15 "test \$(starts_of lua) = 6" &&
	all_in RUNNING ${members[@]} &&
	test "$(restarts_of ${members[@]})" = 3 && started_together ${members[@]}
'
test_expect_success '6.9 and without a member alone where a node is lost' '
	node=$(job_field ${members[1]} NodeList) &&
	scontrol update NodeName=$node State=DOWN Reason=test &&
	wait_for 15 "test \$(starts_of lua) = 9" &&
	all_in RUNNING ${members[@]} && started_together ${members[@]}
'
last_case '
	node_returns $node &&
	squeue -h -o %A | xargs -r scancel && nothing_left
'
