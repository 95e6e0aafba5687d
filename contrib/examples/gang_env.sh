# SPDX-License-Identifier: GPL-2.0-or-later
# gang_env.sh - what torch.distributed's env:// rendezvous reads, for a gang
#
# To be sourced by each rank: in a step of a gang's job, so that rank 0 of the
# whole gang is the first rank of the first member, on SLURM_GANG_HEAD_NODE.
#
#   MASTER_ADDR, MASTER_PORT   where rank 0 listens; the port is made of the
#                              job id of the first member unless it is set
#   RANK, WORLD_SIZE           over the whole gang, in a step with all ranks
#   LOCAL_RANK                 over the ranks of this job on this node

# Node names need not resolve. slurmctld is not asked: this runs once a rank.
MASTER_ADDR=$SLURM_GANG_HEAD_ADDR
: "${MASTER_PORT:=$((20000 + ${SLURM_GANG_JOB_IDS%%,*} % 10000))}"
RANK=$SLURM_GANG_RANK
WORLD_SIZE=$SLURM_GANG_RANKS
LOCAL_RANK=$SLURM_LOCALID
export MASTER_ADDR MASTER_PORT RANK WORLD_SIZE LOCAL_RANK
