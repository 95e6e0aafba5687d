# SPDX-License-Identifier: GPL-2.0-or-later
# others-philly.awk - jobs of the Philly log as a queue for sgang simulate
#
# -v from= and -v to= say which of them, in the order of submission: lines
# "timestamp,duration,num_gpus,gpu_time,cluster". A job of four GPUs and more is a
# gang of pairs, of more than eight of whole nodes. The log knows no time limits:
# they are twice the run and ten minutes. A GPU comes with four CPUs.
# -v as=	pairs: jobs of more than eight GPUs are ordinary jobs of several
#		nodes; whole: those of up to eight are ordinary jobs of one; job: so
#		is each gang
#
# The id of a job is 10000 times its line, that of member i of a gang i more.

BEGIN { FS = ","; print "id,submit,run,limit,nodes,gpus,cpus,user,gang" }
NR > from && NR <= to {
	gpus = $3
	run = int($2) + 1
	sub(" ", "T", $1)
	nodes = int((gpus + 7) / 8)
	each = int((gpus + nodes - 1) / nodes)
	parts = nodes > 1 ? nodes : gpus >= 4 && gpus % 2 == 0 ? gpus / 2 : 1
	if (as == "job" || as == (nodes > 1 ? "pairs" : "whole"))
		parts = 1
	else {
		if (nodes == 1)
			each = gpus / parts
		nodes = 1
	}
	for (i = 0; i < parts; i++)
		printf "%d,%s,%d,%d,%d,%d,%d,%s,%s\n", NR * 10000 + i, $1, run,
			run * 2 + 600, nodes, each, each * 4, $5,
			(parts > 1 ? "g" NR : "")
}
