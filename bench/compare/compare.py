# SPDX-License-Identifier: Apache-2.0
"""Costs of two builds, measured in turn; run.sh says how it is called and what it prints."""
import atexit
import os
import random
import re
import shutil
import socket
import statistics
import subprocess
import sys
import time
import urllib.request

OLD, NEW, WORK, ROOT = (os.environ[name] for name in ("OLD", "NEW", "WORK", "ROOT"))
PAIRS = int(os.environ.get("FAIRWAY_BENCH_PAIRS", "15"))
WORST = 1.03


def output_of(*command):
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"error: {' '.join(command)}: {done.stderr[-500:]}")
    return done.stdout


def figure(pattern, text):
    found = re.search(pattern, text)
    if not found:
        sys.exit(f"error: no line with {pattern!r} in:\n{text}")
    return float(found.group(1))


def cpu_seconds(pid):
    fields = open(f"/proc/{pid}/stat", encoding="ascii").read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def start(*command, output):
    """A server that ends with this program at the latest."""
    server = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT)
    atexit.register(server.kill)
    return server


def wait_until(what, seconds=60):
    end = time.monotonic() + seconds
    while not what():
        if time.monotonic() > end:
            sys.exit("error: a server did not start")
        time.sleep(0.02)


class Program:
    """A measure that runs a program of the build and reads its output."""

    def __enter__(self):
        return self

    def __exit__(self, *fault):
        pass


class Cel(Program):
    def costs(self, build):
        data = f"{ROOT}/bench/cel/data"
        return {"cel": float(output_of(f"{build}/bench_cel", f"{data}/rules.txt", f"{data}/object.json", "20000").split()[0])}


class Promql(Program):
    def costs(self, build):
        told = output_of(f"{build}/bench_promql", "compare", f"{NEW}/bench_promql_rival", os.environ["GRAPH_DATA"], "1")
        return {f"promql {kind}": figure(kind + r"\s+fairway:\s+([\d.]+) us", told) for kind in ("range", "instant")}


class Storage(Program):
    def costs(self, build):
        told = output_of(f"{build}/bench_storage", WORK)
        costs = {}
        for line, name in (("start of a file of 10,000", "start"), ("list of 10,000 (20 MB)", "list"), ("the same in 20 pages", "pages")):
            costs[f"storage {name}"] = figure(re.escape(line) + r".*?([\d.]+) ms, CPU", told)
        costs["storage events"] = 1 / figure(r"events to 1,000 watchers.*?(\d+) /s", told)
        # Beside SQLite's own in the same run: the disk is not the same from one minute to the next.
        costs["storage creates, beside SQLite"] = 1 / figure(r"storage ratio ([\d.]+)", told)
        return costs


class Informer(Program):
    def __enter__(self):
        self.servers, self.urls = [], {}
        for count in ("20000", "100000"):
            name = f"{WORK}/url-{count}"
            with open(name, "w", encoding="ascii") as url:
                self.servers.append(start(f"{OLD}/bench_informer", "serve", count, output=url))
            wait_until(lambda: os.path.getsize(name))
            self.urls[count] = open(name, encoding="ascii").read().strip()
        return self

    def __exit__(self, *fault):
        for server in self.servers:
            server.kill()
            server.wait()

    def costs(self, build):
        sync = output_of(f"{build}/bench_informer", "sync", self.urls["20000"], "20000").split()
        listed = output_of(f"{build}/bench_informer", "list", self.urls["100000"], "100000").split()
        return {"informer time": float(sync[0]), "informer memory": float(sync[1]), "informer list": float(listed[0])}


class Apiserver(Program):
    def costs(self, build):
        folder, client = f"{WORK}/apiserver", f"{NEW}/bench_apiserver"
        shutil.rmtree(folder, ignore_errors=True)
        os.mkdir(folder)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = str(free.getsockname()[1])
        with open(f"{folder}/log", "wb") as log:
            begun = str(time.time_ns())
            server = start(f"{build}/fairway", "apiserver", "--data", f"{folder}/data", "--listen", f"127.0.0.1:{port}",
                           "--kubeconfig", f"{folder}/kubeconfig", output=log)
        try:
            costs = {"apiserver start": float(output_of(client, "ready", port, begun).split()[0])}
            wait_until(lambda: os.path.exists(f"{folder}/kubeconfig") and os.path.getsize(f"{folder}/kubeconfig"))
            with open(f"{folder}/client.pem", "w", encoding="ascii") as pem:
                for part in ("certificate", "key"):
                    pem.write(output_of("sh", "-c", f"sed -n 's/.*client-{part}-data: //p' {folder}/kubeconfig | base64 -d"))
            asked = [port, f"{folder}/client.pem"]
            costs["apiserver creates"] = 1 / float(output_of(client, "creates", *asked).split()[0])
            output_of(client, "fill", *asked)
            costs["apiserver list"] = float(output_of(client, "list", *asked).split()[0])
            rate, cpu = map(float, output_of(client, "watch", *asked, str(server.pid)).split())
            costs.update({"apiserver events": 1 / rate, "apiserver CPU of an event": cpu})
            return costs
        finally:
            server.kill()
            server.wait()


class Updateservice(Program):
    seconds = 2

    def __enter__(self):
        self.servers, self.bases, self.etags = {}, {}, {}
        for build in (OLD, NEW):
            name = f"{WORK}/serve-{len(self.servers)}.log"
            with open(name, "wb") as log:
                self.servers[build] = start(
                    f"{build}/fairway", "serve", "--releases", os.environ["RELEASES"], "--graph-data", os.environ["GRAPH_DATA"],
                    "--listen", "127.0.0.1:0", "--status-listen", "127.0.0.1:0", output=log)
            wait_until(lambda: re.search(r"serving address=\S+", open(name, encoding="utf-8").read()))
            text = open(name, encoding="utf-8").read()
            self.bases[build] = "http://" + re.search(r"serving address=([\d.:]+)", text).group(1) + os.environ["GRAPH_PATH"]
            wait_until(lambda: self.answers(build))
        return self

    def __exit__(self, *fault):
        for server in self.servers.values():
            server.kill()
            server.wait()

    def answers(self, build):
        try:
            with urllib.request.urlopen(self.bases[build]) as answer:
                self.etags[build] = answer.headers["ETag"]
                return True
        except OSError:
            return False

    def costs(self, build):
        costs = {}
        requests = {"plain": [], "gzip": ["-H", "Accept-Encoding: gzip"], "304": ["-H", f"If-None-Match: {self.etags[build]}"]}
        for name, headers in requests.items():
            before = cpu_seconds(self.servers[build].pid)
            told = output_of("wrk", "-t1", "-c32", f"-d{self.seconds}s", *headers, self.bases[build])
            spent = cpu_seconds(self.servers[build].pid) - before
            if "Non-2xx" in told:
                sys.exit(f"error: updateservice {name}: {told}")
            costs[f"updateservice {name}"] = 1 / figure(r"Requests/sec:\s+([\d.]+)", told)
            costs[f"updateservice {name}, CPU"] = spent / figure(r"(\d+) requests in", told)
        return costs


MEASURES = {"cel": Cel, "promql": Promql, "informer": Informer, "storage": Storage, "apiserver": Apiserver,
            "updateservice": Updateservice}


def main():
    wanted = sys.argv[1:] or list(MEASURES)
    unknown = [name for name in wanted if name not in MEASURES]
    if unknown:
        sys.exit(f"error: nothing is called {unknown[0]}; there are {', '.join(MEASURES)}")
    chance, worse = random.Random(1), []
    for name in wanted:
        ratios = {}
        with MEASURES[name]() as measure:
            for pair in range(PAIRS):
                order = (OLD, NEW) if pair % 2 else (NEW, OLD)
                costs = {build: measure.costs(build) for build in order}
                for figure_name, cost in costs[NEW].items():
                    ratios.setdefault(figure_name, []).append(cost / max(costs[OLD][figure_name], 1e-12))
        for figure_name, values in ratios.items():
            medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(4000))
            low, high = medians[100], medians[3899]
            verdict = "worse" if low > WORST else ("better" if high < 1 else "")
            print(f"{figure_name:32} new / old {statistics.median(values):.3f}, 95 % interval {low:.3f} to {high:.3f}, "
                  f"{PAIRS} pairs  {verdict}".rstrip(), flush=True)
            if low > WORST:
                worse.append(figure_name)
    if worse:
        sys.exit(f"error: worse by more than 3 %: {', '.join(worse)}")


main()
