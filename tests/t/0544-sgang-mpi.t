#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0544-sgang-mpi.t - mpirun over all members of a gang; torchrun, Ray and Dask on gangs,
# as in doc/frameworks.md
#
# A launcher that is no mpirun shows what sgang run --mpi tells it, and calls the
# agent as Open MPI does; the cases with mpirun itself need Open MPI. Launchers that
# only write down what they were told are in the place of those that this machine
# does not have.

test_description='sgang run --mpi, --agent; torchrun, Ray, Dask; no RPC for each rank'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches odd=n[1,3] even=n[2,4] top:odd,even >topology.conf
slurm_setup -n 4 -c 6 --gang --topology "$PWD/topology.conf"
mpi_setup
slurm_start
sgang=$(checked_sgang)

# Open MPI 5 does not start where several nodes are one host: "num local peers".
usable='(Open MPI) 4.'
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
	! mpirun --version | grep -qF "$usable" || test_set_prereq MPI
else
	test -z "$SGANG_NO_SKIP" || slurm_fatal "there is no mpicc or mpirun"
	say "# skipped: there is no mpicc or mpirun"
fi

cat >member.sh <<SCRIPT
#!/bin/bash
cd "$PWD"
test "\$SLURM_GANG_MEMBER_RANK" != 0 || ! test -e "\$SLURM_GANG_NAME.do" ||
	. "./\$SLURM_GANG_NAME.do"
while :; do sleep 0.1; done
SCRIPT

# gang NAME: two members, of two nodes and of another one
gang()
{
	ids=($(submit -t 10 -w n[1,3] -n3 --gang=$1 --gang-min-member=2 \
		--gang-order=0 member.sh) \
		$(submit -t 10 -w n2 -n1 --gang=$1 --gang-min-member=2 member.sh)) &&
		wait_for 15 all_in RUNNING ${ids[@]}
}

# What a launcher of Open MPI does: a daemon on each node of the hostfile, started
# by the agent, with a command line for a shell.
cat >launcher.sh <<'SCRIPT'
#!/bin/bash
cat "$OMPI_MCA_orte_default_hostfile"
env | grep -E '^SLURM_' | grep -v -E '^SLURM_(CONF|GANG_)' && exit 9
for host in $(cut -d ' ' -f 1 "$PRTE_MCA_prte_default_hostfile"); do
	$OMPI_MCA_plm_rsh_agent $host "A='x  y' ; export A ;" \
		printf "'%s %s\n'" '$SLURMD_NODENAME' '"$A $1"' </dev/null ||
		exit
done
exit 7
SCRIPT
chmod 755 launcher.sh

test_expect_success 'a launcher gets the hosts in ring order, and an agent' '
	gang one && "$sgang" map one >map && test $(wc -l <map) = 4 &&
	test_expect_code 7 "$sgang" run --gang=one --mpi ./launcher.sh >out &&
	uniq -c map | awk "{ print \$2 \" slots=\" \$1 }" >wanted &&
	uniq map | sed "s/\$/ x  y /" >>wanted &&
	test_cmp wanted out
'
test_expect_success 'the agent has all CPUs of the node' '
	for node in $(uniq map); do
		"$sgang" run --gang=one --agent $node \
			echo \$SLURMD_NODENAME \$SLURM_CPUS_PER_TASK || return 1
	done >out &&
	uniq -c map | awk "{ print \$2, \$1 }" | test_cmp - out
'
test_expect_success 'the agent ends as its command, or says what is wrong' '
	test_expect_code 5 "$sgang" run --gang=one --agent $(head -1 map) exit 5 &&
	test_expect_code 1 "$sgang" run --gang=one --agent n9 true 2>err &&
	echo "sgang: gang root/one has no node n9" | test_cmp - err &&
	test_expect_code 2 "$sgang" run --gang=one --agent n1 2>err &&
	echo "sgang: expected the name of a node and a command, see sgang run --help" | test_cmp - err &&
	test_expect_code 2 "$sgang" run --gang=one --agent --mpi n1 true 2>err &&
	echo "sgang: --agent and --mpi exclude each other" | test_cmp - err &&
	test_expect_code 2 "$sgang" run --gang=one --mpi --label true 2>err &&
	echo "sgang: --label, --kill-on-bad-exit and --json are not for --mpi" | test_cmp - err &&
	test_expect_code 2 "$sgang" run --gang=one --mpi ./nothing 2>err &&
	echo "sgang: cannot run ./nothing: No such file or directory" | test_cmp - err
'
test_expect_success MPI '4.28 mpirun: rank i is at position i of the ring' '
	mpicc -Wall -Wextra -Werror -o ring "$top_srcdir/contrib/examples/ring.c" &&
	"$sgang" run --gang=one --mpi mpirun ./ring >out &&
	test "$(cat out)" = "$(echo $(cat map))"
'
test_expect_success MPI '4.28 mpirun in a member' '
	clear_cluster &&
	echo "\"$sgang\" run --mpi mpirun ./ring >inside.now 2>inside.err; mv inside.now inside" >two.do &&
	gang two && wait_for 30 test -e inside && cat inside.err >&2 &&
	test "$(cat inside)" = "$(echo $("$sgang" map two))"
'
test_expect_success 'a node that members share has one line, with all slots' '
	clear_cluster &&
	ids=($(submit -t 10 -w n[1-2] -n3 --gang=shared --gang-min-member=3 \
			member.sh) \
		$(submit -t 10 -w n1 -n2 --gang=shared member.sh) \
		$(submit -t 10 -w n1 -n1 --gang=shared member.sh)) &&
	wait_for 15 all_in RUNNING ${ids[@]} &&
	"$sgang" map shared >map && test $(wc -l <map) = 6 &&
	test $(grep -c n1 map) -ge 4 &&
	test_expect_code 7 "$sgang" run --gang=shared --mpi ./launcher.sh >out &&
	grep slots= out | sort >told &&
	sort map | uniq -c | awk "{ print \$2 \" slots=\" \$1 }" |
		test_cmp - told &&
	test $(wc -l <told) = 2
'
test_expect_success MPI '4.28 mpirun starts all ranks there' '
	"$sgang" run --gang=shared --mpi mpirun ./ring >out &&
	tr " " "\n" <out | sort >ran && sort map | test_cmp - ran
'
test_expect_success 'nothing is left so far' 'clear_cluster && nothing_left'

# --- frameworks ---

cp "$top_srcdir"/contrib/examples/* .
chmod u+w ./*

# A launcher that says how it was called, and on which node, and runs until the
# gang has been looked at.
mkdir bin
for name in torchrun ray dask-scheduler dask-worker; do
	cat >bin/$name <<-'END'
	#!/bin/bash
	echo "$SLURM_GANG_NODE_RANK $SLURMD_NODENAME ${0##*/} $*" \
		>>"$SLURM_SUBMIT_DIR/$SLURM_GANG_NAME.called"
	until test -e "$SLURM_SUBMIT_DIR/$SLURM_GANG_NAME.nodes"; do sleep 0.1; done
	END
done
# A program that knows where its cluster is, and ends when all of it was called.
cat >bin/python3 <<-'END'
	#!/bin/bash
	n=4 called=$SLURM_SUBMIT_DIR/$SLURM_GANG_NAME.called
	test $1 != dask_work.py || n=5
	until test "$(cat "$called" 2>/dev/null | wc -l)" = $n &&
		test -e "$SLURM_SUBMIT_DIR/$SLURM_GANG_NAME.nodes"; do sleep 0.1; done
	echo "driver ${RAY_ADDRESS-$DASK_ADDRESS}"
END
chmod 755 bin/*

for module in torch distributed ray; do
	case $module in
	torch) command -v torchrun ;;
	distributed) command -v dask-worker ;;
	ray) command -v ray ;;
	esac >/dev/null && python3=$(command -v /usr/bin/python3) &&
		"$python3" -c "import $module" 2>/dev/null &&
		test_set_prereq $module && ln -sf "$python3" . ||
		say "# without $module: what it is told is looked at"
done

# launch SCRIPT: two members of it, of two nodes each, which they may share; their
# ids in $ids
launch()
{
	local options=(--gang-on-success=leader --gang-on-failure=kill)

	test $1 != torchrun || options=()
	ids=($(for i in 1 2; do
		submit --gang=$1 --gang-min-member=2 "${options[@]}" -t 10 \
			$1.sbatch || exit
	done)) && wait_for 15 "test -n \"\$(job_field ${ids[0]} NodeList)\"" &&
		"$sgang" map $1 >nodes.new && mv nodes.new $1.nodes
}

# The first member, of whose output there is more than of the others.
ended() { none_in "PENDING|RUNNING|COMPLETING" ${ids[@]}; }
output() { for id in ${ids[@]}; do job_output $id; done; }

test_expect_success 'torchrun is told the nodes of the gang' '
	PATH=$PWD/bin:$PATH launch torchrun && wait_for 30 ended &&
	port=$(echo ${ids[@]} | tr " " "\n" | while read -r id; do
		echo "$(gang_record $id rank) $((20000 + id % 10000))"
	done | sort | head -1 | cut -d" " -f2) &&
	awk -v port=$port "{ print NR - 1, \$0, \"torchrun --nnodes=4\",
		\"--node_rank=\" NR - 1, \"--nproc_per_node=1\",
		\"--master_addr=127.0.0.1 --master_port=\" port, \"allreduce.py\"
	}" torchrun.nodes >wanted &&
	sort torchrun.called >called && test_cmp wanted called
'
for name in ray dask; do
	test_expect_success "$name: one head, the others know where it is" '
		PATH=$PWD/bin:$PATH launch $name && wait_for 30 ended &&
		head=$(head -1 $name.nodes) && sort $name.called >called &&
		output >out &&
		case $name in
		ray)
			grep -x "0 $head ray start --block --head --port=6379" called &&
			test $(wc -l <called) = 4 &&
			test $(grep -c "[1-3] .* ray start --block --address=127.0.0.1:6379" called) = 3 &&
			test $(grep -cx "driver 127.0.0.1:6379" out) = 1 ;;
		dask)
			grep -x "0 $head dask-scheduler --port=8786" called &&
			test $(wc -l <called) = 5 &&
			test $(grep -c "[0-3] .* dask-worker tcp://127.0.0.1:8786" called) = 4 &&
			test $(grep -cx "driver tcp://127.0.0.1:8786" out) = 1 ;;
		esac
	'
done

port=$((slurm_first_port + slurm_port_step - 2))
test_expect_success torch 'torchrun adds up over all nodes of the gang' '
	# torch 1.13 with Python 3.11 knows only 1 and 2 here, and not its default
	LOCAL=2 PET_REDIRECTS=1 PET_TEE=1 PET_LOG_DIR=$PWD/logs launch torchrun &&
	wait_for 60 ended && output >out &&
	{ all_in COMPLETED ${ids[@]} || { cat out >&2; return 1; }; } &&
	sed -i "s/^\[[a-z]*[0-9]*\]://" out && all_in COMPLETED ${ids[@]} &&
	awk "{ print 2 * NR - 2, \$0, 28; print 2 * NR - 1, \$0, 28 }" torchrun.nodes >wanted &&
	grep -E "^[0-9]+ n[0-9] [0-9]+\$" out | sort -n >got && test_cmp wanted got
'
test_expect_success distributed 'Dask runs tasks on all nodes of the gang' '
	# these nodes have less memory than a worker likes
	DASK_DISTRIBUTED__WORKER__MEMORY__TERMINATE=False \
		DASK_DISTRIBUTED__WORKER__MEMORY__PAUSE=False \
		PATH=$PWD:$PATH PORT=$port launch dask && wait_for 60 ended &&
	output >out && grep -x "$(echo $(sort dask.nodes))" out
'
test_expect_success ray 'Ray runs tasks on all nodes of the gang' '
	PATH=$PWD:$PATH PORT=$port launch ray && wait_for 60 ended &&
	output >out && grep -x "$(echo $(sort -u ray.nodes))" out
'

# What slurmctld was asked, and how often.
rpcs()
{
	sdiag | sed -n '/by message type/,/by user/p' |
		sed -n 's/^[ \t]*\([A-Z_0-9]*\) .*count:\([0-9]*\) .*/\1 \2/p' | sort
}

cat >asks.sh <<-'END'
	#!/bin/bash
	. ./gang_env.sh
	echo "$RANK $MASTER_ADDR $MASTER_PORT $WORLD_SIZE $LOCAL_RANK"
END
chmod 755 asks.sh
test_expect_success 'gang_env.sh asks slurmctld nothing' '
	cat >idle.sh <<-END &&
	#!/bin/bash
	while :; do sleep 0.1; done
	END
	for name in few many; do
		n=4 && test $name = few || n=12
		ids=($(for i in 1 2; do submit -N2 -n$n --gang=$name \
			--gang-min-member=2 idle.sh; done)) &&
		wait_for 15 all_in RUNNING ${ids[@]} &&
		sdiag -r && "$sgang" run --gang=$name ./asks.sh >out &&
		rpcs | grep -E "_INFO|_NODE" | grep -v -E "REGISTRATION|PING|COMPLETE" >$name &&
		cat $name >&2 && test $(sort -u out | wc -l) = $((2 * n)) &&
		test $(grep -c " 127.0.0.1 2[0-9]* $((2 * n)) [0-9]*\$" out) = $((2 * n)) &&
		clear_cluster || return 1
	done &&
	grep REQUEST_NODE_INFO many && test_cmp few many
'
last_case 'clear_cluster && nothing_left'
