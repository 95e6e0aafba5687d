#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0128-sgang-people.t - what makes sgang pleasant, without a cluster
#
# Completion is tested as bash does it: its function gets the words of a line.

test_description='YAML, settings of a file, words that are near, completion'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

sgang=$top_builddir/src/cmd/sgang
topology=--topology=$top_srcdir/topology/textbook.conf
unset SLURM_CONF

# On stderr exactly this, and nothing on stdout: refuses CODE TEXT ARGS
refuses()
{
	local code=$1 text=$2

	shift 2
	"$sgang" "$@" >out 2>err
	test $? = $code && test_must_be_empty out &&
		echo "sgang: $text" | test_cmp - err
}

test_expect_success '--yaml is --json in other letters' '
	"$sgang" ring $topology --json "n[1-2]" >json &&
	"$sgang" ring $topology --yaml "n[1-2]" >yaml &&
	test "$(head -n 1 yaml)" = --- &&
	test "$(jq -r ".ring_cost, .tier, .hops.leaf" json | tr "\n" " ")" = \
		"$(sed -n "s/^ring_cost: //p; s/^tier: //p; s/^  leaf: //p" \
			yaml | tr "\n" " ")"
'
test_expect_success 'every verb that has the one has the other' '
	for verb in $("$sgang" --help | sed -n "s/^  \([a-z]*\) .*/\1/p"); do
		"$sgang" $verb --help >help &&
		test "$(grep -c "^  --json" help)" = \
			"$(grep -c "^  --yaml" help)" || return 1
	done
'
test_expect_success 'a word that is nearly right' '
	refuses 2 "unknown verb \"shwo\", did you mean \"show\"?" shwo &&
	refuses 2 "unknown verb \"xyz\", see sgang --help" xyz &&
	refuses 2 "unknown option --paritition=a, did you mean --partition?" \
		list --paritition=a &&
	refuses 2 "unknown option --colour, see sgang list --help" \
		list --colour &&
	refuses 2 "--phase=runing: did you mean Running?" list -t runing &&
	refuses 2 "--phase=: expected a phase like Waiting or Running" \
		list -t ""
'
test_expect_success 'formats, orders and node lists that are none' '
	refuses 2 "--format: %z: expected a field as sgang(1) lists them,\
 like %j or %.8D" list -o "%j %z" &&
	refuses 2 "--sort=C;j: expected letters of fields as sgang(1) lists\
 them, like -C,j" watch -S "C;j" &&
	SGANG_SORT=% refuses 2 "SGANG_SORT=%: expected letters of fields as\
 sgang(1) lists them, like -C,j" list &&
	test_expect_code 2 "$sgang" list -w "n[1-" 2>err &&
	grep "^sgang: --nodelist=n\[1-: " err
'

cat >gang.conf <<'END'
# ours
HopCosts=1,2,8    # dearer
WaitingTime=30
TopologyFile="/a b/topology.conf"

GangName=alice/train MinMember=4 Topology=require:leaf
END
test_expect_success 'the settings of a file, and where they stand' '
	"$sgang" conf --conf=gang.conf >out &&
	grep -x "HopCosts=1,2,8,32,128  *# gang.conf:2" out &&
	grep -x "WaitingTime=00:30:00  *# gang.conf:3" out &&
	grep -x "TopologyFile=\"/a b/topology.conf\"  *# gang.conf:4" out &&
	grep -x "GangName=alice/train .*Topology=require:leaf  *# gang.conf:6" \
		out &&
	grep -x "Gangs=yes  *# default" out &&
	sed "s/ *#.*//" out >again.conf &&
	"$sgang" conf --conf=again.conf | sed "s/ *#.*//" |
		test_cmp again.conf -
'
test_expect_success 'each key of gang.conf is there' '
	"$sgang" conf --conf="$top_srcdir/etc/gang.conf" >out &&
	sed -n "s/^#\([A-Z][A-Za-z]*\)=.*/\1/p" "$top_srcdir/etc/gang.conf" |
		sort >keys &&
	sed "s/=.*//" out | sort | test_cmp keys -
'
test_expect_success 'the same as JSON' '
	"$sgang" conf --conf=gang.conf --json >out &&
	jq -e ".settings | map({(.key): .}) | add |
		.WaitingTime == {key: \"WaitingTime\", value: \"00:30:00\",
			file: \"gang.conf\", line: 3} and
		.TopologyFile.value == \"/a b/topology.conf\" and
		.TopologyName == {key: \"TopologyName\", value: \"\",
			file: null, line: null} and
		.GangName.line == 6" out
'
test_expect_success 'a file with a mistake, and none' '
	echo "Gangs=odd" >odd.conf &&
	test_expect_code 2 "$sgang" conf --conf=odd.conf >out 2>err &&
	test_must_be_empty out && grep "^sgang: odd.conf:1: Gangs: " err &&
	test_expect_code 2 "$sgang" conf --conf=none.conf 2>err &&
	grep "^sgang: none.conf: cannot be opened" err &&
	refuses 2 "unexpected word \"more\", see sgang conf --help" conf more
'

# What bash offers for the last of these words: offers "WORDS" WORD...
offers()
{
	local wanted=$1

	shift
	COMP_WORDS=("$sgang" "$@")
	COMP_CWORD=$#
	_sgang
	test "${COMPREPLY[*]}" = "$wanted" || {
		echo "offered: ${COMPREPLY[*]}"
		return 1
	}
}

test_expect_success 'completion knows the verbs' '
	. "$top_srcdir/contrib/completion/sgang" &&
	complete -p sgang &&
	offers "$("$sgang" --help | sed -n "s/^  \([a-z]*\) .*/\1/p" |
		tr "\n" " " | sed "s/ \$//")" "" &&
	offers "cancel create conf" c &&
	offers "cancel" can
'
test_expect_success 'options' '
	. "$top_srcdir/contrib/completion/sgang" &&
	offers "--nodelist= --noheader" list --no &&
	offers "--json" show --j &&
	offers "--help --version" --
'
test_expect_success 'values' '
	. "$top_srcdir/contrib/completion/sgang" &&
	offers "running" list --phase = run &&
	offers "running,waiting" list --phase = running,wai &&
	offers "strict nonstrict" create --mode = &&
	offers "once-satisfied only-waiting" create --match = o &&
	offers "hostfile" map --format = h &&
	offers "TERM" cancel --signal = TER &&
	offers "gang.conf" ring --conf = gan
'
test_expect_success 'operands' '
	. "$top_srcdir/contrib/completion/sgang" &&
	offers "show collect" topology "" &&
	offers "gang.conf" submit gan
'

# A sgang that has some gangs.
cat >fake <<END
#!/bin/bash
case \$1 in
list) printf '%s\n' $(id -un)/train bob/eval ;;
*) exec "$sgang" "\$@" ;;
esac
END
chmod 755 fake
test_expect_success 'names of gangs, the own ones without the namespace' '
	. "$top_srcdir/contrib/completion/sgang" &&
	sgang=$PWD/fake &&
	offers "train" show tr &&
	offers "bob/eval" cancel b &&
	offers "bob/eval" watch bob/ &&
	offers "bob/eval" explain --json b
'

test_done
