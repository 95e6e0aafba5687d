# SPDX-License-Identifier: GPL-2.0-or-later
# 11-json.sh - every answer in JSON keeps to doc/formats/sgang.schema.json
#
#   checked_sgang [PROGRAM]    prints the path of a program that does what sgang
#                              does, and keeps a copy of each answer in JSON;
#                              the test ends with a check of all of them
#   json_keeps FILE...         each line of these files keeps to the schema
#   JQ                         is a prerequisite where jq is installed
#   json_prereq                JSONSCHEMA is a prerequisite from now on, where it is
#                              installed
#   without_meta               of answers on stdin, those without "meta"
#   rows COMMAND...            for each line of stdin the command, with what stands
#                              between " | " as its last arguments
#   run_case FILE              $SGANG with the arguments in the file, as the shell
#                              takes them: what it says and its status are in out

test -n "$BASH_VERSION" || return 0

# A folder of its own, where other users can write too. A test that was killed may
# have left one with the number of this process.
json_kept=$(mktemp -u "${TMPDIR:-/tmp}/sgang-json.XXXXXXXX")

! command -v jq >/dev/null || test_set_prereq JQ

# Not in each script: it takes longer than many a test.
json_prereq()
{
	! python3 -c 'from jsonschema import Draft202012Validator' 2>/dev/null ||
		test_set_prereq JSONSCHEMA
}

checked_sgang()
{
	local program=${1:-$top_builddir/src/cmd/sgang}

	mkdir "$json_kept" && chmod 1777 "$json_kept" || return 1
	cat >"$json_kept/sgang" <<-END
	#!/bin/bash
	# watch ends with a signal, and the ranks of run may print anything
	case " \$* " in
	*" watch "*|*" run "*) exec "$program" "\$@" ;;
	*" --json "*|*" --format=json "*) ;;
	*) exec "$program" "\$@" ;;
	esac
	set -o pipefail
	"$program" "\$@" | tee "$json_kept/\$\$.json"
	END
	chmod 755 "$json_kept/sgang"
	echo "$json_kept/sgang"
}

json_keeps()
{
	python3 - "$top_srcdir/doc/formats/sgang.schema.json" "$@" <<-'END'
	import json, sys
	from jsonschema import Draft202012Validator
	schema = json.load(open(sys.argv[1]))
	check = Draft202012Validator(schema)
	wrong = False
	for path in sys.argv[2:]:
	    for line in open(path):
	        answer = json.loads(line)
	        for error in check.iter_errors(answer):
	            wrong = True
	            print(line[:300], error.message[:300], sep="\n")
	            for more in error.context or []:
	                print("  ", more.json_path, more.message[:200])
	sys.exit(wrong)
	END
}

without_meta() { sed 's/,"meta":{[^{}]*}}$/}/'; }

eval "$(declare -f test_done | sed '1s/test_done/test_done_unchecked/')"

test_done()
{
	if compgen -G "$json_kept/*.json" >/dev/null; then
		json_prereq
		test_expect_success JSONSCHEMA 'every answer in JSON keeps to its schema' '
			json_keeps "$json_kept"/*.json
		'
	fi
	test ! -d "$json_kept" || rm -rf "$json_kept"
	test_done_unchecked "$@"
}

rows()
{
	local row fields

	while IFS= read -r row; do
		fields=()
		while [[ $row = *' | '* ]]; do
			fields+=("${row%%' | '*}")
			row=${row#*' | '}
		done
		"$@" "${fields[@]}" "$row"
	done
}

run_case()
{
	local args

	args=$(grep -v '^#' "$1") &&
		(cd "$top_srcdir" && eval "$SGANG $args") >said 2>err
	echo "exit $?" >>said
	without_meta <said >out
}
