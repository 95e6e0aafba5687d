#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0434-options.t - 5.8 a gang has the places that an ordinary job has
#
# Each row of the table is a partition with three nodes of its own, a, b and c, of
# four CPUs in two sockets and 4000 MB, which have no slurmd. First ordinary jobs
# ask for nodes there, then a gang of as many with the same request.

test_description='Options of partitions, nodes and reservations: a gang beside a job'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

# NAME; NODES; PARTITION; RESERVATION; BEFORE; REQUEST; COUNT; ENDS
#
# NODES and PARTITION are words of their lines in slurm.conf; "a:WORD" is one of
# node a alone. RESERVATION has words of scontrol; it is for root, from now on and
# without an end, where it does not say otherwise; "+" is between two. BEFORE is
# what a job asks for that is there before, or what scontrol updates after a "!".
# REQUEST is that of each of COUNT jobs. ENDS: they all "run", that is have nodes;
# "moves": they run, the gang on other nodes, as the reservation moves on, or on
# less loaded ones;
# they "wait", the gang as a whole; there is "never" room for all at once, which the
# gang is told at submission; they are "refused". @a, @b and @c are the nodes, @1
# and @2 the reservations.
cat >table <<'END'
plain;        ; ; ; ; -n1; 2; run
toomany;      ; ; ; ; -n4; 4; never

Alternate;    ; State=INACTIVE Alternate=CpuSpecList4; ; ; -n1; 2; run
DefCpuPerGPU; Gres=gpu:2; DefCpuPerGPU=2; ; ; --gpus-per-node=1; 4; run
DefMemPerGPU; Gres=gpu:2; DefMemPerGPU=2000; ; ; --gpus-per-node=1; 4; run
DefMemPerCPU; ; DefMemPerCPU=2000; ; ; -n1; 6; run
DefMemPerCPU2; ; DefMemPerCPU=2000; ; ; -n1; 7; never
DefMemPerNode; ; DefMemPerNode=3000; ; ; -n1; 3; run
DefMemPerNode2; ; DefMemPerNode=3000; ; ; -n1; 4; never
DefaultTime;  ; DefaultTime=5; StartTime=now+60minutes Nodes=@a,@b,@c; ; -n1; 2; run
NoDefaultTime; ; ; StartTime=now+60minutes Nodes=@a,@b,@c; ; -n1; 2; wait
DisableRootJobs; ; DisableRootJobs=YES; ; ; -n1; 2; refused
ExclusiveUser; ; ExclusiveUser=YES; ; -w @a -n1; -n1; 3; run
Hidden;       ; Hidden=YES; ; ; -n1; 2; run
LLN;          ; LLN=YES; ; -w @a -n3; -n1; 1; run
LLN2;         a:Weight=1 b:Weight=9 c:Weight=9; LLN=YES; ; -w @a -n3; -n1; 1; run
MaxCPUsPerNode; ; MaxCPUsPerNode=2; ; ; -n1; 6; run
MaxCPUsPerNode2; ; MaxCPUsPerNode=2; ; ; -n1; 7; wait
MaxCPUsPerNode3; ; MaxCPUsPerNode=2; ; ; -n1 --exclusive; 1; refused
MaxCPUsPerNode4; ; MaxCPUsPerNode=2; ; -w @a -n1; -n2; 2; run
MaxMemPerCPU; ; MaxMemPerCPU=1000; ; ; -n1 --mem-per-cpu=2000; 6; run
MaxMemPerCPU2; ; MaxMemPerCPU=1000; ; ; -n1 --mem-per-cpu=2000; 7; never
MaxMemPerNode; ; MaxMemPerNode=1000; ; ; -N1 --mem=2000; 2; wait
MaxNodes;     ; MaxNodes=1; ; ; -N2; 1; wait
MinNodes;     ; MinNodes=2; ; ; -N2; 1; run
MinNodes2;    ; MinNodes=2; ; ; -N1; 2; wait
MinNodes3;    ; MinNodes=2; ; ; -n2; 1; run
MaxTime;      ; MaxTime=10; ; ; -n1 -t 20; 2; wait
EXCLUSIVE;    ; OverSubscribe=EXCLUSIVE; ; ; -n1; 3; run
EXCLUSIVE2;   ; OverSubscribe=EXCLUSIVE; ; ; -n1; 4; never
FORCE;        ; OverSubscribe=FORCE:2; ; ; -n4 --mem=100; 6; run
FORCE2;       ; OverSubscribe=FORCE:2; ; ; -n4 --mem=100; 7; wait
YES;          ; OverSubscribe=YES:2; ; ; -n4 -s --mem=100; 6; run
YES2;         ; OverSubscribe=YES:2; ; ; -n4 --mem=100; 4; wait
NO;           ; OverSubscribe=NO; ; ; -n4 -s --mem=100; 4; never
ReqResv;      ; ReqResv=YES; Nodes=@b; ; -n1; 2; refused
ReqResv2;     ; ReqResv=YES; Nodes=@b; ; -n1 --reservation=@1; 2; run
RootOnly;     ; RootOnly=YES; ; ; -n1; 2; run
CR_Socket;    ; SelectTypeParameters=CR_Socket; ; ; -n1; 6; run
CR_Socket2;   ; SelectTypeParameters=CR_Socket; ; ; -n1; 7; wait
CR_Socket3;   ; SelectTypeParameters=CR_Socket; ; -w @a -n3; -n1; 4; run
CR_Socket5;   ; SelectTypeParameters=CR_Socket; ; -w @a -n1; -n1; 6; wait
CR_Socket4;   ; SelectTypeParameters=CR_Socket; ; ; -N1 -n3; 3; run
DOWN;         ; State=DOWN; ; ; -n1; 2; wait
DRAIN;        ; State=DRAIN; ; ; -n1; 2; refused
INACTIVE;     ; State=INACTIVE; ; ; -n1; 2; refused

CoreSpecCount; CoreSpecCount=1; ; ; ; -N1 -n3; 3; run
CpuSpecList4; CpuSpecList=0; ; ; ; -N1 -n4; 1; refused
CpuSpecList5; CpuSpecList=0; ; ; ; -n1; 9; run
core-spec;    CoreSpecCount=1; ; ; ; -S0 -N1 -n4; 3; run
core-spec2;   CoreSpecCount=2; ; ; ; -S1 -N1 -n3; 3; run
core-spec3;   CoreSpecCount=1; ; ; ; -S2 -N1 -n3; 1; refused
core-spec4;   CoreSpecCount=1; ; ; ; -S2 -N1 -n2; 3; run
core-spec5;   a:CoreSpecCount=2; ; ; ; -S1 -N2 -n6; 1; run
core-spec6;   ; ; ; -w @a -n1; -S1 -N1 -n3; 2; run
thread-spec;  CoreSpecCount=2; ; ; ; --thread-spec=1 -N1 -n3; 3; run
thread-spec2; ThreadsPerCore=2 CoresPerSocket=1; ; ; ; --thread-spec=1 -N1 -n3; 3; run
CpuSpecList;  CpuSpecList=0-1; ; ; ; -N1 -n2; 3; run
CpuSpecList2; CpuSpecList=0-1; ; ; ; -S0 -N1 -n4; 3; run
CpuSpecList3; CpuSpecList=0-1; ; ; ; -n1; 7; never
MemSpecLimit; MemSpecLimit=2000; ; ; ; -n1 --mem=2000; 3; run
MemSpecLimit2; MemSpecLimit=2000; ; ; ; -n1 --mem=2000; 4; never
MemSpecLimit3; MemSpecLimit=2000; ; ; ; -n1 --mem=3000; 1; refused
Features;     b:Features=x; ; ; ; -n1 -C x; 2; run
Features2;    b:Features=x; ; ; ; -n3 -C x; 2; wait
Features3;    a:Features=x c:Features=y; ; ; ; -N2 -C x|y; 1; run
Features4;    a:Features=x c:Features=y; ; ; ; -N2 -C [x*1&y*1]; 1; run
Features5;    a:Features=x b:Features=y c:Features=y; ; ; ; -N2 -C [x|y]; 1; run
Features6;    b:Features=x,y c:Features=x; ; ; ; -n1 -C x&y; 2; run
prefer;       b:Features=x; ; ; ; -n1 --prefer=x; 2; run
prefer2;      b:Features=x; ; ; -w @b -n1; -n4 --prefer=x; 1; run
Gres;         Gres=gpu:2; ; ; ; -n1 --gres=gpu:1; 6; run
Gres2;        Gres=gpu:2; ; ; ; -n1 --gres=gpu:1; 7; never
Weight;       a:Weight=9 b:Weight=5; ; ; ; -n1; 2; run
State;        ; ; ; !NodeName=@a State=DRAIN Reason=x; -n1; 2; run
State2;       ; ; ; !NodeName=@a State=DOWN Reason=x; -n1; 2; run
State3;       ; ; ; !NodeName=@a State=FAIL Reason=x; -n1; 2; run
State4;       ; ; ; !NodeName=@a,@b,@c State=DRAIN Reason=x; -n1; 2; wait
TmpDisk;      c:TmpDisk=1000; ; ; ; -n1 --tmp=500; 2; run
Threads;      ThreadsPerCore=2 CoresPerSocket=1; ; ; ; -n1; 6; run
Threads2;     ThreadsPerCore=2 CoresPerSocket=1; ; ; ; -n1; 7; never
Threads3;     ThreadsPerCore=2 CoresPerSocket=1; ; ; ; -n1 -c2 --hint=nomultithread; 3; run
Threads4;     ThreadsPerCore=2 CoresPerSocket=1; ; ; ; -n1 --mem-per-cpu=1500 --hint=nomultithread; 6; run
GpusOfJob;    Gres=gpu:2; ; ; ; -N2 --ntasks-per-node=1 --gpus=3; 2; run
GpusOfJob2;   Gres=gpu:2; ; ; ; -n3 --ntasks-per-node=3 --gpus=2; 3; run
GpusOfJob3;   Gres=gpu:4; ; ; ; -N2 -n6 --gpus=2; 2; run
Sockets;      ; ; ; -w @a -n1; -N1 -n4 -B 2; 2; run
mincpus;      c:Sockets=4 c:CPUs=8; ; ; ; -n1 --mincpus=8; 1; run
contiguous;   ; ; ; -w @b --exclusive -N1; -N2 --contiguous; 1; wait
nodelist;     ; ; ; ; -N1 -w @c; 2; run
exclude;      ; ; ; ; -n1 -x @a; 2; run
exclusive-user; ; ; ; -w @a -n1; -n1 --exclusive=user; 2; run

named;        ; ; Nodes=@b; ; -n1 --reservation=@1; 2; run
named2;       ; ; Nodes=@b; ; -n3 --reservation=@1; 2; wait
others;       ; ; Nodes=@a; ; -n1; 2; run
others2;      ; ; Nodes=@a; ; -n4; 3; wait
Users;        ; ; Nodes=@b Users=daemon; ; -n1 --reservation=@1; 2; refused
Users2;       ; ; Nodes=@b Users=-root; ; -n1 --reservation=@1; 2; refused
Users3;       ; ; Nodes=@b; ; -n1 --uid=daemon --reservation=@1; 2; refused
Groups;       ; ; Nodes=@b Groups=root; ; -n1 --reservation=@1; 2; run
CoreCnt;      ; ; Nodes=@a CoreCnt=2; ; -n1 --reservation=@1; 2; run
CoreCnt2;     ; ; Nodes=@a CoreCnt=2; ; -n1 --reservation=@1; 3; wait
CoreCnt3;     ; ; Nodes=@a CoreCnt=2; ; -n1; 10; run
CoreCnt4;     ; ; Nodes=@a CoreCnt=2; ; -n4; 3; wait
TRES;         ; ; Nodes=@a TRES=cpu=2; ; -n1; 2; run
NodeCnt;      c:Features=x; ; PartitionName=NodeCnt NodeCnt=1 Features=x; ; -n1 --reservation=@1; 2; run
Licenses;     ; ; Licenses=lic:2 Flags=LICENSE_ONLY; ; -n1 -L lic:1; 2; wait
Licenses2;    ; ; Licenses=own:2 Flags=LICENSE_ONLY; ; -n1 -L own:1 --reservation=@1; 2; run
MaxStartDelay; ; ; Nodes=@a,@b,@c MaxStartDelay=5:00; ; -n1 --signal=R:USR1@60; 2; run
MaxStartDelay2; ; ; Nodes=@a,@b,@c MaxStartDelay=0:30; ; -n1 --signal=R:USR1@600; 2; wait
ANY_NODES;    ; ; Licenses=any:2 Flags=ANY_NODES; ; -n1 --reservation=@1; 2; run
later;        ; ; Nodes=@a,@b,@c StartTime=now+60minutes; ; -n1 -t 5; 2; run
later2;       ; ; Nodes=@a,@b,@c StartTime=now+60minutes; ; -n1 -t 120; 2; wait
later3;       ; ; Nodes=@a,@b,@c StartTime=now+60minutes; ; -n1 -t 5 --reservation=@1; 2; wait
DAILY;        ; ; Nodes=@a,@b,@c StartTime=now+60minutes Duration=60 Flags=DAILY; ; -n1 -t 120; 2; wait
TIME_FLOAT;   ; ; Nodes=@a,@b,@c StartTime=now+60minutes Flags=TIME_FLOAT; ; -n1 -t 120; 2; wait
TIME_FLOAT2;  ; ; Nodes=@a,@b,@c StartTime=now+60minutes Flags=TIME_FLOAT; ; -n1 -t 5; 2; run
FLEX;         ; ; Nodes=@b StartTime=now+60minutes Flags=FLEX; ; -n4 -t 120 --reservation=@1; 3; run
FLEX2;        ; ; Nodes=@b Flags=FLEX; ; -n4; 3; wait
MAINT;        ; ; Nodes=@a,@b Flags=MAINT; ; -n4; 2; wait
MAINT2;       ; ; Nodes=@a Flags=MAINT; ; -n1 --reservation=@1; 2; run
MAINT3;       ; ; Nodes=@a,@b,@c Flags=MAINT; ; -n1; 2; wait
IGNORE_JOBS;  ; ; Nodes=@a,@b Flags=IGNORE_JOBS; -w @a -n1; -n4 --reservation=@1; 2; wait
OVERLAP;      ; ; Nodes=@a,@b + Nodes=@b,@c Flags=OVERLAP; ; -n4 --reservation=@2; 2; run
OVERLAP2;     ; ; Nodes=@a,@b + Nodes=@b,@c Flags=OVERLAP; ; -n4 --reservation=@1; 2; wait
PART_NODES;   ; ; PartitionName=PART_NODES Nodes=ALL Flags=PART_NODES; ; -n1; 2; wait
PART_NODES2;  ; ; PartitionName=PART_NODES2 Nodes=ALL Flags=PART_NODES; ; -n1 --reservation=@1; 2; run
REPLACE;      ; ; PartitionName=REPLACE NodeCnt=1 Flags=REPLACE; ; -N1 --exclusive --reservation=@1; 1; moves
REPLACE_DOWN; ; ; PartitionName=REPLACE_DOWN NodeCnt=1 Flags=REPLACE_DOWN; !NodeName=@a State=DRAIN Reason=x; -n1 --reservation=@1; 2; run
STATIC_ALLOC; ; ; PartitionName=STATIC_ALLOC NodeCnt=1 Flags=STATIC_ALLOC; !NodeName=@a State=DRAIN Reason=x; -n1 --reservation=@1; 2; wait
PURGE_COMP;   ; ; Nodes=@b Flags=PURGE_COMP=60:00; ; -n1 --reservation=@1; 2; run
several;      ; ; Nodes=@a + Nodes=@c; ; -n4 --reservation=@1,@2; 2; run
several2;     ; ; Nodes=@a + Nodes=@c; ; -n4 --reservation=@1,@2; 3; wait
MAGNETIC;     ; ; Nodes=@a,@b,@c Flags=MAGNETIC; ; -n1; 2; run
MAGNETIC2;    ; ; Nodes=@c Flags=MAGNETIC; ; -n1 -t 60; 2; run
MAGNETIC3;    ; ; Nodes=@b Flags=MAGNETIC; ; -n4 -t 60; 3; run
MAGNETIC4;    ; ; Nodes=@a,@b Flags=MAGNETIC; ; -N2 -t 60; 1; run
MAGNETIC5;    ; ; Nodes=@a,@b,@c Flags=MAGNETIC Users=daemon; ; -n1 -t 60; 2; wait
MAGNETIC6;    ; ; Nodes=@a,@b,@c Flags=MAGNETIC StartTime=now+60minutes; ; -n1 -t 120; 2; wait
MAGNETIC7;    ; ; Nodes=@a Flags=MAGNETIC + Nodes=@b Flags=MAGNETIC; ; -n4 -t 60; 3; run
MAGNETIC8;    ; ; Nodes=@a,@b,@c Flags=MAGNETIC CoreCnt=2,2,2; ; -n1 -t 60; 4; run
MAGNETIC9;    ; ; Nodes=@a Flags=MAGNETIC; ; -N2 -t 60; 1; run
MAGNETIC10;   ; ; Nodes=@a,@b,@c Flags=MAGNETIC; ; -n1 --uid=daemon -t 60; 2; wait
END

# Since 23.11 CoreCnt is the sum of all nodes, of which Slurm reserves all that it
# can on the first, root may use each reservation, and "R:" of --signal wants
# preemption, of which partitions of one tier have none.
preemption=
if slurm_since 23.11; then
	sed -i 's/CoreCnt=2,2,2; ; -n1 -t 60; 4/CoreCnt=3; ; -n1 -t 60; 3/
		/^Users2\?;/s/refused$/run/
		/^MAGNETIC5;/s/wait$/run/' table
	preemption='
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE'
fi
# The shares that two ordinary jobs get of three nodes leave no room for the second.
! slurm_since 24.11 || sed -i '/^GpusOfJob3;/d' table
# A job without a limit ends after any reservation.
! slurm_since 25.11 || sed -i '/^MAGNETIC;/s/run$/wait/' table
# Slurm itself does not look at the load of nodes for a job of one CPU.
! slurm_since 26.05 || sed -i '/^LLN;/s/run$/moves/' table

# Each row that is to be run, with a blank between fields: each_row FUNCTION
each_row()
{
	local name nodes part resv before request count ends first=1

	while IFS=';' read -r name nodes part resv before request count ends; do
		test -n "$name" || continue
		ends=${ends# } a=n$first b=n$((first + 1)) c=n$((first + 2))
		"$1" || echo "$name: $1" >>failed
		first=$((first + 3))
	done <table
}

# The text with the names of nodes and reservations, without outer blanks.
named()
{
	local text=$1

	text=${text//@a/$a} text=${text//@b/$b} text=${text//@c/$c}
	text=${text//@1/${name}_1} text=${text//@2/${name}_2}
	read -r named <<<"$text"
}

write_conf()
{
	local node word words keys

	for node in a b c; do
		words=' CPUs=4 Sockets=2 CoresPerSocket=2 RealMemory=4000'
		for word in $nodes; do
			case $word in
			$node:*) word=${word#*:} ;;
			[abc]:*) continue ;;
			esac
			words=" ${words# } $word"
			keys=${word%%=*}
			[[ $words != *" $keys="*" $keys="* ]] ||
				words=$(sed "s/ $keys=[^ ]*//" <<<"$words")
		done
		echo "NodeName=${!node} NodeAddr=127.0.0.1 Port=$((slurm_port + 1)) State=CLOUD$words"
	done
	named "$part"
	[[ $named = *MaxTime=* ]] || named+=" MaxTime=INFINITE"
	echo "PartitionName=$name Nodes=$a,$b,$c $named"
}

reserve()
{
	local words n=0

	while read -r words; do
		test -n "$words" || continue
		named "$words"
		[[ $named =~ Users=|Groups=|Accounts= ]] || named+=" Users=root"
		[[ $named = *StartTime=* ]] || named+=" StartTime=now"
		[[ $named = *Duration=* ]] || named+=" Duration=UNLIMITED"
		scontrol create reservation ReservationName=${name}_$((++n)) \
			$named >>log 2>&1 || return 1
	done <<<"${resv// + /$'\n'}"
}

run_before()
{
	named "$before"
	test -z "$named" || test "${named#!}" != "$named" ||
		submit -J before -p $name $named >>before
}

update_before()
{
	named "$before"
	test "${named#!}" = "$named" || scontrol update ${named#!}
}

# ask OPTIONS...: the jobs of the row are of one array
ask()
{
	test $((count)) = 1 || set -- --array=1-$((count)) "$@"
	named "$request"
	submit -J $name -p $name $named "$@" >>log 2>&1
}

ask_ordinary()
{
	case $ends in
	refused) ! ask ;;
	*) ask ;;
	esac
}

ask_gang()
{
	local gang=${name,,}

	ask --gang=${gang//_/-} --gang-min-member=$((count))
}

ask_gang_that_runs()
{
	case $ends in
	run | moves) ask_gang ;;
	esac
}

ask_gang_that_waits()
{
	case $ends in
	wait) ask_gang ;;
	refused) ! ask_gang ;;
	never) ! ask_gang && tail -n 2 log |
		grep -q "the gang can never start: " ;;
	esac
}

# What the jobs have, in a file: "NAME STATE NODES RESERVATION" in order.
look()
{
	squeue -h -r -t all -o '%j %T %N %v' | grep -Ev '^before|CANCELLED|FAILED' |
		sort >"$1"
}

# All jobs of rows that run have nodes.
all_have()
{
	local name ends rest count

	look now
	while IFS=';' read -r name rest; do
		ends=${rest##*; } rest=${rest%;*} count=${rest##*; }
		[[ $ends != run && $ends != moves ]] ||
			test "$(grep -c "^$name CONFIGURING" now)" = $count ||
			{ echo $name; return 1; }
	done <table >missing
}

# The gang of this row has what the ordinary jobs have: same_places NAME ENDS
same_places()
{
	grep "^$1 " ordinary >want
	grep "^$1 " gang >have
	case $2 in
	run)
		! grep PENDING want && test_cmp want have ;;
	moves)
		! grep PENDING want && cut -d" " -f1,2 want >moved &&
			cut -d" " -f1,2 have | test_cmp moved - ;;
	wait)
		grep -q PENDING want && test -s have &&
			! grep -v PENDING have ;;
	never)
		grep -q PENDING want && test_must_be_empty have ;;
	refused)
		test_must_be_empty want && test_must_be_empty have ;;
	esac && ! grep "^$1:" failed
}

sgang=$(checked_sgang)
rows=$(grep -c . table)
slurm_nodes=$((rows * 3))
slurm_setup --cloud $slurm_nodes --gang \
	--gres 'Name=gpu' --conf \
'AllowSpecResourcesUsage=YES
GresTypes=gpu
Licenses=lic:2,own:2,any:2
EnforcePartLimits=NO'"$preemption"
sed -i '/^NodeName=/d' "$SLURM_CONF"
: >failed
each_row write_conf >>"$SLURM_CONF"
slurm_start

# Nodes that were never used are powered down and have one weight in 22.05.
test_expect_success 'reservations, and what is there before' '
	all=$(submit -N $slurm_nodes --exclusive) &&
	wait_for 20 all_in CONFIGURING $all && drop $all &&
	each_row run_before &&
	wait_for 20 all_in CONFIGURING $(cat before) &&
	each_row reserve && each_row update_before &&
	test_must_be_empty failed
'
each_row ask_ordinary
wait_for 60 all_have
wait_cycles
look ordinary
scancel $(squeue -h -o "%A %j" | awk '$2 != "before" { print $1 }' | sort -u)
wait_for 60 "! sinfo -h -N -t completing -o %N | grep -q ."
each_row ask_gang_that_runs
wait_for 60 all_have
each_row ask_gang_that_waits
wait_for 60 "! squeue -h -o %r | grep -q 'waits for its turn'"
wait_cycles
look gang

# Slurm writes its own word over the reason of a member, until the next pass: says
# NAME PATTERN
says()
{
	local gang=${1,,}

	gang=${gang//_/-}
	wait_for 20 "\"$sgang\" explain $gang | tr -s '\n ' ' ' |
		grep -q \" Reason=Gang root/$gang waits: $2 \"" ||
		{ "$sgang" explain $gang; return 1; }
}

while IFS=';' read -r name nodes part resv before request count ends; do
	test -n "$name" || continue
	test_expect_success "5.8 $(echo $name:$request $nodes $part $resv $before:$ends)" "
		same_places $name $ends
	"
done <table
test_expect_success '5.6 CR_Socket: CPUs in sockets that are taken are not free' '
	says CR_Socket2 \
		"needs 1 CPU, n[0-9]* has 0 free in sockets without a job" &&
	says CR_Socket5 \
		"needs 1 CPU, n[0-9]* has 0 free in sockets without a job"
'
test_expect_success '5.6 MaxCPUsPerNode' '
	says MaxCPUsPerNode2 \
		"MaxCPUsPerNode=2 of partition MaxCPUsPerNode2 leaves no room"
'
test_expect_success '5.6 cores that are reserved, for the gang and for others' '
	says CoreCnt2 "reservation CoreCnt2_1 has too few free cores" &&
	says CoreCnt4 "cores are reserved, too few others are free"
'
test_expect_success '5.6 --contiguous' '
	says contiguous "no neighbouring nodes have room (--contiguous)"
'
# Slurm 22.05 counts the cores of --core-spec one way at the start, another at the end.
test_expect_success 'there are no errors' '
	! errors_left "Security violation" "cpu_cnt underflow" >&2
'

test_done
