# SPDX-License-Identifier: GPL-2.0-or-later
# allreduce.py - the ranks of a gang add up their numbers with torch.distributed
import os

import torch
import torch.distributed as dist

dist.init_process_group("nccl" if torch.cuda.is_available() else "gloo")
if torch.cuda.is_available():
    torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
total = torch.ones(1, device="cuda" if torch.cuda.is_available() else "cpu")
total *= dist.get_rank()
dist.all_reduce(total)
print(dist.get_rank(), os.environ["SLURMD_NODENAME"], int(total), flush=True)
dist.destroy_process_group()
