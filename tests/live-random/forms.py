#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""forms.py - every way to ask for the same thing, beside ordinary jobs

forms.py SEED N THREADS GPUS FORMS
    N needs on the empty cluster of SLURM_CONF, whose cores have so many
    threads, in at most so many forms each; GPUS is no or yes

A need is drawn, and the forms in which sbatch, salloc and srun ask for it.
Of each form k ordinary jobs run at once. Then a gang of k starts, of k + 1 not
in part, and a small gang has the ring of the plainest form that has the same k,
or a better one where the form leaves the tasks of each node, or the choice of
its GPUs, to Slurm. Prints a line for each violation, and last
"N needs, N forms, N violations".
"""

import random
import re
import subprocess
import sys
import tempfile
import time

CORES = 8


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT)


def draw(rng, threads, gpus):
    """tasks, CPUs of each, nodes, GPUs of a node, MB of a node, what else."""
    nodes = rng.choice([1, 1, 1, 2])
    tasks = nodes * rng.choice([1, 2, 2, 3, 4, 4, 8])
    more = rng.choice([""] * 3 + ["--ntasks-per-core=1",
                                  "--threads-per-core=1",
                                  "--hint=nomultithread"])
    if threads == 1:
        more = ""
    cpus = rng.choice([c for c in (1, 1, 2, 3, 4)
                       if c * tasks // nodes <= CORES * (1 if more else threads)])
    gpu = rng.choice([0, 1, 2, 4, 8]) if gpus else 0
    mem = rng.choice([0, 0, 240, 1200])
    return tasks, cpus, nodes, gpu, mem, more


def forms(rng, need, count):
    """Lists of options, the plainest first."""
    tasks, cpus, nodes, gpu, mem, more = need
    each = tasks // nodes
    where = [f"-N{nodes} -n{tasks} --ntasks-per-node={each}",
             f"-N{nodes} -n{tasks}",
             f"-N{nodes} --ntasks-per-node={each}",
             f"--nodes={nodes}-{nodes} -n{tasks}",
             f"--nodes={nodes}-{nodes + 1} -n{tasks}"]
    if nodes == 1:
        where += [f"-n{tasks}", f"-n{tasks} --ntasks-per-node={tasks}"]
        if tasks == 1:
            where += ["", "--nodes=1"]
    of_cpus = [f"-c{cpus}" if cpus > 1 else "", f"--cpus-per-task={cpus}"]
    # Of several nodes Slurm gives the last ones fewer CPUs than their GPUs ask.
    if gpu and each * cpus % gpu == 0 and cpus > 1 and tasks == gpu and \
            nodes == 1:
        of_cpus.append(f"--cpus-per-gpu={each * cpus // gpu}")
    of_gpu = [""] if not gpu else \
        [f"--gres=gpu:{gpu}", f"--gpus-per-node={gpu}", f"--gpus={gpu * nodes}"]
    if gpu and gpu % each == 0:
        of_gpu.append(f"--gpus-per-task={gpu // each}")
    of_mem = [""] if not mem else [f"--mem={mem}"]
    if mem and mem % (each * cpus) == 0:
        of_mem.append(f"--mem-per-cpu={mem // (each * cpus)}")
    if mem and gpu and mem % gpu == 0:
        of_mem.append(f"--mem-per-gpu={mem // gpu}")
    all_of = [" ".join(x for x in (w, c, g, m, more) if x)
              for w in where for c in of_cpus for g in of_gpu for m in of_mem]
    return all_of[:1] + rng.sample(all_of[1:], min(count - 1, len(all_of) - 1))


def is_other(form, need, threads):
    """It asks for something else: a choice of nodes, memory of whole cores."""
    tasks, cpus, nodes = need[:3]
    return f"--nodes={nodes}-{nodes + 1}" in form or \
        "--mem-per-cpu" in form and tasks // nodes * cpus % threads > 0


def is_inexact(form):
    """Slurm 24.11 looks for a core for each CPU then, and takes fewer."""
    return all(option in form for option in
               ("--cpus-per-gpu", "--ntasks-per-core", "--ntasks-per-node"))


def has_no_step(form):
    """Slurm 24.11 allocates nodes to any srun of that form, without a gang, too,
    and refuses its step: more processors than permitted."""
    return "--ntasks-per-core" in form and not re.search("-n[0-9]", form)


def spans(need, threads):
    """A node's part is larger than an island."""
    tasks, cpus, nodes, more = *need[:3], need[5]
    return tasks // nodes * cpus > CORES // 2 * (1 if more else threads)


def placed():
    """Jobs with nodes, jobs without, and the reasons of those."""
    rows = [line.split("|") for line in
            run("squeue", "-hr", "-o", "%T|%r").stdout.splitlines()]
    waits = [r for r in rows if r[0] == "PENDING"]
    return sum(r[0] in ("RUNNING", "CONFIGURING") for r in rows), len(waits), \
        " ".join(r[1] for r in waits)


def wait(until, seconds=25):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = until()
        if value:
            return value
        time.sleep(0.1)
    return None


class Forms:
    def __init__(self):
        self.clients, self.n, self.ran, self.bad = [], 0, 0, 0
        self.tasks, self.cores = 0, None
        self.said = tempfile.TemporaryFile("w+")

    def clear(self):
        run("scancel", "-u", "root")
        for client in self.clients:
            client.kill()
            client.wait()
        self.clients = []
        if not wait(lambda: not run("squeue", "-h").stdout, 60):
            sys.exit("the queue is not empty: " + run("squeue").stdout)

    def submit(self, form, n, gang=""):
        """As one array. None, or why it is refused."""
        out = run("sbatch", "-t60", "-o/dev/null", f"--array=1-{n}",
                  *gang.split(), *form.split(), "--wrap", "sleep 999")
        return out.stdout if out.returncode else None

    def by_client(self, tool, form, n, gang):
        what = ["--no-shell"] if tool == "salloc" else ["sleep", "999"]
        self.said.seek(0)
        self.said.truncate()
        for _ in range(n):
            self.clients.append(subprocess.Popen(
                [tool, "-t60", *gang.split(), *form.split(), *what],
                stdout=subprocess.DEVNULL, stderr=self.said,
                stdin=subprocess.DEVNULL))

    def ordinary(self, form):
        """How many run at once; None: it is refused."""
        self.clear()
        if self.submit(form, 40):
            return None
        last = [None, 0]

        def stays():
            now = placed()
            if now[:2] != last[0]:
                last[:] = [now[:2], time.monotonic()]
            return last[0] if time.monotonic() > last[1] + 1.5 and \
                re.search("Resources|^$", now[2]) else None
        k = (wait(stays) or placed())[0]
        jobs = [job for job in run("scontrol", "-d", "-o", "show",
                                   "job").stdout.splitlines()
                if re.search("JobState=(RUNNING|CONFIGURING)", job)]
        first = min(jobs, key=lambda job: int(job.split()[0][6:]), default="")
        self.cores = " ".join(re.findall("CPU_IDs=[^ ]*", first))
        return None if self.stretched(form, jobs) else k

    def stretched(self, form, jobs):
        """Slurm gives jobs that do not fit on their nodes more tasks than they
        ask for, on more nodes (22.05, --ntasks-per-node with GPUs), or more
        nodes than GPUs, or a node with none of these. A gang's members wait."""
        gpus = int((re.search(r"--gpus=(\d+)", form) or [0, 99])[1])
        return any(int(re.search(r"NumTasks=(\d+)", job)[1]) > self.tasks or
                   int(re.search(r"NumNodes=(\d+)", job)[1]) > gpus or
                   "gpu" in job and re.search(r"GRES=(\(null\)|gpu:0)", job)
                   for job in jobs)

    def gang(self, form, n, tool="sbatch"):
        """(started, ring, text) of a gang of n."""
        self.clear()
        self.n += 1
        name = f"--gang=g{self.n} --gang-min-member={n}"
        refused = self.submit(form, n, name) if tool == "sbatch" else \
            self.by_client(tool, form, n, name)
        if refused:
            return 0, None, refused

        def settled():
            started, waiting, text = placed()
            return started == n or started + waiting == n and \
                text.count("Gang root/") == waiting and \
                not re.search("its turn|gathering|None", text)
        wait(settled, 40)
        started, _, text = placed()
        text = text[:200]
        if started != n and tool != "sbatch":
            self.said.seek(0)
            text += " | " + self.said.read()[:400]
        ring = wait(lambda: re.search(
            rf"gang=root/g{self.n} .*?ring=(\d+)",
            run("scontrol", "-o", "show", "job").stdout),
            10 if started == n else 0.1)
        return started, int(ring[1]) if ring else None, text

    def violation(self, form, text):
        print(f"violation: {form}: {text}", flush=True)
        self.bad += 1

    def form(self, form, tool):
        """k and the ring of a small gang."""
        k = self.ordinary(form)
        if not k:
            return 0, None
        self.ran += 1
        started, _, text = self.gang(form, k)
        if started != k:
            self.violation(form, f"{k} run, of a gang of {k} {started}: {text}")
        started, _, text = self.gang(form, k + 1)
        if started not in (0, k + 1):
            self.violation(form, f"{started} of {k + 1} start: {text}")
        small = min(3, k)
        started, ring, text = self.gang(form, small, tool)
        if "JobHeldAdmin" in text:
            return 0, None  # Slurm's GRES code has held a member
        if started != small:
            self.violation(form, f"{tool}: {started} of {small}: {text}")
        return k, ring

    def need(self, rng, need, threads, count):
        rings = {}
        self.tasks = need[0]
        for form in forms(rng, need, count):
            tool = rng.choice(["sbatch", "sbatch", "salloc", "srun"])
            if is_inexact(form):
                continue
            if tool == "srun" and has_no_step(form):
                tool = "salloc"
            k, ring = self.form(form, tool)
            print(f"# {form}: {k} run, {tool} {ring}", flush=True)
            if not k or is_other(form, need, threads):
                continue
            # Where Slurm may choose the tasks of each node, or which GPUs the
            # job has of them, a ring can be better.
            is_open = "--ntasks-per-node" not in form or \
                "--gpus=" in form or "--gpus-per-task=" in form
            plain = rings.get(k) if is_open else \
                rings.setdefault(k, (form, ring, self.cores))
            # Slurm chooses the cores of a job that spans islands of a node, and
            # with --gpus-per-task those that are near to the GPUs of a task.
            if plain and plain[2] != self.cores and \
                    (spans(need, threads) or "--gpus-per-task=" in form):
                continue
            if not ring or plain and (ring > plain[1] or
                                      ring < plain[1] and not is_open):
                self.violation(form, f"ring {ring}, of {plain}")


def main():
    seed, n, threads = (int(x) for x in sys.argv[1:4])
    forms_of = Forms()
    for i in range(seed, seed + n):
        rng = random.Random(i)
        need = draw(rng, threads, sys.argv[4] == "yes")
        print(f"# seed {i}:", *need, flush=True)
        forms_of.need(rng, need, threads, int(sys.argv[5]))
    forms_of.clear()
    print(f"{n} needs, {forms_of.ran} forms, {forms_of.bad} violations")
    return forms_of.bad > 0


sys.exit(main())
