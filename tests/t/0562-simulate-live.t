#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0562-simulate-live.t - what sgang simulate foretells, and what slurmctld did
#
# SGANG_LIVE_JOBS=N jobs [40] are submitted to a private cluster of
# SGANG_LIVE_NODES=N nodes [16], as they come by chance with SGANG_LIVE_SEED=N [1].
# They run for SGANG_LIVE_SECONDS=N seconds [3] and up to four times as long more.
# What Slurm says of their submission, size and length is replayed; when they
# started is compared. bench-twin does it with 1000 jobs.

test_description='A replay has the starts that slurmctld had'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

: "${SGANG_LIVE_JOBS:=40}" "${SGANG_LIVE_SEED:=1}"
: "${SGANG_LIVE_NODES:=16}" "${SGANG_LIVE_SECONDS:=3}" "${SGANG_LIVE_DRAWS:=60}"

bf_interval=4
limit=$((SGANG_LIVE_SECONDS * 5 / 60 + 1)) # minutes
sgang=$(checked_sgang)
leaves=$((SGANG_LIVE_NODES / 4))
for ((i = 0; i < leaves; i++)); do
	echo "SwitchName=l$i Nodes=n[$((4 * i + 1))-$((4 * i + 4))]"
done >topology.conf
echo "SwitchName=top Switches=l[0-$((leaves - 1))]" >>topology.conf
slurm_cluster -n $SGANG_LIVE_NODES -c 2 --gang --topology "$PWD/topology.conf" --conf \
"SchedulerParameters=bf_interval=$bf_interval,sched_interval=2,batch_sched_delay=0,sched_min_interval=0,bf_continue,bf_resolution=1"

# What comes: seconds since the first one, nodes, seconds of work, gang, members.
awk -v n=$SGANG_LIVE_JOBS -v seed=$SGANG_LIVE_SEED \
	-v all=$SGANG_LIVE_NODES -v least=$SGANG_LIVE_SECONDS '
	BEGIN {
		srand(seed)
		while (k < n) {
			members = rand() < 0.3 ? 2 + int(3 * rand()) : 1
			nodes = 1 + int(rand() * rand() * (members > 1 ? 4 : 9))
			run = least + int(4 * least * rand() * rand())
			gang = members > 1 ? "g" ++gangs : "-"
			for (m = 0; m < members && k < n; m++) {
				k++
				print int(t), nodes, run, gang, members
			}
			t += -log(1 - rand()) * members * nodes * run / all / 0.9
		}
	}' >queue
# A gang that was cut off at the end of the queue has fewer members.
awk 'NR == FNR { n[$4]++; next } { $5 = $4 == "-" ? 1 : n[$4]; print }' \
	queue queue >queue.whole

submit_all()
{
	local at nodes run gang members since=$EPOCHSECONDS

	while read -r at nodes run gang members; do
		while test $((EPOCHSECONDS - since)) -lt $at; do
			sleep 0.2
		done
		submit -J "$gang" -N $nodes --exclusive -t $limit \
			$(test $gang = - ||
			  echo --gang=$gang --gang-min-member=$members) \
			--wrap="sleep $run" >/dev/null </dev/null || return 1
	done <queue.whole
}

# id,submit,start,end,nodes,name
told_by_slurm()
{
	SLURM_TIME_FORMAT=%s scontrol -o show job | awk '{
		for (i = 1; i <= NF; i++) {
			key = $i; sub(/=.*/, "", key)
			value = $i; sub(/^[^=]*=/, "", value)
			if (!(key in seen) || seen[key] != NR) {
				seen[key] = NR
				of[key] = value
			}
		}
		print of["JobId"] "," of["SubmitTime"] "," of["StartTime"] "," \
			of["EndTime"] "," of["NumNodes"] "," of["JobName"] \
			"," of["JobState"]
	}' | sort -t, -n
}

all_ended() { test -z "$(squeue -h -o %i)"; }

test_expect_success 'the jobs come, and slurmctld runs them all' '
	submit_all &&
	wait_for $((60 + 4 * SGANG_LIVE_SECONDS * SGANG_LIVE_JOBS)) all_ended &&
	told_by_slurm >slurm.csv &&
	test $(grep -c ",COMPLETED$" slurm.csv) = $SGANG_LIVE_JOBS
'
# Of a queue the replay is told what was asked for, and how long it took: half a
# second more than the job ran, which is a second more for every other one, until
# slurmctld gives its nodes to the next (0.4 s was the median, measured in the log
# of 200 jobs). Jobs of a few seconds would start much too soon without.
#
# In so short a queue a tenth of a second decides whether a job still starts
# before a gang, and all that come later are moved by its length. So it is
# replayed SGANG_LIVE_DRAWS=N times [60] more, for which chance draws how late
# slurmctld looks at a submission (sched_interval and what it does in between are
# up to three seconds) and which jobs hold their nodes a second longer.

# replay DRAW: starts.DRAW is when the jobs start.
replay()
{
	{
		echo id,submit,run,limit,nodes,cpus,whole,user,gang
		awk -F, -v draw=$1 -v limit=$((60 * limit)) '
		BEGIN { srand(draw) }
		{
			longer = draw ? int(2 * rand()) : NR % 2
			if (draw && ($6 == "-" || $6 != gang))
				late = int(4 * rand())
			gang = $6
			print $1 "," $2 + late "," $4 - $3 + longer "," limit \
				"," $5 ",2,yes,root," (gang == "-" ? "" : gang)
		}' slurm.csv | sort -t, -k 2,2n -k 1,1n
	} >jobs.csv
	"$sgang" simulate --json --jobs=jobs.csv --nodes="$SLURM_CONF" \
		--topology=topology.conf --conf=defaults --starts=starts.$1 \
		>answer.json
}

test_expect_success '8.1 the same jobs are replayed with the same settings' '
	replay 0 &&
	test $(grep -c ",completed," starts.0) = $SGANG_LIVE_JOBS
'
# compare DRAW: print the median of the errors, the mean waits of both, and how
# many jobs.
compare()
{
	awk -F, '
		NR == FNR { submit[$1] = $2; start[$1] = $3; next }
		FNR > 1 {
			error = $5 - start[$2]
			print (error < 0 ? -error : error), \
				start[$2] - submit[$2], $5 - submit[$2]
		}' slurm.csv starts.$1 | sort -n | awk '
		{ error[NR] = $1; real += $2; twin += $3 }
		END {
			printf "%d %.2f %.2f %d\n", error[int((NR + 1) / 2)],
				real / NR, twin / NR, NR
		}'
}

# The names of gangs by their start, those of one second together.
order_of()
{
	awk -F, -v column=$1 -v name=$2 '$name ~ /^g/ && !($name in seen) {
		seen[$name] = 1
		print $column, $name
	}' "$3" | sort -n -k 1,1
}

# Two that started one after the other, more than an interval apart, do so in
# the replay.
same_order()
{
	order_of 3 6 slurm.csv >slurm.order &&
		order_of 5 3 starts.0 >twin.order &&
		awk -v apart=$bf_interval '
		NR == FNR { at[$2] = $1; next }
		{ name[++n] = $2; time[n] = $1 }
		END {
			for (i = 1; i <= n; i++)
				for (k = 1; k < i; k++)
					if (time[i] - time[k] > apart) {
						pairs++
						wrong += at[name[i]] < \
							at[name[k]]
					}
			print pairs + 0, wrong + 0
		}' twin.order slurm.order
}

# The quarter of the draws that is nearest to what happened.
test_expect_success '8.1 half of the starts are off by a backfill interval or less' '
	compare 0 >numbers &&
	for ((draw = 1; draw <= SGANG_LIVE_DRAWS; draw++)); do
		replay $draw 2>/dev/null && compare $draw >>numbers || return 1
	done &&
	median=$(sort -n numbers | sed -n "$((SGANG_LIVE_DRAWS / 4 + 1))s/ .*//p") &&
	echo "# $SGANG_LIVE_JOBS jobs: median error $median s" &&
	awk -v n=$SGANG_LIVE_JOBS "\$4 != n { exit 1 }" numbers &&
	test $median -le $bf_interval
'
# Waits are a few seconds here, and times are whole seconds.
test_expect_success '8.1 the mean wait is the same within 5 % or that interval' '
	awk -v most=$bf_interval "
		{ real = \$2; twin += \$3 }
		END {
			twin /= NR
			print \"#\", real, \"s of mean wait,\", twin, \"s replayed\"
			d = real < twin ? twin - real : real - twin
			exit !(d <= most || d <= 0.05 * real)
		}" numbers
'
test_expect_success '8.1 gangs start in the same order' '
	same_order >order &&
	read -r pairs wrong <order &&
	echo "# $pairs pairs of gangs, $wrong in another order" &&
	test $pairs -gt 0 &&
	test $((wrong * 50)) -le $pairs
'
test_done
