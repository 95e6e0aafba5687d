#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0162-make-trace.t - a queue from a seed, and the example that it has made
#
# Behaviour 8.4: gangs in a queue that is made from a seed.

test_description='contrib/make-trace'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

example=$top_srcdir/contrib/examples/twin
sgang=$(checked_sgang)
unset SLURM_CONF
"$sgang" simulate --jobs=/dev/null --slots=1 2>&1 | grep libcsv >/dev/null ||
	test_set_prereq LIBCSV

needs python3

make_trace() { python3 "$top_srcdir/contrib/make-trace" "$@"; }

test_expect_success '8.4 the example is what it makes, byte for byte' '
	make_trace >jobs.csv &&
	test_cmp "$example/jobs.csv" jobs.csv
'
test_expect_success '8.4 its first line makes it again, with any seed' '
	make_trace --seed=7 --jobs=300 --nodes=16 --gangs=0.5 >seven &&
	make_trace $(sed -n "1s/.*make-trace //p" seven) >again &&
	test_cmp seven again &&
	make_trace --seed=8 --jobs=300 --nodes=16 --gangs=0.5 >eight &&
	sed 1,2d seven | sort >a && sed 1,2d eight | sort >b &&
	test -z "$(comm -12 a b)"
'
# Column 5 is nodes, 13 and 14 are the gang and its minimum.
test_expect_success '8.4 so many jobs and gangs, each in the cluster' '
	for share in 0 0.25 1; do
		make_trace --jobs=2000 --nodes=16 --gangs=$share >queue &&
		sed 1,2d queue | awk -F, -v share=$share "
			\$5 > 16 { exit bad = 1 }
			\$13 != \"\" { members++; gang[\$10 \$13] += \$5; n[\$10 \$13]++ }
			\$14 > 0 { least[\$10 \$13] = \$14 }
			END {
				if (bad || NR != 2000) exit 1
				for (g in gang)
					if (gang[g] > 8 || least[g] > n[g]) exit 1
				off = members / NR - share
				exit off > 0.01 || off < -0.01
			}" || return 1
	done
'
test_expect_success 'what it does not understand' '
	for bad in --seed=x --jobs=0 --gangs=2 --colour=red more; do
		! make_trace $bad >out 2>why && test_must_be_empty out &&
			test $(wc -l <why) = 1 && grep "^make-trace: " why ||
			return 1
	done
'
test_expect_success LIBCSV,JQ '8.1 the example is replayed, and is what is said of it' '
	"$sgang" simulate --jobs="$example/jobs.csv" --conf=stock --json \
		--topology="$example/topology.conf" \
		--nodes="$example/slurm.conf" >answer 2>effort &&
	jq -r ".configurations[0] | \"\\(.gangs.all.submitted) \\(.cluster.refused)\"" \
		answer >shown &&
	echo 24 0 >expected && test_cmp expected shown
'

test_done
