#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0428-prologs.t - with PrologFlags=Alloc a gang starts when all nodes are ready
#
# A node whose Prolog fails, or which does not answer, is no reason for the
# others to start without it.

test_description='The release waits for the Prolog of all nodes'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 6 -c 2 --gang --conf \
"$quick_sched
PrologFlags=Alloc
SlurmdTimeout=600
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
cat >"$slurm_dir/etc/prolog" <<-END
#!/bin/bash
echo "\$SLURM_JOB_ID \$SLURMD_NODENAME" >>"$slurm_dir/prologs"
while test -e "$slurm_dir/etc/slow-\$SLURMD_NODENAME"; do read -rt 0.1 <> <(:) || :; done
! test -e "$slurm_dir/etc/bad-\$SLURMD_NODENAME"
END
cat >"$slurm_dir/etc/epilog" <<-END
#!/bin/bash
echo "\$SLURM_JOB_ID \$SLURMD_NODENAME" >>"$slurm_dir/epilogs"
END
chmod 755 "$slurm_dir/etc/prolog" "$slurm_dir/etc/epilog"
printf 'Prolog=%s\nEpilog=%s\n' "$slurm_dir/etc/prolog" \
	"$slurm_dir/etc/epilog" >>"$SLURM_CONF"
slurm_start

for name in slow bad dead; do
	gang_script $name
done

gang_of_four()
{
	local i

	gang_of_nodes $1 4 $1.sh
}

prologs_of() { grep -c "^$1 " "$slurm_dir/prologs"; }

# Members on whose nodes it has begun.
prologs_of_all()
{
	local id n=0

	for id in ${members[@]}; do
		grep -q "^$id " "$slurm_dir/prologs" && n=$((n + 1))
	done
	echo $n
}

drained() { scontrol show node $1 | grep "Prolog error"; }

# Which of n1 to n6 the gang takes is its own affair.
test_expect_success '0.1: a slow Prolog holds up all of them' '
	touch "$slurm_dir/etc/slow-n2" &&
	gang_of_four slow &&
	wait_for 20 "test \"\$(held_in ${members[*]})\" = 4" &&
	wait_for 20 "grep -q n2 \"$slurm_dir/prologs\"" &&
	wait_for 10 "test \$(wc -l <\"$slurm_dir/prologs\") = 4" &&
	test "$(starts_of slow)" = 0 &&
	rm "$slurm_dir/etc/slow-n2" &&
	start_together 20 ${members[@]} &&
	let_end slow ${members[@]} &&
	ran_once slow 4 &&
	for id in ${members[@]}; do
		test "$(prologs_of $id)" = 1 || return 1
	done
'
test_expect_success '0.1: one fails: all give back their nodes, and start elsewhere' '
	wait_for 20 nodes_idle &&
	touch "$slurm_dir/etc/bad-n2" &&
	gang_of_four bad &&
	wait_for 30 drained n2 &&
	wait_for 60 all_in RUNNING ${members[@]} &&
	gang_log root/bad "hold of 3 members ended: failed" &&
	wait_for 20 "test \$(starts_of bad) = 4" &&
	started_together ${members[@]} &&
	test -z "$(squeue -h -w n2)" &&
	test "$(restarts_of ${members[@]})" = 0 &&
	let_end bad ${members[@]} &&
	ran_once bad 4
'
test_expect_success 'the Epilog ran wherever a Prolog had' '
	wait_for 20 "test \"\$(sort -u $slurm_dir/epilogs | grep -vc n2)\" = \"\$(sort -u $slurm_dir/prologs | grep -vc n2)\""
'
test_expect_success '0.1: a slurmd is dead: nobody starts without it' '
	rm "$slurm_dir/etc/bad-n2" &&
	node_returns n2 &&
	wait_for 30 nodes_idle &&
	slurm_kill_node n3 &&
	gang_of_four dead &&
	wait_for 20 "test \"\$(held_in ${members[*]})\" = 4" &&
	lost=$(held_on n3 ${members[@]}) &&
	test -n "$lost" &&
	wait_for 20 gang_log root/dead "its nodes run the Prolog" &&
	wait_for 20 "test \$(prologs_of_all) = 3" &&
	test "$(starts_of dead)" = 0 &&
	scontrol update NodeName=n3 State=DOWN Reason=test &&
	wait_for 60 all_in RUNNING ${members[@]} &&
	wait_for 20 "test \$(starts_of dead) = 4" &&
	started_together ${members[@]} &&
	let_end dead ${members[@]} &&
	ran_once dead 4
'
last_case '
	slurm_start_node n3 &&
	node_returns n3 &&
	nothing_left "Prolog launch failure" "draining the node" "Nodes n3 not responding" "n3.*(onnection refused|not resp)" "agent/" "Prolog failed"
'
