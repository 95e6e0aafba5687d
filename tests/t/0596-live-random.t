#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0596-live-random.t - random gangs, against a search of its own
#
# By day half a minute of them, at night five.
#
# GANGS=N, SEED=N	so many gangs, of clusters from that seed on, instead
# SECONDS_MAX=N		so long
# KINDS=WORDS		see tests/live-random/run

test_description='A gang that fits starts, and what is shown is true'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

skip_missing "$(slurm_missing --gang)"

: "${KINDS:=mixed,share,memory,gres,flexible,partition,feature,policy,order,\
batch,show,reason,start,exclude,drain,modes,best,nodelist,reserve,\
oversubscribe,groups,patient,range,minimum,weight,rank,parallel,auto,islands,\
loose,gpus}"
test -n "$GANGS" || : "${SECONDS_MAX:=$(by_day 25 300)}"
export KINDS SECONDS_MAX slurm_first_port

test_expect_success '4.20 5.5 5.6 random gangs start, at the cost that is shown' '
	"$top_srcdir/tests/live-random/run" "${GANGS:-100000}" "${SEED:-1}"
'

test_done
