# SPDX-License-Identifier: GPL-2.0-or-later
# incomplete.awk - members that wait for something that never comes
#
# Reads the events of a soak, the reports of its jobs, and at last the jobs of
# squeue (ID STATE NAME). Prints members that have not started themselves of
#
#   a gang that has not started and is too small, as is the other of its group
#   a gang that has started, and none that did is left: they came too late

$1 == "gang" { min[$3] = $4 }
$1 == "group" { other[$3] = $4; other[$4] = $3 }
$1 == "starts" { began[$3 " " $5] = started[$5] = 1 }
$1 ~ /^[0-9]/ {
	gang = $3
	sub(/[.]late$/, "", gang)
	if (!(gang in min))
		next
	gang_of[$1] = gang
	there[gang]++
	if (($1 " " $3) in began)
		left[gang] = 1
	else
		waits[$1] = 1
}

function small(gang) {
	return !(gang in started) && there[gang] + 0 < min[gang]
}

END {
	for (id in waits) {
		gang = gang_of[id]
		if (gang in started ? !(gang in left) : small(gang) ||
		    gang in other && small(other[gang]))
			print id
	}
}
