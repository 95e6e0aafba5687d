# SPDX-License-Identifier: GPL-2.0-or-later
# gang_env.sh - what torch.distributed's env:// rendezvous reads, for a gang
#
# To be sourced by each rank: in a step of a gang's job, so that rank 0 of the
# whole gang is the first rank of the first member, on SLURM_GANG_HEAD_NODE.
#
#   MASTER_ADDR, MASTER_PORT   where rank 0 listens; the port is made of the
#                              job id of the first member unless it is set
#   RANK, WORLD_SIZE           over the whole gang
#   LOCAL_RANK                 over the ranks of this job on this node

# Node names need not resolve; Slurm knows the address.
MASTER_ADDR=$(scontrol -o show node "$SLURM_GANG_HEAD_NODE" |
	sed -n 's/.* NodeAddr=\([^ ]*\) .*/\1/p')
: "${MASTER_PORT:=$((20000 + ${SLURM_GANG_JOB_IDS%%,*} % 10000))}"
RANK=$((SLURM_GANG_RANK_OFFSET + SLURM_PROCID))
# With --gang-parallel ranks may have another order than the ring.
test -z "$SLURM_GANG_LAYOUT" ||
	RANK=$(echo "$SLURM_GANG_LAYOUT" | cut -d , -f $((SLURM_PROCID + 1)))
WORLD_SIZE=$SLURM_GANG_RANKS
LOCAL_RANK=$SLURM_LOCALID
export MASTER_ADDR MASTER_PORT RANK WORLD_SIZE LOCAL_RANK
