#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# etl-driver.sh - submits two executors and waits for them: see etl.yaml

for part in 1 2; do
	sbatch --wait --gang=etl --gang-role=executor -J executor-$part \
		-N1 -n2 --time=10 --wrap="srun hostname" &
done
wait
