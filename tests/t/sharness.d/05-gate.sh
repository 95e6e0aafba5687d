# SPDX-License-Identifier: GPL-2.0-or-later
# 05-gate.sh - keep jobs between their allocation and their launch
#
#   gate_setup         between slurm_setup and slurm_start: a PrologSlurmctld
#   gate_close         jobs that get nodes from now on stay CONFIGURING,
#   gate_open          until this

test -n "$BASH_VERSION" || return 0

# The end of the cluster must not leave a script that waits for ever.
gate_setup()
{
	cat >"$slurm_dir/etc/gate" <<-END
	#!/bin/bash
	while test -e "$slurm_dir/etc/closed"; do read -rt 0.1 <> <(:) || :; done
	echo "\$SLURM_JOB_ID" >>"$slurm_dir/etc/passed"
	END
	chmod 755 "$slurm_dir/etc/gate"
	echo "PrologSlurmctld=$slurm_dir/etc/gate" >>"$SLURM_CONF"
}

gate_close() { touch "$slurm_dir/etc/closed"; }
gate_open() { rm -f "$slurm_dir/etc/closed"; }
