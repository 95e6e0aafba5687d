# SPDX-License-Identifier: GPL-2.0-or-later
# 08-fabric.sh - large fabrics for tests that need no cluster
#
#   fabric_of_4096     a topology.conf: leaves l1 to l128 of 32 nodes each, c1
#                      to c4096, below spines s1 to s8, below core

fabric_of_4096()
{
	awk 'BEGIN {
		for (i = 0; i < 128; i++)
			printf "SwitchName=l%d Nodes=c[%d-%d]\n", i + 1,
				32 * i + 1, 32 * i + 32
		for (i = 0; i < 8; i++)
			printf "SwitchName=s%d Switches=l[%d-%d]\n", i + 1,
				16 * i + 1, 16 * i + 16
		print "SwitchName=core Switches=s[1-8]"
	}'
}
