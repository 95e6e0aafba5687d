#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# 0012-format.t - C code is laid out as .clang-format says, and documents have
# lines of 100 columns

test_description='layout of C code and documents'

. "${SHARNESS:-/usr/share/sharness/sharness.sh}"

# Releases of clang-format differ in what they make of the same file.
clang-format --version 2>/dev/null | grep -q "version 14\." &&
	test_set_prereq CLANG_FORMAT

test_expect_success CLANG_FORMAT 'nothing would be laid out otherwise' '
	find "$top_srcdir"/src "$top_srcdir"/tests -name "*.[ch]" >files &&
	grep -q "/src/core/plan/tree.c$" files &&
	xargs clang-format -n --style=file <files 2>violations &&
	test_must_be_empty violations
'

# Rows of tables and what stands between fences cannot be broken.
test_expect_success 'lines of documents have at most 100 columns' '
	find "$top_srcdir" -maxdepth 1 -name "*.md" >files &&
	find "$top_srcdir"/doc "$top_srcdir"/contrib -name "*.md" >>files &&
	grep -q "/doc/internals.md$" files &&
	xargs awk "
		FNR == 1 { code = 0 }
		/^ *\`\`\`/ { code = !code }
		!code && !/^\|/ && length > 100 { print FILENAME \":\" FNR }
		" <files >long &&
	test_must_be_empty long
'

test_done
