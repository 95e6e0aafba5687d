#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0578-topology-live.t - sgang topology draws a running cluster
#
# The same without a cluster: 0123-sgang-topology.t.

test_description='sgang topology: nodes, jobs and gangs of a cluster'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches left=n[1-3] right=n[4-6] top:left,right >topology.conf
slurm_cluster -n 6 -c 4 --gang --topology "$PWD/topology.conf"

sgang=$(checked_sgang)
export LC_ALL=C

# The picture without trailing blanks, up to the legend.
picture() { "$sgang" topology "$@" >out && sed '/^$/,$d' out; }

member() { submit -o /dev/null --gang="$@"; }

cat >empty.expected <<'END'
top  6 nodes, 24 CPUs: 24 free
|- left   n1 ....  n2 ....  n3 ....
`- right  n4 ....  n5 ....  n6 ....
END
cat >busy.expected <<'END'
top  6 nodes, 24 CPUs: 11 free, 1 busy, 8 root/run, 4 down
|- left   n1 x...   n2 ....   n3 ####>
`- right  n4 ####>  n5 ....   n6 !!!!
END

test_expect_success 'an empty cluster: slots are CPUs' '
	picture >drawn && test_cmp empty.expected drawn &&
	! grep GANG out
'
test_expect_success '4.34 a gang runs, beside a job and a node that is down' '
	other=$(run_job -o /dev/null -n 1 -w n1 --wrap="sleep 3600") &&
	scontrol update NodeName=n6 State=DOWN Reason=test &&
	left=$(member run -N 1 --exclusive -w n3 --gang-min-member=2 \
		--wrap="sleep 3600") &&
	right=$(member run -N 1 --exclusive -w n4 --wrap="sleep 3600") &&
	wait_for 30 all_in RUNNING $left $right &&
	picture --gang=run >drawn && test_cmp busy.expected drawn
'
test_expect_success 'what its ring costs is what its record says' '
	grep -x "root/run  Running, 2 members, 8 CPUs" out &&
	grep "^  ring cost $(gang_record $left ring), in an empty cluster $(gang_record \
		$left best), 2 cross links, tier spine" out &&
	grep -E "^  n[34] ==spine 16==> n[34] ==spine 16==> back to n" out
'
test_expect_success 'without --gang all gangs are told' '
	picture >drawn && grep "n3 oooo" drawn &&
	grep -E "^root/run +Running +2 +8 +[0-9]+ +2 spine\$" out
'
test_expect_success JQ 'as JSON' '
	"$sgang" topology --json >json &&
	jq -e ".unit == \"CPU\" and .domains[0].gangs == 8 and
		.gangs[0].members == 2 and .domains[0].busy == 1 and
		([.gangs[0].stops[].node] | sort) == [\"n3\", \"n4\"] and
		(.nodes[5] | [.name, .down]) == [\"n6\", 4]" json
'
test_expect_success 'picture and page of the cluster' '
	"$sgang" topology --gang=run --svg=run.svg --html=run.html >out &&
	test_must_be_empty out &&
	grep "As of $(date +%Y)-.*root/run: ring cost" run.svg &&
	grep "aria-pressed=\"true\".*root/run" run.html &&
	grep -A 1 "<title>" run.html | grep "^Cluster private: fabric" &&
	"$sgang" topology --json | jq -e ".cluster == \"private\""
'
test_expect_success 'a gang that is not there, or has no nodes' '
	id=$(member alone -N 1 --gang-min-member=2 --wrap=true) &&
	wait_for 15 squeue_says $id gathering &&
	for name in none alone; do
		test_expect_code 1 "$sgang" topology --gang=$name >out 2>err &&
		test_must_be_empty out && grep "^sgang: no gang $name has" err ||
			return 1
	done &&
	scancel $id
'
test_expect_success 'its end leaves nothing in the picture' '
	scancel $left $right $other &&
	scontrol update NodeName=n6 State=RESUME &&
	wait_for 30 nodes_idle &&
	picture >drawn && test_cmp empty.expected drawn
'
test_expect_success 'TopologyFile= is what is drawn, and its mistakes are told' '
	cat >blocks.conf <<-END &&
	BlockName=b1 Nodes=n[1-3]
	BlockName=b2 Nodes=n[4-6]
	BlockSizes=3,6
	END
	echo "TopologyFile=\"$PWD/blocks.conf\"" >gang.conf &&
	picture --conf=gang.conf >drawn && grep "b1 *n1 \.\.\.\." drawn &&
	echo "TopologyFile=\"$PWD/no-such.conf\"" >gang.conf &&
	test_expect_code 2 "$sgang" topology --conf=gang.conf 2>err &&
	grep "no-such.conf" err
'
last_case
