#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0123-sgang-topology.t - sgang topology show, without a cluster
#
# What makes an island: tests/unit/files/test_node_topo_hwloc.c. How nodes are
# asked: 0537-sgang-collect.t.

test_description='sgang topology show: files, nodes, this machine'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

sgang=$(checked_sgang)
shapes=$top_srcdir/topology
unset SLURM_CONF

# The command ends with that status, prints nothing, and its one line on stderr
# matches the pattern.
refused()
{
	local status=$1 pattern=$2

	shift 2
	"$sgang" topology "$@" >out 2>err
	test $? = $status && test_must_be_empty out &&
		test "$(wc -l <err)" = 1 && grep -E "$pattern" err
}

cat >pairs.expected <<'END'
Shape=nvlink-4gpu-pairs Islands=2 GPUs=4 Cores=32 NICs=2
  Island=0 GPUs=0-1 Cores=0-15
  Island=1 GPUs=2-3 Cores=16-31
  GPU=0 Name=nvml0 Bus=0000:01:00.0 Island=0 NIC=mlx5_0
  GPU=1 Name=nvml1 Bus=0000:41:00.0 Island=0 NIC=mlx5_0
  GPU=2 Name=nvml2 Bus=0000:81:00.0 Island=1 NIC=mlx5_1
  GPU=3 Name=nvml3 Bus=0000:c1:00.0 Island=1 NIC=mlx5_1
  NIC=mlx5_0 Bus=0000:02:00.0 Island=0
  NIC=mlx5_1 Bus=0000:82:00.0 Island=1
END

test_expect_success '4.27 a file' '
	"$sgang" topology show "$shapes/nvlink-4gpu-pairs.xml" >out &&
	test_cmp pairs.expected out
'
test_expect_success 'each shape that we ship says what it is' '
	for shape in dgx-h100:1:8:112 pcie-8gpu:2:8:64 gb200-tray:1:4:144 \
		cpu-2socket:2:0:32; do
		IFS=: read -r name islands gpus cores <<<"$shape"
		"$sgang" topology show "$shapes/$name.xml" >out &&
		grep "^Shape=$name Islands=$islands GPUs=$gpus Cores=$cores " \
			out || return 1
	done
'
# One is of libxml2, the other, of hwloc itself, knows no comments.
test_expect_success 'both of the parsers that hwloc has' '
	for shape in "$shapes"/*.xml; do
		HWLOC_LIBXML=1 "$sgang" topology show "$shape" >expected &&
		HWLOC_LIBXML=0 "$sgang" topology show "$shape" >out &&
		test_cmp expected out || return 1
	done
'
test_expect_success 'as JSON' '
	"$sgang" topology show --json "$shapes/cpu-2socket.xml" >out &&
	jq -e ".shape == \"cpu-2socket\" and .cores == 32 and .gpus == [] and
		.islands[1] == {gpus: \"\", cores: \"16-31\"} and
		.nics[0].name == \"mlx5_0\"" out &&
	"$sgang" topology show --json "$shapes/pcie-8gpu.xml" >out &&
	jq -e ".gpus[4] == {name: \"gpu4\", bus: \"0000:81:00.0\", island: 1,
		nic: \"mlx5_1\"}" out
'

mkdir site
cat >site/gang.conf <<END
NodeTopology=n[1-4] Hwloc="$shapes/nvlink-4gpu-pairs.xml"
NodeTopologyDir=found
END

test_expect_success 'a node of gang.conf' '
	"$sgang" topology show --conf=site/gang.conf n3 >out &&
	test_cmp pairs.expected out &&
	SLURM_CONF=site/slurm.conf "$sgang" topology show n4 >out &&
	test_cmp pairs.expected out
'
test_expect_success 'a node that was asked' '
	refused 1 "nothing describes node n5" show --conf=site/gang.conf n5 &&
	mkdir site/found &&
	cp "$shapes/cpu-2socket.xml" site/found/shape-1.xml &&
	echo "NodeTopology=n[1-9] Hwloc=shape-1.xml" >site/found/nodes.conf &&
	"$sgang" topology show --conf=site/gang.conf n5 >out &&
	grep "^Shape=shape-1 Islands=2 GPUs=0" out &&
	"$sgang" topology show --conf=site/gang.conf n4 >out &&
	test_cmp pairs.expected out
'
# What hwloc asks the hardware with leaves some memory behind; a build with
# sanitizers would complain.
test_expect_success 'this machine, or what stands in for it' '
	ASAN_OPTIONS=detect_leaks=0 "$sgang" topology show >out &&
	grep "^Shape=this-machine Islands=[1-9]" out &&
	HWLOC_XMLFILE="$shapes/dgx-h100.xml" "$sgang" topology show >out &&
	grep "^Shape=this-machine Islands=1 GPUs=8 Cores=112 NICs=8" out
'
test_expect_success 'a probe is readable, short of line and tells no names' '
	sed "s,<object type=\"Machine\".*,&<info name=\"HostName\"\
 value=\"secret\"/>," "$shapes/dgx-h100.xml" >named.xml &&
	grep -c secret named.xml &&
	SLURMD_NODENAME=n7 HWLOC_XMLFILE=named.xml "$sgang" topology probe \
		>probe &&
	! grep -v "^sgang-probe n7 [+.]" probe &&
	! grep -E "secret|.{1000}" probe &&
	tail -n 1 probe | grep -x "sgang-probe n7 ." &&
	sed -n "s/^sgang-probe n7 +//p" probe | tr -d "\n" |
		sed "s/\\\\n/\n/g" >back.xml &&
	"$sgang" topology show back.xml >out &&
	"$sgang" topology show "$shapes/dgx-h100.xml" |
		sed "s/^Shape=dgx-h100/Shape=back/" | test_cmp - out
'
test_expect_success 'what is wrong is said in one line' '
	refused 2 "expected show \[NODE\|FILE\], collect" draw &&
	refused 2 "show takes --conf and --json alone" show --width=80 &&
	refused 2 "expected show" show a b &&
	refused 2 "no-such.xml: cannot be opened" show no-such.xml &&
	echo Gang=no >bad.conf &&
	refused 2 "bad.conf:1: unknown key" show --conf=bad.conf n1 &&
	refused 2 "no.conf: cannot be opened" show --conf=no.conf n1
'
test_expect_success 'a broken description names file, line and remedy' '
	sed "/Package/s/ complete_cpuset=/ cpu=/" "$shapes/pcie-8gpu.xml" \
		>broken.xml &&
	refused 2 "broken.xml:[0-9]+: the object of type .Package. has no\
 complete_cpuset" show broken.xml &&
	: >empty.xml &&
	refused 2 "empty.xml: is no description .*; write one with lstopo" \
		show empty.xml &&
	head -n 50 "$shapes/dgx-h100.xml" >cut.xml &&
	refused 2 "cut.xml: hwloc cannot read it; lstopo -i FILE" show \
		cut.xml &&
	refused 2 "collect runs this" probe
'

test_done
