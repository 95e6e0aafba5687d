#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""segments.py - random gangs in segments on a private cluster, and a judge

segments.py topology SEED          print a topology.conf of nodes n1, n2, ...
segments.py gangs SEED N RELEASE   submit N gangs, one after the other

The judge knows the rules of topology/block, as numbers of blocks, and Slurm's
commands. It tries every set of nodes for every member. A gang that fits must
start, in segments that are right, at the cost that sgang shows; one that does
not must wait, all of it. A cost that is said to be proved must be the lowest.
"""

import itertools
import json
import random
import subprocess
import sys
import time

POWERS = 5


class Cluster:
    def __init__(self, seed):
        rng = random.Random(seed)
        self.base = rng.randint(1, 4)
        n_nodes = rng.randint(6, 11)
        self.block = {}
        self.blocks = []
        while len(self.block) < n_nodes:
            size = max(1, self.base - (rng.random() < 0.2))
            size = min(size, n_nodes - len(self.block))
            names = [f"n{len(self.block) + i + 1}" for i in range(size)]
            for name in names:
                self.block[name] = len(self.blocks)
            self.blocks.append(names)
        self.joined = [0] + [k for k in range(1, POWERS)
                             if rng.random() < 0.5]

    def topology(self):
        lines = [f"BlockName=b{i} Nodes={','.join(names)}"
                 for i, names in enumerate(self.blocks)]
        sizes = ",".join(str(self.base << k) for k in self.joined)
        return "\n".join(lines + [f"BlockSizes={sizes}", ""])

    def size_for(self, nodes):
        """2^k blocks that so many nodes must be in; None: anywhere."""
        for k in self.joined:
            if self.base << k >= nodes:
                return k
        return None

    def in_one(self, nodes, k):
        return k is None or len({self.block[n] >> k for n in nodes}) == 1

    def is_segment(self, nodes):
        if not self.in_one(nodes, self.size_for(len(nodes))):
            return False
        if len(nodes) <= self.base:
            return True
        below = max(k for k in self.joined if self.base << k < len(nodes))
        part = self.base << below
        parts = {self.block[n] >> below for n in nodes}
        return len(parts) <= -(-len(nodes) // part)

    def hop(self, a, b):
        if a == b:
            return 1
        cost = 4
        for k in self.joined:
            if self.block[a] >> k == self.block[b] >> k:
                return cost
            cost *= 4
        return cost

    def ring(self, nodes):
        if len(nodes) < 2:
            return 0
        return sum(self.hop(a, b)
                   for a, b in zip(nodes, nodes[1:] + nodes[:1]))


class Member:
    def __init__(self, rng, release, base):
        self.nodes = rng.choice([1, 2, 2, 3, 4, 4, 4, 6])
        late = release >= (25, 11)
        # until then segments are no larger than a block by itself
        sizes = [k for k in range(1, self.nodes)
                 if self.nodes % k == 0 and (late or k <= base)]
        self.segment = rng.choice(sizes) if sizes and rng.random() < 0.8 else 0
        self.spread = bool(self.segment and late and rng.random() < 0.2)
        self.one = bool(self.segment and late and rng.random() < 0.25)
        self.known = {}

    def options(self):
        words = ["-N", str(self.nodes)]
        if self.segment:
            words.append(f"--segment={self.segment}")
        if self.spread:
            words.append("--spread-segments")
        if self.one:
            words.append("--consolidate-segments")
        return words

    def hard(self, cluster):
        """Does the planner keep to it in some of the ways only?"""
        return self.spread or (self.segment or self.nodes) > cluster.base

    def keeps(self, cluster, nodes):
        nodes = tuple(sorted(nodes))
        if nodes not in self.known:
            self.known[nodes] = self.try_all(cluster, nodes)
        return self.known[nodes]

    def try_all(self, cluster, nodes):
        if not self.segment:
            return cluster.is_segment(nodes)
        if self.one:
            wide = self.nodes
            if self.spread:
                wide = (-(-self.segment // cluster.base) * cluster.base *
                        (self.nodes // self.segment))
            if not cluster.in_one(nodes, cluster.size_for(wide)):
                return False
        return self.divide(cluster, list(nodes), [])

    def divide(self, cluster, left, taken):
        if not left:
            return True
        for rest in itertools.combinations(left[1:], self.segment - 1):
            segment = (left[0],) + rest
            blocks = {cluster.block[n] for n in segment}
            if not cluster.is_segment(segment) or (
                    self.spread and any(blocks & b for b in taken)):
                continue
            if self.divide(cluster, [n for n in left if n not in segment],
                           taken + [blocks]):
                return True
        return False


def sets(cluster, members, free, chosen=()):
    """All ways to give each member nodes that keep to its segments."""
    if not members:
        yield chosen
        return
    for nodes in itertools.combinations(sorted(free), members[0].nodes):
        if members[0].keeps(cluster, nodes):
            yield from sets(cluster, members[1:], free - set(nodes),
                            chosen + (nodes,))


def least(cluster, members, free):
    """Of rings in the order of the fabric; None: there is no way."""
    best = None
    for way in sets(cluster, members, free):
        order = sorted((cluster.block[n], n) for nodes in way for n in nodes)
        cost = cluster.ring([n for _, n in order])
        best = cost if best is None else min(best, cost)
    return best


def least_in_order(cluster, members, free, below):
    """Of rings in the order of the members, if it is less than 'below'."""
    for way in sets(cluster, members, free):
        for each in itertools.product(*map(itertools.permutations, way)):
            cost = cluster.ring([n for nodes in each for n in nodes])
            below = min(below, cost)
    return below


# ---- Slurm ----

def run(*words):
    return subprocess.run(words, check=True, capture_output=True,
                          text=True).stdout


def sbatch(*words):
    """The number of the job; None: Slurm says that it can never run."""
    done = subprocess.run(
        ["sbatch", "--parsable", "--exclusive", "--ntasks-per-node=1", *words,
         "--wrap", "sleep 600"], check=False, capture_output=True, text=True)
    if done.returncode and "configuration is not available" in done.stderr:
        return None
    if done.returncode:
        raise SystemExit(done.stderr)
    return done.stdout.strip()


def nodes_of(job):
    state, _, nodes = run("squeue", "-h", "-j", job, "-o",
                          "%T %N").strip().partition(" ")
    if state == "PENDING" or not nodes:
        return []
    return run("scontrol", "show", "hostnames", nodes).split()


def wait(seconds, what):
    end = time.time() + seconds
    while time.time() < end:
        if what():
            return True
        time.sleep(0.1)
    return False


def clear():
    run("scancel", "-u", "root")

    def empty():
        # fails for nodes that are not down
        subprocess.run(["scontrol", "update", "nodename=ALL", "state=resume"],
                       check=False, capture_output=True)
        return not run("squeue", "-h").strip() and not run(
            "sinfo", "-h", "-N", "-t", "alloc,completing,mix").strip()
    return wait(60, empty)


class Judge:
    def __init__(self, cluster, release):
        self.cluster = cluster
        self.release = release
        self.violations = 0
        self.counts = dict(gangs=0, refused=0, fit=0, started=0, proved=0,
                           best=0, missed=0)

    def complain(self, text, members, free):
        self.violations += 1
        print(f"violation: {text}")
        print("  members:", [" ".join(m.options()) for m in members])
        print("  free:", " ".join(sorted(free)))
        print(self.cluster.topology(), flush=True)

    def started(self, name, jobs, members, free, best):
        places = [nodes_of(job) for job in jobs]
        for job, member, nodes in zip(jobs, members, places):
            if len(nodes) != member.nodes or not set(nodes) <= free:
                return f"job {job} has {nodes}"
            if not member.keeps(self.cluster, nodes):
                return f"job {job}: {nodes} are no segments"
        show = json.loads(run("sgang", "show", "--json", name))
        ranks = json.loads(run("sgang", "map", "--json", name))
        ring = [r["node"] for r in sorted(ranks, key=lambda r: r["rank"])]
        cost = self.cluster.ring(ring)
        if sorted(ring) != sorted(n for nodes in places for n in nodes):
            return f"its ranks are on {ring}, its jobs on {places}"
        if show["ring_cost"] != cost:
            return f"it costs {cost}, shown is {show['ring_cost']}"
        self.counts["best"] += cost == best
        if cost < best:
            return f"the judge is wrong: {cost} < {best}"
        if show["exact"]:
            self.counts["proved"] += 1
            if cost > best and least_in_order(self.cluster, members, free,
                                              cost) < cost:
                return f"{cost} is said to be the lowest, {best} is"
        return None

    def gang(self, rng, number):
        cluster = self.cluster
        free = set(cluster.block)
        busy = [n for n in sorted(free) if rng.random() < 0.2]
        for node in busy:
            job = sbatch("-N1", "-w", node)
            if not wait(20, lambda job=job: nodes_of(job)):
                raise SystemExit(f"job {job} does not get {node}")
        free -= set(busy)
        members = [Member(rng, self.release, cluster.base)
                   for _ in range(rng.randint(2, 3))]
        if rng.random() < 0.4:
            members = [members[0]] * len(members)
        while sum(m.nodes for m in members) > len(cluster.block):
            members.pop()
        name = f"g{number}"
        jobs = [sbatch(*m.options(), f"--gang={name}",
                       f"--gang-min-member={len(members)}")
                for m in members]
        best = least(cluster, members, free)
        self.counts["gangs"] += 1

        def all_in():
            return all(nodes_of(job) for job in jobs)
        why = None
        if None in jobs:
            self.counts["refused"] += 1
            refused = members[jobs.index(None)]
            if least(cluster, [refused], set(cluster.block)) is not None:
                why = "a member is refused that fits"
        elif best is None:
            time.sleep(3)
            if any(nodes_of(job) for job in jobs):
                why = "it does not fit, and some have nodes"
        else:
            self.counts["fit"] += 1
            if wait(15, all_in):
                self.counts["started"] += 1
                why = self.started(name, jobs, members, free, best)
            elif any(nodes_of(job) for job in jobs):
                why = "some have nodes"
            elif any(m.hard(cluster) for m in members):
                self.counts["missed"] += 1
            else:
                why = f"it fits (at {best}), and waits"
        if why:
            self.complain(f"gang {name}: {why}", members, free)
        if not clear():
            raise SystemExit("jobs do not end")


def main():
    seed = int(sys.argv[2])
    cluster = Cluster(seed)
    if sys.argv[1] == "topology":
        print(cluster.topology(), end="")
        return 0
    judge = Judge(cluster, tuple(map(int, sys.argv[4].split(".")[:2])))
    for number in range(int(sys.argv[3])):
        judge.gang(random.Random(f"{seed}.{number}"), number)
    print(" ".join(f"{n} {what}" for what, n in judge.counts.items()),
          f"{judge.violations} violations")
    return 1 if judge.violations else 0


if __name__ == "__main__":
    sys.exit(main())
