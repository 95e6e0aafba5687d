#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0560-examples.t - the programs in contrib/examples, on gangs of a cluster

test_description='examples: rendezvous over TCP, MPI in ring order'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches odd=n[1,3] even=n[2,4] top:odd,even >topology.conf
# One core a node: Open MPI binds ranks to cores that this host must have.
slurm_setup -n 4 -c 1 --gang --topology "$PWD/topology.conf"
mpi_setup
slurm_start

cp "$top_srcdir"/contrib/examples/* .
chmod u+w ./*
mkdir bin && cp "$top_builddir/src/cmd/sgang" bin/ && PATH=$PWD/bin:$PATH

: "${CC:=cc}"
# This one finds no way between two nodes that are one host.
unusable='(Open MPI) 6.0.0rc'
if command -v mpicc >/dev/null && command -v mpirun >/dev/null; then
	mpirun --version | grep -qF "$unusable" || test_set_prereq MPI
else
	test -z "$SGANG_NO_SKIP" || slurm_fatal "there is no mpicc or mpirun"
fi

# The nodes of the gang of that job, in ring order, one rank on each.
ring_of() { tr , ' ' <"$1.nodes"; }

# Add to a copy of the job script that it tells the ring of its gang.
tell_ring()
{
	sed -i "2i echo \"\$SLURM_GANG_NODELIST\" >\$SLURM_GANG_NAME.nodes" "$1"
}

test_expect_success '4.21 4.28 the ranks of two members meet' '
	$CC -Wall -Wextra -Werror -o rendezvous rendezvous.c &&
	tell_ring rendezvous.sbatch &&
	for i in 1 2; do
		submit -N 2 --gang=meet --gang-min-member=2 rendezvous.sbatch \
			>>ids || return 1
	done &&
	wait_for 40 all_in "COMPLETED|FAILED" $(cat ids) &&
	for id in $(cat ids); do job_output $id; done >out &&
	{ all_in COMPLETED $(cat ids) || { cat out >&2; return 1; }; } &&
	for node in $(ring_of meet); do
		echo "$((rank++)) $node"
	done >wanted &&
	test "$(wc -l <wanted)" = 4 &&
	test_cmp wanted out
'
test_expect_success 'a rank that is not started by it says what is missing' '
	test_must_fail ./rendezvous 2>err &&
	grep "RANK is not set; source gang_env.sh first" err
'
test_expect_success MPI '4.21 4.28 MPI rank i is at position i of the ring' '
	mpicc -Wall -Wextra -Werror -o ring ring.c &&
	tell_ring ring.sbatch &&
	id=$(submit -N 4 -n 4 --gang=mpi --gang-min-member=1 ring.sbatch) &&
	wait_for 60 all_in "COMPLETED|FAILED" $id &&
	job_output $id >out && all_in COMPLETED $id &&
	test "$(ring_of mpi)" = "n1 n3 n2 n4" &&
	test "$(cat out)" = "$(ring_of mpi)"
'
last_case
