#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0442-stock.t - what sgang says that Slurm would choose is what Slurm chooses
#
# Jobs of seeded sizes come and go on a stock cluster of nodes without a slurmd.
# Before each of them sgang place --explain tells where it will go.

test_description='The stock placement that placements are compared with'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

pods=$top_srcdir/tests/data/pods-3x3x4.conf
uneven=$top_srcdir/tests/data/uneven.conf
shuffled=$top_srcdir/tests/data/shuffled.conf

# "n1=8,n2=3,...": the free CPUs of all nodes that have any.
free_cpus()
{
	sinfo -h -N -o '%N %C' | sort -u | awk '{
		split($2, cpus, "/")
		if (cpus[2])
			printf "%s%s=%s", n++ ? "," : "", $1, cpus[2]
	}'
}

# expected TOPOLOGY SHAPE: the nodes that the job would get; nothing where it
# finds no place
expected()
{
	"$sgang" place --topology="$1" --slots=8 --free="$(free_cpus)" \
		${weights:+--weight="$weights"} --member=$2 --explain >placed 2>/dev/null || return 0
	sed -n 's/^stock: .* nodes=//p' placed
}

# The options of a job of such a shape.
options_of()
{
	local units=${1%x*} slots=${1#*x}

	case $1 in
	0x*) echo "-n $slots" ;;
	*x8) echo "-N $units --exclusive" ;;
	*) echo "-N $units --ntasks-per-node=$slots" ;;
	esac
}

# take SHAPE: the job gets its nodes now; prints its id. Newer releases' salloc
# then waits for nodes that never come up; the job does not need it.
take()
{
	local pid

	: >asked
	salloc --no-shell -I $(options_of $1) >asked 2>&1 &
	pid=$!
	wait_for 30 answered $pid
	{ kill -KILL $pid; wait $pid; } 2>/dev/null
	sed -n 's/.*Granted job allocation \([0-9]*\)$/\1/p' asked
}

answered() { grep -q Granted asked || ! kill -0 $1 2>/dev/null; }

# The nodes of a list, in Slurm's order.
spread() { scontrol show hostnames "$1" | paste -sd' '; }

# One job in three ends before the next one comes.
end_some()
{
	local id

	for id in $(squeue -h -o %i); do
		((RANDOM % 3)) || scancel $id
	done
	wait_for 10 'test -z "$(squeue -h -t CG -o %i)"'
}

# compare TOPOLOGY SEED JOBS SHAPE...: submit so many jobs of these shapes and
# count, in $asked, $agreed and $placed, for how many sgang was right, and how
# many found a place
compare()
{
	local topology=$1 jobs=$3 shape said id got
	local -a shapes

	RANDOM=$2
	asked=0 agreed=0 placed=0
	shift 3
	shapes=("$@")
	while test $asked -lt $jobs; do
		shape=${shapes[RANDOM % ${#shapes[@]}]}
		said=$(expected "$topology" $shape)
		id=$(take $shape)
		got=$(test -z "$id" || squeue -h -j $id -o %N)
		asked=$((asked + 1))
		test -z "$got" || placed=$((placed + 1))
		if test "$(spread "$said")" = "$(spread "$got")"; then
			agreed=$((agreed + 1))
		else
			echo "# $shape: $got, not $said, of $(free_cpus)"
		fi
		end_some || return 1
	done
	echo "# $agreed of $asked, $placed of them have nodes"
}

all_agreed() { compare "$@" && test $agreed = $asked && test $placed -ge 15; }
most_agreed() { compare "$@" && test $agreed -ge 18 && test $placed -ge 15; }

whole="2x8 3x8 4x8 6x8 9x8 14x8"
parts="2x2 3x4 4x2 5x5 7x3 11x4"

for topology in "$pods" "$uneven" "$shuffled"; do
	name=$(basename $topology .conf)
	slurm_setup --cloud 36 --stock --topology "$topology"
	slurm_start
	test_expect_success "4.34 $name: jobs of whole nodes" '
		all_agreed "$topology" 1 20 $whole
	'
	test_expect_success "4.34 $name: jobs that share nodes" '
		all_agreed "$topology" 2 20 $whole $parts
	'
	test_expect_success "$name: estimates of CPUs on any nodes" '
		most_agreed "$topology" 3 20 0x3 0x5 0x12 0x20 0x40 $whole
	'
	slurm_cleanup
done

# --- weights ---

switches l1=n[1,4,7] l2=n[2-3] l3=n[5-6,8] p1:l[1-2] top:p1,l3 >racks.conf

# weigh: seeded weights of two or three classes
weigh()
{
	local n weight

	RANDOM=$1
	weights=
	for n in 1 2 3 4 5 6 7 8; do
		weight=$((10 * (1 + RANDOM % $2)))
		scontrol update nodename=n$n weight=$weight || return 1
		weights+=${weights:+,}n$n=$weight
	done
	echo "# $weights"
}

# Those that are powered down all have one Weight.
slurm_cluster -n 8 --stock --topology racks.conf
test_expect_success "4.34 nodes of two weights" '
	weigh 4 2 && compare racks.conf 5 16 1x8 2x8 3x8 5x8 2x2 3x4 4x2 &&
	test $agreed = $asked
'
test_expect_success "4.34 nodes of three weights" '
	weigh 6 3 && compare racks.conf 7 16 1x8 2x8 3x8 5x8 2x2 3x4 4x2 &&
	test $agreed = $asked
'
slurm_cleanup

test_done
