# SPDX-License-Identifier: GPL-2.0-or-later
# formats.sh - formats of squeue and sinfo that show what slurm-gang tells
#
# To be sourced by a shell, such as from /etc/profile.d:
#
#	squeue				the whole reason, and the record
#	sinfo -O "$SINFO_GANG_FORMAT"	which gangs are on which nodes
#
# sinfo does not read such a format from the environment: the notation of
# SINFO_FORMAT has nothing for Extra.

export SQUEUE_FORMAT2="JobID:.10 ,Name:12 ,UserName:10 ,StateCompact:3 ,\
TimeUsed:.11 ,NumNodes:.5 ,NodeList:16 ,Reason:60 ,system_comment:90"
export SINFO_GANG_FORMAT="NodeList:16 ,StateCompact:8 ,CPUsState:16 ,Extra:60"
