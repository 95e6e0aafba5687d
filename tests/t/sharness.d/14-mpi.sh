# SPDX-License-Identifier: GPL-2.0-or-later
# 14-mpi.sh - Open MPI on nodes that are all this host
#
#   mpi_setup          between slurm_setup and slurm_start: mpirun may be root's, and
#                      finds its way between the nodes. Each node has a folder for
#                      temporary files of its own: daemons that begin at the same
#                      moment fight for that of a host, and one of them gives up

test -n "$BASH_VERSION" || return 0

mpi_setup()
{
	export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
	export OMPI_MCA_btl_tcp_if_include=lo
	cat >"$slurm_dir/etc/task-prolog" <<-END
	#!/bin/sh
	mkdir -p "$slurm_dir/tmp/\$SLURMD_NODENAME" &&
		echo "export TMPDIR=$slurm_dir/tmp/\$SLURMD_NODENAME"
	END
	chmod 755 "$slurm_dir/etc/task-prolog"
	echo "TaskProlog=$slurm_dir/etc/task-prolog" >>"$SLURM_CONF"
}
