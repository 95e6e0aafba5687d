#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0532-rank-order.t - the ranks of a gang's steps stand in ring order
#
# The nodes of a leaf are not neighbours in Slurm's node table, so the two
# orders differ: n1 n3 n2 n4, and n1 to n4.

test_description='hostfile and rank order inside the jobs of a gang'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

cat >topology.conf <<'TOPOLOGY'
SwitchName=odd Nodes=n[1,3]
SwitchName=even Nodes=n[2,4]
SwitchName=top Switches=odd,even
TOPOLOGY
slurm_setup -n 4 -c 4 --gang --topology "$PWD/topology.conf"
slurm_start

ring="n1 n3 n2 n4"
table="n1 n2 n3 n4"

# Along which nodes Slurm deals blocks of ranks by itself; only 22.05 takes a
# hostfile for a step with --nodes.
blocks=$table nodes_too=$ring
! slurm_since 24.11 || nodes_too=$table
! slurm_since 26.05 || blocks=$ring nodes_too=$ring
twice=$(printf "%s\n" $blocks | sed p | xargs)

# A batch script that runs the lines of a file NAME.lines, each an srun's
# options, and writes for each the nodes of its ranks to NAME.places; then waits
# for NAME.go. What it was told is in NAME.env, its hostfile in NAME.hosts.
places_script()
{
	cat <<-SCRIPT
	#!/bin/bash
	cd "$PWD"
	name=$1
	env | grep ^SLURM_ | sort >\$name.env
	ls -ld "\$SLURM_GANG_HOSTFILE" >\$name.ls 2>&1
	cat "\$SLURM_GANG_HOSTFILE" >\$name.hosts 2>&1
	while read -r line; do
		while squeue -h -s -j \$SLURM_JOB_ID -o %i |
				grep -qE '[.][0-9]'; do
			read -rt 0.1 <> <(:) || :
		done
		eval "srun \$line bash -c 'echo \\\$SLURM_PROCID \\\$SLURMD_NODENAME'" \\
			2>>\$name.err </dev/null | sort -n | cut -d " " -f 2 | xargs
	done <\$name.lines >\$name.now
	mv \$name.now \$name.places
	SCRIPT
}

# Run it as a gang of one: places_of NAME SBATCH-OPTIONS...; lines on stdin.
places_of()
{
	local name=$1

	shift
	places_of_job $name --gang=$name --gang-min-member=1 "$@"
}

# The same without a gang.
places_of_job()
{
	local name=$1

	shift
	cat >$name.lines
	places_script $name >$name.sh
	id=$(submit "$@" $name.sh) &&
		wait_state $id "COMPLETED|FAILED" 40 &&
		job_is $id COMPLETED ||
		{ cat $name.err; return 1; }
}

told()
{
	sed -n "s/^$2=//p" $1.env
}

# Both NAME.wanted (stdin) and NAME.places say the same of each line.
all_as_wanted()
{
	cat >$1.wanted
	paste -d "|" $1.lines $1.wanted >a
	paste -d "|" $1.lines $1.places >b
	test_cmp a b || { cat $1.err; return 1; }
}

test_expect_success '4.21 4.28 a step without options follows the ring' '
	echo | places_of plain -N 4 --exclusive &&
	test "$(cat plain.places)" = "$ring" &&
	test "$(told plain SLURM_GANG_MEMBER_NODELIST)" = n1,n3,n2,n4
'
test_expect_success '4.28 the hostfile of a batch script' '
	test "$(xargs <plain.hosts)" = "$ring" &&
	hostfile=$(told plain SLURM_GANG_HOSTFILE) &&
	grep "^-rw------- 1 root root .* $hostfile\$" plain.ls
'
test_expect_success 'it is gone with the job, and nobody complains' '
	wait_for 10 "test ! -e \"$(dirname $hostfile)\"" &&
	test "${hostfile#$slurm_dir/spool/n1/job}" != "$hostfile" &&
	! grep -i -E "rmdir|hostfile" "$slurm_dir/log/n1.log"
'
test_expect_success '4.21 options that leave the ranks in their places' '
	places_of same -N 4 --exclusive <<-LINES &&
	-l -o same.labelled
	-N 4
	-N4 -n4
	--ntasks=4 --nodes=4
	-n 4 --ntasks-per-node=1
	--exact
	--overlap
	--export=ALL --kill-on-bad-exit=1
	-K1 -u -v
	-K -W 300 -J name -t 10
	--mpi=none --cpu-bind=none --
	LINES
	all_as_wanted same <<-WANTED &&
	
	$nodes_too
	$nodes_too
	$nodes_too
	$ring
	$ring
	$ring
	$ring
	$ring
	$ring
	$ring
	WANTED
	test "$(sort -n same.labelled | cut -d " " -f 3 | xargs)" = "$ring"
'
test_expect_success '4.21 a step of a part of the job goes as Slurm says' '
	places_of part -N 4 --exclusive <<-LINES &&
	-n 2
	-N 2
	-N 1-4
	-n 8
	-w n4,n3 -n 2
	-r 1 -N 3 -n 3
	-x n1 -N 3 -n 3
	LINES
	places_of_job apart -N 4 --exclusive <part.lines &&
	all_as_wanted part <apart.places &&
	grep -x "$blocks" part.places &&
	grep -x "$twice" part.places &&
	grep -x "n2 n3 n4" part.places
'
test_expect_success '4.21 what the user says about the order is done' '
	places_of said -N 4 -n 8 --ntasks-per-node=2 <<-LINES &&
	
	--distribution=block
	-m cyclic
	--distribution=plane=2
	-n 8 -m arbitrary -w n2,n2,n1,n1,n4,n4,n3,n3
	LINES
	all_as_wanted said <<-WANTED
	n1 n1 n3 n3 n2 n2 n4 n4
	$twice
	n1 n2 n3 n4 n1 n2 n3 n4
	n1 n1 n2 n2 n3 n3 n4 n4
	n2 n2 n1 n1 n4 n4 n3 n3
	WANTED
'
test_expect_success '4.21 or by the options of sbatch and the environment' '
	echo | places_of sbatch -N 4 --exclusive -m cyclic &&
	test "$(cat sbatch.places)" = "$table" &&
	printf "n4\nn3\nn2\nn1\n" >mine &&
	echo | places_of hosts -N 4 --exclusive \
		--export=ALL,SLURM_HOSTFILE=mine &&
	test "$(cat hosts.places)" = "n4 n3 n2 n1"
'
test_expect_success '4.21 the hostfile says the same as the default' '
	places_of file -N 4 -n 8 --ntasks-per-node=2 <<-LINES &&
	
	-n 8 --distribution=arbitrary -w \$SLURM_GANG_HOSTFILE
	LINES
	test "$(sed -n 1p file.places)" = "n1 n1 n3 n3 n2 n2 n4 n4" &&
	test "$(sed -n 2p file.places)" = "$(sed -n 1p file.places)" &&
	test "$(xargs <file.hosts)" = "$(sed -n 1p file.places)"
'
test_expect_success '4.21 CPUs for each rank' '
	places_of cpus -N 4 -n 8 -c 2 <<-LINES &&
	
	-c 2
	-c \$SLURM_CPUS_PER_TASK --exact
	-c 1
	LINES
	all_as_wanted cpus <<-WANTED
	n1 n1 n3 n3 n2 n2 n4 n4
	n1 n1 n3 n3 n2 n2 n4 n4
	n1 n1 n3 n3 n2 n2 n4 n4
	$twice
	WANTED
'
test_expect_success '4.21 nodes of which the job has unequal parts' '
	echo | places_of uneven -N 4 -n 6 &&
	told uneven SLURM_TASKS_PER_NODE | grep , &&
	test "$(wc -l <uneven.hosts)" = 6 &&
	test "$(cat uneven.places)" = "$(xargs <uneven.hosts)" &&
	test "$(uniq uneven.hosts | xargs)" = "$ring"
'
test_expect_success '4.21 a step inside a step, and two steps at a time' '
	cat >nested.sh <<-SCRIPT &&
	#!/bin/bash
	cd "$PWD"
	srun -l bash -c "env | grep -E \"^SLURM_(DISTRIBUTION|HOSTFILE|GANG_(RANK_ORDER|HOSTFILE))=\"" |
		sort >nested.env
	srun bash -c "test \\\$SLURM_PROCID != 1 ||
		srun --overlap --mem=0 -n 1 -N 1 -w n2 hostname" >nested.inner 2>&1
	echo \$? >nested.rc
	srun -n 2 -N 2 --exact sh -c "echo \\\$SLURMD_NODENAME" >two.1 &
	srun -n 2 -N 2 --exact sh -c "echo \\\$SLURMD_NODENAME" >two.2 &
	wait
	SCRIPT
	id=$(submit -N 4 -n 4 --exclusive --gang=nested --gang-min-member=1 \
		nested.sh) &&
	wait_state $id COMPLETED 40 &&
	test "$(cat nested.rc)" = 0 &&
	test "$(grep -v "^srun: " nested.inner)" = "$(uname -n)" &&
	printf "%s: SLURM_GANG_RANK_ORDER=ring\n" 0 1 2 3 | test_cmp - nested.env &&
	test "$(sort two.1 two.2 | xargs)" = "$table"
'
test_expect_success '4.21 the shell of salloc' '
	timeout 180 salloc -N 4 --exclusive --gang=shell --gang-min-member=1 bash -c "
		env | grep ^SLURM_GANG_HOSTFILE= >shell.hostfile
		srun bash -c \"echo \\\$SLURM_PROCID \\\$SLURMD_NODENAME\"" \
		2>err | sort -n | cut -d " " -f 2 | xargs >places &&
	test "$(cat places)" = "$ring" &&
	test_must_be_empty shell.hostfile
'
test_expect_success '4.21 a job that srun starts, and one in no gang: as in Slurm' '
	timeout 180 srun -N 4 --exclusive --gang=direct --gang-min-member=1 bash -c \
		"echo \$SLURM_PROCID \$SLURMD_NODENAME" >out 2>err &&
	test "$(sort -n out | cut -d " " -f 2 | xargs)" = "$blocks" &&
	echo >none.lines &&
	places_script none >none.sh &&
	id=$(submit -N 4 --exclusive none.sh) &&
	wait_state $id COMPLETED 40 &&
	test "$(cat none.places)" = "$table" &&
	! grep SLURM_GANG none.env
'
test_expect_success '4.21 members that are parts of a gang, of an array' '
	echo >array.1.lines && echo >array.2.lines &&
	places_script "array.\$SLURM_ARRAY_TASK_ID" >array.sh &&
	id=$(submit --gang=array --gang-min-member=2 -a 1-2 -N 2 --exclusive \
		array.sh) &&
	wait_for 40 "test -e array.1.places && test -e array.2.places" &&
	test "$(cat array.[12].places | sort)" = "n1 n3${LF}n2 n4" &&
	for task in 1 2; do
		test "$(told array.$task SLURM_GANG_MEMBER_NODELIST)" = \
			"$(tr " " , <array.$task.places)" || return 1
	done
'
test_expect_success 'nothing is left' '
	nothing_left "msg_type=SRUN_STEP_SIGNAL. failed: Connection reset by peer" &&
	! grep -F "ring order" "$slurm_dir"/log/n*.log
'

test_done
