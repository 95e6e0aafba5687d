#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0409-placeholder-kill.t - slurmctld is killed with placeholders in all states
#
# Declared, accumulating, released, held, swapping, swapped and not saved, ending;
# at the step or the moment that the seed says. The observer trusts Slurm's
# commands, the marks that scripts leave when they run, and what slurmd launches.
#
#	SGANG_PLACEHOLDER_SEEDS="FIRST LAST"	other seeds than 1 to 7

test_description='kill -9 of slurmctld with placeholders in all states'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 6 -c 2 --faults --conf 'KillWait=2
BatchStartTimeout=10'
slurm_start

seeds=${SGANG_PLACEHOLDER_SEEDS:-1 7}

# A member says where it runs.
for name in driver executor helper rival; do
	gang_script $name
	sed -i 's|\$SLURM_GANG_NAME"|$SLURMD_NODENAME"|' $name.sh
done

# --- a gang: a driver, 1 to 3 executors, 0 to 1 helpers ---

common()
{
	echo -N1 --exclusive -t10 --gang=$gang --gang-min-member=$((2 + n_helpers))
}

# placeholders ROLE COUNT
placeholders()
{
	local id

	test $2 -gt 0 || return 0
	id=$(submit $(common) -J $1.placeholder --gang-placeholders=$style \
		--gang-role=$1:min=$2 --gang-placeholder=1 -a 1-$2 \
		driver.sh) || return 1
	arrays+=($id)
}

member()
{
	submit $(common) -J $1 --gang-role=$1 --gang-placeholders=$style "${@:2}" \
		$1.sh
}

declare_gang()
{
	placeholders driver 1 && placeholders executor $n_executors &&
		placeholders helper $n_helpers && driver=$(member driver) &&
		slurm_saved $driver
}

# How many of a role are not gone; a submission may be lost with slurmctld.
count() { squeue -h -n $1 -o %A | wc -l; }
fill_up()
{
	while test $(count $1) -lt $2; do
		member $1 >/dev/null || return 1
	done
}
all_members()
{
	fill_up executor $((n_executors - n_left)) && fill_up helper $n_helpers &&
		wait_for 60 all_run
}
all_run()
{
	test "$(squeue -h -t R -n driver,executor,helper -o %A | wc -l)" = \
		$((1 + n_executors - n_left + n_helpers)) &&
		test $(starts) = $((1 + n_executors - n_left + n_helpers))
}
starts() { cat driver.log executor.log helper.log 2>/dev/null | grep -c start; }

# "NODE" for each placeholder of a role that has one.
kept() { squeue -h -r -t CF -n $1.placeholder -o %N | sort; }
all_kept()
{
	job_is $driver RUNNING && test $(kept driver | wc -l) = 0 &&
		test $(kept executor | wc -l) = $n_executors &&
		test $(kept helper | wc -l) = $n_helpers
}

# From now on its nodes are its own.
firm()
{
	wait_for 60 all_kept && slurm_saved $driver && {
		echo "driver $(squeue -h -j $driver -o %N)"
		kept executor | sed 's/^/executor /'
		kept helper | sed 's/^/helper /'
	} >places && echo $EPOCHREALTIME >firm
}

# Jobs of a higher priority for every node.
rivals()
{
	submit -N1 --exclusive -t5 --nice=-100 -J rival -a 1-8 rival.sh
}

# --- what is seen, again and again ---

watch_cluster()
{
	local lines from

	while test -e watching; do
		from=$EPOCHREALTIME
		lines=$(squeue -h -r -t R,CF,CG -o '%A %j %N') || continue
		sed "s/^/$from $EPOCHREALTIME /" <<<"$lines" >>seen
		read -rt 0.1 <> <(:) || :
	done
} 2>/dev/null

# No node has two jobs, and no rival a node that is kept.
judge_seen()
{
	test $(wc -l <seen) -gt 5 &&
	awk -v firm=$(cat firm) -v over=$(cat over) '
		FILENAME == "places" { kept[$2]; next }
		NF < 5 { next }
		$1 != at { delete has; at = $1 }
		$5 in has {
			print "two jobs on a node: " has[$5] ", " $3 ": " $0
			bad = 1
		}
		{ has[$5] = $3 }
		$4 == "rival" && ($5 in kept) && $1 >= firm && $2 <= over {
			print "a rival on a kept node: " $0
			bad = 1
		}
		END { exit bad }' places seen
}

# Each member ran once, on the node of a placeholder of its role, one for one.
judge_members()
{
	local role

	for role in driver executor helper; do
		test -e $role.log || continue
		awk '$2 == "start" { print $1 }' $role.log | sort | uniq -d |
			grep . && return 1
		awk '$2 == "start" { print $4 }' $role.log | sort >took
		sed -n "s/^$role //p" places | sort | uniq >had
		test "$(uniq -d took)" = "" && test -z "$(comm -23 took had)" || {
			echo "$role: nodes $(xargs <took), kept $(xargs <had)"
			return 1
		}
	done
}

# All placeholders have ended, none has run, so many were replaced.
judge_placeholders()
{
	local id

	no_placeholder_launched && ! squeue -h -r -o %j | grep placeholder &&
	for id in ${arrays[@]}; do
		scontrol -o show job $id
	done >ended && test $(wc -l <ended) = $((1 + n_executors + n_helpers)) &&
	! grep -v "JobState=CANCELLED" ended &&
	! grep -v "ended=\(replaced\|stopped\|timeout\)" ended &&
	test $(grep -c "ended=replaced" ended) = $(starts) &&
	test $(grep -c "ended=\(stopped\|timeout\)" ended) = $n_left
}

judged()
{
	judge_seen && judge_members && judge_placeholders
}

# --- slurmctld dies ---

died() { ! slurm_alive slurmctld; }

lives_again()
{
	wait_for 40 died && slurm_fault && slurm_start_ctld
}

# In up to so many milliseconds.
kill_within()
{
	sleep $(printf '0.%03d' $((RANDOM % $1))) && slurm_kill9_ctld &&
		slurm_start_ctld
}

one_of() { shift $((RANDOM % $#)); echo "$1"; }

# Nodes are busy until all is on the disk.
blocked()
{
	blocker=$(submit -N6 --exclusive -t5 -J blocker) &&
		wait_state $blocker RUNNING && declare_gang
}
unblocked()
{
	scancel -Q $blocker || true
}

die_declared()
{
	blocked && kill_within 999 && scancel $blocker && firm
}
die_accumulating()
{
	blocked && slurm_fault kill-$1 && unblocked && lives_again && unblocked &&
		firm
}
die_held()
{
	declare_gang && firm && rivals && kill_within 999
}
# Some members are there, and the next one comes.
die_swapping()
{
	declare_gang && firm && rivals && fill_up executor $((RANDOM % (n_executors - n_left))) &&
		next=$(member $(one_of executor ${helper:-executor}) -H) &&
		slurm_saved $next && slurm_fault kill-$1 1 &&
		{ scontrol release $next || true; } && lives_again &&
		{ scontrol release $next || true; }
}
die_any_time()
{
	declare_gang && firm && rivals && {
		kill_within 999 &
		fill_up executor $((n_executors - n_left))
		wait $!
	}
}
# The one that is left ends.
die_ending()
{
	n_left=1
	declare_gang && firm && rivals && all_members && slurm_saved $driver &&
		{ test $1 = any || slurm_fault kill-$1 1; } &&
		echo $EPOCHREALTIME >over && {
			scancel $(squeue -h -r -t CF -n executor.placeholder -o %A) ||
				true
		} && if test $1 = any; then kill_within 999; else lives_again; fi
}

die()
{
	case $1 in
	0) state=declared && die_declared ;;
	1) state=accumulating && die_accumulating "$(one_of "commit 1" "commit 2" \
		"committed 1" "saved 1" "release 1" "release 2" "released 1" "known 1")" ;;
	2) state=held && die_held ;;
	3) state=swapping && die_swapping $(one_of swap swapped) ;;
	4) state=swapped && die_swapping $(one_of launch released known) ;;
	5) state=any && die_any_time ;;
	6) state=ending && die_ending $(one_of lapse lapsed any) ;;
	esac
}

# --- the end: by a user, or some time after the last member ---

end_gang()
{
	test -e over || echo $EPOCHREALTIME >over
	if test $n_left = 1 && test $((RANDOM % 4)) != 0; then
		scancel -Q $(squeue -h -r -t CF -n executor.placeholder -o %A)
	fi
	touch driver.go executor.go helper.go &&
		wait_for 90 "test -z \"\$(squeue -h -r -o %j | grep -v ^rival)\""
}

open_seed()
{
	RANDOM=$1 gang=etl$1 arrays=() helper=
	slurm_fault
	scancel -Q -u root
	wait_for 60 queue_empty && wait_for 60 nodes_idle &&
	rm -f *.go *.log seen places firm over watching &&
	n_executors=$((RANDOM % 3 + 1)) n_helpers=$((RANDOM % 2)) &&
	n_left=$((RANDOM % 2)) style=$(one_of soft hard) || return 1
	test $n_executors -gt 1 || n_left=0
	test $n_helpers = 0 || helper=helper
	touch watching
	watch_cluster &
	watcher=$!
}

close_seed()
{
	rm -f watching
	wait $watcher
}

show()
{
	echo "--- $state, $style, $n_executors executors ($n_left left), $n_helpers helpers"
	squeue -r
	cat places
	grep . *.log
	scontrol -o show job | grep -o 'JobId=[0-9]*\|JobName=[^ ]*\|JobState=[A-Z]*\|Reason=[^ ]*\|NodeList=[^ ]*\|SystemComment=.*' | xargs -n 8
	gang_log root/$gang
	close_seed
	return 1
} >&2

for seed in $(seq $seeds); do
	test_expect_success "1.1 1.24 1.27 1.30 1.33 1.34 1.54 1.55 seed $seed" '
		open_seed $seed && die $(((seed - 1) % 7)) && { test -e firm || firm; } &&
		all_members && end_gang && scancel -u root -n rival &&
		close_seed && judged && echo "$state: judged" || show
	'
done
# A rival whose start was lost with slurmctld starts again elsewhere.
test_expect_success 'nothing is left' '
	scancel -u root; slurm_fault; nothing_left "Orphan .*StepId=" \
		"Registered JobId=" "Batch completion for .* wrong node" \
		"is non-running slurmctld and slurmd out of sync"
'

test_done
