#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0368-without-victims.t - what would be free without some jobs is what is free
# when they have ended
#
# Random jobs with CPUs, memory, GPUs of two types, whole nodes and shared ones.
# The tests' build of the plugin tells what is free, and what would be without
# the victims; these are ended, and what is free then must be the same, number by
# number. SEED in the environment repeats a run.

test_description='What victims have counts as free, and nothing else does'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

# Epilogs wait while this stands.
epilogs=$PWD/epilogs

# start_cluster THREADS [PARTITIONS]
start_cluster()
{
	slurm_setup -n 5 -c 8 --faults --node 'Gres=gpu:a:4,gpu:b:4,lic:10' \
		--gang-conf 'NodeTopology=n[1-4] Hwloc=two.xml' --conf \
'GresTypes=gpu,lic
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
'"$2"
	cp "$top_srcdir/tests/data/two-islands.xml" "$slurm_dir/etc/two.xml"
	mkdir "$slurm_dir/dev" && touch "$slurm_dir"/dev/gpu{0..7}
	cat >"$slurm_dir/etc/gres.conf" <<-END
	Name=gpu Type=a File=$slurm_dir/dev/gpu[0-3] Cores=0-3
	Name=gpu Type=b File=$slurm_dir/dev/gpu[4-7] Cores=4-7
	Name=lic Count=10
	END
	cat >"$slurm_dir/etc/epilog" <<-END
	#!/bin/bash
	while test -e "$epilogs"; do read -rt 0.1 <> <(:) || :; done
	END
	chmod 755 "$slurm_dir/etc/epilog"
	echo "Epilog=$slurm_dir/etc/epilog" >>"$SLURM_CONF"
	sed -i "s/Sockets=1 CoresPerSocket=8/Sockets=2 CoresPerSocket=4/
		s/CPUs=8 \(.*\) ThreadsPerCore=1/CPUs=$((8 * $1)) \1 ThreadsPerCore=$1/" \
		"$SLURM_CONF"
	slurm_start
}

: "${SEED:=$RANDOM}" "${ROUNDS:=6}"
RANDOM=$SEED
# Those that run, and all that random_jobs has submitted.
running=() submitted=()

# Gangs of one that wait for a second member, each asking for something else.
asks() { submit --gang=$1 --gang-min-member=2 "${@:2}"; }

# kinds: what a job may be
kinds=(
	'-n 1 --mem=100'
	'-n 3 --mem=900'
	'-n 4 --ntasks-per-node=2 --mem=500'
	'-N 2 --exclusive'
	'-N 1 --exclusive --mem=0'
	'-N 1 -n 1 --gres=gpu:1 --mem=10'
	'-N 1 -n 2 --gres=gpu:a:2 --mem=10'
	'-N 2 -n 4 --ntasks-per-node=2 --gres=gpu:b:2 --mem=300'
	'-n 2 --mem-per-cpu=700'
	'-N 1 -n 1 --gres=lic:4 --mem=10'
	'-p force -n 4 --mem=100'
	'-p force -N 2 -n 6 --mem=200'
	'-p force -N 1 -n 8 --mem=50'
	'-p yes -s -n 3 --mem=100'
	'-p yes -N 1 --exclusive'
)

# random_jobs N: those of N that run at once; in $running
random_jobs()
{
	local i id ids=() others=()

	for ((i = 0; i < $1; i++)); do
		id=$(submit -t 60 ${kinds[RANDOM % ${#kinds[@]}]}) || return 1
		ids+=($id) submitted+=($id)
		# the first of an empty cluster runs, whenever it is tried
		if test $i = 0 -a ${#running[@]} = 0; then
			wait_state $id RUNNING 60 || return 1
		fi
		wait_for 20 "job_is_tried $id" || return 1
	done
	for id in ${ids[@]}; do
		if test "$(job_state $id)" = RUNNING; then
			running+=($id)
		else
			others+=($id)
		fi
	done
	# one of them may have started meanwhile
	test ${#others[@]} = 0 || { scancel ${others[@]} &&
		wait_for 30 none_in "PENDING|RUNNING|COMPLETING" ${others[@]}; }
}

# Cores of a job that is suspended are free, its memory and GRES are not.
suspend_one()
{
	test ${#running[@]} = 0 ||
		scontrol suspend ${running[RANDOM % ${#running[@]}]}
}

# It runs, or the scheduler has said why it does not. Behind a job of another
# partition that waits for the same nodes it says so in a sentence.
job_is_tried()
{
	case $(squeue -h -j $1 -o '%T %r') in
	"RUNNING "*) ;;
	"PENDING Resources"|"PENDING Priority"|"PENDING Nodes required "*) ;;
	*) false ;;
	esac
}

# The conductor looks at jobs when something has changed.
nudge() { scontrol update JobId=$asking Comment="$RANDOM $RANDOM"; }

# told_of ID...: both states have been written for these jobs
told_of()
{
	nudge
	for file in now held without; do
		test "$(head -n 1 "$SGANG_FAULT_FILE.$file" 2>/dev/null)" = \
			"left out:${*:+ $*}" || return 1
	done
}

# as_told FILE: what is free now is what FILE says, but for the names of jobs
as_told()
{
	nudge
	tail -n +2 "$SGANG_FAULT_FILE.now" >now 2>/dev/null
	cmp -s "$1" now
}

# What was told before is no answer to that.
leave_out()
{
	local id

	: >faults.new
	for id; do echo "leave-out $id" >>faults.new; done
	mv faults.new "$SGANG_FAULT_FILE"
	rm -f "$SGANG_FAULT_FILE".{now,held,without}
}

# without ID...: what would be free without them, in the file `without`
without()
{
	leave_out "$@"
	wait_for 20 told_of $(printf '%s\n' "$@" | sort -n) || return 1
	tail -n +2 "$SGANG_FAULT_FILE.without" >without
	tail -n +2 "$SGANG_FAULT_FILE.now" >with
}

# some N: so many of $running, in $victims
some()
{
	victims=($(printf '%s\n' ${running[@]} |
		while read -r id; do echo $RANDOM $id; done | sort -n |
		head -n $1 | awk '{ print $2 }'))
}

# The victims end, and then what is free is what was said.
ends_as_told()
{
	scancel "$@" &&
	wait_for 30 none_in "RUNNING|COMPLETING|SUSPENDED" "$@" &&
	leave_out 0 &&
	wait_for 20 as_told without && return
	echo "SEED=$SEED victims: $*"
	diff without now
	false
}

# As far as no job shares what it has, what it is told to have makes the
# difference.
held_as_told()
{
	sed -n 3p "$SGANG_FAULT_FILE.without" >amounts
	sed -n 3p "$SGANG_FAULT_FILE.held" >held
	test_cmp amounts held
}

ask_in_main()
{
	asking=$(asks one -N 1 -n 2 --mem=300) &&
		asks whole -N 1 --exclusive &&
		asks gpus -N 1 -n 1 --gres=gpu:2 --mem=10 &&
		asks typed -N 1 -n 1 --gres=gpu:a:1,gpu:b:1 --mem=10 &&
		asks lic -N 1 -n 1 --gres=lic:3 --mem=10 &&
		asks open -n 12 --mem-per-cpu=100
}

clear_jobs()
{
	scancel -Q ${submitted[@]} ${running[@]}
	running=() submitted=()
	wait_for 30 nodes_idle
}

start_cluster 1 \
'PartitionName=force Nodes=ALL MaxTime=INFINITE State=UP OverSubscribe=FORCE:3
PartitionName=yes Nodes=ALL MaxTime=INFINITE State=UP OverSubscribe=YES:2'

test_expect_success 'gangs ask' '
	ask_in_main &&
	asks force -p force -N 1 -n 3 --mem=10 &&
	asks yes -p yes -s -N 1 -n 2 --mem=10
'
for ((round = 1; round <= ROUNDS; round++)); do
	test_expect_success "3.29 round $round of seed $SEED: partitions that share" '
		test_when_finished clear_jobs &&
		random_jobs $((RANDOM % 10 + 4)) &&
		suspend_one &&
		random_jobs $((RANDOM % 4)) &&
		squeue -h -t R,S -o "%i %T %P %N %C %m %b %h" &&
		some $((RANDOM % 4 + 1)) &&
		without ${victims[@]} &&
		! cmp -s with without &&
		ends_as_told ${victims[@]}
	'
done
scancel -Q -u root
wait_for 30 nodes_idle
slurm_stop
slurm_cleanup

start_cluster 2
kinds=("${kinds[@]:0:10}" '-n 3 --mem=100 --threads-per-core=1')

test_expect_success 'gangs ask again' 'ask_in_main'
for ((round = 1; round <= ROUNDS / 2; round++)); do
	test_expect_success "3.29 round $round of seed $SEED: two threads in a core" '
		test_when_finished clear_jobs &&
		random_jobs $((RANDOM % 10 + 4)) &&
		squeue -h -t R -o "%i %P %N %C %m %b %h" &&
		some $((RANDOM % 4 + 1)) &&
		without ${victims[@]} &&
		! cmp -s with without &&
		held_as_told &&
		ends_as_told ${victims[@]}
	'
done

test_expect_success '3.29 a job that is completing has a node that is idle without it' '
	test_when_finished clear_jobs &&
	running=($(submit -N 2 --exclusive)) &&
	wait_state $running RUNNING &&
	without $running && cp without while_it_runs &&
	>"$epilogs" &&
	scancel $running &&
	wait_for 20 "test \"\$(nodes_in completing)\" = 2" &&
	without $running &&
	! cmp -s with without &&
	test_cmp while_it_runs without &&
	held_as_told &&
	rm "$epilogs" &&
	ends_as_told $running
'
test_expect_success '3.29 a heterogeneous job is left out whole' '
	test_when_finished clear_jobs &&
	running=($(submit -n 2 --mem=100 : -N 1 --exclusive)) &&
	wait_for 60 all_in RUNNING $running+0 $running+1 &&
	without $running &&
	! cmp -s with without &&
	held_as_told &&
	ends_as_told $running
'
last_case 'scancel -Q -u root; nothing_left'
