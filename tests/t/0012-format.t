#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0012-format.t - C code is laid out as .clang-format says

test_description='layout of the C code'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

: "${top_srcdir:=$(cd "$SHARNESS_TEST_SRCDIR/../.." && pwd)}"

# Releases of clang-format differ in what they make of the same file.
clang-format --version 2>/dev/null | grep -q "version 14\." &&
	test_set_prereq CLANG_FORMAT

test_expect_success CLANG_FORMAT 'nothing would be laid out otherwise' '
	find "$top_srcdir"/src "$top_srcdir"/tests -name "*.[ch]" >files &&
	grep -q "/src/core/plan/tree.c$" files &&
	xargs clang-format -n --style=file <files 2>violations &&
	test_must_be_empty violations
'

test_done
