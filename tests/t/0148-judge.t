#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0148-judge.t - does the judge of what becomes of gangs see anything?

test_description='The judge of 0396, 0403 to 0405, 0596 and 0598, by itself'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

. "$top_srcdir/tests/churn/churn.sh"
churn_topology >topology.conf

# judged COUNT 'TEXT' FILE...: so many violations, and a line with that text.
judged()
{
	local count=$1 text=$2

	shift 2
	"$top_srcdir/tests/judge/judge" -v seed=7 -v limit=2 -v overlap=5 "$@" >verdict
	code=$?
	cat verdict
	tail -n 1 verdict | grep ", $count violations\$" &&
		test $code = $((count > 0)) && grep -- "$text" verdict
}

# --- gangs and jobs ---

# Facts of a row, between semicolons. "TIME ID STATE NAME, ..." is what squeue
# says then.
facts()
{
	tr ';' '\n' | awk '
		/^ *[0-9]/ {
			time = $1
			print "look", time
			$1 = ""
			n = split($0, job, ",")
			for (i = 1; i <= n; i++) {
				split(job[i], w, " ")
				print "job", time, w[1], w[2], w[3], \
					"0 N/A n1 None"
			}
			print "seen", time
			next
		}
		{ sub(/^ */, ""); print }'
}

# A gang "g" of three; violations, what is said, what that is, and what was seen.
while IFS='|' read -r -u 8 count text what seen; do
	test_expect_success "$what" '
		echo "gang 10 g 3; $seen" | facts >facts &&
		judged $count "$text" facts
	'
done 8<<'END'
0|1 gangs started whole|a gang that starts whole|20 1 RUNNING g, 2 RUNNING g, 3 COMPLETED g
0|1 gangs started whole|a later member in place of one that was refused|20 1 RUNNING g, 2 RUNNING g, 3 RUNNING g.late
0||a number that was given twice|15 1 PENDING g, 2 PENDING g, 3 PENDING g; 20 1 RUNNING j, 2 PENDING g, 3 PENDING g
0|0 gangs started whole, 1 not at all|one that waits and holds|20 1 CONFIGURING g, 2 PENDING g, 3 CANCELLED g
1|VIOLATION.*seed 7): of gang g 2 started, it needs 3|one that starts below its minimum|20 1 RUNNING g, 2 CONFIGURING g, 3 RUNNING g
1|of gang g 1 started|a member says that it runs, squeue does not|starts 15 1 0 g n1; 20 1 PENDING g, 2 PENDING g, 3 PENDING g
0||slurmctld was killed in the middle of a start, which goes on|20 1 PENDING g, 2 PENDING g, 3 PENDING g; died 21; 25 1 RUNNING g, 2 CONFIGURING g, 3 CONFIGURING g; 60 1 RUNNING g, 2 RUNNING g, 3 RUNNING g
1|of gang g 1 started|slurmctld was killed in the middle of a start, which does not go on|20 1 PENDING g, 2 PENDING g, 3 PENDING g; died 21; 25 1 RUNNING g, 2 CONFIGURING g, 3 CONFIGURING g; 300 1 RUNNING g, 2 CONFIGURING g, 3 CONFIGURING g
0||a reconfigure, which can be a new slurmctld|20 1 PENDING g, 2 PENDING g, 3 PENDING g; fault 20.1 conf_bad 7; starts 20.8 1 0 g n1; 21 1 CONFIGURING g, 2 CONFIGURING g, 3 CONFIGURING g; 25 1 RUNNING g, 2 RUNNING g, 3 RUNNING g
1|of gang g 1 started|another reconfigure comes too late|20 1 PENDING g, 2 PENDING g, 3 PENDING g; fault 20.1 conf_bad 7; starts 20.8 1 0 g n1; 21 1 CONFIGURING g, 2 CONFIGURING g, 3 CONFIGURING g; fault 290 conf_bad 8; 300 1 RUNNING g, 2 CONFIGURING g, 3 CONFIGURING g
2|gang g started without gang h, which has 1 of 2|one gang of a group without the other|gang 10 h 2; group 10 g h; 20 1 RUNNING g, 2 RUNNING g, 3 RUNNING g, 4 RUNNING h, 5 PENDING h
0||the other may follow after a reconfigure|gang 10 h 2; group 10 g h; 20 1 PENDING g, 2 PENDING g, 3 PENDING g, 4 PENDING h, 5 PENDING h; fault 20.5 conf_good 1; 21 1 RUNNING g, 2 RUNNING g, 3 RUNNING g, 4 PENDING h, 5 PENDING h
1|gang g started without gang h, which has 0 of 2|the other never follows|gang 10 h 2; group 10 g h; 20 1 PENDING g, 2 PENDING g, 3 PENDING g, 4 PENDING h, 5 PENDING h; fault 20.5 conf_good 1; 21 1 RUNNING g, 2 RUNNING g, 3 RUNNING g, 4 PENDING h, 5 PENDING h; 300 4 PENDING h, 5 PENDING h
1|job 1 of g runs twice|a member that runs twice, and its node is well|starts 15 1 0 g n1; starts 30 1 0 g n2
1|job 1 of j runs twice|a job that runs twice, and its node is well|starts 15 1 0 j n1; starts 30 1 0 j n2
0||a job whose node was lost|starts 15 1 0 g n[1-3]; lost 20 n2; starts 30 1 0 g n4
0||one whose end was not saved|starts 15 1 0 g n1; ends 18 1 0 g n1; died 20; starts 30 1 0 g n2
1|job 1 of g runs twice|one that had not ended|starts 15 1 0 g n1; died 20; starts 30 1 0 g n2
1|node n2 is IDLE with 1 CPUs in use|CPUs that are left|node 90 n1 IDLE 0; node 90 n2 IDLE 1
1|node n3 is DOWN with 0 CPUs in use: Not responding|a node that is left down|node 90 n3 DOWN 0 Not responding
1|2 licences are in use|licences that are left|licences 90 2
1|VIOLATION.*: jobs that do not end|jobs that are left|vain 90 jobs that do not end
1|sacct says that job 1 is RUNNING|a job that never ends for sacct|20 1 PENDING g; account 90 1 RUNNING
0||... when slurmctld was killed|20 1 PENDING g; died 30; account 90 1 RUNNING
1|the controller of backup.log has ended by itself|nobody killed slurmctld|quit 11 backup
1|slurmctld does not answer|slurmctld does not answer|look 11; silent 20; silent 900
END

# --- maps and seats ---

# What there may be to see: a gang of three with two spares, of which job 2 is lost
# on n2 and comes back as a spare; then one of two without, of which job 8 is lost on
# n2 and comes back on n3; then it is cancelled, and job 9 comes, when n2 is there
# again; then one of two members with two nodes each. Last one that begins again.
seen()
{
	cat <<-'END'
	gang 1 g 3 replace 2
	event 2 0 start -
	starts 2 1 0 g n1
	told 3 1 0 g 1 1,2,3 n1,n2,n4 -
	owns 3 1 0 g 0 3
	told 3 2 0 g 1 1,2,3 n1,n2,n4 -
	owns 3 2 0 g 1 3
	told 3 3 0 g 1 1,2,3 n1,n2,n4 -
	owns 3 3 0 g 2 3
	told 4 4 0 g 2 1,2,3 n1,n2,n4 4
	told 4 1 0 g 2 1,2,3 n1,n2,n4 4
	told 4 2 0 g 2 1,2,3 n1,n2,n4 4
	told 4 3 0 g 2 1,2,3 n1,n2,n4 4
	told 5 1 0 g 3 1,2,3 n1,n2,n4 4,6
	told 5 2 0 g 3 1,2,3 n1,n2,n4 4,6
	told 5 3 0 g 3 1,2,3 n1,n2,n4 4,6
	told 5 4 0 g 3 1,2,3 n1,n2,n4 4,6
	told 5 6 0 g 3 1,2,3 n1,n2,n4 4,6
	at 6 1 g 0 n1
	at 6 2 g 0 n2
	at 6 3 g 0 n4
	at 6 4 g 0 n5
	at 6 6 g 0 n12
	settled 6
	event 10 1 node g 2
	free 10 n3 n7 n8
	avoid 10 n2
	gone 11 2 10.9
	told 11.5 1 0 g 4 1,4,3 n1,n5,n4 6
	told 11.5 3 0 g 4 1,4,3 n1,n5,n4 6
	told 11.5 4 0 g 4 1,4,3 n1,n5,n4 6
	told 11.5 6 0 g 4 1,4,3 n1,n5,n4 6
	owns 11.6 4 0 g 1 11.5
	starts 13 2 1 g n3
	told 13 2 1 g 5 1,4,3 n1,n5,n4 6,2
	told 13.2 1 0 g 5 1,4,3 n1,n5,n4 6,2
	told 13.2 3 0 g 5 1,4,3 n1,n5,n4 6,2
	told 13.2 4 0 g 5 1,4,3 n1,n5,n4 6,2
	told 13.2 6 0 g 5 1,4,3 n1,n5,n4 6,2
	at 14 1 g 0 n1
	at 14 2 g 1 n3
	at 14 3 g 0 n4
	at 14 4 g 0 n5
	at 14 6 g 0 n12
	settled 14
	end 15 g
	gang 20 h 2 replace 0
	event 20 0 start -
	told 21 7 0 h 1 7,8 n1,n2 -
	owns 21 7 0 h 0 21
	told 21 8 0 h 1 7,8 n1,n2 -
	owns 21 8 0 h 1 21
	at 22 7 h 0 n1
	at 22 8 h 0 n2
	settled 22
	event 30 3 down h 8
	free 30 n3 n5
	avoid 30 n2
	gone 31 8 30.9
	told 31.5 7 0 h 2 7,0 n1 -
	starts 32 8 1 h n3
	told 32 8 1 h 3 7,8 n1,n3 -
	owns 32.1 8 1 h 1 32
	told 32.2 7 0 h 3 7,8 n1,n3 -
	at 33 7 h 0 n1
	at 33 8 h 1 n3
	settled 33
	event 40 4 cancel h 8
	free 40 n2 n4 n5
	gone 41 8 40.9
	told 41.5 7 0 h 4 7,0 n1 -
	starts 42 9 0 h n4
	told 42 9 0 h 5 7,9 n1,n4 -
	owns 42.1 9 0 h 1 42
	told 42.2 7 0 h 5 7,9 n1,n4 -
	at 43 7 h 0 n1
	at 43 9 h 0 n4
	settled 43
	gang 50 w 2 replace 0
	event 50 0 start -
	told 51 21 0 w 1 21,22 n7,n8,n9,n10 -
	owns 51 21 0 w 0 51
	told 51 22 0 w 1 21,22 n7,n8,n9,n10 -
	owns 51 22 0 w 1 51
	at 52 7 h 0 n1
	at 52 9 h 0 n4
	at 52 21 w 0 n[7-8]
	at 52 22 w 0 n[9-10]
	settled 52
	event 60 5 cancel w 22
	free 60 n2 n3 n11 n12
	gone 61 22 60.9
	told 61.5 21 0 w 2 21,0 n7,n8 -
	starts 62 23 0 w n11
	told 62 23 0 w 3 21,23 n[7-8,12],n11 -
	owns 62.1 23 0 w 1 62
	told 62.2 21 0 w 3 21,23 n[7-8,12],n11 -
	at 63 7 h 0 n1
	at 63 9 h 0 n4
	at 63 21 w 0 n[7-8]
	at 63 23 w 0 n[11-12]
	settled 63
	end 64 h
	end 64 w
	gang 70 r 2 requeue 0
	event 70 0 start -
	told 71 31 0 r 1 31,32 n1,n2 -
	owns 71 31 0 r 0 71
	told 71 32 0 r 1 31,32 n1,n2 -
	owns 71 32 0 r 1 71
	has 71 31 n1
	has 71 32 n2
	at 72 31 r 0 n1
	at 72 32 r 0 n2
	settled 72
	event 80 6 fail r 32
	free 80 n3 n4
	gone 81 32 80.9
	starts 82 31 1 r n1
	starts 82 32 1 r n2
	told 83 31 1 r 2 31,32 n1,n2 -
	owns 83 31 1 r 0 83
	told 83 32 1 r 2 31,32 n1,n2 -
	owns 83 32 1 r 1 83
	at 84 31 r 1 n1
	at 84 32 r 1 n2
	settled 84
	END
}

# What is said when what was seen is edited so.
sees()
{
	seen | sed "$3" >facts
	judged $1 "$2" topology.conf facts
}

test_expect_success 'nothing is wrong' '
	sees 0 "^# all agree" "" &&
	sees 0 "^# 5 events, 15 maps, 2 wide, .* 3 heirs, 1 spares, " ""
'
test_expect_success 'nobody has been told' '
	printf "%s\n" "gang 1 g 3 ignore" "event 2 0 start -" "settled 3" >facts &&
	judged 1 "nobody of g was told anything" facts &&
	! grep "all agree" verdict
'
test_expect_success 'one has yet to be told' '
	sees 1 "members of r were told epochs" "/^told 83 32/d" &&
	! grep "all agree" verdict
'
while IFS='|' read -r -u 8 count text edit; do
	test_expect_success "the judge: $text" "sees $count '$text' '$edit'"
done 8<<'END'
1|epoch 2 is 1,2,3 n1,n2,n4 4 and 2,1,3 n1,n2,n4 4|s/^\(told 4 3 0 g 2\) 1,2,3/\1 2,1,3/
4|job 3 had rank 2 and has rank 1|s/1,4,3 n1,n5,n4/1,3,4 n1,n4,n5/
3|epoch 4 has job 1 twice|s/1,4,3 n1,n5,n4/1,1,3 n1,n1,n4/
2|job 1 was told epoch 1 after 4|s/^told 13[.]2 1 .*/told 13.2 1 0 g 1 1,2,3 n1,n2,n4 -/
1|members of g were told epochs|/^told 13.2 3/d
1|rank 2 of g is job 3 on n4 by the file, n6 by squeue|s/^at 14 3 g 0 n4/at 14 3 g 0 n6/
2|spare 6 of g does not run|/^at 14 6/d
1|job 4 has not taken rank 1 of g|/^owns 11.6/d
1|job 1 started twice with 0 restarts|s/^starts 13 2 1/starts 13 1 0/
1|rank 1 of gang g had two owners for 6.1 s|s/^owns 11.6 4/owns 17.6 4/
1|from a loss to the epoch: 2.1 s|s/^told 11.5 3/told 13.1 3/
1|from a start to the epoch: 2.8 s|s/^told 13.2 3/told 15.8 3/
1|spare 6 has rank 1 of g on n12, that on n5 costs less|s/1,4,3 n1,n5,n4/1,6,3 n1,n12,n4/;s/n12,n4 6/n12,n4 4/;s/^owns 11.6 4/owns 11.6 6/
1|heir 8 of rank 1 of h is on n5, n3 costs less|s/n1,n3/n1,n5/;/^at 33 8/s/n3/n5/
1|job 8 of h is on n2, which has failed h|s/n1,n3/n1,n2/;/^at 33 8/s/n3/n2/
1|job 9 of h is on n2, which has failed h|s/n1,n4 -/n1,n2 -/;/^at .* 9 h/s/n4/n2/
1|rank 1 of w is job 23 on n12,n11 by the file, n.10,12. by squeue|/^at 63 23/s/11-12/10,12/
1|heir 23 of rank 1 of w is on n3,n2, n[0-9]*,n[0-9]* costs less|s/n.7-8,12.,n11/n7,n8,n3,n2/;/^at 63 23/s/11-12/2-3/
1|nothing comes of it|s/^settled 33/unsettled 33/
5|h has 2 ranks, not 3|s/^gang 20 h 2/gang 20 h 3/
3|h has 3 nodes for 2 ranks|s/n1,n4 -/n1,n4,n5 -/
1|1 jobs of h run and are not in|s/^settled 43/told 42.3 50 0 h 5 7,9 n1,n4 -\nat 43 50 h 0 n9\n&/
2|g has too many spares: 4,6|s/^\(gang 1 g 3 replace\) 2/\1 0/
2|members of r have nodes n1,n3 by themselves, n1,n2 by the map|s/^has 71 32 n2/has 71 32 n3/
1|the epoch of h is 3 as before|s/^gone 41.*/at 43 7 h 0 n1\nat 43 8 h 1 n3\nsettled 43/;/^at 43/q
1|the epoch of h went from 5 to 6, with nothing done to it|s/^settled 63/told 62 7 0 h 6 7,9 n1,n4 -\ntold 62 9 0 h 6 7,9 n1,n4 -\n&/
3|the epoch of h went from 5 to 0|s/^settled 63/told 62 7 0 h 0 7,9 n1,n4 -\ntold 62 9 0 h 0 7,9 n1,n4 -\n&/
3|rank 0 of g went from job 1, which runs, to job 6|s/1,4,3 n1,n5,n4 6/6,4,3 n12,n5,n4 1/
2|r began again on n3, which it had not|s/2 31,32 n1,n2/2 31,32 n1,n3/;/^at 84/s/n2/n3/
1|job 31 started twice with 1 restarts|s/^gone 81.*/&\nstarts 81.5 31 1 r n1/
END

# --- what the soak makes of it ---

# race 'FRAME' 'FRAME': two accesses, as the thread sanitizer tells of them.
race()
{
	printf '%s\n' "WARNING: ThreadSanitizer: data race (pid=1)" \
		"  Write of size 8 at 0x1 by thread T1:" \
		"    #0 strlen ../libsanitizer/x.inc:3 (libtsan.so.2+0x1)" \
		"    #1 $1" "" \
		"  Previous write of size 8 at 0x1 by thread T2:" \
		"    #0 $2" "" \
		"  Location is heap block of size 9 at 0x1 allocated by T3:" \
		"    #0 init ../src/slurm/select.c:275 (select_cons_tres.so+0x1)" \
		"" "SUMMARY: ThreadSanitizer: data race in $1"
}

test_expect_success 'a race of slurm-gang, and those of Slurm' '
	ours="turn ../src/conductor.c:2 (select_cons_tres.so+0x2)" &&
	theirs="xstrdup <null> (libslurmfull.so+0x3)" &&
	{ race "$theirs" "$theirs"; race "$theirs" "$ours"
	  race "$ours" "$theirs"; race "$theirs" "$theirs"; } |
		awk -f "$top_srcdir/tests/soak/races.awk" >races &&
	test $(grep -c "^ours " races) = 2 &&
	grep -x "theirs 2" races
'

test_expect_success 'salloc that could not tell that it ended' '
	printf "%s\n" "starts 100 1 0 g n1" "ends 110 1 0 g n1" \
		"ends 110 2 0 g n1" "ends 110 3 0 g n1" \
		"starts 120 3 0 g n1" "ends 390 4 0 g n1" >told &&
	printf "%s\n" "1 RUNNING g" "2 COMPLETING g" "3 RUNNING g" \
		"4 RUNNING g" "5 RUNNING g" >living &&
	awk -f "$top_srcdir/tests/soak/abandoned.awk" -v now=400 told living >ids &&
	test "$(cat ids)" = 1
'

test_done
