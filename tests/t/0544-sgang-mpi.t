#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0544-sgang-mpi.t - mpirun over all members of a gang
#
# A launcher that is no mpirun shows what sgang run --mpi tells it, and calls the
# agent as Open MPI does; the cases with mpirun itself need Open MPI.

test_description='sgang run --mpi, sgang run --agent'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

cat >topology.conf <<'TOPOLOGY'
SwitchName=odd Nodes=n[1,3]
SwitchName=even Nodes=n[2,4]
SwitchName=top Switches=odd,even
TOPOLOGY
slurm_setup -n 4 -c 2 --gang --topology "$PWD/topology.conf"
slurm_start
sgang=$(checked_sgang)

export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
# The nodes are all this host.
export OMPI_MCA_btl_tcp_if_include=lo
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

# gang NAME: two members, of two nodes and of one
gang()
{
	ids=($(submit -t 10 -N2 -n3 --gang=$1 --gang-min-member=2 \
		--gang-order=0 member.sh) \
		$(submit -t 10 -N1 -n1 --gang=$1 --gang-min-member=2 member.sh)) &&
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
test_expect_success 'nothing is left' '
	clear_cluster && nothing_left
'

test_done
