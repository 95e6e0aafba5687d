#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0911-library.t - libsgang as it is installed, and a program that plans with it

test_description='libsgang: headers, pkg-config, symbols, and the example of doc/library.md'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

: "${NM:=nm}" "${CC:=cc}" "${CXX:=c++}"
# libtool installs into no path with a blank, which that of this test has.
root=$(mktemp -d "${TMPDIR:-/tmp}/slurm-gang-library.XXXXXX") || exit 1
cleanup 'rm -rf "$root"'
headers=$root/usr/local/include

"$NM" "$top_builddir/src/core/.libs/libsgang-core.a" | grep -q -e __asan_ -e __tsan_ ||
	test_set_prereq PLAIN
command -v pkg-config >/dev/null && test_set_prereq PKG_CONFIG
command -v "$CXX" >/dev/null && test_set_prereq CXX
test "$(getconf LONG_BIT)" = 64 && test_set_prereq BITS_64

# Make a target, with $root in place of the machine.
make_there()
{
	env -u MAKEFLAGS -u MFLAGS -u MAKEOVERRIDES -u MAKELEVEL \
		make -s --no-print-directory -C "$top_builddir" \
		DESTDIR="$root" prefix=/usr/local exec_prefix=/usr/local \
		libdir=/usr/local/lib includedir=/usr/local/include "$@" >make.log 2>&1 || {
		cat make.log
		return 1
	}
}

# pkg-config, which finds nothing but what was installed there.
flags()
{
	PKG_CONFIG_LIBDIR=$root/usr/local/lib/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
		pkg-config "$@" sgang
}

# Functions that the installed headers declare, but for those they define.
declared()
{
	printf '#include <sgang/sgang.h>\n' | $CC -E -P -I "$headers" - |
		tr '\n' ' ' | sed 's/[;}]/&\n/g' | grep -v 'static inline' |
		grep -oE '\<sgang_[a-z0-9_]+ *\(' | tr -d ' (' | sort -u
}

# A program that prints the size of each structure of the headers.
sizes_c()
{
	printf '#include <sgang/sgang.h>\n#include <stdio.h>\nint main(void) {\n'
	find "$headers" -name '*.h' -exec sed -nE 's/^struct (sgang_[a-z_]+) \{/\1/p' {} + |
		sort | sed 's/.*/printf("%s %zu\\n", "&", sizeof(struct &));/'
	echo '}'
}

plan_one() { LD_LIBRARY_PATH=$root/usr/local/lib ./plan_one "$@"; }

# What doc/library.md shows in its block N.
shown()
{
	awk -v n="$1" '/^```/ { inside = !inside; blocks += inside; next }
		inside && blocks == n' "$top_srcdir/doc/library.md"
}

# The nodes of a plan, in its order.
nodes_of() { sed -n 's/^member .* on //p' "$1" | paste -sd ,; }

test_expect_success 'it is installed' '
	make_there install &&
	test -f "$headers/sgang/plan/plan.h" &&
	! grep -rn "\"core/" "$headers"
'
test_expect_success 'each header can be used alone' '
	find "$headers" -name "*.h" | sed "s,.*/include/,," | sort >all &&
	test $(wc -l <all) -ge 10 &&
	while read -r header; do
		echo "#include <$header>" >alone.c &&
		$CC -std=c11 -Wall -Wextra -Wpedantic -Werror -I "$headers" -c alone.c || return 1
	done <all
'
test_expect_success CXX 'and from C++, where functions keep their names' '
	cat >plus.cc <<-\END &&
	#include <sgang/sgang.h>
	int main() { return sgang_nodeset_create(1) == nullptr; }
	END
	$CXX -Wall -Wextra -Werror -I "$headers" -c plus.cc &&
	"$NM" -u plus.o | grep -w sgang_nodeset_create
'
test_expect_success 'it shows the functions of its headers, and nothing else' '
	declared >wanted &&
	grep -x sgang_plan wanted &&
	"$NM" -D --defined-only "$root/usr/local/lib/libsgang.so.0" |
		sed -n "s/.* T \(.*\)@@LIBSGANG_0\$/\1/p" | sort >functions &&
	test_cmp wanted functions &&
	"$NM" -D --defined-only "$root/usr/local/lib/libsgang.so.0" |
		sed -e "/@@LIBSGANG_0\$/d" -e "/ A LIBSGANG_0/d" >others &&
	test_must_be_empty others
'
test_expect_success PLAIN 'it needs libc alone' '
	readelf -d "$root/usr/local/lib/libsgang.so.0" | sed -n "s/.*(NEEDED).*\[\(.*\)\]/\1/p" \
		>needed &&
	echo libc.so.6 >wanted &&
	test_cmp wanted needed
'
# A change here is a change for programs that were built: see libsgang_version
# in src/core/Makemodule.am. Before the first release it has none.
test_expect_success PLAIN,BITS_64 'structures have the sizes that programs were built for' '
	sizes_c >sizes.c &&
	$CC -I "$headers" -o sizes sizes.c &&
	./sizes >sizes.txt &&
	grep "^sgang_plan_request " sizes.txt &&
	test_cmp "$top_srcdir/tests/data/libsgang-sizes.txt" sizes.txt
'
test_expect_success PLAIN,PKG_CONFIG 'the example is built by what pkg-config says' '
	! flags --modversion | grep - &&
	$CC -Wall -Wextra -Werror -o plan_one "$top_srcdir/contrib/examples/plan_one.c" \
		$(flags --cflags --libs)
'
test_expect_success PLAIN,PKG_CONFIG 'and plans the gang of doc/library.md' '
	shown 2 >wanted &&
	command=$(shown 1 | sed -n "s,^\./plan_one topology/,,p") &&
	plan_one "$top_srcdir"/topology/$command >plan &&
	test_cmp wanted plan
'
test_expect_success PLAIN,PKG_CONFIG 'its ring costs what sgang ring says' '
	"$top_builddir/src/cmd/sgang" ring --topology "$top_srcdir/topology/demo.conf" \
		--slots 4 "$(nodes_of plan)" >ring &&
	cost=$(sed -n "s/^ring cost \([0-9]*\),.*/\1/p" plan) &&
	test "$cost" -gt 0 &&
	grep "^ring_cost=$cost " ring
'
test_expect_success PLAIN,PKG_CONFIG 'a gang that does not fit, and errors' '
	test_expect_code 1 plan_one "$top_srcdir/topology/demo.conf" 4 n1 17x1 >out &&
	grep "needs 17 nodes .* 15 are free" out &&
	echo "SwitchName=a Nodes=n1 Switches=b" >bad.conf &&
	test_expect_code 2 plan_one bad.conf 4 "" 1x1 2>err &&
	grep "bad.conf:1" err
'
test_expect_success 'nothing is left when it is uninstalled' '
	make_there uninstall &&
	find "$root" -not -type d >left &&
	test_must_be_empty left &&
	test ! -e "$headers/sgang"
'

test_done
