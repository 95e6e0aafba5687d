#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0160-simulate.t - sgang simulate: a recorded queue, and what gangs do to it
#
# Behaviours 8.2 (what is printed and compared), 8.3 (the bar, the same bytes),
# 8.4 (which jobs are gangs), 8.5 (what is free while jobs wait) and 4.9 (no
# starvation). What is replayed is the matter of tests/unit/twin. The page in a
# browser: 0161-simulate-page.t.

test_description='sgang simulate'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

sgang=$(checked_sgang)
unset SLURM_CONF
! command -v script >/dev/null || test_set_prereq SCRIPT

# Four nodes of one CPU, two on each leaf.
switches left=n[1-2] right=n[3-4] top:left,right >topology.conf
# Three nodes are busy for ten minutes, when a gang of four wants to start.
cat >jobs.csv <<'END'
id,submit,run,limit,nodes,user,name,gang
1,1700000000,600,900,3,bob,fill,
2,1700000010,300,3600,1,alice,w,train
3,1700000010,300,3600,1,alice,w,train
4,1700000010,300,3600,1,alice,w,train
5,1700000010,300,3600,1,alice,w,train
6,1700000020,60,120,1,bob,<b>small</b>,
7,1700000030,60,120,9,bob,large,
END
simulate() { "$sgang" simulate --topology=topology.conf "$@"; }

simulate --jobs=jobs.csv >/dev/null 2>why || ! grep libcsv why ||
	skip_test 'built without libcsv'

# value FILE CONFIGURATION KEY
value() { jq -r ".configurations[] | select(.name == \"$2\") | $3" "$1"; }

test_expect_success 'stock Slurm beside the defaults' '
	simulate --jobs=jobs.csv >table 2>effort &&
	head -n 1 table >head && grep "^7 jobs, 1 gang from 2023-11-1" head &&
	grep "; 4 nodes, 4 CPUs\$" head &&
	grep "^  *stock  *defaults  *change\$" table &&
	grep -x Cluster table && grep -x Gangs table &&
	grep -x "Jobs of no gang" table &&
	grep -E "^sgang: stock: 7 jobs in [0-9.]+ s, with [0-9]+ MB\$" effort &&
	grep -E "^sgang: defaults: 7 jobs in " effort &&
	test $(wc -l <effort) = 2 && ! grep -E ".{79}" table
'
test_expect_success JQ 'members that start one by one hold nodes idle, a gang none' '
	simulate --jobs=jobs.csv --json >answer 2>/dev/null &&
	value answer stock .cluster.idle_hours >hours &&
	awk "{ exit !(\$1 > 0.1 && \$1 < 0.2) }" hours &&
	test "$(value answer defaults .cluster.idle_hours)" = 0 &&
	for name in stock defaults; do
		test "$(value answer $name .gangs.all.started)" = 1 &&
		test "$(value answer $name .gangs.all.never_started)" = 0 &&
		test "$(value answer $name ".gangs[\"4-7\"].started")" = 1 &&
		test "$(value answer $name ".gangs[\"1\"].submitted")" = 0 &&
		test "$(value answer $name ".gangs[\"1\"].wait_mean")" = null &&
		test "$(value answer $name .jobs.all.started)" = 2 &&
		test "$(value answer $name .cluster.refused)" = 1 ||
			return 1
	done &&
	grep -E "^  node-hours held idle  +0\.2  +0\.0  +-100\.0 %\$" table
'
test_expect_success JQ '8.5: a node is free for the small job until backfill starts it, or not at all' '
	simulate --jobs=jobs.csv --conf=defaults --starts=starts >/dev/null 2>&1 &&
	awk -F, "\$2 == 6 { printf \"%.10g\\n\", (\$5 - \$4) / 3600 }" starts >hours &&
	grep "^0\.00" hours && value answer defaults .cluster.unused_hours >got &&
	awk "{ printf \"%.10g\\n\", \$1 }" got | test_cmp hours - &&
	test "$(value answer stock .cluster.unused_hours)" = 0
'

# queue MEMBERS CPUS EACH LIMIT: eight jobs of one CPU have all nodes when a gang
# comes; they end before their limits, one after the other. A stream of small jobs
# comes behind it, a job EACH seconds, that may take LIMIT and take less. With 0
# MEMBERS there is one job of four whole nodes in the gang's place. Backfill
# looks at one job of each user, so it keeps nodes for one member alone.
queue()
{
	awk -v members=$1 -v cpus=$2 -v each=$3 -v limit=$4 'BEGIN {
		print "id,submit,run,limit,nodes,cpus,user,name,gang"
		start = 1700000000
		srand(each * limit)
		for (i = 0; i < 8; i++)
			printf "%d,%d,%d,1200,1,1,x,long,\n", ++id, start,
				200 + 100 * i
		for (i = 0; i < members; i++)
			printf "%d,%d,300,900,1,%d,a,w,train\n", 9000 + i,
				start + 5, cpus
		if (!members)
			printf "9000,%d,300,900,4,2,a,w,\n", start + 5
		for (t = 10; t < 3600; t += each)
			printf "%d,%d,%d,%d,1,1,u%d,small,\n", ++id, start + t,
				limit * (0.5 + rand() / 2), limit, id % 5
	}'
}

# waits CONFIGURATION ARGUMENT...: seconds until the last of the gang starts
waits()
{
	queue "${@:2}" >stream.csv &&
	simulate --nodes=two.conf --jobs=stream.csv --conf=$1 --starts=starts \
		>/dev/null 2>&1 &&
	awk -F, '$2 >= 9000 { wait = $5 - $4; if (!$5 || wait > most) most = wait }
		END { print most }' starts
}

test_expect_success '4.9: a stream of small jobs keeps a gang no longer than a job in its place' '
	printf "%s\n" "NodeName=n[1-4] CPUs=2" \
		"SchedulerParameters=bf_max_job_user=1" >two.conf &&
	for stream in "5 100" "20 100" "5 400" "20 400"; do
		job=$(waits stock 0 0 $stream) && test $job -gt 890 &&
		test $job -le 1200 || return 1
		for gang in "4 2" "8 1" "4 1"; do
			wait=$(waits defaults $gang $stream) &&
			echo "$gang $stream: $wait s, $job" &&
			test "$wait" -le $job || return 1
		done
	done
'

test_expect_success JQ 'the wait of a gang is from its last member to its start' '
	value answer defaults .gangs.all.wait_mean >wait &&
	awk "{ exit !(\$1 >= 590 && \$1 <= 660) }" wait
'
test_expect_success 'by class of size' '
	simulate --jobs=jobs.csv -l >long 2>/dev/null &&
	simulate --jobs=jobs.csv --long 2>/dev/null | test_cmp long - &&
	grep -x "Gangs of 4-7 members" long &&
	grep -x "Jobs of no gang, 1 node" long &&
	grep -x "Jobs of no gang, 2-3 nodes" long &&
	! grep "Gangs of 2-3 members" long &&
	! grep "Gangs of" table
'
test_expect_success JQ 'files are named by their names, and compared in their order' '
	mkdir -p a b && echo "WaitingTime=5" >a/site.conf &&
	echo "Placement=no" >b/site.conf && echo "PlaceAll=yes" >all.conf &&
	simulate --jobs=jobs.csv --conf=a/site.conf --conf=stock --conf=b/site.conf \
		--conf=defaults --conf=all.conf --json >five 2>/dev/null &&
	jq -r ".configurations[].name" five | tr "\n" "," >names &&
	printf "site,stock,site (2),defaults,all," | test_cmp - names &&
	jq -r ".configurations[2].conf" five | grep -x b/site.conf &&
	jq -e ".configurations[3].conf == null and .configurations[1].stock" five &&
	simulate --jobs=jobs.csv --stock --conf=all.conf 2>/dev/null >two &&
	grep "^  *stock  *all  *change\$" two &&
	simulate --jobs=jobs.csv --conf=all.conf 2>/dev/null >one &&
	grep "^  *all\$" one && ! grep change one
'
test_expect_success JQ 'what starts at another time' '
	jq -c ".configurations[0].changes" answer | grep -x "\[\]" &&
	jq -e ".configurations[1].changes | length > 0 and
		all(.before != .after and .later != 0)" answer
'
test_expect_success JQ 'gangs by a rule, by a column, and none' '
	simulate --jobs=jobs.csv --gangs=none --json >none 2>/dev/null &&
	test "$(jq .gangs none)" = 0 &&
	simulate --jobs=jobs.csv --gangs=none 2>/dev/null >singles &&
	! grep -x Gangs singles &&
	simulate --jobs=jobs.csv --gangs=rule --json >rule 2>/dev/null &&
	test "$(jq .gangs rule)" = 1 &&
	simulate --jobs=jobs.csv --gangs=rule:0 --json >rule 2>/dev/null &&
	test "$(jq .gangs rule)" = 1 &&
	simulate --jobs=jobs.csv --gangs=name --json >column 2>/dev/null &&
	test "$(jq .gangs column)" = 4
'
test_expect_success JQ 'means are over what started with all, the others are counted' '
	twin=$top_srcdir/contrib/examples/twin && echo "PlaceAll=yes" >place.conf &&
	"$sgang" simulate --jobs="$twin/jobs.csv" --nodes="$twin/slurm.conf" \
		--topology="$twin/topology.conf" --stock --conf=defaults \
		--conf=place.conf --json 2>/dev/null >answer &&
	jq -e "[.configurations[].gangs.all | .started - .not_in_all] | unique | length == 1" answer &&
	jq -e "[.configurations[].gangs.all.not_in_all] | min == 0 and max > 0" answer &&
	jq -e "[.configurations[].jobs.all | .started - .not_in_all] | unique | length == 1" answer
'
test_expect_success JQ 'with PlaceAll=yes rings of jobs of no gang are measured, too' '
	jq -e "[.configurations[].jobs.all.rings] | min > 0 and (unique | length) == 1" answer &&
	jq -e ".configurations | all(.jobs.all.cost_over_best >= 1)" answer &&
	jq -e ".configurations[0].jobs.all.cost_over_stock == 1" answer &&
	jq -e ".configurations[0].jobs[\"1\"].rings == 0" answer &&
	simulate --jobs=jobs.csv --json 2>/dev/null >answer &&
	jq -e ".configurations | all(.jobs.all | has(\"rings\") | not)" answer &&
	simulate --jobs=jobs.csv --stock --conf=place.conf 2>/dev/null >table &&
	test $(grep -c "^  rings over several nodes" table) = 2
'
printf "; MaxProcs: 4\n%s\n%s\n" \
	"1 0 0 60 4 -1 -1 4 120 -1 1 1 1 1 1 1 -1 -1" \
	"2 0 0 60 2 -1 -1 2 120 -1 1 1 1 1 1 1 -1 -1" >procs.swf
test_expect_success JQ 'SWF: processors of a node are said, or a warning says what counts' '
	simulate --jobs=procs.swf --json 2>err >answer &&
	grep "^sgang: procs.swf: .* each one counts as a node; --slots=N" err &&
	simulate --jobs=procs.swf --slots=2 --json 2>err >answer &&
	! grep "counts as a node" err &&
	test "$(value answer stock .jobs.all.started)" = 2 &&
	test "$(value answer stock .cluster.refused)" = 0 &&
	test "$(value answer stock .jobs[\"2-3\"].submitted)" = 1 &&
	printf "NodeName=n[1-4] CPUs=4\n" >cluster.conf &&
	simulate --jobs=procs.swf --nodes=cluster.conf --json 2>err >answer &&
	! grep "counts as a node" err &&
	test "$(value answer stock .jobs[\"1\"].started)" = 2
'
test_expect_success JQ 'rows of sacct that a value has broken are left out and counted' '
	printf "%s\n" "JobID|JobName|Submit|Start|ElapsedRaw|NNodes" \
		"1|a|1700000000|1700000005|60|1" \
		"2|b|c|1700000000|1700000005|60|1" \
		"3|d|1700000000|1700000005|60|1" >broken.txt &&
	simulate --jobs=broken.txt --json 2>err >answer &&
	grep "^sgang: broken.txt: 1 row, the first in line 3, with more or fewer" err &&
	test "$(jq .jobs answer)" = 2 && test "$(jq .left_out answer)" = 1
'
test_expect_success 'words of SchedulerParameters that are not obeyed are named, once' '
	printf "%s\n" "NodeName=n[1-4]" \
		"SchedulerParameters=bf_window=100,defer,max_rpc_cnt=5,defer" >named.conf &&
	simulate --jobs=jobs.csv --nodes=named.conf 2>err >table &&
	grep -v " jobs in " err >said &&
	echo "sgang: named.conf: of SchedulerParameters the replay does not know defer" |
		test_cmp - said
'
test_expect_success JQ 'without --nodes they have what jobs want, or what is said' '
	printf "%s\n" id,submit,run,limit,nodes,cpus,gpus,memory,partition \
		1,1700000000,60,120,1,8,2,256G,big 2,1700000000,60,120,1,3,0,1G, >wants.csv &&
	simulate --jobs=wants.csv --json >wants 2>/dev/null &&
	test "$(jq .cpus wants)" = 32 &&
	test "$(value wants stock .jobs.all.started)" = 2 &&
	simulate --jobs=wants.csv --slots=4 --json >wants 2>/dev/null &&
	test "$(jq .cpus wants)" = 16 &&
	test "$(value wants stock .cluster.refused)" = 1 &&
	simulate --jobs=wants.csv --gpus=1 --json >wants 2>/dev/null &&
	test "$(value wants stock .cluster.refused)" = 1
'
test_expect_success 'the queue may come from the standard input' '
	simulate --jobs=- <jobs.csv >same 2>/dev/null && test_cmp table same
'
test_expect_success 'the same files give the same bytes' '
	simulate --jobs=jobs.csv --json >again 2>/dev/null &&
	simulate --jobs=jobs.csv --json >once_more 2>/dev/null &&
	test_cmp again once_more &&
	simulate --jobs=jobs.csv --html=page.html >/dev/null 2>&1 &&
	simulate --jobs=jobs.csv --html=- 2>/dev/null >stdout.html &&
	test_cmp page.html stdout.html
'
test_expect_success 'without a terminal there is no bar' '! grep "%" effort'
test_expect_success SCRIPT 'on a terminal a bar goes up, and away' '
	script -qec "$top_builddir/src/cmd/sgang simulate --topology=topology.conf \
		--jobs=jobs.csv" /dev/null </dev/null >tty &&
	grep -q "% of 7 jobs, 0 of 2 replays" tty &&
	grep -q "$(printf "\r\033\\[K")" tty
'

# --- the page
cat >sound.py <<'END'
import html.parser, json, sys
class Page(html.parser.HTMLParser):
    void = {"meta", "link", "input", "br"}
    def __init__(self):
        super().__init__()
        self.open, self.script, self.text = [], None, {}
    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        for name in ("src", "href"):
            assert attrs.get(name, "data:,") == "data:,", attrs
        assert not any(name.startswith("on") for name in attrs), attrs
        if tag not in self.void:
            self.open.append(tag)
        if tag == "script":
            self.script = attrs.get("id")
    def handle_startendtag(self, tag, attrs):
        pass
    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag
    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.text[self.script] = self.text.get(self.script, "") + data
page = Page()
page.feed(open(sys.argv[1]).read())
assert page.open == [], page.open
data, rasters = json.loads(page.text["data"]), json.loads(page.text["rasters"])
assert len(rasters) == len(data["configurations"]) == 2
for raster in rasters:
    assert len(raster) == len(data["rows"]) == 4
    for row in raster:
        assert sum(row[1::2]) == data["columns"]
        assert max(row[0::2]) < 3 + len(data["gangs"])
assert [leaf["name"] for leaf in data["leaves"]] == ["left", "right"]
END
test_expect_success 'the page is well-formed, and needs nothing else' '
	python3 sound.py page.html &&
	! grep -E "^@[A-Z]+@\$" page.html && ! grep -E "@import|url\(http" page.html
'
test_expect_success 'names are text' '
	sed "s/train/x/; s/alice/<b>a/" jobs.csv >evil.csv &&
	simulate --jobs=evil.csv --html=evil.html >/dev/null 2>&1 &&
	python3 sound.py evil.html && ! grep "<b>" evil.html
'

# --- the picture
test_expect_success 'the picture has a timeline for each configuration' '
	simulate --jobs=evil.csv --svg=picture.svg >/dev/null 2>&1 &&
	simulate --jobs=evil.csv --svg=- >stdout.svg 2>/dev/null &&
	test_cmp picture.svg stdout.svg &&
	python3 -c "
import sys, xml.etree.ElementTree as tree
svg = tree.parse(sys.argv[1]).getroot()
tag = \"{http://www.w3.org/2000/svg}\"
names = [e.text for e in svg.iter(tag + \"text\") if e.get(\"class\") == \"name\"]
assert names == [\"stock\", \"defaults\"], names
kinds = [e.get(\"class\") for e in svg.iter(tag + \"path\")]
# one of each is in the key
assert kinds.count(\"held\") == 2 and kinds.count(\"of-gang\") == 3, kinds
assert kinds.count(\"jobs\") == 3 and kinds.count(\"idle\") == 3, kinds" picture.svg
'
# Stock Slurm places otherwise since 24.05.
case ${SGANG_STOCK_RULE:-22_05} in
*22_05) test_set_prereq RULE_22_05 ;;
esac

# Made so, with TZ=UTC in the root of the repository.
example=contrib/examples/twin
test_expect_success RULE_22_05 \
	'the picture of README.md is what the queue beside it gives' '
	(cd "$top_srcdir" && TZ=UTC "$sgang" simulate --jobs=$example/jobs.csv \
		--topology=$example/topology.conf --nodes=$example/slurm.conf \
		--svg=-) >actual.svg 2>/dev/null &&
	test_cmp "$top_srcdir/doc/simulate.svg" actual.svg
'

# "\e" is the page's backslash.
sed -n '/^\$ sgang simulate/,/^\.Ed/{/^\.Ed/d; s/\\e$/\\/; p}' "$top_srcdir/man/sgang.1" >example
sed '1,/[^\\]$/d' example >expected
sed '/[^\\]$/q; s/^\$ sgang/"$sgang"/' example >command
test_expect_success RULE_22_05 'the example of the manual prints what it says' '
	test -s expected && test -s command &&
	commands=$PWD/command &&
	(cd "$top_srcdir" && TZ=UTC && export TZ && . "$commands") >actual 2>/dev/null &&
	test_cmp expected actual
'

# --- what is refused, in one line
refuse()
{
	local pattern=$1

	test_expect_code 2 "$sgang" simulate "${@:2}" >out 2>err &&
	test_must_be_empty out && test $(wc -l <err) = 1 &&
	grep -E -q -e "$pattern" err || {
		cat err
		return 1
	}
}
test_expect_success 'wrong use ends with 2 and one sentence' '
	refuse "^sgang: --jobs=FILE is missing" --topology=topology.conf &&
	refuse "^sgang: --topology=FILE is missing" --jobs=jobs.csv &&
	refuse "did you mean --topology" --topolgy=x &&
	refuse "unexpected word \"x\"" --jobs=jobs.csv --topology=topology.conf x &&
	refuse "for nodes that no --nodes describes" --jobs=jobs.csv \
		--nodes=slurm.conf --slots=3 &&
	refuse "slots=0: expected" --slots=0 && refuse "gpus=x: expected" --gpus=x &&
	refuse "gangs=rule:x: expected a number" --gangs=rule:x &&
	refuse "gangs=: expected none" --gangs=
'
test_expect_success 'so do wrong files' '
	refuse "nowhere.csv" --jobs=nowhere.csv --topology=topology.conf &&
	refuse "nowhere.conf" --jobs=jobs.csv --topology=nowhere.conf &&
	refuse "nowhere.conf" --jobs=jobs.csv --topology=topology.conf \
		--conf=nowhere.conf &&
	refuse "nowhere.conf" --jobs=jobs.csv --nodes=nowhere.conf &&
	echo "HopCost=3" >wrong.conf &&
	refuse "wrong.conf:1" --jobs=jobs.csv --topology=topology.conf \
		--conf=wrong.conf
'
test_expect_success 'a page that cannot be written is an error' '
	test_expect_code 2 "$sgang" simulate --jobs=jobs.csv \
		--topology=topology.conf --html=no/such/folder 2>err >out &&
	grep "^sgang: no/such/folder: cannot be written: No such file" err &&
	test_must_be_empty out
'

# --- a replay that ends too early
awk 'BEGIN {
	print "id,submit,run,limit,nodes,user,name"
	for (i = 1; i <= 200000; i++)
		printf "%d,%d,%d,900,%d,u%d,j\n", i, 1700000000 + 60 * i,
			10 + i * 7919 % 590, 1 + i % 3, i % 5
}' >long.csv
# The first child of that process, once it has one.
child_of()
{
	local end=$((SECONDS + 60)) children=

	until read -r children _ </proc/$1/task/$1/children; test -n "$children"; do
		test $SECONDS -lt $end && kill -0 $1 || return 1
	done 2>/dev/null
	echo $children
}
test_expect_success 'a replay that is killed is an error with its signal' '
	{ "$top_builddir"/src/cmd/sgang simulate --jobs=long.csv \
		--topology=topology.conf >out 2>err & } &&
	pid=$! && child=$(child_of $pid) && kill -SEGV $child &&
	test_expect_code 2 wait $pid &&
	test_must_be_empty out &&
	grep -E "^sgang: (stock|defaults): the replay was ended by signal 11 \(Segmentation" err &&
	! kill -0 $child 2>/dev/null
'

test_done
