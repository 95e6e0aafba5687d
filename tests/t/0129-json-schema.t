#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0129-json-schema.t - doc/formats/sgang.schema.json, which all answers keep to
#
# The tests of each verb check its answers, see checked_sgang. Here is whether
# such a check can fail.

test_description='The schema refuses what is no answer of sgang'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

sgang=$(checked_sgang)
json_prereq
schema=$top_srcdir/doc/formats/sgang.schema.json
topology=--topology=$top_srcdir/topology/textbook.conf

# changed FILTER: that change of each answer in 'answers' is refused
changed()
{
	local line

	while read -r line; do
		jq -c "$1" <<<"$line" >wrong && ! test "$(cat wrong)" = "$line" &&
			! json_keeps wrong >why || {
			cat wrong
			return 1
		}
	done <answers
}

test_expect_success JSONSCHEMA 'it is a schema of the draft that it names' '
	python3 -c "
import json, sys
from jsonschema import Draft202012Validator
schema = json.load(open(sys.argv[1]))
assert schema[\"\$schema\"] == Draft202012Validator.META_SCHEMA[\"\$id\"]
Draft202012Validator.check_schema(schema)" "$schema"
'
test_expect_success JQ 'it has the version that answers have, and each verb' '
	"$sgang" ring $topology --json "n[1-2]" >ring &&
	test "$(jq -r .meta.version ring)" = \
		"$(jq -r ".[\"\$defs\"].meta.properties.version.const" "$schema")" &&
	test "$(jq -r .meta.release ring)" = \
		"$("$sgang" --version | cut -d " " -f 2)" &&
	for verb in $("$sgang" --help | sed -n "s/^  \([a-z]*\) .*/\1/p"); do
		! "$sgang" $verb --help | grep -q -- --json ||
			jq -e ".[\"\$defs\"].$verb" "$schema" >found || {
			echo $verb
			return 1
		}
	done
'
test_expect_success 'answers of verbs that need no Slurm' '
	"$sgang" ring $topology --json --slots=4 --parallel=tp=4,dp=2 "n[1-2]" >ring &&
	"$sgang" place $topology --json --slots=4 --member=2x4 --explain >place &&
	test_expect_code 1 "$sgang" place $topology --json --member=9x1 >nofit &&
	echo "WaitingTime=5" >gang.conf &&
	"$sgang" conf --conf=gang.conf --json >conf &&
	"$sgang" topology show --json "$top_srcdir"/topology/pcie-8gpu.xml >show &&
	cat ring place nofit conf show >answers
'
test_expect_success JSONSCHEMA,JQ 'they keep to it; not with another field, or without one' '
	json_keeps answers &&
	changed ". + {more: 1}" && changed ".meta += {more: 1}" &&
	changed "del(.meta)" && changed "del(.meta.version)" &&
	changed ".meta.version = \"2.0\"" && changed ".meta.command = \"list\"" &&
	changed "to_entries | .[1:] | from_entries" &&
	changed "(.ring_cost // .cores // .settings // .domains) |= \"many\""
'
test_expect_success JSONSCHEMA 'nor do other things' '
	for wrong in "{}" "[{}]" "1" "\"list\"" "null" \
		"{\"gangs\":[]}" "{\"rank\":1,\"stream\":\"stdin\",\"text\":\"\"}"; do
		echo "$wrong" >wrong && ! json_keeps wrong >why || return 1
	done &&
	echo "[]" >right &&
	echo "{\"rank\":1,\"stream\":\"stderr\",\"text\":\"\"}" >>right &&
	json_keeps right
'

test_done
