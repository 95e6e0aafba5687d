# SPDX-License-Identifier: GPL-2.0-or-later
# dask_work.py - tasks of Dask on all nodes of a gang
import os

from distributed import Client


def where(number):
    return os.environ["SLURMD_NODENAME"]


client = Client(os.environ["DASK_ADDRESS"], timeout=60)
client.wait_for_workers(int(os.environ["SLURM_GANG_NNODES"]))
print(*sorted(client.run(where, 0).values()))
