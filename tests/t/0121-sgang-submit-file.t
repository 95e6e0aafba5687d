#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0121-sgang-submit-file.t - sgang submit without a Slurm
#
# Folder bin has an sbatch that writes down what it is asked, gives out the
# numbers from 100 on as ids, and refuses what holds the word "bad"; and a
# scancel that writes down the ids.

test_description='sgang submit: the file, the commands, all of them or none'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

SGANG=$(checked_sgang)
user=$(id -un)

mkdir bin jobs
cat >bin/sbatch <<'END'
#!/bin/sh
printf '%s\n' "$@" '' >>asked
case $* in
*silent*) exit 0 ;;
*bad*)
	echo 'sbatch: error: no bad jobs here' >&2
	exit 1 ;;
*slow*)
	kill -TERM $PPID ;;
esac
id=$(cat next 2>/dev/null || echo 100)
echo $((id + 1)) >next
echo "$id;cluster"
END
cat >bin/scancel <<'END'
#!/bin/sh
echo "$@" >>cancelled
test ! -e deaf
END
chmod 755 bin/sbatch bin/scancel
printf '#!/bin/sh\n' >jobs/driver.sh
cp jobs/driver.sh jobs/worker.sh

# Submit with these commands in PATH; nothing is there from before.
submit() {
	rm -f asked cancelled next
	PATH=$PWD/bin:$PATH timeout 180 "$SGANG" submit "$@" >out 2>err
}

# The commands of a dry run, without sbatch --parsable in front.
commands() {
	timeout 180 "$SGANG" submit --dry-run "$@" >lines 2>err &&
	test_must_be_empty err &&
	! grep -v "^sbatch --parsable " lines &&
	sed "s/^sbatch --parsable //" lines
}

# wrong TITLE LINE PATTERN TEXT...: the file of these lines, or what comes on standard
# input, is refused with one line that names the file and this line of it, and
# nothing is submitted. Line 0: there is no number.
wrong_run() {
	submit wrong.yaml
	test $? -eq 2 &&
	test_must_be_empty out &&
	test ! -e asked &&
	test $(wc -l <err) -eq 1 &&
	! LC_ALL=C grep -q '[^ -~]' err &&
	if test $wrong_line = 0; then
		grep -q "^sgang: wrong.yaml: " err
	else
		grep -q "^sgang: wrong.yaml:$wrong_line: " err
	fi &&
	grep -E -q -e "$wrong_pattern" err || {
		cat err
		return 1
	}
}

# The lines from the fourth argument on, or else what comes on standard input.
lines_of() { test $# -lt 4 && cat || printf '%s\n' "${@:4}"; }

wrong() {
	lines_of "$@" >wrong.yaml
	wrong_line=$2
	wrong_pattern=$3
	test_expect_success "wrong: $1" 'wrong_run'
}

# The same of a row of a table, in which @role is a good one.
wrong_row() { wrong "${@/#@role/$role}"; }

# The same with a good first role in front of the lines, which are of a second
# one. That begins in line 6, the lines in line 7.
wrong_role() {
	{
		cat <<-'END'
		gang: train
		roles:
		  - name: driver
		    script: jobs/driver.sh
		    options: [--nodes=1]
		  - name: worker
		END
		lines_of "$@" | sed 's/^/    /'
	} >wrong.yaml
	wrong_line=$2
	wrong_pattern=$3
	test_expect_success "wrong role: $1" 'wrong_run'
}

# --- good files
cat >train.yaml <<'END'
gang: train
mode: nonstrict
waiting-time: 30
on-failure: requeue
min-tres: cpu=4,mem=1G
options: [--time=10]
roles:
  - name: driver
    order: 0
    script: jobs/driver.sh
    args: [a, "b c", "$HOME", "it's"]
    options: [--nodes=1, --ntasks=8]
  - name: worker
    count: 3
    array: yes
    script: jobs/worker.sh
  - name: logger
    count: 2
    command: "hostname; sleep 1"
END
cat >wanted <<'END'
GANG --gang-order=0 --job-name=driver --time=10 --nodes=1 --ntasks=8 ./jobs/driver.sh a 'b c' '$HOME' 'it'\''s'
GANG --array=0-2 --job-name=worker --time=10 ./jobs/worker.sh
GANG --job-name=logger --time=10 '--wrap=hostname; sleep 1'
GANG --job-name=logger --time=10 '--wrap=hostname; sleep 1'
END

test_expect_success 'one command for each job, an array is one' '
	gang="--gang=$user/train --gang-min-member=6 --gang-total-number=6" &&
	gang="$gang --gang-mode=nonstrict --gang-waiting-time=00:30:00" &&
	gang="$gang --gang-on-failure=requeue" &&
	gang="$gang --gang-min-tres=cpu=4,mem=1024M" &&
	sed -i "s|GANG|$gang|" wanted &&
	commands train.yaml >actual &&
	test_cmp wanted actual
'
test_expect_success 'a shell takes the lines apart into the same words' '
	rm -f asked next &&
	commands train.yaml >actual &&
	PATH=$PWD/bin:$PATH sh -e lines >ids &&
	mv asked by-shell &&
	submit train.yaml &&
	test_cmp by-shell asked
'
test_expect_success 'what is submitted is told, a line a job' '
	cat >wanted <<-END &&
	JobId=100 GangName=$user/train Role=driver Members=1
	JobId=101 GangName=$user/train Role=worker Members=3
	JobId=102 GangName=$user/train Role=logger Members=1
	JobId=103 GangName=$user/train Role=logger Members=1
	submitted $user/train: 6 members
	END
	submit train.yaml &&
	test_must_be_empty err &&
	test_cmp wanted out &&
	test ! -e cancelled
'
test_expect_success 'the same as JSON' '
	submit --json train.yaml &&
	test $(wc -l <out) -eq 1 &&
	grep -F "{\"gangs\":[{\"gang\":\"$user/train\",\"members\":6}]" out &&
	grep -F "{\"gang\":\"$user/train\",\"role\":\"worker\",\"job_id\":101,\"members\":3}" out
'
test_expect_success 'a dry run as JSON has the same words' '
	"$SGANG" submit --dry-run --json train.yaml >out &&
	test $(wc -l <out) -eq 1 &&
	grep -F "\"./jobs/driver.sh\",\"a\",\"b c\",\"\$HOME\",\"it'\''s\"]" out
'
test_expect_success 'scripts are beside the file, or where a path says' '
	mkdir -p else/where &&
	cat >else/where/one.yaml <<-END &&
	gang: one
	roles: [{name: a, script: ../../jobs/driver.sh},
	  {name: b, script: "$PWD/jobs/worker.sh"}]
	END
	commands else/where/one.yaml >actual &&
	sed "s|.* --job-name=||" actual >last &&
	grep -x "a else/where/../../jobs/driver.sh" last &&
	grep -x -F "b '\''$PWD/jobs/worker.sh'\''" last
'
test_expect_success '0.29 what the file says is not replaced by a default' '
	cat >said.yaml <<-\END &&
	gang: proj/said
	min-member: 2
	total-number: 9
	topology: require:leaf
	match: only-waiting
	roles:
	- name: a
	  count: 3
	  command: hostname
	END
	commands said.yaml >actual &&
	test $(wc -l <actual) -eq 3 &&
	test $(grep -c -x -F -e "--gang=proj/said --gang-min-member=2 --gang-total-number=9 --gang-topology=require:leaf --gang-match=only-waiting --job-name=a --wrap=hostname" actual) -eq 3
'
test_expect_success 'a minimum above the jobs of the file expects others' '
	printf "gang: a\nmin-member: 5\nroles: [{name: r, command: ls}]\n" \
		>more.yaml &&
	commands more.yaml >actual &&
	grep -e "--gang-min-member=5 --gang-total-number=5 " actual
'

cat >two.yaml <<'END'
gang: train
roles:
  - {name: driver, command: "true"}
  - {name: worker, command: "true", count: 2, array: no}
  - name: server
    gang: proj/servers
    mode: nonstrict
    min-member: 1
    count: 3
    array: true
    command: "true"
  - {name: spare, gang: proj/servers, command: "true"}
END
test_expect_success '0.30 roles in two gangs: these list each other' '
	commands two.yaml >actual &&
	test $(wc -l <actual) -eq 5 &&
	test $(grep -c -e "^--gang=$user/train --gang-min-member=3 --gang-total-number=3 --gang-groups=proj/servers " actual) -eq 3 &&
	test $(grep -c -e "^--gang=proj/servers --gang-min-member=1 --gang-total-number=4 --gang-mode=nonstrict --gang-groups=$user/train " actual) -eq 2 &&
	submit two.yaml &&
	tail -n 2 out >last &&
	printf "submitted %s: %s members\n" $user/train 3 proj/servers 4 |
		test_cmp - last
'
test_expect_success '0.30 unless the file says which gangs do' '
	sed -e "1a groups: [a/b, c/d]" \
		-e "s/^    gang: proj.*/&\n    groups: x\/y/" two.yaml \
		>other.yaml &&
	commands other.yaml >actual &&
	test $(grep -c -e "--gang=$user/train .*--gang-groups=a/b,c/d " actual) \
		-eq 3 &&
	test $(grep -c -e "--gang=proj/servers .*--gang-groups=x/y " actual) \
		-eq 2
'
test_expect_success '0.31 an empty list is a list: no group' '
	sed -e "1a groups: []" -e "s/^    gang: proj.*/&\n    groups:/" \
		two.yaml >alone.yaml &&
	commands alone.yaml >actual &&
	test $(grep -c -e "--gang-groups= " actual) -eq 5
'

# --- all or none
sed 's/hostname/bad/' train.yaml >refused.yaml
test_expect_success 'a refused role: all that was submitted is cancelled' '
	submit refused.yaml; test $? -eq 1 &&
	test_must_be_empty out &&
	cat >wanted <<-\END &&
	sbatch: error: no bad jobs here
	sgang: role "logger" was refused; 2 jobs submitted before were cancelled
	END
	test_cmp wanted err &&
	echo "100 101" | test_cmp - cancelled
'
test_expect_success 'the same as JSON' '
	submit --json refused.yaml; test $? -eq 1 &&
	echo "{\"gang\":\"$user/train\",\"reason\":\"role \\\"logger\\\" was refused\",\"cancelled\":[100,101]}" >wanted &&
	without_meta <out | test_cmp wanted -
'
test_expect_success 'the first role is refused: nothing to be cancelled' '
	sed "s/^    options:.*/    options: [--comment=bad]/" train.yaml \
		>first.yaml &&
	submit first.yaml; test $? -eq 1 &&
	grep -x "sgang: role \"driver\" was refused; nothing was submitted" \
		err &&
	test ! -e cancelled
'
test_expect_success 'what cannot be cancelled is told' '
	touch deaf &&
	submit refused.yaml; test $? -eq 1 &&
	grep "scancel ended with status 1" err &&
	grep "2 jobs submitted before could not be cancelled" err &&
	submit --json refused.yaml; test $? -eq 1 &&
	grep -F "\"left\":[100,101]" out &&
	rm deaf
'
test_expect_success 'an sbatch that prints no id' '
	sed "s/hostname/silent/" train.yaml >silent.yaml &&
	submit silent.yaml; test $? -eq 1 &&
	grep "sbatch printed no job id for role \"logger\"; 2 jobs" err &&
	echo "100 101" | test_cmp - cancelled
'
test_expect_success 'interrupted: what the last sbatch submitted goes too' '
	sed "s/hostname/slow/" train.yaml >slow.yaml &&
	submit slow.yaml; test $? -eq 1 &&
	grep -x "sgang: interrupted; 3 jobs submitted before were cancelled" \
		err &&
	echo "100 101 102" | test_cmp - cancelled
'
test_expect_success 'no sbatch' '
	mkdir -p empty &&
	(PATH=$PWD/empty; "$SGANG" submit train.yaml >out 2>err); test $? -eq 1 &&
	test_must_be_empty out &&
	grep "sgang: cannot run sbatch: .*; nothing was submitted" err
'

role='roles: [{name: a, command: b}]'

# --- files that are no YAML, or more than we understand
test_expect_success 'no such file' '
	test_expect_code 2 "$SGANG" submit none.yaml 2>err &&
	grep -x "sgang: none.yaml: No such file or directory" err
'
test_expect_success 'a folder' '
	test_expect_code 2 "$SGANG" submit jobs 2>err &&
	grep -x "sgang: jobs: Is a directory" err
'
wrong 'empty' 0 'nothing in it' </dev/null
rows wrong_row <<'END'
comments only | 0 | nothing in it | # nothing
a text | 1 | expected keys | train
a list | 1 | expected keys | [a, b]
an open bracket | 3 | . | gang: train | roles: [
END
wrong 'a tab' 3 '.' 'gang: train' 'roles:' '	- name: a'
printf 'gang: \xff\xfe\n' >bytes
wrong 'no text' 0 'UTF-8' <bytes
rows wrong_row <<'END'
a zero byte | 1 | zero byte | gang: "a\0b" | roles: []
an alias | 3 | aliases | gang: &a train | roles: |   - name: *a
a tag | 1 | tags | gang: !!str train
two documents | 4 | second document | gang: train | roles: [] | --- | gang: other
a key twice | 3 | key "mode" stands twice | gang: train | mode: strict | mode: nonstrict
a key that is a list | 1 | expected a key | [a]: b
END
printf '[%.0s' {1..100} >deep
wrong 'depth' 1 'inside of each other' <deep

# --- what the file says
rows wrong_row <<'END'
no gang | 1 | gang: is missing | roles: []
no roles | 1 | roles: is missing | gang: train
roles that are none | 2 | expected a list of roles | gang: train | roles: worker
no role | 2 | expected a list of roles | gang: train | roles: []
a role that is a text | 3 | expected a role | gang: train | roles: |   - worker
0.18 a bad name | 1 | gang=Train: a gang's name has no upper-case | gang: Train | @role
an empty name | 1 | gang: expected a text | gang: | @role
a list as a name | 1 | gang: expected a text | gang: [train] | @role
an unknown key | 2 | unknown key "min-members", did you mean "min-member"? | gang: train | min-members: 2 | @role
an option with its prefix | 2 | unknown key "gang-mode" | gang: train | gang-mode: strict | @role
an option of each member | 2 | rank: write the key rank in the role | gang: train | rank: 2 | @role
the hidden option | 2 | unknown key "object" | gang: train | object: 1 | @role
0.20 a bad number | 2 | min-member=none: expected a number | gang: train | min-member: none | @role
0.20 a bad mode | 3 | mode=loose: expected | gang: train | # a comment | mode: loose | @role
a list as a mode | 2 | mode: expected a text | gang: train | mode: [strict] | @role
a map as groups | 2 | groups: expected a text | gang: train | groups: {a: b} | @role
0.20 minimum above total | 1 | min-member=3 is above total-number=2 | gang: train | min-member: 3 | total-number: 2 | @role
0.20 fewer expected than there are | 1 | min-member=3 is above | gang: train | total-number: 2 | roles: [{name: a, count: 3, command: b}]
more members than can be | 1 | expected a number from 1 to 100000 | gang: train | roles: [{name: a, count: 100000, command: b}, {name: c, command: b}]
options that are a text | 2 | options: expected a list | gang: train | options: --time=10 | @role
END
for option in -a1-3 --array=1-3 --gang-mode=strict --gang=b --wrap=ls \
	--parsable --test-only -W --wait -Mother --clusters=other; do
	wrong "option $option" 2 "\"$option\" cannot be here: ." "gang: train" \
		"options: [--time=10, $option]" "$role"
done
for option in nodes=1 '""' - -- 4; do
	wrong "option $option" 3 'is no option of sbatch' 'gang: train' \
		'options: [--time=10,' "  \"${option//\"/}\"]" "$role"
done
wrong 'a list among the options' 2 'expected texts' 'gang: train' \
	'options: [[--time=10]]' "$role"

# --- what a role says
wrong 'a role without a name' 3 'has no name' 'gang: train' 'roles:' \
	'  - script: jobs/driver.sh'
rows wrong_role <<'END'
neither script nor command | 6 | neither script nor command | count: 2
script and command | 6 | script and command | script: jobs/worker.sh | command: hostname
args of a command | 6 | args, which are for a script | command: hostname | args: [-s]
no such script | 7 | jobs/none.sh: No such file | script: jobs/none.sh
count 0 | 8 | count: expected a number from 1 to | command: hostname | count: 0
junk count | 8 | count: expected a number from 1 to | command: hostname | count: 2x
a list as count | 8 | count: expected a number from 1 to | command: hostname | count: [2]
3.8 junk order | 8 | order: expected a number from 0 to | command: hostname | order: first
neither yes nor no | 8 | array: expected yes or no | command: hostname | array: 0-3
an unknown key | 8 | unknown key "nodes" | command: hostname | nodes: 2
an option of the gang | 8 | mode: this is of the gang | command: hostname | mode: strict
a bad name of a gang | 8 | gang=a_b:  | command: hostname | gang: a_b
END
rows wrong_row <<'END'
an option that the gang has otherwise | 6 | mode: gang [^ ]*/train has nonstrict already | gang: train | mode: nonstrict | roles: |   - name: a |     command: b |     mode: strict |     gang: train
a name twice | 4 | there is a role "a" already | gang: train | roles: |   - {name: a, command: b} |   - {name: a, command: c}
a gang without a role | 1 | no role belongs to gang [^ ]*/train | gang: train | roles: |   - {name: a, command: b, gang: other}
END
{
	printf 'gang: train\nroles:\n  - {name: first, command: b}\n'
	for i in $(seq 1 100); do
		echo "  - {name: r$i, gang: project/gang-number-$i, command: b}"
	done
} >many
wrong 'more gangs than a list of groups can hold' 1 \
	'groups=.*more than 511 characters' <many

# --- usage
test_expect_success 'usage' '
	test_expect_code 2 "$SGANG" submit 2>err &&
	grep -x "sgang: expected one file, see sgang submit --help" err &&
	test_expect_code 2 "$SGANG" submit a b 2>err &&
	grep "expected one file" err
'

# --- random files, the same in every run
seed=20261121
test_expect_success "random files neither crash nor hang (seed $seed)" '
	awk -v seed=$seed "BEGIN {
		srand(seed)
		n = split(\"gang: ;train;roles:;  - name: ;{;};[;];, ;\\n;\\n  ;\\n    - ;: ;count: ;2;command: ;options: ;--x;&a ;*a;!t ;#;\\\";'\''; |;mode: ;strict;---;\\t;yes\", word, \";\")
		for (i = 0; i < 300; i++) {
			line = \"gang: a\\nroles:\\n\"
			if (i % 2)
				line = \"\"
			for (k = int(rand() * 30) + 1; k > 0; k--)
				line = line word[int(rand() * n) + 1]
			print line > (\"random.\" i)
			close(\"random.\" i)
		}
	}" &&
	test $(ls random.* | wc -l) -eq 300 &&
	for file in random.*; do
		timeout 180 "$SGANG" submit --dry-run $file >out 2>err
		code=$?
		if test $code -ne 0 && test $code -ne 2; then
			echo "exit $code: $file"
			return 1
		fi
		if test $code -eq 2; then
			test $(wc -l <err) -eq 1 || return 1
		fi
	done
'

test_done
