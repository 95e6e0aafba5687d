#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0453-segments.t - members whose nodes come in segments
#
# Random gangs on random blocks, judged by tests/live-random/segments.py, which
# tries every set of nodes. No slurmd runs; the jobs stay CONFIGURING.
#
# SGANG_SEGMENT_CLUSTERS=N, SGANG_SEGMENT_GANGS=N	so many [2] of so many [12]
# SGANG_SEGMENT_SEED=N					other ones

test_description='--segment and its companions are planned for'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

needs_slurm "before 24.11 there is no --segment" slurm_since 24.11
needs python3

: "${SGANG_SEGMENT_CLUSTERS:=2}" "${SGANG_SEGMENT_GANGS:=12}"
: "${SGANG_SEGMENT_SEED:=1}"

release=$(slurmctld -V 2>/dev/null)
PATH=$top_builddir/src/cmd:$PATH
judge() { python3 "$top_srcdir/tests/live-random/segments.py" "$@"; }

for ((seed = SGANG_SEGMENT_SEED;
	seed < SGANG_SEGMENT_SEED + SGANG_SEGMENT_CLUSTERS; seed++)); do
	judge topology $seed >topology.conf || exit 1
	slurm_setup --cloud $(grep -o 'n[0-9]*' topology.conf | sort -u | wc -l) \
		--gang --conf 'TopologyPlugin=topology/block
SchedulerParameters=bf_interval=1,sched_interval=2,batch_sched_delay=0,sched_min_interval=0'
	cp topology.conf "$slurm_dir/etc/topology.conf"
	slurm_start

	test_expect_success "7.3 random gangs in segments: cluster $seed" '
		judge gangs $seed $SGANG_SEGMENT_GANGS ${release#* } >out
		rc=$?; cat out; test $rc = 0
	'
	test_expect_success 'nothing is left' 'nothing_left'
	slurm_cleanup
done

test_done
