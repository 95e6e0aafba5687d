#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0323-mixed-placement.t - members that differ are placed as sgang place says
#
# Seeded gangs on partly used nodes with 8 GPUs. What slurmctld made of each is
# compared with sgang place for the same free CPUs, memory and GPUs, so members
# also have their tasks where they were planned. Then the same jobs come one by
# one to a stock cluster in the same state: what they cost there is what the
# record said that Slurm's own choice would cost.

test_description='Placements of mixed gangs, and what stock Slurm makes of them'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

topology=$top_srcdir/tests/data/pods-3x3x4.conf
nodes=36
states=${STATES:-4} gangs=${GANGS:-6} seed=${SEED:-1}

conf='GresTypes=gpu
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=bf_interval=1,sched_interval=2,batch_sched_delay=0,sched_min_interval=0'
node='Gres=gpu:a:8 CPUs=16 Sockets=1 CoresPerSocket=16 ThreadsPerCore=1 RealMemory=16000'

setup()
{
	slurm_setup --cloud $nodes "$@" --topology "$topology" --conf "$conf" \
		--node "$node" --gres 'Name=gpu Type=a Count=8'
	slurm_start
}

# --- what there is ---

# make_state: jobs of others, one a node at the most, as "NODE CPUS MEMORY GPUS"
make_state()
{
	local n

	for ((n = 1; n <= nodes; n++)); do
		((RANDOM % 10 < 3)) || echo n$n $((1 + RANDOM % 15)) \
			$((10 + RANDOM % 15000)) $((RANDOM % 9))
	done
}

# fill STATE: let them have their nodes
fill()
{
	local n cpus memory gpus

	others=()
	while read -r n cpus memory gpus; do
		others+=($(submit -w $n -N1 -n1 -c$cpus --mem=$memory \
			$(((gpus)) && echo --gres=gpu:$gpus))) || return 1
	done <"$1"
	wait_for 60 all_in CONFIGURING ${others[@]}
}

# free_of STATE [GPU]: what is left, as sgang place reads it
free_of()
{
	awk -v nodes=$nodes -v gpu="$2" '
		{ cpus[$1] = $2; memory[$1] = $3; gpus[$1] = $4 }
		END {
			for (i = 1; i <= nodes; i++) {
				n = "n" i
				printf "%s%s=%d:mem=%d", (i == 1 ? "" : ","), n,
					16 - cpus[n], 16000 - memory[n]
				if (gpu)
					printf ":%s=%d", gpu, 8 - gpus[n]
			}
		}' "$1"
}

# --- gangs ---

# make_member: "OPTIONS|SHAPE" of one, to sbatch and to sgang place
make_member()
{
	local n=$((1 + RANDOM % 2)) tasks=$((1 + RANDOM % 4))
	local memory=$((100 * (1 + RANDOM % 60))) gpus=$((1 << RANDOM % 4))
	local type=$((RANDOM % 3))

	case $((RANDOM % 10)) in
	0)
		echo "-N$n --exclusive --mem=10|${n}xall:mem=10:ranks=1"
		;;
	1 | 2)
		tasks=$((tasks + 2))
		echo "-n$tasks --mem-per-cpu=100|0x$tasks:mem=100"
		;;
	3 | 4)
		echo "-N$n --ntasks-per-node=$tasks --mem=$memory|${n}x$tasks:mem=$memory"
		;;
	5)
		gpus=$((RANDOM % nodes + 1))
		echo "-N2 --ntasks-per-node=1 -wn$gpus --mem=10|2x1:mem=10:require=n$gpus"
		;;
	*)
		if ((type)); then
			type=gpu:a
		else
			type=gpu
		fi
		echo "-N$n --ntasks-per-node=1 --mem=$memory --gres=$type:$gpus|${n}x1:mem=$memory:$type=$gpus"
		;;
	esac
}

make_gang()
{
	local i n=$((2 + RANDOM % 5))

	for ((i = 0; i < n; i++)); do
		make_member
	done
}

# The resource of GPUs that any member asks for, by type if any does.
gpu_of()
{
	if grep -q 'gpu:a=' "$1"; then
		echo gpu:a
	elif grep -q 'gpu=' "$1"; then
		echo gpu
	fi
}

# said STATE GANG: "ring COST" and a line of nodes for each member, of sgang place;
# nothing where it does not fit
said()
{
	local gpu=$(gpu_of "$2")
	local -a shapes

	mapfile -t shapes < <(sed 's/.*|/--member=/' "$2")
	"$sgang" place --topology="$topology" --free="$(free_of "$1" $gpu)" \
		--total="$(free_of /dev/null $gpu)" "${shapes[@]}" 2>/dev/null |
		sed -n 's/^member=[0-9]* nodes=\([^ ]*\) .*/\1/p
			s/^ring_cost=\([0-9]*\) .*/ring \1/p'
}

# start GANG: submit its members; they are all there
start()
{
	local options shape

	members=()
	number=$((number + 1))
	while IFS='|' read -r options shape; do
		members+=($(submit $options --gang=g$number \
			--gang-min-member=$(wc -l <"$1")))
	done <"$1"
	test ${#members[@]} = $(wc -l <"$1")
}

# all have nodes, or it says why not
decided()
{
	all_in CONFIGURING ${members[@]} ||
		squeue -h -j ${members[0]} -o %r | grep -q "waits: "
}

# got: the same as said, of the members that have nodes
got()
{
	local id

	all_in CONFIGURING ${members[@]} || return 0
	for id in ${members[@]}; do
		gang_record $id at
	done
	echo "ring $(gang_record ${members[0]} ring)"
}

# In one form: n1 n2 for n[1-2].
spread_lists()
{
	local line

	while read -r line; do
		case $line in
		ring*) echo "$line" ;;
		*) scontrol show hostnames "$line" | paste -sd' ' ;;
		esac
	done
}

# compare_gangs: every gang in every state. Counted are in $asked, of how many it
# is the same whether they fit and what they cost ($agreed), on the same nodes,
# too ($same; of several that cost the same either may be found first), and how
# many have nodes ($placed)
compare_gangs()
{
	local s g

	asked=0 agreed=0 same=0 placed=0 number=0
	for ((s = 0; s < states; s++)); do
		fill state.$s || return 1
		for ((g = 0; g < gangs; g++)); do
			start gang.$s.$g && wait_for 60 decided || return 1
			asked=$((asked + 1))
			said state.$s gang.$s.$g | spread_lists >said
			got | spread_lists >got
			test ! -s got || {
				placed=$((placed + 1))
				echo $(gang_record ${members[0]} stock) \
					$(gang_record ${members[0]} stockest) \
					>stock.$s.$g
			}
			! cmp -s said got || same=$((same + 1))
			if test "$(tail -n 1 said)" = "$(tail -n 1 got)"; then
				agreed=$((agreed + 1))
			else
				echo "# state.$s gang.$s.$g" && cat gang.$s.$g &&
					diff said got
			fi
			drop ${members[@]} || return 1
		done
		clear_cluster || return 1
	done
	echo "# $agreed of $asked agree, $same on the same nodes, $placed have nodes"
}

# --- the same without slurm-gang ---

# ranks_of GANG: of all its members
ranks_of()
{
	sed 's/.*|//' "$1" | awk -F '[x:,]' '{
		ranks = $2
		for (i = 3; i <= NF; i++)
			if (sub("^ranks=", "", $i))
				ranks = $i
		sum += ($1 ? $1 : 1) * ranks
	} END { print sum }'
}

# ring_of RANKS: the cost of the ring over the nodes of standard input, by the
# default costs in pods of 3 leaves of 4 nodes
ring_of()
{
	tr -d n | awk -v ranks=$1 '
		function at(n, size) { return int((n - 1) / size) }
		function hop(a, b) {
			return a == b ? 1 : at(a, 4) == at(b, 4) ? 4 :
				at(a, 12) == at(b, 12) ? 16 : 64
		}
		{ node[NR] = $1 }
		END {
			for (i = 1; i <= NR; i++)
				cost += hop(node[i], node[i % NR + 1])
			print (ranks > 1 ? cost + ranks - NR : 0)
		}'
}

# one_by_one GANG: its members as jobs, each when the one before has its nodes,
# which are printed; nothing where one finds no place
one_by_one()
{
	local options shape id

	members=()
	: >nodes
	while IFS='|' read -r options shape; do
		id=$(submit $options) || return 1
		members+=($id)
		wait_for 30 settled $id || return 1
		scontrol show hostnames "$(squeue -h -j $id -o %N)" >>nodes
	done <"$1"
	all_in CONFIGURING ${members[@]} || : >nodes
}

# It has nodes, or the scheduler has found none.
settled()
{
	squeue -h -j $1 -o '%T %r' | grep -qE 'CONFIGURING|Resources|Priority|ReqNode'
}

# compare_stock: of the gangs that had nodes, how many cost in stock Slurm what
# was said, for how many that was said to be no estimate, and was wrong
compare_stock()
{
	local s g said estimate cost

	asked=0 agreed=0 sure=0 wrong=0
	for ((s = 0; s < states; s++)); do
		fill state.$s || return 1
		for ((g = 0; g < gangs; g++)); do
			test -e stock.$s.$g || continue
			one_by_one gang.$s.$g || return 1
			read -r said estimate <stock.$s.$g
			sure=$((sure + !estimate))
			cost=$(test ! -s nodes || ring_of $(ranks_of gang.$s.$g) <nodes)
			asked=$((asked + 1))
			if test "$said" = "$cost"; then
				agreed=$((agreed + 1))
			else
				wrong=$((wrong + !estimate))
				echo "# state.$s gang.$s.$g: $cost, not $said" &&
					cat gang.$s.$g && paste -sd' ' nodes
			fi
			drop ${members[@]} || return 1
		done
		clear_cluster || return 1
	done
	echo "# $agreed of $asked agree, $sure were sure and $wrong of them wrong"
}

RANDOM=$seed
for ((s = 0; s < states; s++)); do
	make_state >state.$s
	for ((g = 0; g < gangs; g++)); do
		make_gang >gang.$s.$g
	done
done

setup --gang
test_expect_success '5.5 sgang place and slurmctld agree about mixed gangs, with GRES' '
	compare_gangs && test $agreed = $asked &&
	test $((same * 3)) -ge $((asked * 2)) &&
	test $((placed * 2)) -ge $asked
'
slurm_cleanup

setup --stock
test_expect_success '4.34 the cost of stock Slurm, with GRES, is what was said in most cases' '
	compare_stock && test $((agreed * 4)) -ge $((asked * 3)) &&
	test $sure -ge 5 && test $wrong = 0
'
slurm_cleanup

test_done
