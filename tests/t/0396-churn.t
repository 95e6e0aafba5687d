#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0396-churn.t - gangs lose members and nodes, and slurmctld dies
#
# SGANG_CHURN_EVENTS=N	that many losses [10, at night 48]
# SGANG_CHURN_SEED=N	another order
# tests/judge/maps.awk says what is checked.

test_description='Members and nodes are lost: ranks, maps, epochs, ring costs'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

seed=${SGANG_CHURN_SEED:-407} wanted=${SGANG_CHURN_EVENTS:-$(by_day 10 48)}
first_seed=$seed
churn=$(cd "$top_srcdir/tests/churn" && pwd)
. "$churn/churn.sh"

churn_topology >topology.conf

slurm_cluster -n 12 -c 2 --gang --topology "$PWD/topology.conf" --conf 'KillWait=2
SlurmdTimeout=300'

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
	test_expect_success "6.2 6.3 6.4 6.5 6.6 seed $first_seed, $n_events" '
		event && judged || { judged; show; n_left=0; false; } &&
		echo "$kind" && tail -n 5 "$season/verdict"
	'
done

# What was looked at in all seasons; nothing proves nothing.
test_expect_success 'there were heirs that had a choice' '
	awk -f "$churn/totals.awk" season*/verdict >totals &&
	cat totals &&
	! grep -E "(^| )0 (wide|heirs|spares|choices|restarts)" totals
'
last_case 'end_season; nothing_left'
