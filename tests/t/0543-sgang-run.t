#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0543-sgang-run.t - sgang run: one step over all members of a gang
#
# Two leaves whose nodes alternate in Slurm's node table, so that the ring of a
# member goes another way than Slurm's lists. A gang of two members has three
# nodes, an ordinary job the other three: what srun does in the job is what sgang
# run has to do in the gang.

test_description='sgang run: ranks, output, input, signals, exit codes'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches odd=n[1,3,5] even=n[2,4,6] top:odd,even >topology.conf
slurm_setup -n 6 -c 4 --gang --topology "$PWD/topology.conf" --conf KillWait=2
users_setup
slurm_start
# A Slurm that was built for the tests may be in a folder that only root reads.
! as $alice sbatch --version >/dev/null 2>&1 || test_set_prereq USERS

# A member runs until it is cancelled; the first one sources NAME.do before.
cat >member.sh <<SCRIPT
#!/bin/bash
cd "$PWD"
test "\$SLURM_GANG_MEMBER_RANK" != 0 || ! test -e "\$SLURM_GANG_NAME.do" ||
	. "./\$SLURM_GANG_NAME.do"
while :; do sleep 0.1; done
SCRIPT

# gang NAME MIN OPTIONS -- OPTIONS: start members with these; their ids in $ids
gang()
{
	local name=$1 min=$2
	local -a options

	shift 2
	ids=()
	while test $# -gt 0; do
		options=()
		while test $# -gt 0 && test "$1" != --; do
			options+=("$1")
			shift
		done
		shift
		ids+=($(submit -t 10 --gang=$name --gang-min-member=$min \
			"${options[@]}" member.sh)) || return 1
	done
	wait_for 15 all_in RUNNING ${ids[@]}
}

# What a rank was told, and what it is: each one appends to what sgang map says.
cat >told.sh <<-'END'
	#!/bin/bash
	echo $SLURM_GANG_RANK $SLURMD_NODENAME $SLURM_LOCALID \
		$SLURM_GANG_RANKS $SLURM_GANG_NODE_RANK $SLURM_GANG_NNODES \
		$SLURM_GANG_HEAD_NODE $SLURM_GANG_HEAD_ADDR \
		$SLURM_GANG_JOB_IDS $SLURM_GANG_RANKS_PER_MEMBER \
		$SLURM_GANG_NODELIST $SLURM_JOB_ID \
		$((SLURM_GANG_RANK_OFFSET + SLURM_PROCID)) \
		${SLURM_GANG_RUN_RANKS-none}
END
chmod 755 told.sh

# The same from what is known from outside: expect GANG
expect()
{
	local nodes=$("$sgang" map $1 | uniq) ids=$(in_rank_order "${ids[@]}")
	local counts offsets

	counts=$(for id in $ids; do
		"$sgang" map --member --json $id | jq length
	done)
	"$sgang" map --json $1 |
		jq -r '.[] | [.rank, .node, .local_rank, .job_id] | join(" ")' |
		while read -r rank node local id; do
			echo $rank $node $local $(($(echo $counts | tr ' ' +))) \
				$(($(echo "$nodes" | grep -nx $node |
					cut -d: -f1) - 1)) \
				$(echo "$nodes" | wc -l) $(echo "$nodes" | head -1) \
				127.0.0.1 $(echo $ids | tr ' ' ,) \
				$(echo $counts | tr ' ' ,) \
				$(echo $nodes | tr ' ' ,) $id $rank none
		done
}

# sgang says exactly this on stderr and nothing else: refuses CODE TEXT ARGS
refuses() { sgang_refuses $1 "$2" run "${@:3}"; }

test_expect_success 'members of different size: one numbering in ring order' '
	cat >two.do <<-END &&
		"$sgang" run ./told.sh >inside.now 2>&1; mv inside.now inside
	END
	gang two 2 -N2 -n6 --exclusive -- -N1 -n2 --exclusive &&
	expect two >wanted && test $(wc -l <wanted) = 8 &&
	"$sgang" run --gang=two ./told.sh | sort -n >outside &&
	test_cmp wanted outside
'
test_expect_success 'from inside of a member it is the same' '
	wait_for 15 test -e inside && sort -n inside >got && test_cmp wanted got
'
test_expect_success 'the ranks of an ordinary step know theirs' '
	srun --jobid=${ids[0]} --overlap -n6 sh -c "echo \$SLURM_GANG_RANK \
		\$((SLURM_GANG_RANK_OFFSET + SLURM_PROCID)) \
		\$SLURM_GANG_NODE_RANK" >got && test $(wc -l <got) = 6 &&
	! awk "\$1 != \$2 || NF != 3" got | grep . &&
	srun --jobid=${ids[0]} --overlap -N1 -n1 \
		sh -c "echo \${SLURM_GANG_RANK-none}" >got && grep -x none got
'
test_expect_success '--label: the rank is before each line' '
	"$sgang" run --gang=two -l sh -c \
		"echo \$SLURM_GANG_RANK; echo \$SLURM_GANG_RANK >&2; printf x" \
		>out 2>err &&
	for i in 0 1 2 3 4 5 6 7; do echo "$i: $i"; echo "$i: x"; done >wanted &&
	sort out >got && test_cmp wanted got &&
	grep -v x wanted >wanted.err && sort err >got && test_cmp wanted.err got
'
test_expect_success '--json: each line says its rank, the last line the end' '
	test_expect_code 3 "$sgang" run --gang=two --json sh -c \
		"echo \"a \$SLURM_GANG_RANK\"; test \$SLURM_GANG_RANK != 6 || exit 3" \
		>out 2>err &&
	jq -s -e "length == 9 and
		(.[:8] | map(select(.stream == \"stdout\" and
			.text == \"a \\(.rank)\")) | map(.rank) | sort == [range(8)])
		and (.[8] | .gang == \"root/two\" and .ranks == 8 and
			.exit_code == 3 and
			(.steps | map(.exit_code) | sort == [0, 3]))" out &&
	{ json_prereq; ! test_have_prereq JSONSCHEMA || json_keeps out; }
'
test_expect_success '--ntasks-per-node: one for each node, in ring order' '
	"$sgang" run --gang=two --ntasks-per-node=1 sh -c \
		"echo \$SLURM_GANG_RANK \$SLURM_GANG_RANKS \$SLURM_GANG_NODE_RANK \
			\$SLURMD_NODENAME \$(nproc)" | sort -n >got &&
	"$sgang" map two | uniq | awk "{ print NR - 1, 3, NR - 1, \$0 }" >wanted &&
	cut -d" " -f1-4 got | test_cmp wanted -
'
test_expect_success 'words are handed on as they are' '
	"$sgang" run --gang=two sh -c "printf \"<%s>\" \"\$@\"; echo" - \
		"a  b" "\$HOME;x" "" "*" -l --json >got &&
	sort -u got >got.u && echo "<a  b><\$HOME;x><><*><-l><--json>" >wanted &&
	test_cmp wanted got.u && test $(wc -l <got) = 8
'
test_expect_success 'each rank gets all of the input' '
	seq 200000 >numbers && sum=$(cksum <numbers) &&
	"$sgang" run --gang=two cksum <numbers >got &&
	test $(grep -cx "$sum" got) = 8
'

# ended CODE: with -K srun ends the others with SIGTERM, or SIGKILL where that was too
# early, and their code counts
ended()
{
	case "${options[*]} $1" in
	"-K 137") echo 143 ;;
	*) echo $1 ;;
	esac
}

# In the gang and in the job: both COMMAND, which is run as "sh -c" with $r
both()
{
	"$sgang" run --gang=two "${options[@]}" sh -c "r=\$SLURM_GANG_RANK; $1" \
		>gang.out 2>gang.err </dev/null
	gang_code=$?
	srun --jobid=$job --overlap -n8 "${options[@]}" \
		sh -c "r=\$SLURM_PROCID; $1" >job.out 2>job.err </dev/null
	job_code=$?
	echo "gang $gang_code, job $job_code"
	test $(ended $gang_code) = $(ended $job_code) && sort gang.out >gang.sorted &&
		sort job.out >job.sorted && test_cmp job.sorted gang.sorted
}

test_expect_success 'a job of the same size: srun numbers its ranks the same' '
	job=$(submit -t 10 -N3 -n8 --exclusive member.sh) &&
	wait_for 10 job_is $job RUNNING &&
	options=() && both "echo \$r" && options=(-l) && both "echo \$r"
'
while IFS='|' read -r title opts command; do
	test_expect_success "as srun: $title" '
		read -ra options <<<"$opts" && both "$command"
	'
done <<'CASES'
success||true
the highest exit code||exit $r
one of one member||test $r != 7 || exit 3
one of the other||test $r != 0 || exit 9
a signal||test $r != 5 || kill -KILL $$
SIGTERM and a code||test $r != 5 || kill -TERM $$; test $r != 7 || exit 2
no such command||exec /no/such
one fails, the others go on||test $r != 6 || exit 4; sleep 0.3; echo $r
-K: one fails, the others end|-K|test $r != 6 || exit 4; sleep 100
-K and all well|-K|echo $r
-K: a signal|-K|test $r != 1 || kill -PWR $$; sleep 100
-K: whoever ignores signals ends, too|-K|test $r != 1 || { sleep 0.5; exit 1; }; trap "" INT TERM; while :; do sleep 0.1; done
CASES

# begin COMMAND: sgang run in the background, when all its ranks have said up
begin()
{
	: >out
	"$sgang" run --gang=two sh -c "$1" >out 2>err </dev/null &
	run=$!
	wait_for 15 'test "$(grep -c up out)" = 8'
}
# The same of srun in the job.
begin_srun()
{
	: >job.out
	srun --jobid=$job --overlap -n8 sh -c "$1" >job.out 2>job.err </dev/null &
	run=$!
	wait_for 15 'test "$(grep -c up job.out)" = 8'
}
lasts='echo up; while :; do sleep 0.1; done'

for signal in TERM HUP QUIT; do
	test_expect_success "as srun: SIG$signal ends all ranks" '
		begin_srun "$lasts" && kill -$signal $run &&
		{ wait $run; code=$?; begin "$lasts"; } && kill -$signal $run &&
		test_expect_code $code wait $run
	'
done
for signal in USR1 USR2; do
	test_expect_success "SIG$signal is passed on to all ranks" '
		begin "trap \"echo got; exit 5\" $signal; $lasts" &&
		kill -$signal $run && test_expect_code 5 wait $run &&
		test $(grep -cx got out) = 8
	'
done
test_expect_success 'SIGINT once says what runs, twice ends all' '
	begin "trap \"echo int; trap : INT\" INT; $lasts" && kill -INT $run &&
	wait_for 10 "test \$(grep -c \"JobId=.*: running\" err) = 2" &&
	grep -x "sgang: interrupt (one more within 1 sec to abort)" err &&
	wait_for 20 "! kill -INT $run 2>/dev/null" &&
	{ wait $run; code=$?; } && test $code = 137
'
test_expect_success 'sgang is killed: its steps end' '
	begin "$lasts" && kill -KILL $run && { wait $run; :; } &&
	wait_for 15 "test -z \"\$(squeue -h -s | grep -v -E \"batch|extern\")\""
'
test_expect_success 'a member ends in between: the steps of the others end' '
	begin "$lasts" && scancel ${ids[1]} && { wait $run; code=$?; } &&
	test $code -gt 1 &&
	grep -x "sgang: JobId=${ids[1]} does not run any more: ending the steps in all others" err &&
	job_is ${ids[0]} RUNNING
'
test_expect_success 'refused: a member has ended' '
	wait_for 10 job_is ${ids[1]} CANCELLED &&
	refuses 1 "gang root/two: job ${ids[1]} has ended, and Slurm does not know any more what it had" --gang=two true
'
test_expect_success 'a member that comes later has its rank' '
	heir=$(submit -t 10 -N1 -n2 --exclusive --gang=two --gang-min-member=2 \
		member.sh) &&
	wait_for 30 job_is $heir RUNNING && ids[1]=$heir &&
	expect two >wanted && grep -q ",$heir " wanted &&
	"$sgang" run --gang=two ./told.sh | sort -n >got &&
	test_cmp wanted got
'
test_expect_success 'refused: words that are wrong' '
	refuses 2 "--gang=NAME is missing, and this does not run in a member of a gang" true &&
	refuses 1 "there is no gang nothing, see sgang list" --gang=nothing true &&
	refuses 2 "expected a command, see sgang run --help" --gang=two &&
	refuses 2 "--srun=x: expected an option, as in --srun=--cpu-bind=cores" --srun=x --gang=two true &&
	refuses 2 "--ntasks-per-node=0: expected a number from 1" --ntasks-per-node=0 true
'
test_expect_success 'an option of srun' '
	"$sgang" run --gang=two --srun=--chdir=/tmp pwd | sort -u >got &&
	echo /tmp | test_cmp - got
'
test_expect_success 'refused: one that waits' '
	clear_cluster &&
	waits=$(submit -N1 --gang=waits --gang-min-member=2 member.sh) &&
	refuses 1 "gang root/waits is not placed yet" --gang=waits true
'
test_expect_success USERS 'refused: the gang of another user' '
	one=$(submit_as $alice --gang=hers --gang-min-member=2) &&
	two=$(submit_as $alice --gang=hers --gang-min-member=2) &&
	wait_for 15 all_in RUNNING $one $two &&
	as $bob "$sgang" run --gang=$alice/hers id >out 2>err;
	test $? = 1 && test_must_be_empty out &&
	grep -E "^sgang: gang $alice/hers: job ($one|$two) is a job of $alice, and nobody else can start a step in it\$" err &&
	as $alice "$sgang" run --gang=hers id -un >out && sort -u out >got &&
	echo $alice | test_cmp - got && test $(wc -l <out) = 2
'
last_case '
	scancel -u $alice && clear_cluster && nothing_left
'
