# SPDX-License-Identifier: GPL-2.0-or-later
# abandoned.awk - jobs that reported their end long ago, and still run
#
# Reads the reports of a soak's jobs, and the jobs of squeue (ID STATE NAME).
# -v now=TIME

BEGIN { patience = 120 }

$1 ~ /^(starts|ends)$/ { ended[$3 " " $5] = $1 == "ends" ? $2 : 0; next }
$2 == "RUNNING" && ended[$1 " " $3] && now - ended[$1 " " $3] > patience {
	print $1
}
