#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0128-sgang-people.t - what makes sgang pleasant, without a cluster
#
# Completion is tested as bash does it: its function gets the words of a line.

test_description='YAML, settings of a file, words that are near, completion'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

topology=--topology=$top_srcdir/topology/textbook.conf
unset SLURM_CONF

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
	sgang_refuses 2 "unknown verb \"shwo\", did you mean \"show\"?" shwo &&
	sgang_refuses 2 "unknown verb \"xyz\", see sgang --help" xyz &&
	sgang_refuses 2 "unknown option --paritition=a, did you mean --partition?" \
		list --paritition=a &&
	sgang_refuses 2 "unknown option --colour, see sgang list --help" \
		list --colour &&
	sgang_refuses 2 "--phase=runing: did you mean Running?" list -t runing &&
	sgang_refuses 2 "--phase=: expected a phase like Waiting or Running" \
		list -t ""
'
test_expect_success 'formats, orders and node lists that are none' '
	sgang_refuses 2 "--format: %z: expected a field as sgang(1) lists them,\
 like %j or %.8D" list -o "%j %z" &&
	sgang_refuses 2 "--sort=C;j: expected letters of fields as sgang(1) lists\
 them, like -C,j" watch -S "C;j" &&
	SGANG_SORT=% sgang_refuses 2 "SGANG_SORT=%: expected letters of fields as\
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
	sgang_refuses 2 "unexpected word \"more\", see sgang conf --help" conf more
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

# An sbatch with Slurm's form of --help, and the sgang above as a command.
mkdir bin && cp fake bin/sgang && cat >bin/sbatch <<'END'
#!/bin/sh
cat <<'HELP'
Usage: sbatch [OPTIONS(0)...] [ : [OPTIONS(N)...]] script(0) [args(0)...]

      --gres=list             required generic resources

Options provided by plugins:
      --gang=[NAMESPACE/]NAME join this gang: its jobs start together or not at
                              all
      --gang-min-member=N     members that are needed to start
      --gang-topology=require:LEVEL|prefer:LEVEL[@TIME]|spread:LEVEL|auto
                              highest level of the fabric
      --gang-mode=strict|nonstrict
HELP
END
chmod 755 bin/sbatch
bin=$PWD/bin
command -v fish >/dev/null && test_set_prereq FISH
command -v zsh >/dev/null && test_set_prereq ZSH

# What bash would offer for the last word: gang_offers WANTED sbatch WORD...
gang_offers()
{
	local wanted=$1

	shift
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMPREPLY=()
	_slurm_gang "$1" "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
	test "${COMPREPLY[*]}" = "$wanted" || {
		echo "offered: ${COMPREPLY[*]}"
		return 1
	}
}

_before() { COMPREPLY=(was here); }

test_expect_success 'bash: options of gangs, and else what was there before' '
	complete -F _before sbatch &&
	. "$top_srcdir/contrib/completion/slurm-gang.bash" &&
	complete -p sbatch | grep _slurm_gang &&
	PATH=$bin:$PATH &&
	gang_offers "was here" sbatch --time &&
	gang_offers "was here" sbatch sc &&
	gang_offers "was here --gang-min-member= --gang-mode=" sbatch --gang-m &&
	gang_offers "strict nonstrict" sbatch --gang-mode = &&
	gang_offers "nonstrict" sbatch --gang-mode = n &&
	gang_offers "require: prefer: spread: auto" sbatch --gang-topology = &&
	gang_offers "train" sbatch -n1 --gang = tr
'

fish_offers()
{
	local wanted=$1

	PATH=$bin:$PATH fish --no-config -c "
		source $top_srcdir/contrib/completion/sgang.fish
		source $top_srcdir/contrib/completion/slurm-gang.fish
		complete -C '$2'" >offered || return 1
	cut -f 1 offered | xargs | grep -x -- "$wanted" ||
		{ cat offered; return 1; }
}

test_expect_success FISH 'fish' '
	fish_offers "cancel conf create" "sgang c" &&
	fish_offers "--json" "sgang show --j" &&
	fish_offers "train" "sgang show tr" &&
	fish_offers "--gang=train" "sgang run --gang=tr" &&
	fish_offers "basename" "sgang run --gang=train basenam" &&
	fish_offers "--gang-min-member= --gang-mode=" "sbatch --gang-m" &&
	fish_offers "--gang-mode=nonstrict" "sbatch --gang-mode=n" &&
	fish_offers "--gang=train" "sbatch --gang=tr"
'

# What zsh makes of the words when the tabulator key is hit twice, up to a text
# that must come.
cat >keys.zsh <<'END'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "fpath=($1 \$fpath); autoload -U compinit; compinit -u -D;" 	"PATH=$2:\$PATH; unsetopt LIST_BEEP; stty cols 150; print be''gin"
zpty -r z said '*begin*' || exit 1
zpty -w -n z "$3"$'\t\t'
zpty -r z said "*$4*" || exit 1
print -r -- "$said"
zpty -d z
END
zsh_offers()
{
	timeout 60 zsh -f keys.zsh "$top_srcdir/contrib/completion" "$bin" 		"$2" "$1" ||
		{ echo "zsh: $2: no $1"; return 1; }
}

test_expect_success ZSH 'zsh' '
	zsh_offers "cancel*conf*create" "sgang c" &&
	zsh_offers "sgang show --json" "sgang show --j" &&
	zsh_offers "sgang show train" "sgang show tr" &&
	zsh_offers "sgang run --gang=train" "sgang run --gang=tr" &&
	zsh_offers "sgang run basename" "sgang run basenam" &&
	zsh_offers "--gang-min-member=*--gang-mode=" "sbatch --gang-m" &&
	zsh_offers "sbatch --gang-mode=nonstrict" "sbatch --gang-mode=n" &&
	zsh_offers "sbatch --gang=train" "sbatch --gang=tr"
'

test_done
