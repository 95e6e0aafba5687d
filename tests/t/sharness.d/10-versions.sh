# SPDX-License-Identifier: GPL-2.0-or-later
# 10-versions.sh - plugins that were built for another micro release of Slurm
#
#   plugin_micro FILE             the last part of the release in plugin_version
#   set_plugin_micro FILE MICRO   change it; a link becomes a file of its own

test -n "$BASH_VERSION" || return 0

# Where in the file a symbol of the read-only data is, by the segment that
# holds it.
offset_of()
{
	local address

	address=$((16#$(nm -D "$1" | awk -v name="$2" '$3 == name { print $1 }')))
	readelf -lW "$1" | awk '$1 == "LOAD" { print $2, $3, $5 }' |
		while read -r offset start size; do
			test $address -lt $((start)) ||
				test $address -ge $((start + size)) ||
				echo $((address - start + offset))
		done
}

plugin_micro()
{
	echo $(od -An -tu1 -j "$(offset_of "$1" plugin_version)" -N 1 "$1")
}

set_plugin_micro()
{
	local at

	test ! -L "$1" ||
		cp --remove-destination "$(realpath "$1")" "$1" || return 1
	at=$(offset_of "$1" plugin_version) &&
		printf "\\x$(printf %02x "$2")" |
		dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}
