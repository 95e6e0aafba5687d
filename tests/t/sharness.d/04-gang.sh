# SPDX-License-Identifier: GPL-2.0-or-later
# 04-gang.sh - what the tests ask about gangs on a private cluster
#
#   quick_sched                a line of slurm.conf: Slurm's schedulers look at the queue
#                              each second, and when a job comes
#   partition_prio NAME=TIER[,WORD=VALUE...]...
#                              lines of slurm.conf: partitions of all nodes, the first
#                              of which is the default; a higher tier preempts
#   gang_script NAME           write NAME.sh, a batch script that tells NAME.log
#                              when it starts and stops, and runs until there
#                              is a file NAME.go or GANG.go
#   starts_of NAME [ID]        how many starts NAME.log knows, or of that job
#   ran_once NAME COUNT        that many jobs started, none of them twice
#   one_by_one NAME SIZE       gangs that share NAME.log ran whole, never two
#                              at a time
#   cluster_state              what nodes and licences have in use, to compare
#   gang_record ID [WORD]      the record in the job's comment, or one value
#   gang_phase NS/NAME         the phase in the records of its living members
#   gang_attempted ID COUNT    at least that many attempts were made
#   gang_log NS/NAME [TEXT]    what the plugin logged of it
#   squeue_says ID TEXT        squeue gives a reason that contains the text
#   all_in STATE ID...         all these jobs are in the state
#   none_in STATE ID...        none of these jobs is
#   restarts_of ID...          the sum of Restarts
#   runs_again COUNT ID...     that is COUNT, and all of them run
#   started_together ID...     one start for all, and their ranks are 0 to n-1
#   licences_in_use            the sum over all licences
#   held_of ID..., pending_of ID..., living_of ID...
#                              those of the jobs that are CONFIGURING, PENDING,
#                              not ended
#   held_in ID...              how many of the jobs are CONFIGURING
#   held_places ID...          a line "ID NODES" for each of them
#   held_on NODE ID...         the first of them that is on the node
#   started_at ID, ends_at ID  StartTime, EndTime as seconds
#   node_field NODE FIELD      as job_field
#   cpus_in_use NODE           how many CPUs of the node are allocated
#   stopped_by_timeout ID...   what GangTimeout means for all these jobs
#   gang_setting KEY VALUE     that line of gang.conf, from now on. A hold ends
#                              when it has been looked at by a WaitingTime or
#                              MaxWaitingTime that was long before: so nothing
#                              depends on how fast this machine is
#   interrupt PID              Ctrl-C
#   begins_now ID...           a requeued job need not wait for two minutes; it
#                              may run already
#   errors_left [PATTERN...]   what stands in the log and should not
#   gang_scripts NAME...       gang_script of each
#   tells_script               write tells.sh, a member that notes that it begun and
#                              what it was told; ID.fail makes it fail, GANG.go end
#   told ID NAME [RESTART]     the value of SLURM_GANG_NAME that it was started with
#   begun ID                   it started once
#   is_cold ID                 it is a cold spare, which has nodes
#   rank_of ID                 its member rank
#   placed_job, run_job, complete_job [sbatch's options]
#                              submit it, wait until it is CONFIGURING, runs or has
#                              completed, and print its id
#   submit_by [sbatch's options]
#                              as submit; where the variable by names a user it is
#                              that user who does
#   submit_gang GANG COUNT [sbatch's options]
#                              so many members, in the array "members", and as many
#                              are the minimum; also with by
#   gang_of_nodes GANG COUNT [sbatch's options]
#                              the same with a node each
#   submit_each "OPTIONS"... -- [sbatch's options]
#                              a job with each of the first and all of the others, in
#                              "members"; also with by
#   jobs_on NODES...           an ordinary job that has the whole of each of these host
#                              lists, in "jobs"; also with the options in "limit"
#   on_nodes "NODE..." [sbatch's options]
#                              a job on each of these, in the array "jobs", that has it
#   start_together SECONDS ID...
#                              they run within that time, by one start
#   let_end NAME ID...         touch NAME.go, and these complete
#   end_now ID...              cancel these and wait until all nodes are idle
#   ctld_dies, ctld_restarts   slurmctld is killed, or ends, and is started again
#   in_rank_order ID...        the jobs by their member ranks, one a line
#   passes SECONDS             so long, and then slurmctld looks at the queue
#   sgang_refuses CODE TEXT ARGUMENTS...
#                              sgang exits so, with this line on stderr alone
#   has_words FILE WORD...     each of these is a word of the file
#   recorded ID WORD=VALUE...  the job's record says so
#   clear_all                  cancel all jobs of all users and wait for the nodes
#   script_fails ID            kill the batch script of a job that has just started
#   nothing_left [PATTERN...]  the check every test ends with: see there
#   leave_nothing [PATTERN...] cancel what jobs there are, of all users, before it
#   test_cleared ...           as test_expect_success, and then clear_cluster
#   last_case ['COMMANDS']     that check, or these commands, as the last case of the
#                              test, and the end of it

test -n "$BASH_VERSION" || return 0

quick_sched=SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,\
sched_min_interval=0,bf_continue

partition_prio()
{
	local partition words default=' Default=YES'

	echo PreemptType=preempt/partition_prio
	echo PreemptMode=REQUEUE
	for partition; do
		words=${partition#*=}
		echo "PartitionName=${partition%%=*} Nodes=ALL$default" \
			"MaxTime=INFINITE State=UP PriorityTier=${words//,/ }"
		default=
	done
}

gang_script()
{
	cat >"$1.sh" <<-END
	#!/bin/bash
	tell()
	{
		echo "\$SLURM_JOB_ID \$1 \$EPOCHREALTIME \$SLURM_GANG_NAME" \\
			>>"$PWD/$1.log"
	}
	tell start
	until test -e "$PWD/$1.go" || test -e "$PWD/\$SLURM_GANG_NAME.go"; do
		read -rt 0.1 <> <(:) || :
	done
	tell stop
	END
}

tells_script()
{
	cat >tells.sh <<-'END'
	#!/bin/bash
	cd "$SLURM_SUBMIT_DIR"
	trap "exit 0" USR1
	env | grep ^SLURM_GANG_ >env.$SLURM_JOB_ID.part
	mv env.$SLURM_JOB_ID.part env.$SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0}
	echo $SLURM_JOB_ID >>begun
	until test -e $SLURM_GANG_NAME.go; do
		if rm $SLURM_JOB_ID.fail 2>/dev/null; then exit 3; fi
		read -rt 0.1 <> <(:) || :
	done
	END
	chmod 755 tells.sh
}

told() { sed -n "s/^SLURM_GANG_$2=//p" env.$1.${3:-0}; }
begun() { test "$(grep -cx $1 begun)" = 1; }
rank_of() { gang_record $1 rank | cut -d/ -f1; }

is_cold()
{
	job_is $1 CONFIGURING && test "$(gang_record $1 spare)" = 1 &&
		test "$(gang_record $1 cold)" = 1
}

starts_of()
{
	test -f "$1.log" || { echo 0; return; }
	awk -v id="$2" '$2 == "start" && (id == "" || $1 == id) { n++ }
		END { print n + 0 }' "$1.log"
}

ran_once()
{
	test "$(starts_of "$1")" = "$2" &&
		test "$(awk '$2 == "start" { print $1 }' "$1.log" |
			sort -u | wc -l)" = "$2" || {
		echo "not $2 jobs, each of them once:" >&2
		cat "$1.log" >&2
		return 1
	}
}

one_by_one()
{
	sort -k 3,3 "$1.log" | awk -v size="$2" '
		function bad(why) {
			print why ": " $0
			failed = 1
		}
		$2 == "start" {
			if ($4 != now && running)
				bad("starts beside gang " now)
			if ($4 != now && started % size)
				bad("gang " now " did not start whole before")
			if (seen[$1]++)
				bad("starts twice")
			now = $4
			started++
			running++
		}
		$2 == "stop" { running-- }
		END {
			if (!started || started % size)
				bad(started + 0 " starts in the end")
			exit failed
		}' >&2
}

# PLANNED is what backfill thinks of the next job, not a thing in use.
cluster_state()
{
	scontrol -o show node | tr ' ' '\n' | sed 's/+PLANNED//' | grep -E \
		'^(NodeName|State|CPUAlloc|AllocMem|AllocTRES|GresUsed)='
	scontrol -o show licenses
}

gang_record()
{
	local record word

	record=$(job_field "$1" SystemComment)
	[[ $record = *gang=* ]] || return 0
	record=gang=${record#*gang=}
	test -n "$2" || { echo "$record"; return; }
	read -ra record <<<"$record"
	for word in "${record[@]}"; do
		test "${word%%=*}" != "$2" || echo "${word#*=}"
	done
}

gang_phase()
{
	scontrol -o show job |
		grep -E 'JobState=(PENDING|CONFIGURING|RUNNING) ' |
		sed -n "s|.* SystemComment=.*gang=$1 phase=\([a-z]*\).*|\1|p" |
		sort -u | tr '\n' ' ' | sed 's/ $//'
}

gang_attempted() { slurm_ask record "$1" attempts "$2"; }

gang_log()
{
	grep -F "gang: $1: " "$slurm_dir/log/slurmctld.log" | grep -F -- "$2"
}

squeue_says() { slurm_ask reason "$1" "$2"; }
all_in() { slurm_ask all "$@"; }

# How often the main scheduler has gone through the whole queue.
cycles() { sdiag | sed -n 's/.*Total cycles: *//p' | head -n 1; }

# It has begun and ended a cycle since: what it would have done is done. Backfill
# counts no cycle in which it finds nothing to plan.
wait_cycles()
{
	local since

	since=$(cycles) && wait_for 20 "test \$(cycles) -ge $((since + ${1:-2}))"
}

# slurmd was told to run the script of job $1 since $2, as Slurm writes a time: a
# slurmctld that was killed may give a number again.
batch_launched()
{
	grep -hE "Launching batch (job |StepId=)$1[ .]" "$slurm_dir"/log/n*.log |
		tr -d '[' | awk -v since="$2" '$1 >= since { print; found = 1 }
			END { exit !found }'
}

# Of all placeholders that slurmctld knows none was.
no_placeholder_launched()
{
	local id since

	scontrol -o show job | grep -F ' placeholder=1 ' |
		sed -n 's/^JobId=\([0-9]*\) .* SubmitTime=\([^ ]*\) .*/\1 \2/p' \
		>placeholder.ids
	test -s placeholder.ids || return 1
	while read -r id since; do
		! batch_launched $id $since ||
			{ echo "placeholder $id was launched"; return 1; }
	done <placeholder.ids
}

# Cancel these jobs and wait until they have given back their nodes.
drop() { scancel "$@" && wait_for 10 all_in CANCELLED "$@"; }

# The same with all jobs of root.
clear_cluster()
{
	scancel -u root && wait_for 10 queue_empty &&
		wait_for 10 nodes_idle
}

none_in() { slurm_ask none "$@"; }

restarts_of()
{
	local id sum=0

	for id; do
		sum=$((sum + $(job_field "$id" Restarts)))
	done
	echo $sum
}

runs_again() { test "$(restarts_of "${@:2}")" = $1 && all_in RUNNING "${@:2}"; }

gang_setting()
{
	local conf=$slurm_dir/etc/gang.conf

	touch "$conf" && sed -i "/^$1=/d" "$conf" &&
		echo "$1=$2" >>"$conf" && scontrol reconfigure
}

# Slurm loses a signal that comes before the script is there.
script_fails()
{
	wait_for 20 "scancel -Q --signal=KILL --batch $1; none_in RUNNING $1"
}

# Interrupted twice, as by somebody who is impatient; it may end by the first.
interrupt() { kill -INT $1 && { kill -INT $1 2>/dev/null || :; }; }

# One release is one time in the records. For StartTime Slurm looks at the clock
# for each member, and a busy machine needs its time from one to the next.
started_together()
{
	local id time first= last=0 ranks= started=

	for id; do
		time=$(date -d "$(job_field "$id" StartTime)" +%s) || return 1
		test -n "$first" && test $first -le $time || first=$time
		test $last -ge $time || last=$time
		ranks+=$(gang_record "$id" rank)$'\n'
		started+=$(gang_record "$id" started)$'\n'
	done
	test $((last - first)) -le 5 ||
		{ echo "started $((last - first)) s apart" >&2; return 1; }
	test $(sort -u <<<"${started%?}" | wc -l) = 1 ||
		{ echo "released at: $started" >&2; return 1; }
	test "$(sort -n <<<"${ranks%?}")" = \
		"$(seq 0 $(($# - 1)) | sed "s|\$|/$#|")" ||
		{ echo "ranks: $ranks" >&2; return 1; }
}

licences_in_use()
{
	scontrol -o show licenses | awk '
		{
			for (i = 1; i <= NF; i++)
				if ($i ~ /^Used=/)
					used += substr($i, 6)
		}
		END { print used + 0 }'
}

# Of the jobs those in the state, in the order given.
jobs_in() { "$top_builddir/tests/t/await" in "$@"; }
held_of() { jobs_in CONFIGURING "$@"; }
pending_of() { jobs_in PENDING "$@"; }
living_of() { jobs_in 'PENDING|CONFIGURING|RUNNING' "$@"; }
held_in() { held_of "$@" | wc -w; }

held_places()
{
	local id

	for id in $(held_of "$@"); do
		echo "$id $(job_field "$id" NodeList)"
	done
}

held_on()
{
	local node=$1

	shift
	held_places "$@" | awk -v node="$node" '$2 == node { print $1; exit }'
}

started_at() { date -d "$(job_field "$1" StartTime)" +%s; }
ends_at() { date -d "$(job_field "$1" EndTime)" +%s; }
node_field() { scontrol -o show node "$1" | tr ' ' '\n' | sed -n "s/^$2=//p"; }

# node_returns NODE: it was down or drained, and takes jobs again. A late answer of
# its slurmd may have seen to that before.
node_returns() { wait_for 30 "takes_jobs $1"; }
takes_jobs()
{
	case $(node_field $1 State) in
	*DOWN* | *DRAIN* | *FAIL* | *RESPOND* | *'*'*)
		scontrol update NodeName=$1 State=RESUME 2>/dev/null
		return 1 ;;
	esac
}

cpus_in_use() { node_field "$1" CPUAlloc; }

# Slurm lets a requeued job begin when the credentials of its first start have
# expired, so that no slurmd takes it for the one that was killed. Where all
# slurmds know that it was, another second will do.
begins_now()
{
	local id

	for id; do
		scontrol update JobId=$id StartTime=now+2 ||
			job_is $id "RUNNING|CONFIGURING" || return 1
	done
}

# Held as by their user, with that one word as the reason, and remembered.
stopped_by_timeout()
{
	local id

	for id; do
		job_is "$id" PENDING &&
			test "$(squeue -h -r -j "$id" -o %r)" = GangTimeout &&
			test "$(job_field "$id" Priority)" = 0 &&
			test "$(gang_record "$id" phase)" = timeout || {
			echo "job $id is not stopped" >&2
			return 1
		}
	done
}

# The errors in slurmctld's log but those that match one of the patterns. A slow
# machine is no error of ours, nor is a command or a slurmd that ends while
# slurmctld reads from it or answers it. When we save the job state in the same
# moment as slurmctld, the second of the two finds the file older than the time
# that the first has noted for it. Slurm 22.05 empties its settings while it
# reads slurm.conf anew: a message that comes then finds no munged and has no
# time. When it ends, slurmctld looks once whether any thread has its locks, and
# does not wait for one in the middle of a cycle, of its own or ours; what has
# changed is saved by another thread. Its thread for slurmdbd may have ended before
# it is waited for. Slurm 25.11 gives a job that is requeued another SLUID, and
# calls it an error when a node that was taken down tells the end of the run before.
# A node that registers before it has read the changed slurm.conf has another one.
errors_left()
{
	local ignore=(-e 'High latency for .* gettimeofday'
		-e 'Unexpected missing socket error'
		-e 'modification time of .*/job_state moved backwards'
		-e 'Bad job state save file time'
		-e 'clock of the file system and this computer appear'
		-e 'Socket timed out on send/recv operation'
		-e 'slurm_receive_msg .*(Socket timed out|Unspecified error)'
		-e 'slurm_receive_msgs?[ :].*Zero Bytes were transmitted or received'
		-e 'slurm_receive_msgs?[ :].*Connection reset by peer'
		-e 'slurm_unpack_received_msg: .* authentication error'
		-e '(If munged is up, restart|Munge decode failed: .*)'
		-e 'Munge encode failed: .* "/run/munge/munge.socket.2"'
		-e 'auth_g_create: RESPONSE_.* has authentication error'
		-e '(Locks left set config:|Semaphores still set after)'
		-e 'Node .* appears to have a different slurm.conf than the slurmctld'
		-e 'slurm_persist_conn_recv_server_fini: pthread_join'
		) pattern

	for pattern; do
		ignore+=(-e "$pattern")
	done
	ignore+=(-e 'GRES are left to Slurm alone') # 13-gres.sh
	! slurm_since 25.11 || ignore+=(-e 'could not find JobId=.* SLUID=')
	slurm_errors | grep -Ev "${ignore[@]}"
}

# Stop slurmd of these nodes, or let it go on: slurmd_signal STOP NODE...
slurmd_signal()
{
	local signal=$1 node

	for node in "${@:2}"; do
		kill -$signal $(slurm_pid $node) || return 1
	done
}

# Has the launch of a job arrived at the node, and its slurmd has not read it? It
# holds the environment of sbatch, which must be submitted by with_long_env: other
# messages, such as the end of a placeholder, are shorter.
slurmd_has_launch()
{
	local port

	port=$(scontrol -o show node $1 | sed -n 's/.* Port=\([0-9]*\).*/\1/p')
	awk -v port=$(printf ":%04X$" $port) '
		$2 ~ port && $4 == "01" && substr($5, 10) "" > "00002000" { found = 1 }
		END { exit !found }' /proc/net/tcp
}
with_long_env() { LONG_ENV=$(printf %08193d 0) "$@"; }

# After the jobs have ended: slurmctld is the one that was started, no job is
# left, nodes and licences are free, and no errors are left.
nothing_left()
{
	slurm_alive slurmctld || { echo "no slurmctld" >&2; return 1; }
	wait_for 60 queue_empty ||
		{ squeue >&2; return 1; }
	wait_for 60 nodes_idle || { sinfo -N >&2; return 1; }
	wait_for 10 nothing_in_use || return 1
	test "$(licences_in_use)" = 0 ||
		{ scontrol show licenses >&2; return 1; }
	! errors_left "$@" >&2
}

nothing_in_use()
{
	! scontrol -o show node | tr ' ' '\n' |
		grep -E '^(CPUAlloc|AllocMem)=[1-9]|^AllocTRES=.' >&2
}

gang_scripts()
{
	local name

	for name; do
		gang_script $name
	done
}

submit_by()
{
	if test -n "$by"; then submit_as "$by" "$@"; else submit "$@"; fi
}

submit_gang()
{
	local gang=$1 count=$2 i

	members=()
	for ((i = 0; i < count; i++)); do
		members+=($(submit_by --gang=$gang --gang-min-member=$count \
			"${@:3}")) || return 1
	done
}

gang_of_nodes() { submit_gang $1 $2 -N 1 --exclusive "${@:3}"; }

submit_each()
{
	local each=() options

	while test "$1" != --; do
		each+=("$1")
		shift
	done
	shift
	members=()
	for options in "${each[@]}"; do
		members+=($(submit_by $options "$@")) || return 1
	done
}

jobs_on()
{
	local nodes

	jobs=()
	for nodes; do
		jobs+=($(submit -w $nodes --exclusive $limit -N $(
			scontrol show hostnames $nodes | wc -l))) || return 1
	done
	wait_for 20 all_in 'RUNNING|CONFIGURING' ${jobs[@]}
}

on_nodes()
{
	local node

	jobs=()
	for node in $1; do
		jobs+=($(submit -w $node "${@:2}")) || return 1
	done
	wait_for 20 all_in 'RUNNING|CONFIGURING' ${jobs[@]}
}

# job_in STATE [sbatch's options]
job_in()
{
	local id

	id=$(submit "${@:2}") && wait_state $id $1 20 && echo $id
}

placed_job() { job_in CONFIGURING "$@"; }
run_job() { job_in RUNNING "$@"; }
complete_job() { job_in COMPLETED "$@"; }

start_together()
{
	wait_for $1 all_in RUNNING "${@:2}" && started_together "${@:2}"
}

let_end() { touch $1.go && wait_for 20 all_in COMPLETED "${@:2}"; }
end_now() { scancel "$@" && wait_for 30 nodes_idle; }
ctld_dies() { slurm_kill9_ctld && slurm_start_ctld; }
ctld_restarts() { slurm_stop_ctld && slurm_start_ctld; }

in_rank_order()
{
	local id

	for id; do
		echo "$(gang_record $id rank) $id"
	done | sort -n | cut -d' ' -f2
}

passes()
{
	local until=$((EPOCHSECONDS + $1))

	wait_for $(($1 + 20)) "test \$EPOCHSECONDS -gt $until" && wait_cycles
}

sgang_refuses()
{
	local code=$1 text=$2

	"$sgang" "${@:3}" >out 2>err
	test $? = $code && test_must_be_empty out &&
		echo "sgang: $text" | test_cmp - err
}

has_words()
{
	local word

	for word in "${@:2}"; do
		grep -qE "(^| )$word( |\$)" $1 && continue
		echo "no $word in:" >&2
		cat $1 >&2
		return 1
	done
}

recorded()
{
	local id=$1 word

	for word in "${@:2}"; do
		test "$(gang_record $id ${word%%=*})" = "${word#*=}" && continue
		echo "not $word: $(gang_record $id)" >&2
		return 1
	done
}

clear_all()
{
	squeue -h -o %A | xargs -r scancel
	wait_for 15 queue_empty && wait_for 15 nodes_idle
}

leave_nothing()
{
	squeue -h -o %A | xargs -r scancel
	nothing_left "$@"
}

test_cleared()
{
	test_expect_success "${@:1:$#-1}" "test_when_finished clear_cluster &&
${!#}"
}

last_case()
{
	test_expect_success 'nothing is left' "${1:-nothing_left}"
	test_done
}
