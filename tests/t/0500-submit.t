#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0500-submit.t - what sbatch, srun and salloc say to the --gang options

test_description='Gangs that are wrong or can never start are refused at once'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

# Behaviours and title | options | the sentence. Each is tried with sbatch, srun
# and salloc, as far as these have the options. The gangs early, least, most,
# fill and slow have members that wait: see "members that wait" below.
refused_table()
{
	cat <<'END'
0.18 no name|--gang=|--gang=: the name is missing, expected [NAMESPACE/]NAME
0.18 upper case|--gang=Train|--gang=Train: a gang's name has no upper-case letters
0.18 underscore|--gang=a_b|--gang=a_b: a gang's name has only the letters a to z, digits and '-'
0.18 begins with -|--gang=-a|--gang=-a: a gang's name begins and ends with a letter or a digit
0.18 ends with -|--gang=a-|--gang=a-: a gang's name begins and ends with a letter or a digit
0.18 two slashes|--gang=root/a/b|--gang=root/a/b: there is more than one slash, expected [NAMESPACE/]NAME
0.18 empty namespace|--gang=/a|--gang=/a: the namespace before the slash is empty; leave the slash out to use your user name
0.20 zero members|--gang=a --gang-min-member=0|--gang-min-member=0: expected a number from 1 to 100000
0.20 junk members|--gang=a --gang-min-member=2x|--gang-min-member=2x: expected a number from 1 to 100000
0.20 negative total|--gang=a --gang-total-number=-1|--gang-total-number=-1: expected a number from 1 to 100000
0.20 junk rank|--gang=a --gang-rank=first|--gang-rank=first: expected a number from 0 to 100000
0.20 junk policy|--gang=a --gang-topology=leaf|--gang-topology=leaf: expected require:LEVEL, require:GROUP:LEVEL, prefer:LEVEL[@TIME], spread:LEVEL or auto, where LEVEL is the name of a level of the fabric, such as leaf
0.20 unknown level|--gang=a --gang-topology=require:moon|--gang-topology: there is no level "moon"; the levels are island, node, leaf, spine, core
0.20 minimum above total|--gang=a --gang-min-member=3 --gang-total-number=2|--gang-min-member=3 is above --gang-total-number=2: a gang cannot need more members than it has
0.26 no gang|--gang-min-member=2|--gang-min-member is given but no gang: add --gang=NAME
0.27 zero available|--gang=a --gang-min-available=0|--gang-min-member=0: expected a number from 1 to 100000
0.27 alias that contradicts|--gang=a --gang-min-member=2 --gang-min-available=3|--gang-min-member=2 and --gang-min-available=3: give one of them
0.20 another minimum|--gang=early --gang-min-member=4|--gang-min-member=4: the gang's earlier members said 3 (job N of root)
0.20 another total|--gang=early --gang-total-number=5|--gang-total-number=5: the gang's earlier members said 4 (job N of root)
0.20 another policy|--gang=early --gang-topology=require:leaf|--gang-topology=require:leaf: the gang's earlier members said prefer:leaf (job N of root)
0.20 another level|--gang=early --gang-topology=prefer:node|--gang-topology=prefer:node: the gang's earlier members said prefer:leaf (job N of root)
0.20 total below an earlier minimum|--gang=least --gang-total-number=2|--gang-min-member=3 is above --gang-total-number=2: a gang cannot need more members than it has (job N of root)
0.20 minimum above an earlier total|--gang=most --gang-min-member=3|--gang-min-member=3 is above --gang-total-number=2: a gang cannot need more members than it has (job N of root)
0.22 a stranger's namespace|--gang=nobody/a|the gang's namespace "nobody" is neither your user name (root) nor the account that the job is charged to (none)
0.22 another account|--account=proj --gang=other/a|the gang's namespace "other" is neither your user name (root) nor the account that the job is charged to (proj)
0.22 root's gang|--uid=daemon --gang=root/early|the gang's namespace "root" is neither your user name (daemon) nor the account that the job is charged to (none)
0.22 an account called root|--uid=daemon --account=root --gang=root/early|the gang's namespace "root" is the name of another user
0.20 unknown mode|--gang=a --gang-mode=Strict2|--gang-mode=Strict2: expected one of strict|nonstrict
0.20 another mode|--gang=early --gang-mode=nonstrict|--gang-mode=nonstrict: the gang's earlier members said strict (job N of root)
0.28 no time|--gang=a --gang-waiting-time=soon|--gang-waiting-time=soon: expected a time above 0 such as 30 (minutes), 10:00 or 1-12, or UNLIMITED
0.28 another time|--gang=early --gang-waiting-time=6:00|--gang-waiting-time=00:06:00: the gang's earlier members said 00:05:00 (job N of root)
0.23 a bare name|--gang=a --gang-groups=b|--gang-groups=b: write NAMESPACE/NAME, where NAMESPACE is the user or account of that gang
0.21 another group|--gang=early --gang-groups=root/other|--gang-groups=root/other: the gang's earlier members said that there are none (job N of root)
3.19 unknown policy|--gang=a --gang-on-failure=cry|--gang-on-failure=cry: expected one of ignore|kill|requeue|replace
0.15 junk TRES|--gang=a --gang-min-tres=gpu=1|--gang-min-tres=gpu=1: expected cpu=N, mem=SIZE and node=N, each at most once, where SIZE is like 2048M or 64G
0.15 CPUs to be free|--gang=a --gang-min-member=1 --gang-min-tres=cpu=9|the gang can never start: --gang-min-tres wants 9 CPUs to be free and the cluster has 8
0.15 nodes to be free|--gang=a --gang-min-member=1 --gang-min-tres=node=5|the gang can never start: --gang-min-tres wants 5 nodes to be free and the cluster has 4
0.15 memory to be free|--gang=a --gang-min-member=1 --gang-min-tres=mem=8001M|the gang can never start: --gang-min-tres wants 8001 MB of memory to be free and the cluster has 8000
1.8 nodes of a member|--gang=a -p small -N 3|the gang can never start: this member alone needs 3 nodes and partition small has 2
1.8 CPUs of a member|--gang=a -p small -n 5|the gang can never start: this member alone needs 5 CPUs and partition small has 4
1.8 whole nodes, the cluster|--gang=a -N 1 --exclusive --gang-min-member=5|the gang can never start: its 5 members need at least 5 whole nodes together and the cluster has 4; if others share nodes, submit those first
1.8 whole nodes, a partition|--gang=fill -p small -N 1 --exclusive|the gang can never start: 3 of its members need 3 whole nodes together and partition small has 2
1.8 CPUs, the cluster|--gang=a -n 1 --gang-min-member=9|the gang can never start: its 9 members need at least 9 CPUs together and the cluster has 8
1.8 CPUs, a partition|--gang=a -p small --array=1-5 --gang-min-member=5|the gang can never start: 5 of its members need 5 CPUs together and partition small has 4
1.8 limited array|--gang=a --array=1-4%2 --gang-min-member=3|the array's limit of 2 tasks at a time is below --gang-min-member=3: the gang could never start
1.8 earlier limited array|--gang=slow --gang-min-member=3|--gang-min-member=3: array job SLOW of this gang is limited to 2 tasks at a time: the gang could never start
heterogeneous job|--gang=a -N 1 : -N 1|a component of a heterogeneous job cannot join a gang; submit the components as jobs of one gang instead
heterogeneous job, last|-N 1 : -N 1 --gang=a|a component of a heterogeneous job cannot join a gang; submit the components as jobs of one gang instead
END
}

# Behaviours and title | options | the gang. Each is submitted with sbatch and
# must run.
accepted_table()
{
	cat <<-END
	0.18 one character|--gang=7 --gang-min-member=1|root/7
	0.18 63 characters|--gang=$(printf 'x%.0s' {1..63}) --gang-min-member=1|root/$(printf 'x%.0s' {1..63})
	0.18 inner -|--gang=a-1 --gang-min-member=1|root/a-1
	0.22 own namespace|--gang=root/own --gang-min-member=1|root/own
	0.22 account|--account=proj --gang=proj/acc --gang-min-member=1|proj/acc
	0.22 account, as Slurm spells it|--account=PROJ --gang=proj/up --gang-min-member=1|proj/up
	0.22 another user|--uid=daemon --gang=other --gang-min-member=1|daemon/other
	0.26 name and minimum|--gang=two -a 1-2 --gang-min-member=2|root/two
	0.27 alias|--gang=also -a 1-2 --gang-min-available=2|root/also
	0.27 alias that agrees|--gang=both --gang-min-member=1 --gang-min-available=1|root/both
	1.9 minimum is the total|--gang=all -a 1-2 --gang-min-member=2 --gang-total-number=2|root/all
	1.9 known level|--gang=level --gang-topology=require:leaf --gang-min-member=1|root/level
	1.9 all nodes of a partition|--gang=part -p small -a 1-2 -N 1 --exclusive --gang-min-member=2|root/part
	1.9 all CPUs|--gang=cpus -a 1-8 -n 1 --gang-min-member=8|root/cpus
	0.17 every option|--gang=every --gang-total-number=1 --gang-mode=nonstrict --gang-groups= --gang-waiting-time=5:00 --gang-match=only-waiting --gang-order=3 --gang-on-failure=kill --gang-min-tres=cpu=2,mem=100M,node=1 --gang-topology=prefer:leaf --gang-rank=0|root/every
	0.21 a group of itself|--gang=self --gang-min-member=1 --gang-groups=root/self|root/self
	0.28 no end of waiting|--gang=wait --gang-min-member=1 --gang-waiting-time=UNLIMITED|root/wait
	0.15 all there is|--gang=tres --gang-min-member=1 --gang-min-tres=cpu=8,mem=8000M,node=4|root/tres
	1.9 array limited to the minimum|--gang=limit -a 1-2%2 --gang-min-member=2|root/limit
	END
}

# Which of the commands know all these options.
commands_for()
{
	case " $* " in
	*" --array="*) echo sbatch ;;
	*" --uid="*) echo sbatch $srun_uid ;;
	*) echo sbatch srun salloc ;;
	esac
}

# Run one of the commands with the rest of the arguments. It must not wait.
ask()
{
	local command=$1

	case $command in
	sbatch) timeout 120 sbatch "${@:2}" --wrap=true ;;
	*) timeout 120 $command "${@:2}" true ;;
	esac
}

# stderr without what Slurm puts in front of our sentence, and below it.
our_words()
{
	sed -E -e 's/^(sbatch|srun|salloc): error: //' \
		-e '/^Invalid --gang[a-z-]* argument: /d' \
		-e '/^Batch job submission failed: /d' \
		-e '/^Unable to allocate resources: /d' \
		-e '/^Job submit\/allocate failed: /d' \
		-e '/^salloc: Job allocation [0-9]+ has been revoked\.$/d' \
		-e 's/^(gang|[01]): //'
}

queue() { squeue -h -r -o '%i %T %r' | sort; }

# Each of the commands refuses the options in $1 with the sentence $2.
refused()
{
	local command code

	queue >before
	echo "$2" >sentence
	for command in $(commands_for $1); do
		ask $command $1 >out 2>err
		code=$?
		echo "$command: exit $code"
		cat err
		our_words <err | sed 's/(job [0-9]* of/(job N of/' >words
		test $code != 0 && test $code != 124 &&
			test_must_be_empty out &&
			test_cmp sentence words || return 1
	done
	queue | test_cmp before -
}

# What Slurm knows of jobs without gangs, and what these know of it: the record
# of each in "$1.jobs" and its variables in "$1.env". Each has a time limit, since
# backfill gives one to a job that it starts before the main scheduler does.
plain_jobs()
{
	local id ids

	ids=$(submit -t 60 -N 1 --hold --comment="not a gang=a/b" &&
		submit -t 60 -n 2 --array=1-3%2 --hold &&
		submit -t 60 -N 2 --exclusive --comment=mine --wrap=env) || return 1
	id=${ids##*$'\n'}
	wait_state $id COMPLETED || return 1
	{
		job_output $id
		srun -t 60 -w n1 --comment=srun env
		salloc -t 60 -Q -w n1 --comment=salloc env
	} | sed 's/=.*//' | sort | uniq -c >$1.env || return 1
	wait_for 10 nodes_idle || return 1
	scontrol show job | sed -E "s|$slurm_dir|DIR|
		s/[A-Za-z]*Time=[^ ]*|LastSchedEval=[^ ]*|Scheduler=[^ ]*//g" |
		sed 's/ *$//' >$1.jobs
	scancel -u root
}

slurm_cluster -n 4 -c 2 --stock

# Later releases have --uid in sbatch alone.
srun_uid=
! srun --uid=root --usage >/dev/null 2>&1 || srun_uid=srun

test_expect_success 'jobs on a cluster of stock Slurm' '
	plain_jobs stock &&
	test "$(grep -c ^JobId= stock.jobs)" = 5
'

# As between the client package and the settings of slurmctld: slurm.conf at hand
# may have them by then.
none="--gang: slurmctld does not use slurm-gang, its JobSubmitPlugins= has \
no gang, so the job would start alone; tell its administrator, or submit the job \
without --gang"
test_expect_success '0.20 a slurmctld without slurm-gang: each command refuses' '
	ln -s "$top_builddir/src/plugins/spank/.libs/gang.so" \
		"$slurm_dir/gang.so" &&
	echo "optional $slurm_dir/gang.so" >"$slurm_dir/etc/plugstack.conf" &&
	cp "$SLURM_CONF" stock.conf &&
	echo "JobSubmitPlugins=gang" >>"$SLURM_CONF" &&
	refused "-n 1 --gang=a --gang-min-member=2" "$none" &&
	refused "-n 1 --gang-order=1 --array=1-4" "$none" &&
	refused "-n 1 --gang=a --gang-role=b --gang-reserve=a:2,b:1" "$none"
'
test_expect_success '0.26 a default of the environment and a line of the script' '
	queue >before &&
	test_expect_code 7 env SLURM_EXIT_ERROR=7 sbatch -n 1 --gang=a --wrap=true &&
	test_must_fail env SLURM_SPANK__SLURM_SPANK_OPTION_gang_gang=a \
		sbatch -n 1 --wrap=true 2>err &&
	grep "does not use slurm-gang" err &&
	printf "#!/bin/sh\n#SBATCH --gang=a\n" >line.sh &&
	test_must_fail sbatch -n 1 line.sh 2>err &&
	grep "does not use slurm-gang" err &&
	queue | test_cmp before -
'
test_expect_success 'a job without a gang runs there, and its steps' '
	srun -n 1 true &&
	salloc -Q -n 1 srun --gang=a true 2>err &&
	grep "gang is ignored: a step cannot join" err &&
	! grep "does not use" err
'
test_expect_success 'slurmctld is down: slurm.conf at hand says it' '
	slurm_stop_ctld &&
	sed -i "/^JobSubmitPlugins=/d" "$SLURM_CONF" &&
	test_must_fail timeout 60 sbatch -n 1 --gang=a --wrap=true 2>err &&
	grep "slurmctld does not answer, and JobSubmitPlugins= in this" err &&
	slurm_cleanup
'

slurm_cluster -n 4 -c 2 --gang \
	--conf 'PartitionName=small Nodes=n[1-2] MaxTime=INFINITE State=UP'

test_expect_success 'a job without a gang is as with stock Slurm' '
	plain_jobs gang &&
	test_cmp stock.jobs gang.jobs &&
	test_cmp stock.env gang.env
'

while IFS='|' read -r title options gang; do
	test_expect_success "$title: accepted" '
		id=$(submit -o /dev/null --comment="my own" $options \
			--wrap=true) &&
		wait_for 15 "test -z \"\$(squeue -h -j $id)\"" &&
		all_in COMPLETED $id &&
		test "$(gang_record $id gang)" = $gang &&
		test "$(job_field $id Comment)" = "my own"
	'
done <<<"$(accepted_table)"

test_expect_success 'members that wait' '
	submit --gang=early --gang-min-member=3 --gang-total-number=4 \
		--gang-topology=prefer:leaf --gang-mode=strict \
		--gang-waiting-time=5:00 --gang-groups= &&
	submit --gang=least --gang-min-member=3 &&
	submit --gang=most --gang-total-number=2 --hold &&
	submit --gang=fill --gang-min-member=3 --array=1-2 -p small -N 1 \
		--exclusive &&
	slow=$(submit --gang=slow --array=1-4%2 --hold) &&
	wait_for 10 "! squeue -h -o %r | grep -qx None"
'

while IFS='|' read -r title options sentence; do
	test_expect_success "$title: $(commands_for $options)" '
		refused "$options" "${sentence/SLOW/$slow}"
	'
done <<<"$(refused_table)"

test_expect_success '0.18 a name of 64 characters' '
	name=$(printf "x%.0s" {1..64}) &&
	ask sbatch --gang=$name 2>err; test $? != 0 &&
	our_words <err | grep "a gang.s name has at most 63 characters\$"
'
test_expect_success '1.8 a change that would spoil a gang' '
	limited=$(submit --gang=change --array=1-2%2 --account=proj \
		--gang-min-member=2 --hold) &&
	test_must_fail scontrol update JobId=$limited ArrayTaskThrottle=1 &&
	scontrol update JobId=$limited ArrayTaskThrottle=3 &&
	mine=$(submit --gang=proj/mine --account=proj --gang-min-member=2) &&
	test_must_fail scontrol update JobId=$mine Account=other &&
	test "$(job_field $mine Account)" = proj &&
	scancel -u root &&
	wait_for 10 queue_empty
'

test_expect_success '0.25 a gang that nobody defines waits, and sbatch says so' '
	one=$(submit --gang=late 2>err) &&
	echo "sbatch: gang root/late is not defined yet: its members wait until\
 one of them says --gang-min-member or sgang create does" |
		test_cmp - err &&
	wait_for 10 squeue_says $one "Gang root/late undefined" &&
	two=$(submit --gang=late --gang-min-member=2 2>err) &&
	test_must_be_empty err &&
	start_together 15 $one $two &&
	three=$(submit --gang=late --wrap=true 2>err) &&
	test_must_be_empty err &&
	wait_state $three COMPLETED &&
	end_now $one $two
'

while read -r command; do
	test_expect_success "an option without effect: $command says so" '
		ask $command -n 1 --gang=idle --gang-min-member=1 \
			--gang-waiting-time=5 >out 2>err &&
		grep "^$command: --gang-waiting-time has no effect without\
 --gang-mode=nonstrict\$" err &&
		ask $command -n 1 --gang=busy --gang-min-member=1 \
			--gang-mode=nonstrict --gang-waiting-time=5 >out 2>err &&
		! grep "no effect" err &&
		wait_for 15 queue_empty
	'
done <<<"$(commands_for | tr " " "\n")"

test_expect_success '0.26 #SBATCH lines' '
	gang_script lines &&
	sed -i "1a #SBATCH --gang=lines --gang-min-member=2\n#SBATCH -N 1" \
		lines.sh &&
	one=$(submit lines.sh) &&
	wait_for 10 squeue_says $one "Gang root/lines gathering 1/2 members" &&
	two=$(submit lines.sh) &&
	start_together 15 $one $two &&
	let_end lines $one $two
'
test_expect_success '0.20 a wrong #SBATCH line' '
	queue >before &&
	sed "s/min-member=2/min-member=none/" lines.sh >wrong.sh &&
	test_must_fail sbatch wrong.sh 2>err &&
	our_words <err >words &&
	echo "--gang-min-member=none: expected a number from 1 to 100000" |
		test_cmp - words &&
	queue | test_cmp before -
'
test_expect_success '0.27 the alias for sbatch, srun and salloc' '
	set -- -N 1 --gang=alias --gang-min-available=3 &&
	id=$(submit "$@" --wrap="env") &&
	wait_for 10 squeue_says $id "Gang root/alias gathering 1/3 members" &&
	{ srun "$@" env >srun.out 2>srun.err & } && pids=$! &&
	wait_for 10 squeue_says $id "Gang root/alias gathering 2/3 members" &&
	{ salloc -Q "$@" env >salloc.out 2>salloc.err & } && pids+=" $!" &&
	wait $pids &&
	wait_state $id COMPLETED &&
	for file in srun.out salloc.out "$slurm_dir/out/$id"; do
		grep "^SLURM_GANG_MEMBERS=3\$" "$file" || return 1
	done &&
	! grep error: srun.err salloc.err
'

test_expect_success '0.26 what a member submits is not of its gang' '
	cat >outer.sh <<-END &&
	#!/bin/bash
	env >"$PWD/outer.env"
	srun env >"$PWD/step.env"
	sbatch --parsable -o /dev/null --wrap=true >"$PWD/inner"
	srun --overlap -N 1 true
	END
	id=$(complete_job -N 1 --gang=outer --gang-total-number=1 \
		--gang-mode=nonstrict --gang-groups=root/outer \
		--gang-waiting-time=5 --gang-match=only-waiting \
		--gang-order=1 --gang-on-failure=kill --gang-min-tres=cpu=1 \
		outer.sh) &&
	inner=$(cat inner) &&
	wait_state $inner COMPLETED &&
	test -z "$(gang_record $inner)" &&
	grep "^SLURM_GANG_NAME=outer\$" outer.env step.env &&
	! grep SPANK_OPTION outer.env step.env
'
test_expect_success '0.22 two users, one name: two gangs' '
	options="-N 1 -o /dev/null --gang=same" &&
	mine=$(submit $options --gang-min-member=2) &&
	other=$(submit --uid=daemon $options --gang-min-member=3) &&
	wait_for 10 squeue_says $mine "Gang root/same gathering 1/2 members" &&
	wait_for 10 squeue_says $other \
		"Gang daemon/same gathering 1/3 members"
'
test_expect_success '0.22 each starts when it is complete itself' '
	also=$(submit $options) &&
	start_together 15 $mine $also &&
	job_is $other PENDING &&
	others=$(submit --uid=daemon $options --array=1-2) &&
	start_together 15 $other ${others}_1 ${others}_2 &&
	all_in RUNNING $mine $also &&
	scancel $mine $also $other $others
'
test_expect_success '0.22 two users meet in the namespace of an account' '
	options="-N 1 -o /dev/null --account=proj --gang=proj/joint" &&
	mine=$(submit $options --gang-min-member=2) &&
	wait_for 10 squeue_says $mine "Gang proj/joint gathering 1/2 members" &&
	other=$(submit --uid=daemon $options) &&
	start_together 15 $mine $other &&
	end_now $mine $other
'
test_expect_success 'two members in a partition of two nodes, one elsewhere' '
	options="-N 1 --exclusive -o /dev/null --gang=apart" &&
	two=$(submit $options --gang-min-member=3 -p small --array=1-2) &&
	one=$(submit $options) &&
	start_together 15 ${two}_1 ${two}_2 $one &&
	end_now $two $one
'

test_expect_success 'Gangs=no: no gang is accepted' '
	echo Gangs=no >"$slurm_dir/etc/gang.conf" &&
	scontrol reconfigure &&
	refused --gang=off "gangs are switched off on this cluster (Gangs=no in\
 gang.conf); submit the job without --gang"
'
test_expect_success 'Gangs=no: other jobs are' '
	id=$(complete_job -N 4 --comment=mine --wrap=true) &&
	srun -N 1 true &&
	salloc -Q -N 1 true
'
last_case
