#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0590-mixed-hosts.t - hosts that have not heard of slurm-gang, and one that has
# a Slurm it was not built for
#
# The controller has our plugins. The commands and the slurmds of the test have
# settings of their own, with a folder in PluginDir where ours would be and
# nothing in it.

test_description='Stock hosts with our controller; a Slurm that was upgraded'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 2 -c 2 --gang
controller=$SLURM_CONF
hosts=$slurm_dir/etc/hosts.conf
mkdir "$slurm_dir/empty"
sed -e "s|^PluginDir=.*|PluginDir=$slurm_dir/empty:$slurm_stock|" \
	-e "s|^PlugStackConfig=.*|PlugStackConfig=$slurm_dir/etc/none.conf|" \
	-e '/^JobSubmitPlugins=/d' "$controller" >"$hosts"

on_controller() { SLURM_CONF=$controller "$@"; }

slurm_start_munge || slurm_no_start "munged does not start"
on_controller slurm_start_ctld || slurm_no_start "slurmctld does not start"
export SLURM_CONF=$hosts
slurm_start_node n1 n2 || slurm_no_start "a slurmd does not start"
wait_for 20 nodes_idle || slurm_no_start "not all nodes become idle"

ours=$(realpath "$top_builddir")/src/plugins

# Has the daemon a file of ours in its memory?
has_ours() { grep -qF "$ours" "/proc/$(slurm_pid $1)/maps"; }

# A command that succeeds and has nothing to complain of.
says_nothing()
{
	"$@" >out 2>err && test -s out && test_must_be_empty err ||
		{ echo "$*:"; cat out err; return 1; }
}

# What an admin and a user look at.
all_is_seen()
{
	local command

	for command in squeue "squeue --start" "squeue -o %all" sinfo \
		"sinfo -N -l" "sinfo -O NodeList,CPUsState,AllocMem" \
		"scontrol show job" "scontrol show node" \
		"scontrol show partition" "scontrol show config"; do
		says_nothing $command || return 1
	done
}

test_expect_success 'the controller alone has our plugins' '
	has_ours slurmctld &&
	! has_ours n1 &&
	! has_ours n2 &&
	test -n "$(scontrol show config |
		grep "^PluginDir .*$slurm_dir/lib:")"
'
test_expect_success 'sbatch without a gang: a job, an array, a job that waits' '
	id=$(complete_job -N 2 --exclusive --wrap="srun -l true; echo done") &&
	test "$(job_output $id)" = done &&
	array=$(submit -n 1 --array=1-3 --wrap=true) &&
	wait_for 20 all_in COMPLETED ${array}_1 ${array}_2 ${array}_3 &&
	id=$(run_job -N 2 --exclusive) &&
	next=$(submit -N 2 --exclusive) &&
	wait_for 10 squeue_says $next Resources &&
	all_is_seen
'
test_expect_success 'scontrol changes, holds, releases and requeues it' '
	scontrol update JobId=$next TimeLimit=5 &&
	test "$(job_field $next TimeLimit)" = 00:05:00 &&
	scontrol hold $next &&
	wait_for 10 squeue_says $next JobHeldAdmin &&
	scontrol release $next &&
	scancel $id &&
	wait_state $next RUNNING 20 &&
	scontrol requeuehold $next &&
	wait_state $next PENDING &&
	end_now $next
'
test_expect_success 'srun and salloc' '
	test "$(srun -N 2 sh -c "echo \$SLURMD_NODENAME" | sort | xargs)" = \
		"n1 n2" &&
	test "$(salloc -Q -N 2 srun sh -c "echo \$SLURMD_NODENAME" |
		sort | xargs)" = "n1 n2"
'
test_expect_success 'sbatch does not know --gang there' '
	test_must_fail sbatch --gang=a --wrap=true 2>err &&
	grep -e "--gang" err
'
test_expect_success 'a gang of another host is seen, runs there and is cancelled' '
	gang=($(on_controller submit -N 1 --exclusive --gang=a \
		--gang-min-member=2)) &&
	wait_for 10 squeue_says ${gang[0]} "Gang root/a gathering 1/2" &&
	all_is_seen &&
	gang+=($(on_controller submit -N 1 --exclusive --gang=a)) &&
	start_together 20 ${gang[@]} &&
	all_is_seen &&
	end_now ${gang[@]}
'

# --- a Slurm that was upgraded ---

# Our plugin in the folder becomes one that was built for the micro release
# before, or after, this one.
make_older()
{
	local file=$slurm_dir/lib/$1 micro

	micro=$(plugin_micro "$file") &&
		set_plugin_micro "$file" $((micro > 0 ? micro - 1 : 1)) &&
		test "$(plugin_micro "$file")" != $micro
}

test_expect_success 'a queue: a gang that waits, a job that runs, one that waits' '
	runs=$(run_job -N 1 --exclusive) &&
	wait_for 10 test -e "$slurm_dir/out/$runs" &&
	waits=$(submit -N 2 --exclusive) &&
	member=$(on_controller submit -N 1 --exclusive --gang=b \
		--gang-min-member=2) &&
	wait_for 10 squeue_says $member "Gang root/b gathering 1/2" &&
	slurm_saved $member
'
test_expect_success 'Slurm is another one by now: slurmctld starts with its own plugin' '
	slurm_stop_ctld &&
	make_older select_cons_tres.so &&
	make_older job_submit_gang.so &&
	on_controller slurm_start_ctld &&
	! has_ours slurmctld &&
	! grep -F "$slurm_dir/lib/select" "/proc/$(slurm_pid slurmctld)/maps" &&
	grep "Incompatible Slurm plugin $slurm_dir/lib/select_cons_tres.so" \
		"$slurm_dir/log/slurmctld.log" &&
	grep "error: gang: slurm-gang was built for another Slurm" \
		"$slurm_dir/log/slurmctld.log"
'
test_expect_success 'the queue is intact' '
	job_is $runs RUNNING &&
	all_in PENDING $waits $member &&
	test "$(restarts_of $runs $waits $member)" = 0 &&
	all_is_seen &&
	scancel $runs &&
	wait_state $waits RUNNING 30 &&
	end_now $waits
'
test_expect_success '5.2 the member waits on, whatever is said to it' '
	squeue_says $member "slurm-gang is not at work" &&
	scontrol hold $member &&
	test_must_fail scontrol release $member &&
	job_is $member PENDING &&
	scancel $member
'
test_expect_success '5.1 another member is refused' '
	test_must_fail on_controller submit -N 1 --gang=b 2>err &&
	grep "gangs are off on this cluster: slurm-gang was built for" err
'
last_case '
	nothing_left "slurm-gang was built for another Slurm" \
		"gangs are off"
'
