#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""compose.py - pairs of gang options on a private cluster, judged from outside

compose.py rows SEED              print the rows: each pair of values is in one
compose.py run FOLDER DONE ROW... run these rows (SEED.NUMBER, or a seed alone
                                  for all of its rows) on the cluster of
                                  SLURM_CONF; DONE names those that were run

The cluster has the nodes n1 to n8 of two CPUs and four GPUs, two on each leaf,
four on each spine. Members tell in FOLDER what they were told. The judge knows
squeue, what members say, and sgang's map and explain, and of GPUs scontrol; it
shares no code with the plugins.
A line for each violation, and for each row; last "N rows, N violations".
"""

import itertools
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

AXES = {
    "n": ["2", "3", "4"],
    "shape": ["-N1 -n1", "-N1 -n2", "-n2", "-N2 -n2", "-N2 -n3",
              "-N1 --exclusive", "--nodes=1-2 -n2", "-N2 --ntasks-per-node=1",
              "-N1 -n1 --gpus=3", "-n2 --gpus=2", "-N2 -n3 --gpus=4"],
    "as": ["jobs", "array", "both"],
    "min": ["all", "fewer"],
    "mode": ["", "nonstrict"],
    "topology": ["", "require:leaf", "require:spine", "prefer:leaf", "auto",
                 "spread:leaf", "prefer:leaf@0:03"],
    "exclusive": ["", "leaf"],
    "order": ["", "rank-order=ring", "rank", "order"],
    "parallel": ["", "dp=R", "tp=2,dp=?", "tp=R,dp=1"],
    "match": ["", "only-waiting", "waiting-and-running"],
    "spares": ["", "1", "1:cold"],
    "on-failure": ["", "ignore", "kill", "requeue", "replace"],
    "on-stale": ["", "kill", "requeue"],
    "on-success": ["", "leader", "all"],
    "on-drain": ["", "replace"],
    "groups": ["", "two"],
    "role": ["", "a", "ab"],
    "begin": ["free", "busy", "half"],
    "event": ["none", "fail", "requeue", "cancel", "drain", "restart", "kill",
              "late", "reconfigure"],
}
# Values that spank_gang(8) refuses beside each other.
REFUSED = [
    ("role", "parallel", r"..?-\S+"), ("role", "mode", r"..?-nonstrict"),
    ("role", "spares", r"..?-1:cold"), ("role", "order", r"..?-rank-order.*"),
    ("role", "topology", r"..?-(spread.*|auto)"),
    ("order", "parallel", r"rank-order=ring-\S+"),
    ("match", "spares", r"only-waiting-\S+"),
    ("match", "on-failure", "only-waiting-replace"),
    ("match", "on-drain", "only-waiting-replace"),
]
HOPS = [(1, 1), (2, 4), (4, 16), (8, 64)]  # nodes of a domain, cost


def rows(seed):
    """A pairwise array: rows are drawn, of some the one with most new pairs."""
    rng = random.Random(seed)
    names = list(AXES)
    left = {(a, x, b, y) for a, b in itertools.combinations(names, 2)
            for x in AXES[a] for y in AXES[b] if not refused({a: x, b: y})}
    while left:
        a, x, b, y = rng.choice(sorted(left))
        best, most = None, -1
        for _ in range(12):
            row = {k: rng.choice(AXES[k][:1] * 3 + AXES[k]) for k in names}
            row.update({a: x, b: y})
            for c, d, _ in REFUSED:
                if refused({c: row[c], d: row[d]}):
                    row[d if c in (a, b) else c] = ""
            new = len(left & set(pairs(row)))
            best, most = (row, new) if new > most else (best, most)
        left -= set(pairs(best))
        yield best


def refused(row):
    return any(c in row and d in row and
               re.fullmatch(what, f"{row[c]}-{row[d]}")
               for c, d, what in REFUSED)


def pairs(row):
    return [(a, row[a], b, row[b]) for a, b in itertools.combinations(row, 2)]


def run(*command):
    return subprocess.run(command, stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.STDOUT).stdout


def expand(hosts):
    return run("scontrol", "show", "hostnames", hosts).split() if hosts else []


def domain(node, size):
    return (int(node[1:]) - 1) // size


def hop(x, y):
    return next(cost for size, cost in HOPS if domain(x, size) ==
                domain(y, size))


def wait(until, seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = until()
        if value:
            return value
        time.sleep(0.2)
    return None


class Row:
    def __init__(self, number, row, folder):
        self.number, self.row, self.folder = number, row, folder
        self.name = "r" + number.replace(".", "x")
        self.bad, self.refused, self.ids = [], None, []
        self.n = int(row["n"])
        self.spares = int(row["spares"][:1] or 0)
        self.ring = None

    def violation(self, text):
        self.bad.append(text)
        print(f"violation: {self.number}: {text}", flush=True)

    # -- submission --

    def options(self):
        row, n = self.row, self.n
        tasks = {"-n": 2, "-N": 1}[row["shape"][:2]] if \
            not re.search(r"-n\d", row["shape"]) else \
            int(re.search(r"-n(\d)", row["shape"])[1])
        if "ntasks" in row["shape"]:
            tasks = 2
        if "exclusive" in row["shape"]:
            tasks = 1
        self.tasks = tasks
        self.least = n - (row["min"] == "fewer" and n > 2)
        total = n + self.spares
        said = [f"--gang={self.name}", f"--gang-min-member={self.least}"]
        if total > self.least:
            said.append(f"--gang-total-number={total}")
        for key in ("mode", "topology", "exclusive", "match", "spares",
                    "on-failure", "on-stale", "on-success", "on-drain"):
            if row[key]:
                said.append(f"--gang-{key}={row[key]}")
        if row["parallel"]:
            said.append("--gang-parallel=" +
                        row["parallel"].replace("R", str(n * tasks)))
        if row["order"] == "rank-order=ring":
            said.append("--gang-rank-order=ring")
        if row["groups"]:
            said.append(f"--gang-groups=root/{self.name},root/{self.name}b")
        return said, total

    def sbatch(self, *options, array=0):
        out = run("sbatch", "--parsable", "-t60", "-o/dev/null",
                  *([f"--array=1-{array}"] if array else []),
                  *self.row["shape"].split(), *options,
                  f"{self.folder}/member.sh")
        if not re.search(r"^\d+$", out, re.M):
            self.refused = " ".join(out.split())
            if "can never start" not in self.refused:
                self.violation(f"refused: {self.refused}")
        return out

    def submit(self):
        said, total = self.options()
        of = {"jobs": [0] * total, "array": [total],
              "both": [total - 1] + [0]}[self.row["as"]]
        roles = self.row["role"] and \
            [self.row["role"][i % len(self.row["role"])]
             for i in range(len(of))]
        if roles:  # the minimum is of its groups
            said = [x for x in said if "-min-member" not in x and
                    "-total-number" not in x]
            said.append(f"--gang-min-member={len(set(roles))}")
            self.least = total
        for i, array in enumerate(of):
            own = list(said)
            if self.row["order"] in ("rank", "order"):
                own.append(f"--gang-{self.row['order']}={total - i}")
            if roles:
                least = sum(of[j] or 1 for j, x in enumerate(roles)
                            if x == roles[i])
                own.append(f"--gang-role={roles[i]}:min={least}")
            self.sbatch(*own, array=array)
            if self.refused:
                return
        if self.row["groups"] == "two":
            self.sbatch(f"--gang={self.name}b", "--gang-min-member=1",
                        f"--gang-groups=root/{self.name},root/{self.name}b")

    # -- what is seen --

    def look(self):
        """job: (state, nodes, restarts, reason) of the gang, by squeue."""
        self.seen = {}
        for line in run("squeue", "-ahr", "-t", "PD,R,CF,CG", "-O",
                        "JobID:|,State:|,NodeList:|,Comment:|,Reason:|,"
                        "RestartCnt:|,SubmitTime:|").splitlines():
            f = line.split("|")
            if len(f) > 6:
                self.seen[f[0]] = f[1:]
        return self.seen

    def told(self):
        """What each member's last run was told: its variables."""
        found = {}
        for path in os.listdir(self.folder):
            m = re.fullmatch(r"(\d+)\.(\d+)\.env", path)
            if m and (m[1] not in found or int(m[2]) > found[m[1]][0]):
                with open(f"{self.folder}/{path}", encoding="utf8") as f:
                    found[m[1]] = int(m[2]), dict(
                        line.rstrip("\n").split("=", 1) for line in f
                        if "=" in line)
        return {k: v[1] for k, v in found.items()
                if v[1].get("SLURM_GANG_NAME") == self.name}

    def running(self):
        told = self.told()
        return {k: told[k] for k, v in self.look().items()
                if v[0] == "RUNNING" and k in told}

    def rest(self, seconds=14):
        """Wait until nothing changes any more."""
        last = [None, 0]

        def stays():
            now = sorted((k, v[0], v[4]) for k, v in self.look().items())
            for k, v in self.seen.items():
                if v[0] == "PENDING" and v[3] == "BeginTime":
                    run("scontrol", "update", f"JobId={k}", "StartTime=now")
            holds = self.row["mode"] or "cold" in self.row["spares"]
            if any(v[0] == "COMPLETING" or
                   v[0] == "CONFIGURING" and not holds or
                   v[0] == "PENDING" and
                   re.search("its turn|holding|BeginTime|None", v[3])
                   for v in self.seen.values()):
                now.append(time.monotonic())
            if now != last[0]:
                last[:] = [now, time.monotonic()]
            # what is preferred for three seconds is given up in a pass then
            still = 6 if "@" in self.row["topology"] else 2
            return time.monotonic() > last[1] + still
        wait(stays, seconds)

    # -- the judge --

    def judge(self, when):
        members = self.running()
        if not members:
            return
        rings = wait(lambda: self.rings(members), 15)
        if not rings:
            texts = {k: set(self.state_of(v).split("\n"))
                     for k, v in members.items()}
            same = set.intersection(*texts.values())
            own = {k: sorted(v - same) or "the rest" for k, v in texts.items()}
            self.violation(f"{when}: state files differ: {own}, or lack one "
                           f"of {sorted(members)}: {sorted(same)[:9]}")
            return
        for ring, state in rings:
            self.judge_ring(when, ring, state, len(rings) == 1)

    def judge_ring(self, when, members, state, alone):
        seated = {k: v for k, v in members.items()
                  if v.get("SLURM_GANG_MEMBER_RANK", "") != ""}
        ids = [i.split("_")[0] for i in
               state.get("SLURM_GANG_JOB_IDS", "").split(",")]
        there = [i for i in ids if i != "0"]
        spares = [i for i in state.get("SLURM_GANG_SPARE_JOB_IDS", "")
                  .split(",") if i]
        if len(set(there)) != len(there):
            self.violation(f"{when}: a job has two ranks: {ids}")
        if set(there) - set(self.seen) or set(members) - set(there + spares):
            self.violation(f"{when}: {sorted(members)} run, the state file "
                           f"has {ids} and the spares {spares}")
        for k, v in seated.items():
            rank = v["SLURM_GANG_MEMBER_RANK"]
            if k in there and ids.index(k) != int(rank) and k not in spares:
                self.violation(f"{when}: job {k} was told rank {rank}, the "
                               f"state file has {ids}")
        if "0" not in ids and alone:
            self.judge_map(when, there, state)
        self.judge_place(when, {k: expand(self.seen[k][1]) for k in there
                                if k in self.seen})
        for k in members:
            self.judge_gpus(when, k)

    @staticmethod
    def state_of(member):
        try:
            with open(member.get("SLURM_GANG_STATE", ""),
                      encoding="utf8") as f:
                return f.read()
        except OSError:
            return ""

    def rings(self, members):
        """[(members, state file)], if that of all is the same and names who
        runs. With only-waiting, those that start together later have another
        ring, and members of two share no rank."""
        rings, named = {}, []
        for k, v in members.items():
            rings.setdefault(self.state_of(v), {})[k] = v
        if len(rings) > 1 and self.row["match"] != "only-waiting":
            return None
        found = []
        for text, ring in rings.items():
            state = dict(re.findall(r"^(\w+)='?(.*?)'?$", text, re.M))
            ids = (state.get("SLURM_GANG_JOB_IDS", "") + "," +
                   state.get("SLURM_GANG_SPARE_JOB_IDS", "")).split(",")
            if not state or set(ring) - set(ids):
                return None
            named += [i for i in ids if i not in ("", "0")]
            found.append((ring, state))
        return found if len(set(named)) == len(named) or len(found) == 1 \
            else None

    def judge_map(self, when, there, state):
        out = run("sgang", "map", self.name, "--json")
        try:
            rows = json.loads(out)
        except ValueError:
            return self.violation(f"{when}: sgang map: {out[:200]}")
        rows = rows if isinstance(rows, list) else \
            next(v for v in rows.values() if isinstance(v, list))
        ranks = sorted(r["rank"] for r in rows)
        if len(set(ranks)) != len(ranks):
            self.violation(f"{when}: the map has a rank twice: {ranks}")
        if ranks != list(range(int(state["SLURM_GANG_RANKS"]))):
            self.violation(f"{when}: ranks {ranks} of the map, the state file "
                           f"has {state['SLURM_GANG_RANKS']}")
        on = {n for k in there if k in self.seen
              for n in expand(self.seen[k][1])}
        if {r["node"] for r in rows} != on:
            self.violation(f"{when}: the map is on "
                           f"{sorted({r['node'] for r in rows})}, jobs on "
                           f"{sorted(on)}")
        told = re.search(r'"ring_cost": *(\d+)',
                         run("sgang", "explain", self.name, "--json"))
        if told and told[1] != state["SLURM_GANG_RING_COST"]:
            self.violation(f"{when}: the ring costs {told[1]} in explain, in "
                           f"the state file {state['SLURM_GANG_RING_COST']}")
        if self.row["parallel"] or self.row["role"]:
            return None
        ring = [r["node"] for r in sorted(rows, key=lambda r: r["rank"])]
        cost = sum(hop(a, b) for a, b in zip(ring, ring[1:] + ring[:1])) \
            if len(ring) > 1 else 0
        if str(cost) != state["SLURM_GANG_RING_COST"]:
            self.violation(f"{when}: the ring {ring} costs {cost}, they were "
                           f"told {state['SLURM_GANG_RING_COST']}")
        return None

    def judge_place(self, when, nodes):
        every = {n for on in nodes.values() for n in on}
        level = {"leaf": 2, "spine": 4}
        kind, _, name = self.row["topology"].partition(":")
        if kind == "require" and len({domain(n, level[name])
                                      for n in every}) > 1:
            self.violation(f"{when}: {self.row['topology']}: {every}")
        if kind == "spread":
            leaves = [{domain(n, 2) for n in on} for on in nodes.values()]
            if any(len(x) > 1 for x in leaves) or \
                    len(set().union(*leaves)) != len(leaves):
                self.violation(f"{when}: spread: {nodes}")
        if self.row["exclusive"] and not self.row["groups"]:
            own = {domain(n, 2) for n in every}
            for k, v in self.seen.items():
                # jobs of no gang may be there
                if k not in self.told() and v[0] == "RUNNING" and \
                        v[2] not in ("", "(null)") and \
                        own & {domain(n, 2) for n in expand(v[1])}:
                    self.violation(f"{when}: job {k} is in a leaf of {nodes}")

    def judge_gpus(self, when, job):
        wanted = re.search(r"--gpus=(\d)", self.row["shape"])
        if not wanted or self.seen.get(job, [""])[0] != "RUNNING":
            return
        out = next((line for line in  # of an array all tasks are shown
                    run("scontrol", "-d", "-o", "show", "job", job)
                    .splitlines() if line.startswith(f"JobId={job} ")), "")
        each = [int(gpus) * len(expand(nodes)) for nodes, gpus in
                re.findall(r" Nodes=(\S+) CPU_IDs=\S+ Mem=\S+ GRES=gpu:(\d+)",
                           out)]
        if "JobState=RUNNING" in out and sum(each) != int(wanted[1]):
            self.violation(f"{when}: job {job} has {each} GPUs of {wanted[1]}")

    def judge_start(self):
        first, row = self.running(), self.row
        if not first:
            text = {v[3] for v in self.seen.values()}
            if row["begin"] != "half" and not row["exclusive"] and \
                    not row["role"] and \
                    not (row["parallel"] == "tp=2,dp=?" and  # not in pairs
                         self.n * self.tasks % 2) and \
                    row["topology"].partition(":")[0] in ("", "prefer", "auto"):
                self.violation(f"does not start on free nodes: {text}")
            return
        if len(first) < self.least and self.row["on-success"] != "leader":
            text = [v[3] for k, v in self.seen.items() if v[0] == "PENDING"]
            self.violation(f"{len(first)} of {self.least} started: {text[:2]}")

    # -- a row --

    def event(self):
        members = self.running()
        seats = sorted((int(v.get("SLURM_GANG_MEMBER_RANK") or 99), k)
                       for k, v in members.items())
        if not seats:
            return None
        job, event = seats[-1 if seats[-1][0] != 99 else 0][1], \
            self.row["event"]
        if event == "fail":
            open(f"{self.folder}/{job}.fail", "w").close()
        elif event in ("requeue", "cancel"):
            run("scontrol" if event == "requeue" else "scancel",
                *(["requeue"] if event == "requeue" else []), job)
        elif event == "drain":
            run("scontrol", "update", f"NodeName={expand(self.seen[job][1])[0]}",
                "State=DRAIN", "Reason=compose")
        elif event == "late":
            self.sbatch(f"--gang={self.name}", *(
                [f"--gang-role={self.row['role'][0]}"] if self.row["role"]
                else []))
        elif event == "reconfigure":
            run("scontrol", "reconfigure")
        elif event in ("restart", "kill"):
            run(os.environ["COMPOSE_RESTART"],
                "TERM" if event == "restart" else "KILL")
            wait(lambda: "UP" in run("scontrol", "ping"), 30)
        return job

    def go(self):
        block = {"busy": 8, "half": 4}.get(self.row["begin"], 0)
        if block:
            run("sbatch", "-t60", "-o/dev/null", "-N1", "--exclusive",
                f"--array=1-{block}", f"{self.folder}/block.sh")
            wait(lambda: sum(v[0] == "RUNNING" for v in
                             self.look().values()) == block, 20)
        self.submit()
        if not self.refused:
            if self.row["begin"] == "busy":
                self.rest(6)
                if self.told():
                    self.violation(f"started on no nodes: {self.told()}")
                run("scancel", "-n", "block.sh")
            self.rest()
            self.judge_start()
            self.judge("start")
            if self.row["event"] != "none" and self.event():
                self.rest(20)
                self.judge(self.row["event"])
        waits = [v[3] for v in self.look().values() if v[0] == "PENDING"]
        print(f"# {self.number} {self.row}: " + (
            f"refused: {self.refused[:160]}" if self.refused else
            f"{len(self.running())} run, waits: {waits[:1]}"), flush=True)
        self.end()

    def end(self):
        run("scancel", "-u", "root")
        run("scontrol", "update", "NodeName=n[1-8]", "State=RESUME")
        if not wait(lambda: not run("squeue", "-ah").strip(), 60):
            self.violation("the queue is not empty: " + run("squeue", "-a"))
        left = wait(lambda: not re.search(
            r"CPUAlloc=[1-9]|AllocMem=[1-9]",
            run("scontrol", "-o", "show", "node")), 20)
        if not left:
            self.violation("nodes are in use: " + run("sinfo", "-N"))
        for path in os.listdir(self.folder):
            if re.search(r"\.(env|fail)$", path):
                os.unlink(f"{self.folder}/{path}")


def wanted(arguments):
    for word in arguments:
        seed, _, number = word.partition(".")
        for i, row in enumerate(rows(int(seed))):
            if not number or int(number) == i:
                yield f"{seed}.{i}", row


def main():
    if sys.argv[1] == "rows":
        for number, row in wanted(sys.argv[2:]):
            print(number, row)
        return 0
    folder, done = sys.argv[2:4]
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    before = open(done, encoding="utf8").read().split() if \
        os.path.exists(done) else []
    part, of = (int(x) for x in os.environ.get("PART", "0/1").split("/"))
    end = time.monotonic() + float(os.environ.get("SECONDS_MAX", "1e9"))
    n = bad = 0
    for i, (number, row) in enumerate(wanted(sys.argv[4:])):
        if i % of != part or number in before or time.monotonic() > end or \
                n == int(os.environ.get("ROWS", 1 << 30)):
            continue
        one = Row(number, row, folder)
        one.go()
        n, bad = n + 1, bad + len(one.bad)
        with open(done, "a", encoding="utf8") as f:
            f.write(number + "\n")
    print(f"{n} rows, {bad} violations")
    return bad > 0


sys.exit(main())
