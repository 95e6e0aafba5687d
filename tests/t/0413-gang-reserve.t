#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0413-gang-reserve.t - placeholders by one sbatch: --gang-reserve
#
# The observer trusts Slurm's commands alone.

test_description='sbatch --gang-reserve: a driver and the nodes of its executors'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 2 --gang --conf 'KillWait=2'
slurm_start

sgang=$top_builddir/src/cmd/sgang

gang_scripts driver executor
sed -i "2i env | sort >'$PWD'/env.\$SLURM_JOB_ID" driver.sh

n_kept() { test "$(squeue -h -r -t CF -n ${1}.placeholder -o %N | wc -l)" = $2; }
n_jobs() { test "$(squeue -h -r -o %A | wc -l)" = $1; }
options=(--exclusive -N1 -t10)
executor()
{
	submit "${options[@]}" --gang=$1 --gang-role=executor executor.sh
}
reserve()
{
	sbatch "${options[@]}" --gang-role=driver --gang-reserve=driver:1,executor:3 "$@"
}
n_submitted() { scontrol -o show job | grep -c "JobName=executor.placeholder "; }
refused()
{
	test_must_fail "$@" >out 2>err
	cat out err
	test ! -s out && n_jobs 0
}

test_expect_success '1.1 1.2 one command: the driver runs on one node, three are kept' '
	reserve --parsable --gang=etl driver.sh >number && cat number &&
	driver=$(cat number) && wait_state $driver RUNNING && wait_for 20 n_kept executor 3 &&
	n_jobs 4 && wait_for 10 ran_once driver 1 &&
	test "$(job_field $driver JobName)" = driver.sh
'
test_expect_success 'the job has no trace of how it was submitted' '
	wait_for 10 test -s env.$driver && cat env.$driver &&
	! grep -E "RESERVE|SBATCH|ARRAY|placeholder=" env.$driver &&
	grep -x "SLURM_GANG_ROLE=driver" env.$driver &&
	grep -x "SLURM_GANG_MEMBERS=4" env.$driver
'
test_expect_success '1.6 1.26 its executors take the nodes' '
	for i in 1 2 3; do one=$(executor etl) && wait_state $one RUNNING || return 1; done &&
	n_kept executor 0 && n_jobs 4
'
test_expect_success '1.57 a placeholder has no script but exit 0' '
	clear_cluster && reserve --gang=script driver.sh && wait_for 20 n_kept executor 3 &&
	id=$(squeue -h -n executor.placeholder -o %A | head -1) &&
	scontrol write batch_script $id - >script && cat script &&
	printf "#!/bin/sh\nexit 0\n" | test_cmp - script
'
test_expect_success 'the output is that of sbatch for the job alone' '
	clear_cluster && reserve --gang=out driver.sh >out 2>err && cat out err &&
	test "$(cat out)" = "Submitted batch job $(squeue -h -n driver.sh -o %A)" &&
	test ! -s err
'
test_expect_success 'options in the script, and a script from a file as standard input' '
	clear_cluster && { echo "#!/bin/bash" && printf "#SBATCH --%s\n" exclusive nodes=1 \
		time=10 gang=lines gang-role=driver gang-reserve=driver:1,executor:2 &&
		tail -n +2 driver.sh; } >lines.sh && sbatch --parsable <lines.sh >number &&
	wait_state $(cat number) RUNNING && n_kept executor 2 && n_jobs 3 &&
	clear_cluster && sbatch --parsable lines.sh >number &&
	wait_state $(cat number) RUNNING && n_kept executor 2 && n_jobs 3
'
test_expect_success 'a script from a pipe is gone when it was read' '
	clear_cluster && cat lines.sh | test_must_fail sbatch >out 2>err; cat out err &&
	test ! -s out && n_jobs 0 && grep "from a pipe can be read once" err
'
test_expect_success 'several of its own group, and a command by --wrap' '
	clear_cluster && sbatch --parsable "${options[@]}" --gang=wrap --gang-role=worker \
		--gang-reserve=worker:3 --wrap="sleep 60" -J mine >number && job=$(cat number) &&
	wait_state $job RUNNING && test "$(job_field $job JobName)" = mine &&
	n_jobs 3 && test $(squeue -h -r -t CF -o %A | wc -l) = 2
'
test_expect_success '--wait waits for the job alone, and ends as it does' '
	clear_cluster && rm -f driver.go && reserve --gang=wait -W driver.sh >out 2>&1 &
	pid=$! &&
	wait_for 20 "squeue -h -t R -n driver.sh | grep ." && n_kept executor 3 &&
	touch driver.go && wait $pid && cat out && rm -f driver.go && clear_cluster &&
	reserve --gang=wait -W --wrap="exit 7" >out 2>&1; test $? = 7
'
test_expect_success '--quiet is quiet' '
	clear_cluster && reserve --gang=quiet -Q driver.sh >out 2>&1 && test ! -s out &&
	wait_for 20 n_kept executor 3
'

# --- refused: nothing is left ---

test_expect_success 'without a group of its own' '
	clear_cluster && refused sbatch -N1 --gang=a --gang-reserve=driver:1 driver.sh &&
	grep "gang-role=GROUP says which of these groups the job itself is in" err &&
	refused sbatch -N1 --gang=a --gang-role=x --gang-reserve=driver:1 driver.sh &&
	grep "gang-role=GROUP says" err
'
test_expect_success 'a list that is none' '
	for list in "" , driver driver: driver:0 driver:x :1 driver:1, driver:1,driver:2 \
		driver:min=2:1 a/driver:1 Driver:1 $(printf "a%s:1," {1..200})b:1; do
		refused sbatch -N1 --gang=a --gang-role=driver "--gang-reserve=$list" driver.sh &&
		grep "gang-reserve" err || return 1
	done
'
test_expect_success 'an array, by option and by environment' '
	refused reserve --gang=a -a1-2 driver.sh && grep "leave --array out" err &&
	refused reserve --gang=a -a1-3 driver.sh && grep "leave --array out" err &&
	refused env SBATCH_ARRAY_INX=1-2 sbatch -N1 --gang=a --gang-role=driver \
		--gang-reserve=driver:1 driver.sh && grep "leave --array out" err
'
test_expect_success 'the job is refused after its placeholders were submitted' '
	before=$(n_submitted) &&
	refused env SBATCH_ARRAY_INX=1-2 sbatch "${options[@]}" --gang=a --gang-role=driver \
		--gang-reserve=driver:1,executor:3 driver.sh && grep "leave --array out" err &&
	test $(n_submitted) = $((before + 1)) &&
	! scontrol -o show job | grep "JobName=executor.placeholder " |
		grep -v "JobState=CANCELLED"
'
test_expect_success 'no command but sbatch, and no file' '
	refused srun -N1 --gang=a --gang-role=driver --gang-reserve=driver:1 true &&
	grep "only sbatch" err &&
	refused salloc -N1 --gang=a --gang-role=driver --gang-reserve=driver:1 true &&
	grep "only sbatch" err &&
	printf "%s\n" "gang: a" "reserve: driver:1" "command: true" >a.yaml &&
	refused "$sgang" submit a.yaml && grep "unknown key" err
'
test_expect_success '--test-only submits nothing' '
	clear_cluster && reserve --gang=test --test-only driver.sh; n_jobs 0
'

test_expect_success '1.1 no placeholder was launched' 'no_placeholder_launched'

test_done
