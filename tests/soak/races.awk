# SPDX-License-Identifier: GPL-2.0-or-later
# races.awk - the data races of slurm-gang, from the thread sanitizer's reports
#
# Reads its reports. Prints "ours SUMMARY" for each kind of data race in which a
# function of ours is one of the two that touch the memory, and of lock orders in
# which ours take each of the locks; "theirs N" counts all others. Of Slurm's
# functions the stacks are not whole, and who created a lock or a thread, or got
# the memory, is not who races.

/^WARNING: ThreadSanitizer/ {
	order = /lock-order/
	part = 1
	begin_part()
	all_ours = 1
	any_ours = first_ours = 0
	next
}

function begin_part() {
	frames = of_ours = 0
}

# Ours by itself, not by what Slurm does when ours has called it.
function end_part() {
	if (!part || !frames)
		return
	any_ours = any_ours || first_ours
	all_ours = all_ours && of_ours
	begin_part()
	first_ours = 0
}

/^  (Location|Thread T)/ || /^  Mutex .* created at/ { end_part(); part = 0 }
/^$/ { end_part() }
part && /^    #/ {
	ours = /(select_cons_tres|job_submit_gang)\.so/
	if (!sanitizer($0) && ++frames == 1)
		first_ours = ours
	of_ours = of_ours || ours
}

# memcpy() and the like count for their callers.
function sanitizer(line) {
	return line ~ /libtsan\.so|libsanitizer/
}

/^SUMMARY: ThreadSanitizer/ {
	end_part()
	if (order ? all_ours : any_ours) {
		if (!($0 in told))
			print "ours " $0
		told[$0] = 1
	} else {
		theirs++
	}
}

END { if (theirs) print "theirs " theirs }
