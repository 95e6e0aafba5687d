# SPDX-License-Identifier: GPL-2.0-or-later
# others-swf.awk - jobs of a log in the Standard Workload Format as a queue for
# sgang simulate
#
# -v from= and -v to= say which of them, of those that ran, in the order of the
# log. A job of several nodes is a gang of members of one, if it has at most -v
# most= of them; a node has -v per= processors. Where the log knows no time limit
# it is twice the run and ten minutes.
# -v as=	job: a gang is an ordinary job of its nodes
#
# The id of a job is 10000 times its number among those that ran, that of member i
# of a gang i more.

BEGIN { print "id,submit,run,limit,nodes,gpus,cpus,user,gang" }
/^;/ { next }
{
	processors = $5 > $8 ? $5 : $8
	if ($4 <= 0 || processors <= 0 || ++n <= from || n > to)
		next
	nodes = int((processors + per - 1) / per)
	limit = $9 > 0 ? $9 : $4 * 2 + 600
	parts = 1
	if (as != "job" && nodes <= most) {
		parts = nodes
		nodes = 1
	}
	for (i = 0; i < parts; i++)
		printf "%d,%d,%d,%d,%d,0,%d,u%d,%s\n", n * 10000 + i,
			1000000000 + $2, $4, limit, nodes,
			(nodes * parts > 1 ? per : processors), $12,
			(parts > 1 ? "g" n : "")
}
