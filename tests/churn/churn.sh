# SPDX-License-Identifier: GPL-2.0-or-later
# churn.sh - gangs that lose members and nodes, one event after the other
#
# For a test with a private cluster. A season has two gangs and a few jobs in
# their way. An event takes members or nodes from one gang, and is over when all
# that should run does, and knows who else runs. The facts are written to the
# season's folder, where tests/judge/judge reads them. All that is random is drawn from
# "seed" in this shell alone: a subshell would have a copy of it.

# The judge reads the cost of a ring from this file.
churn_topology()
{
	cat <<-'END'
	SwitchName=leaf1 Nodes=n[1-3]
	SwitchName=leaf2 Nodes=n[4-6]
	SwitchName=leaf3 Nodes=n[7-9]
	SwitchName=leaf4 Nodes=n[10-12]
	SwitchName=spine1 Switches=leaf[1-2]
	SwitchName=spine2 Switches=leaf[3-4]
	SwitchName=core Switches=spine[1-2]
	END
}

declare -A gang_of run_at state_of run_of nodes_of size_of extra_of width_of
declare -A policy_of more_of
declare -a live victims

# A number from 0 to $1 - 1 in "picked".
pick()
{
	seed=$(((seed * 1103515245 + 12345) & 0x7fffffff))
	picked=$(((seed >> 8) % $1))
}

pick_one()
{
	pick $#
	shift $picked
	picked=$1
}

fact()
{
	local what=$1

	shift
	echo "$what $EPOCHREALTIME $*" >>"$season/facts"
}

# --- gangs ---

# Submit a member of the gang; its id is in "came".
join()
{
	local gang=$1 requeue=--requeue

	# With --requeue Slurm requeues it by itself when its node is lost.
	test ${policy_of[$gang]} != ignore || requeue=--no-requeue
	came=$(submit -N${width_of[$gang]} --exclusive $requeue -t 600 --chdir="$season" \
		--gang=$gang --gang-min-member=${size_of[$gang]} \
		--gang-on-failure=${policy_of[$gang]} --gang-max-restarts=1000 \
		${extra_of[$gang]:+--gang-spares=${extra_of[$gang]}} \
		${more_of[$gang]} "$churn/member.sh") || return 1
	gang_of[$came]=$gang live+=($came)
}

# begin GANG POLICY RANKS SPARES [OPTION [WIDTH]]: of WIDTH nodes a member, or one
begin()
{
	local i

	policy_of[$1]=$2 size_of[$1]=$3 extra_of[$1]=${4#0} more_of[$1]=$5
	width_of[$1]=${6:-1}
	gangs+=($1)
	fact gang $1 $3 $2 $4
	for ((i = 0; i < $3 + $4; i++)); do join $1 || return 1; done
}

part()
{
	local left=() id

	for id in ${live[@]}; do test $id = $1 || left+=($id); done
	live=(${left[@]})
}

# The ids of a gang that live, in "members".
members_of()
{
	local id

	members=()
	for id in ${live[@]}; do
		test ${gang_of[$id]} != $1 || members+=($id)
	done
}

# --- what is seen ---

# The queue at one moment, and the jobs that have changed.
look_at_queue()
{
	local id state run nodes before=$EPOCHREALTIME rows

	rows=$(squeue -h -O JobID:12,StateCompact:6,RestartCnt:8,NodeList:40) ||
		return 1
	state_of=() run_of=() nodes_of=()
	while read -r id state run nodes; do
		test -n "$id" || continue
		state_of[$id]=$state run_of[$id]=$run nodes_of[$id]=$nodes
	done <<<"$rows"
	for id in ${victims[@]}; do
		test -n "${run_at[$id]}" || continue
		test "${state_of[$id]} ${run_of[$id]}" != "R ${run_at[$id]}" ||
			continue
		fact gone $id $seen_at
		unset "run_at[$id]"
	done
	seen_at=$before
}

# True if all live members run, no other jobs do, and none ends.
all_run()
{
	local id n=0

	for id in ${live[@]}; do
		test "${state_of[$id]}" = R || return 1
	done
	for id in ${!state_of[@]}; do
		n=$((n + 1))
	done
	test $n = $((${#live[@]} + ${#blockers[@]})) && test -z "${run_at[*]}"
}

# What Slurm says of the members that live.
say_where()
{
	local id

	for id in ${live[@]}; do
		echo "at $EPOCHREALTIME $id ${gang_of[$id]} ${run_of[$id]}" \
			"${nodes_of[$id]}"
	done
	echo "settled $EPOCHREALTIME"
}

# True if no member was told anything false by what was seen of this season, and by
# what this command says: judged [COMMAND]
judged()
{
	{
		cat "$season"/*.told "$season/facts" 2>/dev/null |
			sort -s -n -k 2,2
		"$@"
	} >"$season/all"
	"$top_srcdir/tests/judge/judge" -v limit=$churn_limit \
		-v overlap=$churn_overlap -v seed=$first_seed \
		"$slurm_dir/etc/topology.conf" "$season/all" >"$season/verdict"
}

# True if each was told the same, which is so, and has its rank.
all_told()
{
	judged say_where
	grep -qx "# all agree" "$season/verdict"
}

all_gone()
{
	look_at_queue && test -z "${run_at[*]}"
}

settled()
{
	look_at_queue && all_run && all_told
}

settle()
{
	seen_at=$EPOCHREALTIME
	wait_for 60 settled || {
		cat "$season/verdict" >&2
		fact unsettled
		return 1
	}
	say_where >>"$season/facts"
}

# --- losses ---

process_of()
{
	cat "$season/$1.pid"
}

# lose ID HOW: after that it is known what lives on.
lose()
{
	local id=$1 gang=${gang_of[$1]} nodes node pid

	nodes=($(scontrol show hostnames ${nodes_of[$1]})) || return 1
	node=$nodes
	case $2 in node | down) pick_one ${nodes[@]}; node=$picked ;; esac
	case $2 in
	fail)	touch "$season/$id.fail" ;;
	kill)	pid=$(process_of $id) && kill -9 $pid ;;
	cancel)	scancel $id && part $id && gone=$((gone + 1)) && return ;;
	node)	slurm_kill_node $node
		rm -f "$slurm_dir/run/$node.pid"
		fact avoid $node
		scontrol update NodeName=$node State=DOWN Reason=churn
		away+=($node) ;;
	down)	fact avoid $node
		scontrol update NodeName=$node State=DOWN Reason=churn
		away+=($node) ;;
	esac || return 1
	test ${policy_of[$gang]} != ignore || { part $id && gone=$((gone + 1)); }
}

come_back()
{
	local node

	for node in ${away[@]}; do
		slurm_alive $node || slurm_start_node $node || return 1
		scontrol update NodeName=$node State=RESUME 2>/dev/null
	done
	away=()
}

# Submit as many new members as are gone.
refill()
{
	while test $gone -gt 0; do
		join $1 && gone=$((gone - 1)) || return 1
	done
}

# How the picked member is lost. A member that was requeued once waits longer
# each time.
pick_how()
{
	pick_one fail kill cancel node down fail kill
	test "${run_of[$1]:-0}" = 0 || picked=cancel
	# A gang that is requeued is ended when one is cancelled.
	test $picked-${policy_of[$gang]} != cancel-requeue || picked=anew
	test $n_free -gt 1 || case $picked in node | down) picked=kill ;; esac
	how=$picked
}

# --- events ---

# Other jobs come and go, so that an heir has another choice than the one
# before.
other_jobs()
{
	local free=($(sinfo -h -N -t idle -o %N))

	pick 3
	if test $picked = 0 && test ${#blockers[@]} -gt 0; then
		pick ${#blockers[@]}
		scancel ${blockers[picked]} &&
			unset "blockers[picked]" && blockers=(${blockers[@]}) &&
			wait_for 20 "test \$(sinfo -h -N -t idle -o %N | wc -l) = \
				$((${#free[@]} + 1))"
	elif test $picked = 1 && test ${#free[@]} -gt 3; then
		pick ${#free[@]}
		blockers+=($(submit -w ${free[picked]} -N1 --exclusive -t 600)) &&
			wait_state ${blockers[-1]} RUNNING 20
	fi
}

# The victims of the next event, with how: a list of "ID HOW".
plan_event()
{
	local id

	other_jobs || return 1
	pick ${#gangs[@]}
	gang=${gangs[picked]} losses=() victims=()
	free=($(sinfo -h -N -t idle -o %N)) n_free=${#free[@]}
	members_of $gang
	pick 8
	if test $picked = 0 && test -z "${extra_of[$gang]}" && test $n_free -gt 2 &&
	   test $grown = 0 && test ${policy_of[$gang]} != requeue; then
		kind=grow
		return
	fi
	pick ${#members[@]}
	id=${members[picked]}
	pick_how $id
	kind=$how
	test $how != anew || return 0
	losses+=("$id $how") victims+=($id)
	pick 4
	test $picked = 0 && test ${#members[@]} -gt 2 && test $how != node &&
		test $how != down || return 0
	while test $id = ${victims[0]}; do
		pick ${#members[@]}
		id=${members[picked]}
	done
	pick_how $id
	case $how in node | down) how=kill ;; esac
	test $how != anew || how=kill
	losses+=("$id $how") victims+=($id) kind+=+$how
}

# The gang is ended, and another one of its kind begins.
again()
{
	local id other=() size=${size_of[$gang]} width=${width_of[$gang]}

	fact end $gang
	scancel ${members[@]} || return 1
	for id in ${members[@]}; do part $id; done
	for id in ${gangs[@]}; do
		test $id = $gang || other+=($id)
	done
	gangs=(${other[@]})
	begin ${gang}x requeue $size 0 "" $width
}

act()
{
	local loss

	gone=0 came=
	if test $kind = grow; then
		grown=1
		fact ranks $gang $((size_of[$gang] + 1))
		join $gang
		return
	fi
	if test $kind = anew; then
		again
		return
	fi
	for loss in "${losses[@]}"; do
		lose $loss || return 1
	done
}

# When slurmctld dies: before it hears of the loss, or once members have been
# told of it. In between it may not have been saved that a job has ended, or a
# node is down; then Slurm takes the job for one that runs. deaths.sh is
# about that.
plan_death()
{
	pick 10
	case $picked in
	0) death=before ;;
	1) death=later ;;
	*) death= ;;
	esac
	# Slurm's commands are what these do.
	case $death-$kind in
	before-*cancel* | before-anew | before-*node* | before-*down* | before-grow)
		death=later ;;
	esac
	kind+=${death:+-$death}
}

dies()
{
	fact died
	slurm_kill9_ctld && slurm_start_ctld
}

# Slurm forgets a cancellation that it had no time to save, and the job runs; so it
# does with a job that has ended. When members were told of one loss that is saved.
losses_saved()
{
	case "${#losses[@]} ${losses[*]} " in
	1*" cancel "*) slurm_saved $live ;;
	[01]*) ;;
	*) wait_for 60 all_gone && slurm_saved $live ;;
	esac
}

something_was_told()
{
	test "$(cat "$season"/*.told | wc -l)" -gt $lines
}

event()
{
	local id lines

	plan_event && plan_death || return 1
	run_at=()
	for id in ${victims[@]}; do run_at[$id]=${run_of[$id]}; done
	lines=$(cat "$season"/*.told | wc -l)
	fact event $n_events $kind $gang ${victims[@]}
	fact free ${free[@]}
	seen_at=$EPOCHREALTIME
	test -z "$death" || slurm_saved $live || return 1
	kind=${kind%-*}
	case $death in
	before)	fact died
		slurm_kill9_ctld && act && slurm_start_ctld ;;
	later)	act && wait_for 20 something_was_told &&
			losses_saved && dies ;;
	*)	act ;;
	esac || return 1
	# A member that comes before its place is known to be vacant has a new
	# one.
	test $gone = 0 || wait_for 60 all_gone || return 1
	refill $gang || return 1
	pick 2
	test $picked = 0 || come_back || return 1
	settle && come_back && wait_for 60 all_nodes_back
}

all_nodes_back()
{
	! sinfo -h -N -o %T | grep -v 'idle\|allocated\|planned'
}

# --- seasons ---

open_season()
{
	season=$PWD/season$((++n_seasons))
	live=() gangs=() blockers=() away=() victims=() run_at=() grown=0
	mkdir -m 755 "$season"
}

# The gangs of a season run.
opened()
{
	fact event 0 start - && settle
}

# The gangs of the next "per_season" events: one with or without spares, of which
# every other time a member has two nodes, and another one.
new_season()
{
	local n i ranks extra width=1 all

	open_season && n_left=$per_season || return 1
	pick 2; ranks=$((3 + picked))
	pick 3; extra=$picked
	pick 2; n=$((2 + picked))
	test $((n_seasons % 2)) = 1 || { width=2 ranks=2 extra=$((extra / 2)); }
	all=$((width * (ranks + extra) + n))
	pick 4
	for ((i = picked; i > 0 && all + i < 11; i--)); do
		pick 12
		blockers+=($(submit -w n$((picked + 1)) -N1 --exclusive -t 600)) ||
			return 1
	done
	test ${#blockers[@]} = 0 || wait_for 20 blockers_run || return 1
	begin a$n_seasons replace $ranks $extra "" $width || return 1
	pick_one requeue replace ignore requeue
	begin b$n_seasons $picked $n 0 && opened
}

# A blocker that is in the way of another one waits for ever.
blockers_run()
{
	local id run=()

	for id in ${blockers[@]}; do
		if job_is $id RUNNING; then
			run+=($id)
		elif squeue -h -j $id -o %r | grep -q Resources; then
			scancel $id
		else
			return 1
		fi
	done
	blockers=(${run[@]})
}

end_season()
{
	come_back && clear_cluster
}
