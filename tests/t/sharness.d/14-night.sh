# SPDX-License-Identifier: GPL-2.0-or-later
# 14-night.sh - what a test does by day, and what at night
#
# With SGANG_NIGHT=1 in the environment tests run at length: all that is drawn,
# every point of every kind. By day they run the same with fixed seeds, and less.

# night: is it? As in "night && rounds=20".
night() { test "${SGANG_NIGHT:-0}" != 0; }

# by_day DAY NIGHT: the one of the two that holds
by_day() { if night; then echo "$2"; else echo "$1"; fi; }
