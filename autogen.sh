#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# autogen.sh - make ./configure in a fresh clone

cd "$(dirname "$0")" && exec autoreconf --force --install
