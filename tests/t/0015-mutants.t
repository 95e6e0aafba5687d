#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0015-mutants.t - contrib/mutants finds the line that no test looks at

test_description='contrib/mutants'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

needs python3

# mutants DIR [OPTION...]: over the toy
mutants()
{
	python3 "$top_srcdir/contrib/mutants" --dir="$1" --tree=toy "${@:2}"
}
# states DIR: how many faults came to each end
states() { cut -f 2 "$1/mutants.tsv" | sed 1d | sort | uniq -c | awk '{ print $2, $1 }'; }
# line_of TEXT: where it stands in the toy
line_of() { echo "src/toy/toy.c:$(grep -nF "$1" toy/src/toy/toy.c | cut -d : -f 1)"; }

# A tree with a tested, an untested and a superfluous line.
mkdir -p toy/src/toy toy/tests/unit/toy toy/tests/t toy/contrib
cat >toy/src/toy/toy.c <<\END
/* a < b in a comment, which stays */
int sgang_toy_is_less(int a, int b)
{
	const char *text = "a < b in a string, which stays";

	return text && a < b;
}

int sgang_toy_is_seven(int a)
{
	return a == 7;
}

int sgang_toy_down(int a)
{
	(void)(1 < 2);
	while (a > 3)
		a--;
	return 1;
}
END
cat >toy/tests/unit/toy/test_toy.c <<\END
int sgang_toy_is_less(int a, int b);
int sgang_toy_down(int a);

int main(void)
{
	return !(sgang_toy_is_less(1, 2) && !sgang_toy_is_less(2, 1) &&
		 !sgang_toy_is_less(2, 2) && sgang_toy_down(7));
}
END
cat >toy/Makefile.toy <<\END
toy = tests/unit/toy/test_toy
all: src/toy/toy.o
src/toy/toy.o: ../src/toy/toy.c
	mkdir -p src/toy
	$(CC) -O0 -c -o $@ ../src/toy/toy.c
$(toy): ../$(toy).c src/toy/toy.o
	mkdir -p tests/unit/toy
	$(CC) -o $@ ../$(toy).c src/toy/toy.o
list-tests:
	@echo $(toy) tests/t/not-run.t
check: all
END
echo "cp ../Makefile.toy Makefile" >toy/configure
echo : >toy/autogen.sh
chmod +x toy/configure toy/autogen.sh

test_expect_success 'the same seed draws the same, another one something else' '
	python3 "$top_srcdir/contrib/mutants" --draw --tree=toy >one &&
	python3 "$top_srcdir/contrib/mutants" --draw --tree=toy >same &&
	test_cmp one same &&
	python3 "$top_srcdir/contrib/mutants" --draw --seed=2 --tree=toy >two &&
	! cmp -s one two
'
test_expect_success 'what is tested kills, what is not survives' '
	test_expect_code 1 mutants run --count=20 >out 2>err &&
	test_must_be_empty err &&
	grep "killed .*$(line_of "a < b;"): .* by tests/unit/toy/test_toy" out &&
	sed -n "/^survived/,/^\$/p" out >survived &&
	grep "$(line_of "a == 7"): comparison in sgang_toy_is_seven()" survived &&
	grep -x "  *- return a == 7;" survived &&
	grep -x "  *+ return a != 7;" survived &&
	! grep "a comment" run/mutants.tsv && ! grep "a string" run/mutants.tsv
'
test_expect_success 'one that changes nothing is said to do so' '
	sed -n "/objects are the same/,/^\$/p" out >same &&
	grep "$(line_of "1 < 2"): " same &&
	grep -x "  *- (void)(1 < 2);" same && test $(wc -l <same) = 5
'
test_expect_success 'the copy is as it was' '
	test_cmp toy/src/toy/toy.c run/tree/src/toy/toy.c
'
test_expect_success 'the last line counts, and the report is there again' '
	test_expect_code 1 mutants run --report >report &&
	sed -n "/^folder/,\$p" out >end &&
	sed -n "/^folder/,\$p" report | test_cmp end - &&
	states run >counts && cat counts &&
	killed=$(sed -n "s/killed //p" counts) &&
	survived=$(sed -n "s/survived //p" counts) &&
	same=$(sed -n "s/same //p" counts) &&
	test "$(tail -n 1 out)" = \
		"$killed killed, $survived survived, $same equivalent"
'
test_expect_success 'it goes on where it was' '
	test_expect_code 1 mutants parts --count=20 --only=1 >first &&
	grep "^  1 [a-z]* *src/toy/toy.c" first &&
	! grep "^  2 " first && grep "have not been run" first &&
	test_expect_code 1 mutants parts >second &&
	! grep "^  1 killed" second && ! grep "have not been run" second &&
	cut -f 1-10 run/mutants.tsv >whole &&
	cut -f 1-10 parts/mutants.tsv | test_cmp whole -
'
test_expect_success 'a fault that stands in the copy after a kill is taken out' '
	cp toy/src/toy/toy.c parts/original &&
	printf "src/toy/toy.c" >parts/original.path &&
	echo "no C" >parts/tree/src/toy/toy.c &&
	test_expect_code 1 mutants parts >out &&
	test_cmp toy/src/toy/toy.c parts/tree/src/toy/toy.c
'
test_expect_success 'one that is known to change nothing has its reason' '
	printf "%s\t%s\t%s\t%s\n" src/toy/toy.c "return a == 7;" \
		"return a != 7;" "seven is no number here" \
		>toy/contrib/mutants.equivalent &&
	test_expect_code 1 mutants run --report >out &&
	sed -n "/anyone could see/,/^\$/p" out >named &&
	grep "sgang_toy_is_seven(): seven is no number here" named &&
	printf "too short\n" >>toy/contrib/mutants.equivalent &&
	test_must_fail mutants run --report 2>err &&
	grep "mutants.equivalent:2: expected" err &&
	rm toy/contrib/mutants.equivalent
'
test_expect_success 'the same faults in a tree that changed' '
	sed -i -e "1s/^/\n\n/" -e "s/a == 7/a == 8/" toy/src/toy/toy.c &&
	test_expect_code 1 mutants later --list=run/mutants.tsv >out &&
	sed -n "/place is gone/,/^\$/p" out >gone &&
	grep -x "  *- return a == 7;" gone &&
	grep "killed .*$(line_of "a < b;"): .* by" out
'
test_expect_success 'survivors against another test' '
	grep "a >= 3" run/mutants.tsv | cut -f 2 | grep -x survived &&
	echo "exit 1" >run/tree/tests/t/fails.t &&
	echo "! grep \"a >= 3\" ../src/toy/toy.c" >run/tree/tests/t/judge.t &&
	test_expect_code 1 mutants run --survivors \
		--with="tests/t/fails.t tests/t/judge.t" >out 2>err &&
	grep "fails.t fails without a fault and is left out" err &&
	grep "a >= 3" run/mutants.tsv >row && cut -f 2,10 row >by &&
	printf "killed\ttests/t/judge.t\n" | test_cmp - by &&
	grep "survived.*a != 7.*tests/t/judge.t" run/mutants.tsv
'
test_expect_success 'the quick check is what make names, programs first' '
	printf "list-quick:\n\t@echo tests/t/judge.t \$(toy)\n" \
		>>toy/Makefile.toy &&
	echo "! grep \"a > 8\" ../src/toy/toy.c" >toy/tests/t/judge.t &&
	sed -i "s/a == 8/a < 8/" toy/src/toy/toy.c &&
	test_expect_code 1 mutants quick >out &&
	grep "killed .*$(line_of "a < b;"): .* by tests/unit/toy/test_toy" out &&
	grep "$(line_of "a < 8;")" out &&
	cut -f 2,12 quick/mutants.tsv | grep survived >survived &&
	! grep -v "tests/unit/toy/test_toy tests/t/judge.t$" survived
'
test_expect_success 'another command in place of it' '
	test_expect_code 0 mutants command \
		--check="cmp ../src/toy/toy.c \"$PWD/toy/src/toy/toy.c\"" >out &&
	grep "^[2-9] killed, 0 survived, 1 equivalent" out &&
	grep "killed .* by cmp " out &&
	test_expect_code 2 mutants none --check=false 2>err &&
	grep "no test passes without a fault" err
'
test_expect_success 'what it does not understand' '
	for bad in --seed=x --count=0 --colour=red --survivors more; do
		test_must_fail mutants run $bad >out 2>why &&
		test_must_be_empty out && grep "^mutants: " why || return 1
	done &&
	test_must_fail mutants nowhere --report 2>why &&
	grep "there is no list" why
'

test_done
