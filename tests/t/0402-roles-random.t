#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0402-roles-random.t - random trees of groups on a cluster that is busy in part
#
# The observer knows what was submitted and what squeue says. By brute force
# over all ways to give groups to leaf switches it says whether the gang could
# start, and by the rule of the tree whether what runs is a whole tree.

test_description='Random trees start if they fit, and never in part'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

: "${seed:=402}"
RANDOM=$seed
echo "# seed=$seed"

cat >topology.conf <<'END'
SwitchName=leaf1 Nodes=n[1-3]
SwitchName=leaf2 Nodes=n[4-6]
SwitchName=leaf3 Nodes=n[7-9]
SwitchName=core Switches=leaf[1-3]
END
slurm_setup -n 9 -c 2 --gang --topology "$PWD/topology.conf"
slurm_start

gang_script busy
gang_script role

# Facts: "top MIN", "group NAME MIN LEAF?", "role GROUP NAME MIN", "free LEAF N",
# "member GROUP NAME STATE NODE".
cat >judge.awk <<'END'
$1 == "top" { top = $2 }
$1 == "group" { group[++n] = $2; min[$2] = $3; tight[$2] = $4 }
$1 == "role" { roles[$2] = roles[$2] " " $3; needs[$2, $3] = $4 }
$1 == "free" { free[$2] = $3 }
$1 == "member" {
	count[$2, $3]++
	if ($4 != "RUNNING") next
	runs[$2, $3]++
	any[$2]++
	at[$2, int((substr($5, 2) - 1) / 3) + 1] = 1
}

# How many of the group's roles have what they need, by these numbers.
function have(g, of,   list, k, i, done) {
	k = split(roles[g], list, " ")
	for (i = 1; i <= k; i++)
		done += of[g, list[i]] >= needs[g, list[i]]
	return done
}

# The fewest members with which it has what it needs; 99: it cannot have it.
function need(g,   list, k, i, j, cost, t, sum) {
	k = split(roles[g], list, " ")
	for (i = 1; i <= k; i++)
		cost[i] = count[g, list[i]] >= needs[g, list[i]] ?
			needs[g, list[i]] : 99
	for (i = 1; i <= k; i++)
		for (j = i + 1; j <= k; j++)
			if (cost[j] < cost[i]) { t = cost[i]; cost[i] = cost[j]; cost[j] = t }
	for (i = 1; i <= min[g]; i++)
		sum += i <= k ? cost[i] : 99
	return sum > 99 ? 99 : sum
}

# Can the groups from the i-th on be given to leaf switches, so that "top" have
# what they need? "loose" nodes may be anywhere.
function fits(i, taken, loose,   l, sum) {
	if (taken == top) {
		for (l = 1; l <= 3; l++)
			sum += free[l]
		return sum >= loose
	}
	if (i > n || n - i + 1 < top - taken) return 0
	if (fits(i + 1, taken, loose)) return 1
	if (need(group[i]) >= 99) return 0
	if (!tight[group[i]])
		return fits(i + 1, taken + 1, loose + need(group[i]))
	for (l = 1; l <= 3; l++) {
		if (free[l] < need(group[i])) continue
		free[l] -= need(group[i])
		sum = fits(i + 1, taken + 1, loose)
		free[l] += need(group[i])
		if (sum) return 1
	}
	return 0
}

END {
	for (i = 1; i <= n; i++) {
		g = group[i]
		if (!any[g]) continue
		started++
		if (have(g, runs) < min[g]) { print "part of " g " runs"; bad = 1 }
		if (tight[g] && at[g, 1] + at[g, 2] + at[g, 3] > 1) {
			print g " spans leaf switches"
			bad = 1
		}
	}
	if (started && started < top) { print started " of " top " groups run"; bad = 1 }
	could = fits(1, 0, 0)
	if (started && !could) { print "it runs where it has no room"; bad = 1 }
	if (!started && could) { print "it waits, and has room"; bad = 1 }
	print bad ? "wrong" : started ? "runs" : "waits"
}
END

# One role of a group: add GROUP-WITH-NEEDS GROUP NAME PATH MIN COUNT
add()
{
	local i

	echo "role $2 $3 $5" >>facts
	for ((i = 0; i < $6; i++)); do
		echo "$2 $3 $1$4:min=$5" >>to_submit
	done
}

# A random tree of two to four groups: in "facts" and "to_submit".
make_tree()
{
	local groups=$((2 + RANDOM % 3)) g tight both needs

	: >to_submit
	echo "top $((1 + RANDOM % groups))" >facts
	for ((g = 1; g <= groups; g++)); do
		tight=$((RANDOM % 3 > 0)) both=$((RANDOM % 2))
		needs=g$g$( ((tight)) && echo :require=leaf)
		if ((both)); then
			local min=$((1 + RANDOM % 2))
			echo "group g$g $min $tight" >>facts
			add $needs:min=$min g$g a /a $((1 + RANDOM % 2)) $((1 + RANDOM % 2))
			add $needs:min=$min g$g b /b $((1 + RANDOM % 2)) $((1 + RANDOM % 2))
		else
			echo "group g$g 1 $tight" >>facts
			add $needs g$g - "" $((1 + RANDOM % 3)) $((1 + RANDOM % 3))
		fi
	done
}

# Some nodes are busy.
occupy()
{
	local node

	busy=()
	for node in {1..9}; do
		((RANDOM % 3)) || busy+=($(submit -w n$node --exclusive busy.sh)) ||
			return 1
	done
	((!${#busy[@]})) || wait_for 15 all_in RUNNING ${busy[@]}
}

free_nodes()
{
	local l

	for l in 1 2 3; do
		echo "free $l $(sinfo -h -N -t idle -n n[$((3 * l - 2))-$((3 * l))] | wc -l)"
	done
}

# All of it in a random order.
submit_tree()
{
	local gang=$1 min=$(sed -n 's/^top //p' facts) group name role

	members=() names=()
	while read -r group name role; do
		members+=($(submit -N1 --exclusive --gang=$gang --gang-role=$role \
			--gang-min-member=$min role.sh)) || return 1
		names+=("$group $name")
	done < <(shuf --random-source=<(yes $RANDOM) to_submit)
}

# What squeue says of the members, at one moment.
states()
{
	local i

	for i in ${!members[@]}; do
		echo "${members[$i]} ${names[$i]}"
	done | sort >by_id
	squeue -h -j "$(echo ${members[@]} | tr ' ' ,)" -o '%i %T %N' | sort |
		join by_id - | sed 's/^[0-9]*/member/'
}

verdict()
{
	{ cat facts nodes; states; } >case
	awk -f judge.awk case >said
	tail -n 1 said
}

judged() { test "$(verdict)" != wrong; }

# The scheduler has looked at all of them. Where a group runs, further members
# of it are ordinary jobs.
settled()
{
	squeue -h -j "$(echo ${members[@]} | tr ' ' ,)" -o '%T %r' >shown
	! grep -vE "^RUNNING|Gang .* (waits:|gathering)" shown >rest ||
		{ grep -q "^RUNNING" shown &&
			! grep -vE "Priority|Resources" rest; }
}

one_round()
{
	local gang=tree$1

	wait_for 30 nodes_idle && occupy && make_tree && free_nodes >nodes &&
		submit_tree $gang && wait_for 40 settled &&
		wait_for 20 judged && echo "$gang $(verdict)" >>verdicts &&
		touch $gang.go && scancel ${members[@]} ${busy[@]} ||
		{ cat case said >&2; squeue >&2; scancel -u root; return 1; }
}

for ((round = 1; round <= ${rounds:-20}; round++)); do
	test_expect_success "2.15 2.16 2.17 2.19 tree $round" "one_round $round"
done
test_expect_success 'some have started, and some have not' '
	grep " runs" verdicts && grep " waits" verdicts
'
test_expect_success 'nothing is left' 'nothing_left'

test_done
