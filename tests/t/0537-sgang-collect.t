#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0537-sgang-collect.t - what is inside of nodes, asked on a cluster
#
# All nodes run on this host. A task prolog gives each the description of
# another machine; hwloc takes that for the machine.

test_description='sgang topology collect; GPUs have the order of gres.conf'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

slurm_setup -n 4 -c 32 --gang --conf GresTypes=gpu --node Gres=gpu:4
# As the machines of the test have them: Slurm compares.
sed -i 's/ Sockets=1 CoresPerSocket=32 / Sockets=2 CoresPerSocket=16 /' \
	"$SLURM_CONF"
machines=$slurm_dir/machines
mkdir "$machines"
touch "$machines"/nvidia{0..3}
cat >"$machines/prolog.sh" <<END
#!/bin/sh
test ! -e $machines/\$SLURMD_NODENAME.xml ||
	echo export HWLOC_XMLFILE=$machines/\$SLURMD_NODENAME.xml
test ! -e $machines/\$SLURMD_NODENAME.mute || echo unset SLURMD_NODENAME
echo print a word of the prolog
END
chmod +x "$machines/prolog.sh"
echo "TaskProlog=$machines/prolog.sh" >>"$SLURM_CONF"
cat >"$slurm_dir/etc/gres.conf" <<END
Name=gpu File=$machines/nvidia[0-1] Cores=0-15
Name=gpu File=$machines/nvidia[2-3] Cores=16-31
END
slurm_start

sgang=$(checked_sgang)
shapes=$top_srcdir/topology
found=$slurm_dir/etc/node-topology
for n in 1 2; do
	cp "$shapes/nvlink-4gpu-pairs.xml" "$machines/n$n.xml"
done
cp "$shapes/cpu-2socket.xml" "$machines/n3.xml"
cp "$shapes/gb200-tray.xml" "$machines/n4.xml"

# The lines of the map, without comments.
map() { grep -v "^#" "$found/nodes.conf"; }

# What the file of a shape says, without its name.
shape_of() { "$sgang" topology show "$1" | sed '1s/^Shape=[^ ]* //'; }

test_expect_success '4.27 some nodes: one file for each shape, and a map' '
	"$sgang" topology collect "n[1-3]" >out 2>err &&
	test_must_be_empty err &&
	echo "$found: 3 nodes answered, 2 shapes" | test_cmp - out &&
	map >lines &&
	cat >expected <<-END &&
	NodeTopology=n[1-2] Hwloc="shape-1.xml"
	NodeTopology=n3 Hwloc="shape-2.xml"
	END
	test_cmp expected lines &&
	ls "$found" >files &&
	printf "%s\n" nodes.conf shape-1.xml shape-2.xml | test_cmp - files
'
test_expect_success 'the files say what the machines said' '
	for n in n2:nvlink-4gpu-pairs n3:cpu-2socket; do
		shape_of "$shapes/${n#*:}.xml" >expected &&
		shape_of ${n%:*} >out &&
		test_cmp expected out || return 1
	done
'
test_expect_success 'all nodes; what is known stays as it is' '
	cp "$found/shape-1.xml" before.xml &&
	"$sgang" topology collect --json >out &&
	jq -e "[.nodes, .shapes, .missing] == [4, 3, null]" out &&
	map >lines &&
	cat >expected <<-END &&
	NodeTopology=n[1-2] Hwloc="shape-1.xml"
	NodeTopology=n3 Hwloc="shape-2.xml"
	NodeTopology=n4 Hwloc="shape-3.xml"
	END
	test_cmp expected lines &&
	test_cmp before.xml "$found/shape-1.xml"
'
test_expect_success 'a node was exchanged' '
	cp "$shapes/gb200-tray.xml" "$machines/n2.xml" &&
	"$sgang" topology collect n2 >out &&
	echo "$found: 1 node answered, 3 shapes" | test_cmp - out &&
	map >lines &&
	cat >expected <<-END &&
	NodeTopology=n1 Hwloc="shape-1.xml"
	NodeTopology=n3 Hwloc="shape-2.xml"
	NodeTopology=n[2,4] Hwloc="shape-3.xml"
	END
	test_cmp expected lines
'
test_expect_success 'a node that cannot answer is told, and keeps its line' '
	cp "$found/nodes.conf" before &&
	touch "$machines/n3.mute" &&
	cp "$shapes/gb200-tray.xml" "$machines/n1.xml" &&
	test_expect_code 1 "$sgang" topology collect "n[1,3]" >out 2>err &&
	grep "1 node answered, 2 shapes" out &&
	grep "^sgang: no answer from n3; what was known of them stays" err &&
	map >lines &&
	cat >expected <<-END &&
	NodeTopology=n3 Hwloc="shape-2.xml"
	NodeTopology=n[1-2,4] Hwloc="shape-3.xml"
	END
	test_cmp expected lines
'
test_expect_success 'when nobody answers nothing changes' '
	cp "$found/nodes.conf" before &&
	test_expect_code 2 "$sgang" topology collect n3 >out 2>err &&
	test_must_be_empty out &&
	grep "^sgang: no node answered; srun ended with status" err &&
	test_cmp before "$found/nodes.conf" &&
	test_expect_code 2 "$sgang" topology collect n9 >out 2>err &&
	grep "^sgang: no node answered" err &&
	test_cmp before "$found/nodes.conf" &&
	test_expect_code 2 "$sgang" topology collect "n[1" 2>err &&
	test "$(wc -l <err)" = 1
'
test_expect_success 'a map that cannot be read is not overwritten' '
	echo "NodeTopology=n1" >"$found/nodes.conf" &&
	test_expect_code 2 "$sgang" topology collect n4 2>err &&
	grep "nodes.conf:1: NodeTopology: add Hwloc=FILE" err &&
	grep -x NodeTopology=n1 "$found/nodes.conf" &&
	cp before "$found/nodes.conf"
'

# The GPUs and cores that Slurm gave a job, as a line of topology show.
devices_of()
{
	local pattern="CPU_IDs=\([0-9-]*\) .*GRES=gpu:2(IDX:\([0-9-]*\))"

	scontrol -d show job $1 |
		sed -n "s/.* $pattern.*/GPUs=\2 Cores=\1/p"
}

test_expect_success 'indexes and cores of gres.conf are those of the islands' '
	"$sgang" topology show "$shapes/nvlink-4gpu-pairs.xml" |
		sed -n "s/^  Island=. //p" >islands &&
	test $(wc -l <islands) = 2 &&
	ids= &&
	for i in 1 2; do
		ids+=" $(submit -w n1 -n1 -c16 --gres=gpu:2 --mem=10 \
			--gres-flags=enforce-binding)" || return 1
	done &&
	for id in $ids; do
		wait_state $id RUNNING && devices_of $id >>given || return 1
	done &&
	sort given >sorted &&
	test_cmp islands sorted &&
	scancel $ids && wait_for 15 nodes_idle
'
cat >gpus.expected <<'EOF'
flat  4 nodes, 16 GPUs: 11 free, 1 busy, 4 root/pair
`- n1 ##..   n2 ##x.   n3 ....   n4 ....
EOF
test_expect_success 'the picture of a cluster with GPUs counts these' '
	other=$(run_job -w n2 -n1 --gres=gpu:1 --mem=10) &&
	one=$(submit -w n1 -n1 --gres=gpu:2 --mem=10 --gang=pair \
		--gang-min-member=2) &&
	two=$(submit -w n2 -n1 --gres=gpu:2 --mem=10 --gang=pair) &&
	wait_for 30 all_in RUNNING $one $two &&
	LC_ALL=C "$sgang" topology --gang=pair >out &&
	head -n 2 out | test_cmp gpus.expected - &&
	scancel $other $one $two && wait_for 15 nodes_idle
'
last_case 'nothing_left "for node \"n9\"" \
	"invalid node specified: \"n9\""'
