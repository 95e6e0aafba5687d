#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0402-random.t - random events in gangs of each kind, and a judge of its own
#
# The kinds are a table at the end. A kind is functions: KIND_open begins its
# gangs, KIND_round does the event of that number (all five of them in turn, from
# a random one on) and judges, KIND_close judges what came of all rounds. What is
# drawn is who is meant.
#
# SEEDS="N..."	those seeds instead of the one in the table, and two more at night
# ROUNDS=N	so many rounds of each
# KINDS="WORD..."	these kinds alone

test_description='Random losses, heirs, spares, pools and trees'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

switches leaf1=n[1-3] leaf2=n[4-6] leaf3=n[7-9] core:leaf[1-3] >topology.conf
slurm_cluster -n 9 -c 2 --gang --topology "$PWD/topology.conf" --conf KillWait=2

# --- members that say what they were told when they started ---

cat >tells.sh <<-'EOF'
	#!/bin/bash
	cd "$SLURM_SUBMIT_DIR"
	id=$SLURM_JOB_ID run=${SLURM_RESTART_COUNT:-0}
	echo $id $run >>begun
	echo $$ >pid.$id
	echo $SLURM_GANG_STATE >state.$id.part && mv state.$id.part state.$id
	env | grep ^SLURM_GANG_ >env.$id.part && mv env.$id.part env.$id.$run
	exec sleep 600
EOF
chmod 755 tells.sh

# told ID NAME: by its present start
told() { sed -n "s/^SLURM_GANG_$2=//p" env.$1.$(job_field $1 Restarts); }

# The files of these members are there and say the same; one of them is "file".
files_agree()
{
	local id next

	file=
	for id; do
		test -s state.$id && next=$(cat state.$id) && test -s "$next" ||
			return 1
		test -z "$file" || cmp -s "$file" "$next" || return 1
		file=$next
	done
	test -n "$file"
}

# What "file" says of NAME.
in_file() { sed -n "s/^SLURM_GANG_$1='\\(.*\\)'\$/\\1/p" "$file"; }

# The epoch of "file" is none before.
epoch_grows()
{
	local now=$(in_file EPOCH)

	test $now -ge $epoch && epoch=$now
}

# Not by a substitution: a subshell draws other numbers each time.
any() { any=${live[RANDOM % ${#live[@]}]}; }

# Another one than $any.
other()
{
	local one=$any

	while test $any = $one; do any; done
	other=$any any=$one
}

# It does not live any more.
part()
{
	local left=() id

	for id in ${live[@]}; do test $id = $1 || left+=($id); done
	live=(${left[@]})
}

# As many as are gone come anew.
refill()
{
	while test $gone -gt 0; do
		live+=($(member)) && gone=$((gone - 1)) || return 1
	done
}

# --- heirs: members come and go, slurmctld dies: no rank twice ---

heirs_open()
{
	had=() live=() epoch=1 gone=5
	member()
	{
		submit -N1 -n${1:-2} --exclusive --requeue -t 30 --gang=$gang \
			--gang-min-member=5 "$PWD/tells.sh"
	}
	refill && heirs_whole
}

# All that live run, and have said who they are.
heirs_settled()
{
	local id

	test "$(squeue -h -t R -n tells.sh -o %A | wc -l)" = ${#live[@]} || return 1
	for id in ${live[@]}; do
		test -s env.$id.$(job_field $id Restarts) || return 1
	done
}

# No member rank twice, none beyond their number, no rank of the ring twice; who
# was not touched keeps its rank; and the record says what the member was told.
heirs_whole()
{
	local id rank offset n

	wait_for 60 heirs_settled || return 1
	for id in ${live[@]}; do
		rank=$(told $id MEMBER_RANK) offset=$(told $id RANK_OFFSET)
		n=$(job_field $id NumTasks)
		test -n "$rank" && test $rank -lt $(told $id MEMBERS) || return 1
		test "$(gang_record $id rank | cut -d/ -f1)" = $rank || return 1
		test -z "${had[id]}" || test "${had[id]}" = $rank || return 1
		echo "rank $rank"
		seq -f "place %g" $offset $((offset + n - 1))
	done | sort >places
	test ${PIPESTATUS[0]} = 0 && test -z "$(uniq -d places)" || {
		uniq -d places >&2
		return 1
	}
	for id in ${live[@]}; do had[id]=$(told $id MEMBER_RANK); done
}

# The files of all who live say the same: who has which rank, and nobody else.
heirs_agree()
{
	local id ids

	files_agree ${live[@]} || return 1
	IFS=, read -ra ids <<<"$(in_file JOB_IDS)"
	for id in ${live[@]}; do
		test "$(told $id STATE)" = "$(cat state.$id)" &&
			test "${ids[$(told $id MEMBER_RANK)]}" = $id || return 1
	done
	test "$(printf "%s\n" ${ids[@]} | grep -vcx 0)" = ${#live[@]}
}

# Any is cancelled.
leaves() { any && scancel $any && part $any && unset "had[$any]"; }

# The requeued member may begin at once.
again()
{
	wait_for 30 job_is $1 PENDING && wait_for 20 squeue_says $1 BeginTime &&
		scontrol update JobId=$1 StartTime=now+1
}

heirs_round()
{
	local id

	case $1 in
	0)	echo "# one is cancelled, another comes"
		leaves && live+=($(member)) ;;
	1)	echo "# two are cancelled, two come, of other sizes"
		leaves && leaves && live+=($(member 1)) && live+=($(member 2)) ;;
	2)	echo "# one is requeued"
		any && id=$any && scontrol requeue $id && again $id ;;
	3)	echo "# one is requeued, one is cancelled, one comes first"
		any && other && id=$any && scontrol requeue $id && unset "had[$id]"
		scancel $other && part $other && unset "had[$other]" &&
		live+=($(member)) && wait_state ${live[-1]} RUNNING 30 && again $id ;;
	4)	echo "# one is cancelled, slurmctld dies, one comes"
		leaves && slurm_saved ${live[0]} &&
		slurm_kill9_ctld && slurm_start_ctld && live+=($(member)) ;;
	esac && heirs_whole && wait_for 15 heirs_agree && epoch_grows
}

heirs_show() { squeue; grep -H "RANK\|OFFSET" env.*; cat "${file%/*}"/[0-9]*; }

# --- spares: members and spares are lost, slurmctld dies. What the files of the
# members say is compared with Slurm's own word on who runs and with who had which
# rank before. Cold spares have no file, and begin once at the most between two
# losses. ---

# Four ranks, and one or two spares: spares_open hot|cold
spares_open()
{
	local policies=(ignore replace)

	policy=${policies[RANDOM % 2]} wanted=$((RANDOM % 2 + 1))
	cold= && test $1 = hot || cold=:cold
	had=() live=() epoch=1 gone=$((4 + wanted))
	member()
	{
		submit -N1 -n2 --exclusive -t 30 --gang=$gang \
			--gang-min-member=4 --gang-spares=$wanted$cold \
			--gang-on-failure=$policy --gang-max-restarts=100 \
			"$PWD/tells.sh"
	}
	echo "# $policy, $wanted $1 spares"
	refill && spares_hold && test ${#spares[@]} = $wanted
}

# Both are of one look at the queue. A cold spare is CONFIGURING.
look() { queue=$(squeue -h -t R,CF -n tells.sh -o "%A %T" | sort -n); }
running() { sed "s/ .*//" <<<"$queue"; }
launched() { sed -n "s/ RUNNING//p" <<<"$queue"; }

words() { tr , ' ' <<<"$1"; }
sorted() { printf "%s\n" "$@" | sed /^$/d | sort -n; }

# All that should live run, and their files say the same: each of them is there
# once, with a rank or as a spare, and nobody else; nobody is a spare while a rank
# is vacant. In "ranks" and "spares".
spares_agree()
{
	look
	test "$(running)" = "$(sorted ${live[@]})" || return 1
	test -n "$cold" || test "$(launched)" = "$(running)" || return 1
	test $policy = replace || test "$(sort begun | uniq -d)" = "" ||
		return 1
	files_agree $(launched) || return 1
	ranks=($(words "$(in_file JOB_IDS)"))
	spares=($(words "$(in_file SPARE_JOB_IDS)"))
	# it is a moment until a spare has the place of who was lost
	[[ " ${ranks[*]} " != *" 0 "* ]] || test -z "${spares[*]}" || return 1
	test -z "$cold" ||
		test "$(sorted ${ranks[@]} | grep -vx 0)" = \
			"$(sorted $(launched))" || return 1
	test "$(sorted ${ranks[@]} ${spares[@]} | grep -vx 0)" = \
		"$(sorted ${live[@]})"
}

# Who had a rank has it; the epoch has not gone back.
spares_hold()
{
	local i

	wait_for 90 spares_agree || return 1
	echo "ranks ${ranks[*]}, spares ${spares[*]}"
	for i in 0 1 2 3; do
		test -z "${had[i]}" || test "${had[i]}" = ${ranks[i]} || return 1
		had[i]=${ranks[i]#0}
	done
	test ${#spares[@]} -le $wanted && epoch_grows
}

# Nothing of it runs that could fail.
is_cold() { test -n "$cold" && printf "%s\n" ${spares[@]} | grep -qx $1; }

# It is cancelled, or fails: then it comes back if it is replaced.
lose()
{
	local id=$1 i

	for i in 0 1 2 3; do test "${had[i]}" != $id || had[i]=; done
	if test $((RANDOM % 2)) = 0 || is_cold $id; then
		cancelled=t
		scancel $id && part $id && gone=$((gone + 1))
		return
	fi
	struck=$(cat pid.$id) && rm -f state.$id &&
		scancel -b --signal=KILL $id || return 1
	test $policy = replace || { part $id && gone=$((gone + 1)); }
}

is_dead() { ! kill -0 $1 2>/dev/null; }

# Slurm forgets a cancellation that it had no time to save, and a signal that it
# had no time to send, and the job runs.
loss_saved()
{
	test -z "$cancelled" || slurm_saved $live || return 1
	test -z "$struck" || wait_for 30 is_dead $struck
}

spares_round()
{
	local cancelled= struck=

	gone=0
	case $1 in
	0)	echo "# one goes"
		any && lose $any && spares_hold ;;
	1)	echo "# two go"
		any && other && lose $any && lose $other && spares_hold ;;
	2)	echo "# one goes, slurmctld dies"
		slurm_saved $live && any && lose $any && loss_saved &&
			slurm_kill9_ctld && slurm_start_ctld && spares_hold ;;
	3)	echo "# slurmctld dies, one goes"
		slurm_saved $live && any && slurm_kill9_ctld &&
			slurm_start_ctld && lose $any && spares_hold ;;
	4)	echo "# one goes as another one comes"
		any && lose $any && refill && spares_hold ;;
	esac && refill && spares_hold
}

spares_show()
{
	local id

	squeue
	for id in $(launched); do
		cat "$(cat state.$id)" | grep "EPOCH\|JOB_IDS"
	done
}

# --- pools: two gangs lose members at any time, and slurmctld dies: who of their
# pool runs, where and how often. Each member takes its seat as a folder in the
# file system, which fails where another one has it, and says what it was told.
# That and squeue decide; what slurm-gang writes is not asked. ---

# ID.fail makes it fail, and GANG.go end.
cat >sits.sh <<-'EOF'
	#!/bin/bash
	cd "$SLURM_SUBMIT_DIR"
	seat=seat.$SLURM_GANG_NAME.$SLURM_GANG_MEMBER_RANK
	mkdir $seat || echo $SLURM_JOB_ID at $seat >>clashes
	echo $SLURM_JOB_ID.${SLURM_RESTART_COUNT:-0} >>begun
	echo $SLURM_JOB_ID >$seat/id.part && mv $seat/id.part $seat/id
	code=0
	until test -e $SLURM_GANG_NAME.go; do
		if rm $SLURM_JOB_ID.fail 2>/dev/null; then code=3; break; fi
		read -rt 0.1 <> <(:) || :
	done
	rm -r $seat
	exit $code
EOF
chmod 755 sits.sh

pools_open()
{
	local i gang

	rm -rf seat.* *.go clashes && touch begun clashes &&
		"$sgang" create reserve --pool && pooled=0 || return 1
	for i in 1 2 3; do
		for gang in one two; do
			submit -N1 -n2 --exclusive -t 30 --gang=$gang \
				--gang-min-member=3 --gang-spare-pool=reserve \
				"$PWD/sits.sh" || return 1
		done
	done
	pools_refill
}

# The jobs that have a seat, or that Slurm says are in the state.
seated() { cat seat.$1.*/id 2>/dev/null | sort -n; }
jobs_of() { squeue -h -t $1 -n sits.sh -o %A | sort -n; }

# Both gangs are whole: three seats each, none twice, all of jobs that run; the
# others only hold nodes; no job has begun twice.
pools_whole()
{
	local gang

	for gang in one two; do
		test "$(echo seat.$gang.*)" = \
			"seat.$gang.0 seat.$gang.1 seat.$gang.2" &&
			test "$(seated $gang | uniq | wc -l)" = 3 || return 1
	done
	test "$( (seated one; seated two) | sort -n)" = "$(jobs_of R)" &&
		test "$(jobs_of CF | wc -l)" = $pooled
}

sound()
{
	test ! -s clashes && test "$(sort begun | uniq -d)" = "" &&
		test "$(echo seat.reserve*)" = "seat.reserve*" ||
		{ cat clashes begun; ls -d seat.*; return 1; }
}

# As many spares as there are nodes for.
pools_refill()
{
	while test $pooled -lt 3; do
		submit -N1 -n2 --exclusive -t 30 --gang=reserve \
			"$PWD/sits.sh" || return 1
		pooled=$((pooled + 1))
	done && wait_for 60 pools_whole && sound
}

# fails GANG: any of its members
fails()
{
	local ids=($(seated $1))

	touch ${ids[RANDOM % 3]}.fail && pooled=$((pooled - 1))
}

# Slurm forgets the end of a job that it had no time to save, and learns of it when
# the node registers again: on a cluster without SlurmdTimeout, never.
losses_saved()
{
	wait_for 30 "test -z \"\$(ls *.fail 2>/dev/null)\"" &&
		wait_for 30 pools_whole && slurm_saved $(jobs_of R | head -n 1)
}

pools_round()
{
	local run=$(jobs_of R | head -n 1) gangs=(one two)

	case $1 in
	0)	echo "# one goes"
		fails ${gangs[RANDOM % 2]} ;;
	1)	echo "# one of each goes"
		fails one && fails two ;;
	2)	echo "# one of each goes, slurmctld dies"
		slurm_saved $run && fails two && fails one && losses_saved &&
			slurm_kill9_ctld && slurm_start_ctld ;;
	3)	echo "# slurmctld dies, one of each goes"
		slurm_saved $run && slurm_kill9_ctld && fails one && fails two &&
			slurm_start_ctld ;;
	4)	echo "# one goes, and a spare is cancelled"
		fails ${gangs[RANDOM % 2]} && wait_for 60 pools_whole &&
			scancel $(jobs_of CF | head -n 1) &&
			pooled=$((pooled - 1)) ;;
	esac && wait_for 90 pools_whole && sound && pools_refill
}

# The gangs end, and the spares stay until their pool is gone.
pools_close()
{
	touch one.go two.go && wait_for 30 "test -z \"\$(jobs_of R)\"" &&
	test "$(jobs_of CF | wc -l)" = 3 && sound &&
	"$sgang" delete reserve && wait_for 20 queue_empty && sound
}

pools_show() { squeue; cat clashes begun; ls -d seat.*; }

# --- trees of groups on a cluster that is busy in part. The observer knows what was
# submitted and what squeue says. By brute force over all ways to give groups to
# leaf switches it says whether the gang could start, and by the rule of the tree
# whether what runs is a whole tree. ---

gang_script busy
gang_script role

# Facts: "top MIN", "group NAME MIN LEAF?", "role GROUP NAME MIN", "free LEAF N",
# "member GROUP NAME STATE NODE".
cat >judge.awk <<'END'
$1 == "top" { top = $2 }
$1 == "group" { group[++n] = $2; min[$2] = $3; tight[$2] = $4 }
$1 == "role" { roles[$2] = roles[$2] " " $3; needs[$2, $3] = $4 }
$1 == "free" { free[$2] = $3 }
$1 == "member" {
	count[$2, $3]++
	if ($4 != "RUNNING") next
	runs[$2, $3]++
	any[$2]++
	at[$2, int((substr($5, 2) - 1) / 3) + 1] = 1
}

# How many of the group's roles have what they need, by these numbers.
function have(g, of,   list, k, i, done) {
	k = split(roles[g], list, " ")
	for (i = 1; i <= k; i++)
		done += of[g, list[i]] >= needs[g, list[i]]
	return done
}

# The fewest members with which it has what it needs; 99: it cannot have it.
function need(g,   list, k, i, j, cost, t, sum) {
	k = split(roles[g], list, " ")
	for (i = 1; i <= k; i++)
		cost[i] = count[g, list[i]] >= needs[g, list[i]] ?
			needs[g, list[i]] : 99
	for (i = 1; i <= k; i++)
		for (j = i + 1; j <= k; j++)
			if (cost[j] < cost[i]) { t = cost[i]; cost[i] = cost[j]; cost[j] = t }
	for (i = 1; i <= min[g]; i++)
		sum += i <= k ? cost[i] : 99
	return sum > 99 ? 99 : sum
}

# Can the groups from the i-th on be given to leaf switches, so that "top" have
# what they need? "loose" nodes may be anywhere.
function fits(i, taken, loose,   l, sum) {
	if (taken == top) {
		for (l = 1; l <= 3; l++)
			sum += free[l]
		return sum >= loose
	}
	if (i > n || n - i + 1 < top - taken) return 0
	if (fits(i + 1, taken, loose)) return 1
	if (need(group[i]) >= 99) return 0
	if (!tight[group[i]])
		return fits(i + 1, taken + 1, loose + need(group[i]))
	for (l = 1; l <= 3; l++) {
		if (free[l] < need(group[i])) continue
		free[l] -= need(group[i])
		sum = fits(i + 1, taken + 1, loose)
		free[l] += need(group[i])
		if (sum) return 1
	}
	return 0
}

END {
	for (i = 1; i <= n; i++) {
		g = group[i]
		if (!any[g]) continue
		started++
		if (have(g, runs) < min[g]) { print "part of " g " runs"; bad = 1 }
		if (tight[g] && at[g, 1] + at[g, 2] + at[g, 3] > 1) {
			print g " spans leaf switches"
			bad = 1
		}
	}
	if (started && started < top) { print started " of " top " groups run"; bad = 1 }
	could = fits(1, 0, 0)
	if (started && !could) { print "it runs where it has no room"; bad = 1 }
	if (!started && could) { print "it waits, and has room"; bad = 1 }
	print bad ? "wrong" : started ? "runs" : "waits"
}
END

# One role of a group: add GROUP-WITH-NEEDS GROUP NAME PATH MIN COUNT
add()
{
	local i

	echo "role $2 $3 $5" >>facts
	for ((i = 0; i < $6; i++)); do
		echo "$2 $3 $1$4:min=$5" >>to_submit
	done
}

# A random tree of two to four groups: in "facts" and "to_submit".
make_tree()
{
	local groups=$((2 + RANDOM % 3)) g tight both needs

	: >to_submit
	echo "top $((1 + RANDOM % groups))" >facts
	for ((g = 1; g <= groups; g++)); do
		tight=$((RANDOM % 3 > 0)) both=$((RANDOM % 2))
		needs=g$g$( ((tight)) && echo :require=leaf)
		if ((both)); then
			local min=$((1 + RANDOM % 2))
			echo "group g$g $min $tight" >>facts
			add $needs:min=$min g$g a /a $((1 + RANDOM % 2)) $((1 + RANDOM % 2))
			add $needs:min=$min g$g b /b $((1 + RANDOM % 2)) $((1 + RANDOM % 2))
		else
			echo "group g$g 1 $tight" >>facts
			add $needs g$g - "" $((1 + RANDOM % 3)) $((1 + RANDOM % 3))
		fi
	done
}

# Some nodes are busy.
occupy()
{
	local node

	busy=()
	for node in {1..9}; do
		((RANDOM % 3)) || busy+=($(submit -w n$node --exclusive busy.sh)) ||
			return 1
	done
	((!${#busy[@]})) || wait_for 15 all_in RUNNING ${busy[@]}
}

free_nodes()
{
	local l

	for l in 1 2 3; do
		echo "free $l $(sinfo -h -N -t idle -n n[$((3 * l - 2))-$((3 * l))] | wc -l)"
	done
}

# All of it in a random order.
submit_tree()
{
	local min=$(sed -n 's/^top //p' facts) group name role draw=$RANDOM

	gang=tree$((++n)) members=() names=()
	while read -r group name role; do
		members+=($(submit -N1 --exclusive --gang=$gang --gang-role=$role \
			--gang-min-member=$min role.sh)) || return 1
		names+=("$group $name")
	done < <(shuf --random-source=<(yes $draw) to_submit)
}

# What squeue says of the members, at one moment.
states()
{
	local i

	for i in ${!members[@]}; do
		echo "${members[$i]} ${names[$i]}"
	done | sort >by_id
	squeue -h -j "$(echo ${members[@]} | tr ' ' ,)" -o '%i %T %N' | sort |
		join by_id - | sed 's/^[0-9]*/member/'
}

verdict()
{
	{ cat facts nodes; states; } >case
	awk -f judge.awk case >said
	tail -n 1 said
}

judged() { test "$(verdict)" != wrong; }

# The scheduler has looked at all of them. Where a group runs, further members
# of it are ordinary jobs.
settled()
{
	squeue -h -j "$(echo ${members[@]} | tr ' ' ,)" -o '%T %r' >shown
	! grep -vE "^RUNNING|Gang .* (waits:|gathering)" shown >rest ||
		{ grep -q "^RUNNING" shown &&
			! grep -vE "Priority|Resources" rest; }
}

trees_open() { : >verdicts; }

trees_round()
{
	wait_for 30 nodes_idle && occupy && make_tree && free_nodes >nodes &&
		submit_tree && wait_for 40 settled &&
		wait_for 20 judged && echo "$gang $(verdict)" >>verdicts &&
		touch $gang.go && scancel ${members[@]} ${busy[@]}
}

# Some have started, and some have not.
trees_close() { grep " runs" verdicts && grep " waits" verdicts; }

trees_show() { cat case said; squeue; scancel -u root; }

# --- all kinds ---

n=0
# random_kind BEHAVIOURS SEED ROUNDS KIND [ARGUMENT]
random_kind()
{
	local behaviours=$1 seed=$2 rounds=$3 kind=$4 word=$5 i first
	local what="$4${5:+ $5}, seed $2"

	RANDOM=$seed gang=$kind$((++n)) first=$((RANDOM % 5))
	test_expect_success "$behaviours $what: it begins" '
		rm -f begun state.* env.* &&
		${kind}_open $word || { ${kind}_show >&2; false; }
	'
	for ((i = 1; i <= rounds; i++)); do
		test_expect_success "$behaviours $what, $i" '
			${kind}_round $(((first + i) % 5)) ||
				{ ${kind}_show >&2; false; }
		'
	done
	! declare -F ${kind}_close >/dev/null ||
		test_expect_success "$behaviours $what: its end" '
			${kind}_close || { ${kind}_show >&2; false; }
		'
	test_expect_success "$what: nothing is left" '
		clear_cluster; nothing_left
	'
}

# The kind and its argument, the behaviours that it proves, its seed, its rounds by
# day and at night.
mapfile -t kinds < <(sed 's/ *| */|/g' <<'END'
heirs | 6.1 6.2 6.3 | 353 | 5 | 12
spares hot | 6.2 6.3 6.5 6.6 | 393 | 5 | 10
spares cold | 6.2 6.3 6.5 6.6 | 394 | 3 | 10
pools | 6.5 | 405 | 5 | 10
trees | 2.15 2.16 2.17 2.19 | 403 | 6 | 20
END
)
for row in "${kinds[@]}"; do
	IFS='|' read -r kind behaviours seed day night <<<"$row"
	case " ${KINDS:-$kind} " in *" ${kind%% *} "*) ;; *) continue ;; esac
	for seed in ${SEEDS:-$seed $(by_day '' '1 2')}; do
		random_kind "$behaviours" $seed \
			${ROUNDS:-$(by_day $day $night)} $kind
	done
done

test_done
