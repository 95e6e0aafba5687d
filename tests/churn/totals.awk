# SPDX-License-Identifier: GPL-2.0-or-later
# totals.awk - add up what the judge says of several seasons

/^# .* at most / {
	seconds = $(NF - 1)
	sub(/ at most .*/, "")
	sub(/: [0-9]+,$/, "")
	if (seconds > most[$0])
		most[$0] = seconds
}

/^# .* events, / {
	n = split(substr($0, 3), part, ", ")
	for (i = 1; i <= n; i++) {
		count = part[i] + 0
		sub(/^[0-9]+ /, "", part[i])
		sum[i] += count
	}
}

END {
	for (what in most)
		printf "%s: at most %.2f s\n", what, most[what]
	for (i = 1; i <= n; i++)
		printf "%d %s%s", sum[i], part[i], i < n ? ", " : "\n"
}
