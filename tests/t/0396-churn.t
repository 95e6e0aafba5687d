#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0396-churn.t - gangs lose members and nodes, and slurmctld dies
#
# SGANG_CHURN_EVENTS=N	that many losses [10, at night 48]
# SGANG_CHURN_SEED=N	another order
# What is checked is at the top of tests/churn/judge.awk.

test_description='Members and nodes are lost: ranks, maps, epochs, ring costs'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

seed=${SGANG_CHURN_SEED:-407} wanted=${SGANG_CHURN_EVENTS:-$(by_day 10 48)}
first_seed=$seed
churn=$(cd "$top_srcdir/tests/churn" && pwd)
. "$churn/churn.sh"

churn_topology >topology.conf

# What there may be to see: a gang of three with two spares, of which job 2 is lost
# on n2 and comes back as a spare; then one of two without, of which job 8 is lost on
# n2 and comes back on n3; then it is cancelled, and job 9 comes, when n2 is there
# again; then one of two members with two nodes each.
seen()
{
	cat <<-'END'
	gang 1 g replace 3 2
	event 2 0 start -
	starts 2 1 0 g n1
	told 3 1 0 g 1 1,2,3 n1,n2,n4 -
	owns 3 1 0 g 0 3
	told 3 2 0 g 1 1,2,3 n1,n2,n4 -
	owns 3 2 0 g 1 3
	told 3 3 0 g 1 1,2,3 n1,n2,n4 -
	owns 3 3 0 g 2 3
	told 4 4 0 g 2 1,2,3 n1,n2,n4 4
	told 4 1 0 g 2 1,2,3 n1,n2,n4 4
	told 4 2 0 g 2 1,2,3 n1,n2,n4 4
	told 4 3 0 g 2 1,2,3 n1,n2,n4 4
	told 5 1 0 g 3 1,2,3 n1,n2,n4 4,6
	told 5 2 0 g 3 1,2,3 n1,n2,n4 4,6
	told 5 3 0 g 3 1,2,3 n1,n2,n4 4,6
	told 5 4 0 g 3 1,2,3 n1,n2,n4 4,6
	told 5 6 0 g 3 1,2,3 n1,n2,n4 4,6
	at 6 1 g 0 n1
	at 6 2 g 0 n2
	at 6 3 g 0 n4
	at 6 4 g 0 n5
	at 6 6 g 0 n12
	settled 6
	event 10 1 node g 2
	free 10 n3 n7 n8
	avoid 10 n2
	gone 11 2 10.9
	told 11.5 1 0 g 4 1,4,3 n1,n5,n4 6
	told 11.5 3 0 g 4 1,4,3 n1,n5,n4 6
	told 11.5 4 0 g 4 1,4,3 n1,n5,n4 6
	told 11.5 6 0 g 4 1,4,3 n1,n5,n4 6
	owns 11.6 4 0 g 1 11.5
	starts 13 2 1 g n3
	told 13 2 1 g 5 1,4,3 n1,n5,n4 6,2
	told 13.2 1 0 g 5 1,4,3 n1,n5,n4 6,2
	told 13.2 3 0 g 5 1,4,3 n1,n5,n4 6,2
	told 13.2 4 0 g 5 1,4,3 n1,n5,n4 6,2
	told 13.2 6 0 g 5 1,4,3 n1,n5,n4 6,2
	at 14 1 g 0 n1
	at 14 2 g 1 n3
	at 14 3 g 0 n4
	at 14 4 g 0 n5
	at 14 6 g 0 n12
	settled 14
	end 15 g
	gang 20 h replace 2 0
	event 20 0 start -
	told 21 7 0 h 1 7,8 n1,n2 -
	owns 21 7 0 h 0 21
	told 21 8 0 h 1 7,8 n1,n2 -
	owns 21 8 0 h 1 21
	at 22 7 h 0 n1
	at 22 8 h 0 n2
	settled 22
	event 30 3 down h 8
	free 30 n3 n5
	avoid 30 n2
	gone 31 8 30.9
	told 31.5 7 0 h 2 7,0 n1 -
	starts 32 8 1 h n3
	told 32 8 1 h 3 7,8 n1,n3 -
	owns 32.1 8 1 h 1 32
	told 32.2 7 0 h 3 7,8 n1,n3 -
	at 33 7 h 0 n1
	at 33 8 h 1 n3
	settled 33
	event 40 4 cancel h 8
	free 40 n2 n4 n5
	gone 41 8 40.9
	told 41.5 7 0 h 4 7,0 n1 -
	starts 42 9 0 h n4
	told 42 9 0 h 5 7,9 n1,n4 -
	owns 42.1 9 0 h 1 42
	told 42.2 7 0 h 5 7,9 n1,n4 -
	at 43 7 h 0 n1
	at 43 9 h 0 n4
	settled 43
	gang 50 w replace 2 0
	event 50 0 start -
	told 51 21 0 w 1 21,22 n7,n8,n9,n10 -
	owns 51 21 0 w 0 51
	told 51 22 0 w 1 21,22 n7,n8,n9,n10 -
	owns 51 22 0 w 1 51
	at 52 7 h 0 n1
	at 52 9 h 0 n4
	at 52 21 w 0 n[7-8]
	at 52 22 w 0 n[9-10]
	settled 52
	event 60 5 cancel w 22
	free 60 n2 n3 n11 n12
	gone 61 22 60.9
	told 61.5 21 0 w 2 21,0 n7,n8 -
	starts 62 23 0 w n11
	told 62 23 0 w 3 21,23 n[7-8,12],n11 -
	owns 62.1 23 0 w 1 62
	told 62.2 21 0 w 3 21,23 n[7-8,12],n11 -
	at 63 7 h 0 n1
	at 63 9 h 0 n4
	at 63 21 w 0 n[7-8]
	at 63 23 w 0 n[11-12]
	settled 63
	END
}

# sees COUNT 'TEXT' 'EDIT': so many violations, one of them with that text, when
# what was seen is edited so.
sees()
{
	seen | sed "$3" | awk -v limit=2 -v overlap=5 -f "$churn/judge.awk" \
		topology.conf - >verdict
	cat verdict
	grep " $1 violations\$" verdict && grep -- "$2" verdict
}

test_expect_success 'the judge: nothing is wrong' '
	sees 0 "^4 events, 13 maps, 2 wide, .* 3 heirs, 1 spares, " ""
'
while IFS='|' read -r -u 8 count text edit; do
	test_expect_success "the judge: $text" "sees $count '$text' '$edit'"
done 8<<'END'
1|epoch 2 is 1,2,3 n1,n2,n4 4 and 2,1,3 n1,n2,n4 4|s/^\(told 4 3 0 g 2\) 1,2,3/\1 2,1,3/
4|job 3 had rank 2 and has rank 1|s/1,4,3 n1,n5,n4/1,3,4 n1,n4,n5/
3|epoch 4 has job 1 twice|s/1,4,3 n1,n5,n4/1,1,3 n1,n1,n4/
2|job 1 was told epoch 1 after 4|s/^told 13[.]2 1 .*/told 13.2 1 0 g 1 1,2,3 n1,n2,n4 -/
1|members of g were told epochs|/^told 13.2 3/d
1|rank 2 of g is job 3 on n4 by the file, n6 by squeue|s/^at 14 3 g 0 n4/at 14 3 g 0 n6/
2|spare 6 of g does not run|/^at 14 6/d
1|job 4 has not taken rank 1 of g|/^owns 11.6/d
1|job 1 started twice with 0 restarts|s/^starts 13 2 1/starts 13 1 0/
1|rank 1 of gang g had two owners for 6.1 s|s/^owns 11.6 4/owns 17.6 4/
1|from a loss to the epoch: 2.1 s|s/^told 11.5 3/told 13.1 3/
1|from a start to the epoch: 2.8 s|s/^told 13.2 3/told 15.8 3/
1|spare 6 has rank 1 of g on n12, that on n5 costs less|s/1,4,3 n1,n5,n4/1,6,3 n1,n12,n4/;s/n12,n4 6/n12,n4 4/;s/^owns 11.6 4/owns 11.6 6/
1|heir 8 of rank 1 of h is on n5, n3 costs less|s/n1,n3/n1,n5/;/^at 33 8/s/n3/n5/
1|job 8 of h is on n2, which has failed h|s/n1,n3/n1,n2/;/^at 33 8/s/n3/n2/
1|job 9 of h is on n2, which has failed h|s/n1,n4 -/n1,n2 -/;/^at .* 9 h/s/n4/n2/
1|rank 1 of w is job 23 on n12,n11 by the file, n.10,12. by squeue|/^at 63 23/s/11-12/10,12/
1|heir 23 of rank 1 of w is on n3,n2, n[0-9]*,n[0-9]* costs less|s/n.7-8,12.,n11/n7,n8,n3,n2/;/^at 63 23/s/11-12/2-3/
1|nothing comes of it|s/^settled 33/unsettled 33/
END
slurm_setup -n 12 -c 2 --gang --topology "$PWD/topology.conf" --conf 'KillWait=2
SlurmdTimeout=300'
slurm_start

# What Slurm and the members do within 2 s on a machine that does nothing else. A
# process that scancel ends has KillWait for that, and slurmd looks once a second.
churn_limit=$((2 * slurm_patience)) churn_overlap=$((5 * slurm_patience))

show()
{
	cat "$season/verdict"
	squeue
	sed -n '/^event/h;/^event/!H;${x;p}' "$season/all"
} >&2

n_events=0 n_seasons=0 n_left=0 per_season=$(by_day 5 8)
while test $n_events -lt $wanted; do
	if test $n_left = 0; then
		test_expect_success "6.1 6.5 seed $first_seed, season $((n_seasons + 1))" '
			end_season && new_season && judged || { show; false; }
		' || break
	fi
	n_events=$((n_events + 1)) n_left=$((n_left - 1))
	test_expect_success "6.2 6.3 6.4 6.5 seed $first_seed, $n_events" '
		event && judged || { judged; show; n_left=0; false; } &&
		echo "$kind" && tail -n 4 "$season/verdict"
	'
done

# What was looked at in all seasons; nothing proves nothing.
test_expect_success 'there were heirs that had a choice' '
	awk -f "$churn/totals.awk" season*/verdict >totals &&
	cat totals &&
	! grep -E "(^| )0 (wide|heirs|spares|choices|restarts)" totals
'
test_expect_success 'nothing is left' 'end_season; nothing_left'

test_done
