#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0585-tutorial.t - the tutorial and the recipes of slurm-gang(7), as they stand there
#
# Every command of them is run by the user whom its prompt names, alice when it
# names none, and must print what the page says. Blanks and line ends do not
# matter, nor do times. What only looks is repeated until it says so, for a
# while. A waiting time is longer here and ends where the page sleeps. What bob
# does off the page is in before(). Where the page shows nothing below sbatch, the
# line with the job's number is left out. When a text has changed,
#
#	SGANG_TUTORIAL=show bash tests/t/0585-tutorial.t -v
#
# goes on after a difference and prints all there is.

test_description='The tutorial and the recipes of slurm-gang(7) are run'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

page=$top_srcdir/man/slurm-gang.7

# The tutorial as lines "KIND TEXT", in order:
#	section TITLE, run USER COMMAND, says TEXT, file NAME, line TEXT
# A block that begins with "#!" is the script whose name stands before it.
sed -n '/^\.Sh TUTORIAL/,/^\.Sh QUESTIONS/p' "$page" | sed 's/\\e/\\/g' | awk '
	/^\.Pa / { named = $2 }
	/^\.Ss / { print "section " substr($0, 5) }
	/^\.Ed/ { inside = 0 }
	inside && first && /^#!/ { print "file " named; script = 1 }
	inside && script { print "line " $0 }
	inside && !script {
		if (more) {
			command = command " " $0
		} else if (match($0, /^[a-z]*\$ /)) {
			user = RLENGTH > 2 ? substr($0, 1, RLENGTH - 2) : "alice"
			command = substr($0, RLENGTH + 1)
		} else {
			print "says " $0
			next
		}
		more = sub(/ *\\$/, "", command)
		if (!more)
			print "run " user " " command
	}
	{ first = 0 }
	/^\.Bd -literal/ { inside = first = 1; script = 0 }' >tutorial

# The titles of the recipes.
sed -n '/^\.Sh HOW TO/,/^\.Sh QUESTIONS/s/^\.Ss /recipe /p' "$page" >recipes

# --- clusters ---

switches leaf1=n[1-2] leaf2=n[3-4] spine:leaf[1-2] >leaves.conf

plain_cluster() { slurm_setup -n 4 -c 4 --gang; }

# Slurm numbers GPUs that have a file each, and binds them to sockets.
gpu_cluster()
{
	slurm_setup -n 4 -c 8 --gang --topology "$PWD/leaves.conf" \
		--node 'Gres=gpu:8' --conf 'GresTypes=gpu' --gang-conf \
'NodeTopology=n[1-4] Hwloc=two.xml
LevelBandwidth=300,100,25,25
LevelLatency=1,2,5,10'
	# where other users can read it
	cp "$top_srcdir/tests/data/two-islands.xml" "$slurm_dir/etc/two.xml"
	mkdir "$slurm_dir/dev" && touch "$slurm_dir"/dev/gpu{0..7}
	printf '%s\n' "Name=gpu File=$slurm_dir/dev/gpu[0-3] Cores=0-3" \
		"Name=gpu File=$slurm_dir/dev/gpu[4-7] Cores=4-7" \
		>"$slurm_dir/etc/gres.conf"
	sed -i "s/Sockets=1 CoresPerSocket=8/Sockets=2 CoresPerSocket=4/" \
		"$SLURM_CONF"
}

# The users are made once, their copies of the plugins for each cluster.
start_cluster()
{
	"$@"
	if test -z "$alice"; then users_setup; else users_copy; fi
	export SQUEUE_FORMAT='%i %t %R' SQUEUE_SORT=i
	slurm_start
}

next_cluster()
{
	slurm_cleanup
	start_cluster "$@"
}

# --- what the page does not show ---

bob_has() { submit_as $bob --exclusive -t 10 "$@" >>ids; }

# The records of all four that run tell of a ring of this cost.
all_know()
{
	test "$(scontrol -o show job | grep " JobState=RUNNING " |
		grep -c " ring=$1 ")" = 4
}

end_jobs()
{
	scancel $(squeue -h -a -r -o %A) 2>/dev/null
	wait_for 30 'test -z "$(squeue -h -a)"' && wait_for 30 nodes_idle
}

# Jobs of others take numbers, too.
skip_to()
{
	local id=0

	while test $id -lt $(($1 - 1)); do
		id=$(submit --hold) || return 1
	done
	scancel $(squeue -h -t PD -o %A)
	wait_for 10 'test -z "$(squeue -h -t PD)"'
}

# Before a section, or before a command in it.
before()
{
	case $1 in
	'Hold and time out') end_jobs && bob_has -N 3 ;;
	'sgang retry loose')
		gang_setting MaxWaitingTime 1-0 && scancel 5 &&
			wait_for 20 'test "$(nodes_in idle)" = 4' ;;
	'A driver and its workers') end_jobs && bob_has -N 2 ;;
	'scancel 10')
		scancel 8 && wait_for 20 all_in RUNNING 10 11_1 11_2 11_3 &&
			wait_for 20 all_know 16 ;;
	'All of it in one file') end_jobs ;;
	'A group of two users')
		# each task that starts takes a number
		wait_for 20 'test "$(squeue -h -t R | wc -l)" = 4' && end_jobs ;;
	'Near, and why not')
		next_cluster gpu_cluster && skip_to 3 &&
			bob_has -w n2 && bob_has -w n3 ;;
	'sgang explain near')
		near=$((near + 1))
		test $near = 1 || scancel 3 ;;
	'sbatch --gang=auto --gang'*)
		end_jobs && skip_to 9 && bob_has -w n2 && bob_has -w n3 ;;
	'Half a node each') next_cluster gpu_cluster ;;
	'Hold nodes until the rest fits')
		end_jobs && bob_has -N 3 ;;
	'Wait for nodes that are close')
		end_jobs && bob_has -w n2 && bob_has -w n3 ;;
	'See why a gang waits') ;;
	'Cancel a gang') ;;
	[A-Z]*' '*)
		# each recipe begins with nodes that are all free
		grep -q "^recipe $1\$" recipes || return 0
		end_jobs ;;
	esac
}

# --- to run and to compare ---

# Blanks, times, and the names that the users have here.
plainly()
{
	sed -E "s/$alice/alice/g; s/$bob/bob/g
		s/[0-9]{4}-[0-9]{2}-[0-9]{2}T//g; s/[0-9]{2}:[0-9]{2}:[0-9]{2}/TIME/g; s/since [0-9]{2}:[0-9]{2}/since TIME/g
		s/Attempts=[0-9]+/Attempts=N/g" | tr -s ' \t\n' ' ' |
		sed 's/^ //; s/ $//; s/, "/,"/g'
}

run_as()
{
	local user=${!1} command=$2

	command=$(sed -E "s/\<alice\//$alice\//g; s/\<bob\//$bob\//g
		s/(--gang-waiting-time)=0:20/\1=1-0/" <<<"$command")
	as $user env PATH="$slurm_dir/lib:$PATH" bash -c "$command" 2>&1
}

# Those that change nothing can be repeated.
only_looks()
{
	case $1 in
	squeue* | 'sgang list'* | 'sgang show'* | 'sgang explain'* | \
	'sgang map'* | 'sgang run'* | 'cat '*) ;;
	*) return 1 ;;
	esac
}

prints()
{
	run_as "$1" "$2" >said
	case $2,$wanted in
	'sbatch '*,) sed -i '/^Submitted batch job [0-9]*$/d' said ;;
	esac
	test "$(plainly <said)" = "$wanted"
}

# One command and what it must print, in "expected".
step()
{
	local user=$1 command=${2#sleep 20; }

	case $2 in
	'sleep 20; '*) gang_setting MaxWaitingTime 0:01 || return 1 ;;
	esac
	before "$command" || return 1
	wanted=$(plainly <expected)
	case $command in
	'cat '*.out) ;;
	'cat '*) cp expected "$slurm_dir/out/${command#cat }" ;;
	esac
	if only_looks "$command"; then
		wait_for $patience prints $user "$command" 2>/dev/null
	else
		prints $user "$command"
	fi && return
	echo "$user\$ $command"
	echo "--- the page says"
	echo "$wanted"
	echo "--- it prints"
	cat said
	echo
	test -n "$SGANG_TUTORIAL"
}

# A step whose output is complete.
finish_step()
{
	test -n "$pending" || return 0
	step "${pending%% *}" "${pending#* }" || failed=t
	pending=
	: >expected
}

# The lines of one section, on stdin.
play()
{
	local kind text

	pending= failed=
	: >expected
	while IFS= read -r line <&3; do
		kind=${line%% *} text=${line#* }
		test "$line" != "$kind" || text=
		case $kind in
		run) finish_step; pending=$text ;;
		says) printf '%s\n' "$text" >>expected ;;
		file) finish_step; script=$slurm_dir/out/$text; : >"$script" ;;
		line) printf '%s\n' "$text" >>"$script" ;;
		esac
		test -z "$failed" || return 1
	done 3<&0
	finish_step
	test -z "$failed"
}

# How long to wait for what is said; none will come when texts have changed.
patience=45
test -z "$SGANG_TUTORIAL" || patience=3
near=0
start_cluster plain_cluster

test_expect_success 'train.sh stands before the first section' '
	sed "/^section /,\$d" tutorial >part &&
	play <part &&
	test -s "$slurm_dir/out/train.sh" &&
	cp "$slurm_dir/out/train.sh" .
'
test_expect_success 'no section is without commands' '
	test "$(grep -c "^section " tutorial)" -ge 16 &&
	test -s recipes &&
	awk "/^section / { if (NR > 1 && title && !runs) exit 1
			title = \$0; runs = 0 }
		/^run / { runs++ } END { exit !runs }" tutorial
'
while IFS= read -r title; do
	test_expect_success "$title" '
		before "$title" &&
		cp train.sh "$slurm_dir/out/" &&
		awk -v title="section $title" "/^section / { on = \$0 == title; next } on" \
			tutorial >part &&
		play <part
	'
done < <(sed -n 's/^section //p' tutorial)

test_done
