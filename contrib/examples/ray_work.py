# SPDX-License-Identifier: GPL-2.0-or-later
# ray_work.py - tasks of Ray on all nodes of a gang
import os
import time

import ray


@ray.remote(num_cpus=1)
def where():
    time.sleep(0.5)
    return os.environ.get("SLURMD_NODENAME")


while True:  # the head may not be there yet
    try:
        ray.init(address=os.environ["RAY_ADDRESS"])
        break
    except ConnectionError:
        time.sleep(1)
while len(ray.nodes()) < int(os.environ["SLURM_GANG_NNODES"]):
    time.sleep(1)
print(*sorted(set(ray.get([where.remote() for _ in range(64)]))))
