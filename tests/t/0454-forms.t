#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0454-forms.t - every way to ask for the same thing gets the same place
#
# Random needs in all forms of sbatch, salloc and srun, beside ordinary jobs of
# the same form (tests/live-random/forms.py), on nodes of two islands with one,
# two and four threads a core, and with GPUs that are bound to cores and not.
#
# NEEDS=N, SEED=N	so many needs on each cluster [1], from that seed on
# CLUSTERS='1 2:gpus 4:bound'	these

test_description='The form of a request does not matter'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

if ! command -v python3 >/dev/null; then
	skip_all='no python3'
	test_done
fi

cat >leaves.conf <<\END
SwitchName=a Nodes=n[1-2]
SwitchName=b Nodes=n[3-4]
SwitchName=top Switches=a,b
END

# forms_cluster THREADS [gpus|bound]
forms_cluster()
{
	local nodes=(--cloud 4) gres=() conf="NodeTopology=n[1-4] Hwloc=two.xml"
	local node="Sockets=2 CoresPerSocket=4 ThreadsPerCore=$1 RealMemory=8000"

	test -z "$2" || node+=" Gres=gpu:8" gres=(--gres "Name=gpu")
	test "$2" != bound || nodes=(-n 4)
	slurm_setup "${nodes[@]}" --gang --topology "$PWD/leaves.conf" \
		"${gres[@]}" --gang-conf "$conf" --conf 'GresTypes=gpu
SchedulerParameters=bf_interval=1,sched_interval=1,batch_sched_delay=0,sched_min_interval=0,bf_continue,default_queue_depth=1000'
	cp "$top_srcdir/tests/data/two-islands.xml" "$slurm_dir/etc/two.xml"
	sed -i "s/ CPUs=8 .*/ CPUs=$((8 * $1)) $node/" "$SLURM_CONF"
	if test "$2" = bound; then
		mkdir "$slurm_dir/dev" && touch "$slurm_dir"/dev/gpu{0..7}
		printf 'Name=gpu File=%s Cores=%s\n' \
			"$slurm_dir/dev/gpu[0-3]" 0-3 \
			"$slurm_dir/dev/gpu[4-7]" 4-7 \
			>"$slurm_dir/etc/gres.conf"
	fi
	slurm_start
}

# A gang of so many jobs, as many as ordinary ones: all_run N ARG...
all_run()
{
	submit "${@:2}" -t 60 --array=1-$1 --gang=few --gang-min-member=$1 \
		--wrap "sleep 999" &&
		wait_for 30 "test \$(squeue -h -r -t R,CF -o %i | wc -l) = $1" &&
		scancel -u root && wait_for 30 queue_empty
}

# The number of nodes of the only job, when it has some.
nodes_of_all()
{
	wait_for 30 'test "$(squeue -h -r -t R,CF -o %i | wc -l)" = 1' &&
		squeue -h -r -o %D && scancel -u root && wait_for 30 queue_empty
}
# A gang of one has as many nodes as an ordinary job: as_few ARG...
as_few()
{
	local few

	submit "$@" -t 60 --wrap "sleep 999" && few=$(nodes_of_all) &&
		submit "$@" -t 60 --gang=few --gang-min-member=1 \
			--wrap "sleep 999" &&
		test "$(nodes_of_all)" = "$few"
}

# Four jobs that leave different CPUs and GPUs of each node.
fill_in_part()
{
	local n=0 tasks gpus

	while read -r tasks gpus; do
		n=$((n + 1))
		submit -w n$n -N 1 -n $tasks --gpus=$gpus -t 60 --wrap "sleep 999" ||
			return 1
	done <<<$'5 2\n1 6\n7 1\n2 7' &&
		wait_for 20 "test \$(squeue -h -t R,CF -o %i | wc -l) = 4"
}
# As many as ordinary ones beside those: run_beside N ARG...
run_beside()
{
	submit "${@:2}" -J few -t 60 --array=1-$1 --gang=few --gang-min-member=$1 \
		--wrap "sleep 999" &&
		wait_for 30 "test \$(squeue -h -r -n few -t R,CF -o %i | wc -l) = $1" &&
		scancel -n few && wait_for 30 "test -z \"\$(squeue -h -n few -o %i)\""
}

seed=${SEED:-1}
for cluster in ${CLUSTERS:-$(by_day '1 1:gpus 2:bound' '1 2 4 1:gpus 2:bound 4:gpus')}; do
	forms_cluster ${cluster%:*} $(sed -n 's/.*://p' <<<$cluster)
	gpus=yes
	case $cluster in *:*) ;; *) gpus=no ;; esac

	test_expect_success "4.20 $cluster: forms of the same need" '
		python3 "$top_srcdir/tests/live-random/forms.py" $seed \
			${NEEDS:-$(by_day 1 12)} ${cluster%:*} $gpus \
			$(by_day 3 6)
	'
	# Each node of a job has one of its GPUs at least: no more nodes than these.
	test $cluster != 2:bound ||
	test_expect_success "4.20 $cluster: fewer GPUs than nodes it may have" '
		all_run 16 -n 4 --gpus=1
	'
	# Slurm 24.11 gives a job that is bound to its GPUs all cores beside them.
	test $cluster != 2:bound ||
	test_expect_success "4.20 $cluster: bound GPUs and all cores" '
		all_run 16 -n 4 --gres=gpu:1
	'
	# Of GPUs of a job Slurm takes as many from the first node as it can.
	test $gpus = no ||
	test_expect_success "4.20 $cluster: GPUs of jobs that fill all nodes" '
		all_run 8 --nodes=1-2 -n 4 -c 1 --gpus=4 --mem=1200
	'
	# Eight of them have one node, the others two: fewer or more do not fit.
	test $cluster != 2:bound ||
	test_expect_success "4.20 $cluster: members of one node and of two" '
		all_run 10 --nodes=1-2 -n 2 -c 3 --gpus-per-task=1 \
			--mem-per-gpu=600
	'
	# As many GPUs as nodes at most: the tasks go with either, in any shares.
	test $cluster != 2:bound ||
	test_expect_success "4.20 $cluster: shares of a range with GPUs" '
		all_run 5 --nodes=1-2 -n 4 -c 3 --gpus=2
	'
	# Tasks lie where there are CPUs, and GPUs beside them.
	test $cluster != 1:gpus ||
	test_expect_success "4.20 $cluster: shares of tasks that are not those of GPUs" '
		all_run 3 --nodes=2-2 -n 5 -c 2 --gpus=3
	'
	test $cluster != 1:gpus ||
	test_expect_success "4.20 $cluster: GPUs in any shares, and tasks that share CPUs" '
		all_run 10 --nodes=2-2 -n 5 --gpus=3 -O
	'
	# Idle nodes, too, have not the CPUs: Slurm leaves a node without a GPU.
	test $cluster != 1:gpus ||
	test_expect_success "4.20 $cluster: tasks that need more nodes than GPUs" '
		all_run 2 -n 9 --gpus=1 && all_run 1 -n 17 --gpus=2 &&
		as_few -n 17 --gpus=2
	'
	# With four CPUs left of each node three are needed, of the GPUs one on each.
	test $cluster != 1:gpus ||
	test_expect_success "4.20 $cluster: no more GPUs than that" '
		submit -w n1 -n 4 -t 60 --wrap "sleep 999" &&
		submit -w n2 -n 4 -t 60 --wrap "sleep 999" &&
		submit -w n3 -n 4 -t 60 --wrap "sleep 999" &&
		submit -w n4 -n 4 -t 60 --wrap "sleep 999" &&
		wait_for 20 "test \$(squeue -h -t R,CF -o %i | wc -l) = 4" &&
		few=$(submit -n 9 --gpus=1 -t 60 --gang=few --gang-min-member=1 \
			--wrap "sleep 999") && wait_for 20 job_is $few CONFIGURING &&
		scontrol show job -d $few >out && grep GRES=gpu out &&
		! grep "CNT:[2-9]" out &&
		scancel -u root && wait_for 30 queue_empty
	'
	# As many GPUs for each task, rounded up, would take more nodes.
	test $cluster != 1:gpus ||
	test_expect_success "4.20 $cluster: GPUs that tasks do not divide" '
		as_few -n 5 --gpus=6 && as_few -n 9 --gpus=10
	'
	# Tasks need the CPUs of one node, GPUs those of another.
	test $cluster != 1:gpus ||
	test_expect_success "4.20 $cluster: GPUs beside tasks, in any shares of both" '
		fill_in_part && run_beside 1 -n 8 --gpus=7 &&
		run_beside 2 -N 2 -n 7 --gpus=6 && run_beside 1 -N 2 -n 2 --gpus=9 &&
		run_beside 1 --nodes=1-3 -n 8 --gpus=7 && run_beside 1 -N 4 -n 9 --gpus=15 &&
		scancel -u root && wait_for 30 queue_empty
	'
	# What Slurm says of jobs of some forms, ordinary ones too; some it holds.
	test_expect_success 'nothing is left' \
		'nothing_left "gres_min_cpus=.* is greater than avail_cpus" \
			"sync loop not progressing, holding JobId" \
			"gres/gpu: job .* no resources selected" \
			"_set_job_bits1: job .* failed to find any available GRES" \
			"_build_tasks_per_node_sock: rem_tasks not zero" \
			"_step_dealloc_lps: CPU underflow"'
	slurm_cleanup
done

test_done
