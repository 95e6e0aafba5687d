#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0382-deadlock.t - nonstrict gangs that hold what others need
#
# The waiting time is so long that nobody gets on because of it. Few orders are
# tried here; a hundred of each kind are in tests/unit/plugins/test_rules.c.

test_description='Gangs that hold get on, whatever the order'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

# The numbers 0 to COUNT - 1 in an order of their own: shuffled SEED COUNT
shuffled()
{
	seq 0 $(($2 - 1)) | awk -v seed="$1" '
		BEGIN { srand(seed) }
		{ print rand(), $1 }' | sort -n | cut -d ' ' -f 2
}

# join GANG MIN [OPTION...]: the job has the name of its gang
join()
{
	local gang=$1 min=$2

	submit -n 1 -J $gang --gang=$gang --gang-min-member=$min \
		--gang-mode=nonstrict --gang-waiting-time=1-0 "${@:3}"
}

members_in() { squeue -h -r -t $1 -n $2 | wc -l; }

# Take all of the COUNT slots, one job each.
block_all()
{
	local i

	block=()
	for ((i = 0; i < $1; i++)); do
		block+=($(submit -n 1 -J block)) || return 1
	done
	wait_for 20 all_in RUNNING ${block[@]}
}

unblock() { scancel ${block[@]:0:$1} && block=(${block[@]:$1}); }

# All have ended, well, after one start, and nobody was helped by force.
all_done()
{
	wait_for $1 'test -z "$(squeue -h -o %j | grep -v "^rest$")"' || {
		squeue -r | head -n 40 >&2
		return 1
	}
	! scontrol -o show job | grep -vE "JobName=(block|rest)" |
		grep -v "JobState=COMPLETED .*Restarts=0 " >&2 &&
	! grep -F "waiting time is over" "$slurm_dir/log/slurmctld.log" >&2
}

# --- ten nodes of one slot, and six more that are never free ---

slurm_cluster -n 16 -c 1 --gang --conf \
'PartitionName=first Nodes=ALL MaxTime=INFINITE State=UP
PartitionName=second Nodes=ALL MaxTime=INFINITE State=UP
PartitionName=third Nodes=ALL MaxTime=INFINITE State=UP'

for gang in a b c d; do
	gang_script $gang
done

join_times()
{
	local gang=$1 count=$2 i

	for ((i = 0; i < count; i++)); do
		join $gang $count "${@:3}" $gang.sh || return 1
	done
}

partitions_are()
{
	scontrol update PartitionName=first Nodes=$1 &&
		scontrol update PartitionName=second Nodes=$2 &&
		scontrol update PartitionName=third Nodes=$3
}

test_expect_success 'an ordinary job has six nodes' '
	rest=$(run_job -N 6 --exclusive -w n[11-16] -J rest)
'

# Each gang gets what there is in its partition at the moment. It would fit in
# there if the six nodes were free.
test_expect_success '0.9 three gangs of 5 hold 3, 3 and 4 of 10 slots' '
	block_all 10 &&
	join_times a 5 -p first >a.ids &&
	join_times b 5 -p second >b.ids &&
	join_times c 5 -p third >c.ids &&
	partitions_are n[1-3,11-16] n[4-6,11-16] n[7-16] &&
	unblock 10 &&
	wait_for 20 "test \$(members_in CF a) = 3" &&
	wait_for 20 "test \$(members_in CF b) = 3" &&
	wait_for 20 "test \$(members_in CF c) = 4" &&
	test "$(starts_of a) $(starts_of b) $(starts_of c)" = "0 0 0"
'
test_expect_success '0.9 the partitions grow to all nodes: two of them get on' '
	partitions_are n[1-10] n[1-10] n[1-10] &&
	wait_for 20 all_in RUNNING $(cat a.ids) &&
	wait_for 20 all_in RUNNING $(cat b.ids) &&
	started_together $(cat a.ids) &&
	started_together $(cat b.ids) &&
	test "$(members_in R c)" = 0 &&
	test "$(members_in CF c)" = 0
'
test_expect_success '0.9 and the third when one has ended' '
	touch a.go &&
	start_together 20 $(cat c.ids) &&
	touch b.go c.go &&
	all_done 15 &&
	ran_once a 5 &&
	ran_once b 5 &&
	ran_once c 5
'

# Slots get free while members come: some of each gang hold.
for seed in 1 2; do
	test_expect_success "0.9 three gangs of 5, members mixed (seed $seed)" '
		rm -f *.go *.log &&
		block_all 10 &&
		for i in $(shuffled $seed 15); do
			gang=$(tr 012 abc <<<$((i / 5))) &&
			join $gang 5 $gang.sh >>mixed.ids || return 1
			test $((i % 3)) != 0 || unblock 1 || return 1
		done &&
		touch a.go b.go c.go &&
		unblock 5 &&
		all_done 40 &&
		ran_once a 5 &&
		ran_once b 5 &&
		ran_once c 5
	'
done

for seed in 0 1 2; do
	how="members mixed (seed $seed)"
	test $seed != 0 || how="in the order A, C, B, D"
	test_expect_success "0.9 0.10 groups {A,B} and {C,D}, $how" '
		rm -f *.go *.log &&
		block_all 10 &&
		for i in $(test $seed = 0 && seq 0 15 || shuffled $seed 16); do
			gang=$(tr 0123 acbd <<<$((i / 4))) &&
			group=$(tr abcd badc <<<$gang) &&
			join $gang 4 --gang-groups=root/$group $gang.sh \
				>>mixed.ids || return 1
			test $((i % 4)) != 0 || unblock 1 || return 1
		done &&
		touch a.go b.go c.go d.go &&
		unblock 6 &&
		all_done 40 &&
		for gang in a b c d; do
			ran_once $gang 4 || return 1
		done
	'
done

test_expect_success 'nothing is left' '
	drop $rest &&
	nothing_left
'
slurm_cleanup

# --- two nodes, 100 slots ---

slurm_cluster -n 2 -c 50 --gang
gang_scripts x y

test_expect_success '0.9 two gangs of 100 on 100 slots, half of each first' '
	block_all 2 &&
	scancel ${block[@]} &&
	half=$(run_job -n 50 -J block) &&
	touch x.go y.go &&
	join x 100 --array=0-49 x.sh &&
	join y 100 --array=0-49 y.sh &&
	join x 100 --array=50-99 x.sh &&
	wait_for 20 "test \$(members_in CF x,y) -ge 40" &&
	join y 100 --array=50-99 y.sh &&
	scancel $half &&
	all_done 60 &&
	ran_once x 100 &&
	ran_once y 100
'

test_expect_success 'nothing is left of them' 'nothing_left'

# --- 8 slots of each of them, as an ordinary job has the others ---

test_expect_success 'eight slots of each node are free' '
	rest=$(run_job -N 2 -n 84 --ntasks-per-node=42 -J rest)
'

# Lines "GANG MEMBERS SLOTS", one for each member of 60 gangs of 1 to 8 slots.
# The smaller ones of a gang come first: four members of which the first wants 5
# slots would be refused, as nobody knows of the others.
sixty_gangs()
{
	awk -v seed="$1" '
	function sort(list, n,   i, j, x) {
		for (i = 1; i < n; i++) {
			x = list[i]
			for (j = i; j && list[j - 1] > x; j--)
				list[j] = list[j - 1]
			list[j] = x
		}
	}
	BEGIN {
		srand(seed)
		for (g = 0; g < 60; g++) {
			slots = 1 + int(rand() * 8)
			for (n = 0; slots; slots -= size[n++]) {
				size[n] = 1 + int(rand() * slots)
				when[n] = rand()
			}
			sort(size, n)
			sort(when, n)
			for (i = 0; i < n; i++)
				printf "%.6f g%d %d %d\n", when[i], g, n, size[i]
		}
	}' | sort -n | cut -d " " -f 2-
}

seed=1
test_expect_success "0.9 60 gangs of 1 to 8 slots, members mixed (seed $seed)" '
	while read -r gang members slots; do
		join $gang $members -c $slots --wrap=true >>sixty.ids ||
			return 1
	done < <(sixty_gangs $seed) &&
	test $(wc -l <sixty.ids) -ge 100 &&
	all_done 100
'

test_expect_success 'nothing is left of these' '
	drop $rest &&
	nothing_left
'

test_done
