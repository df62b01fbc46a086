"""The swarm of a night, its servers, its disk, and who watches them."""
import itertools
import json
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import subprocess
import threading
import time

from swarm import PLAIN, ZOEA, Process, fetch, free_port, wait_for

# What befalls single requests all night long. None of it needs the operator. `empty-reply` is not among it: the pilot's chance follows
# from the number of a request, which an empty reply does not raise, so that the same Mysis gets one again and again.
MODEL_CHAOS = ["http-500@0.01", "http-429@0.01:1", "drop@0.005", "garbage@0.003", "cut-args@0.005", "slow@0.01:8s"]
GAME_CHAOS = ["http-500@0.005", "drop@0.005", "rpc-error@0.002", "slow@0.01:3s", "game-session@0.0005"]
# The text that the model's server refuses from the beginning of that trouble on.
POISON = "PURPLE-HERRING"
MISSION = "Mine ore, sell it at your station, refuel and go again."


class Scene:
    """A home on a small disk, the program in it, a galaxy and a pilot."""

    def __init__(self, directory, asked):
        self.directory, self.asked = directory, asked
        self.dice = random.Random(asked.seed)
        self.home = directory / "disk" / "home"
        self.alerts = directory / "alerts.jsonl"
        self.ports = {"game": free_port(), "model": free_port(), "metrics": free_port()}
        self.lock = threading.Lock()
        self.marks, self.orders, self.runs = [], [], []
        self.over = threading.Event()
        self.begun = time.time()
        self.numbers = itertools.count()
        self.mount()
        self.configure()
        self.servers = {}
        self.start_game()
        self.start_model()
        self.start()
        self.watchers = [
            threading.Thread(target=self.watch, args=(every, look), daemon=True)
            for every, look in ((1, self.look_at_metrics), (5, self.look_at_status), (10, self.look_at_sizes))
        ]
        for watcher in self.watchers:
            watcher.start()

    # The disk.

    def mount(self):
        disk = self.home.parent
        disk.mkdir(exist_ok=True)
        self.is_small = bool(os.environ.get("NIGHT_DISK"))
        if self.is_small:
            subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4g", "tmpfs", str(disk)], check=True)
        self.home.mkdir(exist_ok=True)

    def fill_disk(self):
        """Leaves no room: the file system gets the size of what is in it, or the program may write no file any further."""
        if self.is_small:
            used = shutil.disk_usage(self.home.parent).used
            self.resize(used + 4096)
        else:
            hard = resource.prlimit(self.swarm.child.pid, resource.RLIMIT_FSIZE)[1]
            resource.prlimit(self.swarm.child.pid, resource.RLIMIT_FSIZE, (4096, hard))

    def free_disk(self):
        if self.is_small:
            self.resize(4 << 30)
        else:
            hard = resource.prlimit(self.swarm.child.pid, resource.RLIMIT_FSIZE)[1]
            resource.prlimit(self.swarm.child.pid, resource.RLIMIT_FSIZE, (hard, hard))

    def resize(self, size):
        subprocess.run(["mount", "-o", f"remount,size={size}", str(self.home.parent)], check=True)

    # The processes.

    def configure(self):
        url = {name: f"http://127.0.0.1:{port}" for name, port in self.ports.items()}
        (self.home / "zoea.toml").write_text(f"""\
[swarm]
max_myses = {self.asked.myses + 10}
default_provider = "pilot"
[providers.pilot]
endpoint = "{url['model']}/v1"
model = "pilot"
max_concurrency = {self.asked.myses}
price = {{ input = 0.1, output = 0.4 }}
api_key_env = "NIGHT_KEY"
[mcp]
upstream = "{url['game']}/mcp"
logins_per_minute = 600
[budget]
usd_per_day = "unlimited"
tokens_per_day = "unlimited"
[metrics]
listen = "127.0.0.1:{self.ports['metrics']}"
[alerts]
command = ["sh", "-c", "cat >> {self.alerts}; echo >> {self.alerts}"]
cool_down = "30s"
""")
        self.names = [f"m{number}" for number in range(self.asked.myses)]
        for name in self.names:
            self.zoea("mysis", "create", name)
        self.zoea("broadcast", MISSION)

    def zoea(self, *arguments, timeout=120):
        """Runs a command on the home to its end. Returns its output; an error has its status before it."""
        command = [ZOEA, "--home", str(self.home), *arguments]
        try:
            ran = subprocess.run(command, env=self.env(), capture_output=True, text=True, timeout=timeout, check=False)
        except subprocess.TimeoutExpired:
            return f"no answer within {timeout} s"
        return ran.stdout if ran.returncode == 0 else f"[{ran.returncode}] {ran.stdout}{ran.stderr}"

    @staticmethod
    def env():
        return PLAIN | {"NIGHT_KEY": "night"}

    def spawn(self, name, command):
        log = self.directory / f"{name}-{next(self.numbers)}.out"
        return Process(command, log, self.env())

    def start_game(self):
        chaos = [] if self.asked.plain else GAME_CHAOS
        self.servers["game"] = self.spawn("game", [
            ZOEA, "galaxy", "--addr", f"127.0.0.1:{self.ports['game']}", "--tick", "1s", "--data", str(self.directory / "galaxy"),
            "--ledger", str(self.directory / "ledger.jsonl"), "--logins-per-minute", "unlimited", "--refusals-per-minute", "unlimited",
            *(part for fault in chaos for part in ("--fault", fault)),
        ])

    def start_model(self, *more, key="night"):
        chaos = [] if self.asked.plain else MODEL_CHAOS
        self.servers["model"] = self.spawn("model", [
            ZOEA, "pilot", "--addr", f"127.0.0.1:{self.ports['model']}", "--seed", str(self.asked.seed), "--latency", self.asked.latency,
            "--api-key", key, *(part for fault in chaos for part in ("--fault", fault)), *more,
        ])

    def start(self):
        how = "--resume" if self.runs else "--start-swarm"
        self.swarm = self.spawn("swarm", [ZOEA, "--home", str(self.home), "run", "--headless", "--json", how])
        self.runs.append(time.time())
        pid = f'"pid":{self.swarm.child.pid}'
        run = self.home / "run.json"
        wait_for("the swarm is up", lambda: run.exists() and pid in run.read_text().replace(" ", ""), 120)

    def signal(self, process, number):
        os.kill(process.child.pid, number)

    # What is given and seen.

    def give_order(self):
        """Sends a direct message in a process of its own; it is acknowledged if the command succeeds."""
        number = len(self.orders)
        text = f"order {number} of night {self.asked.seed}: report when you can"
        order = {"text": text, "at": time.time(), "acknowledged": None}
        self.orders.append(order)

        def send():
            told = self.zoea("send", self.dice.choice(self.names), text)
            order["acknowledged"], order["told"] = not told.startswith(("[", "no answer")), told.strip()[:200]

        threading.Thread(target=send, daemon=True).start()

    def poison(self):
        told = self.zoea("send", self.names[-1], f"Say {POISON} to the station.")
        self.note("poison", told=told.strip())

    def note(self, kind, **facts):
        with self.lock, (self.directory / "seen.jsonl").open("a") as file:
            file.write(json.dumps({"at": time.time(), "kind": kind, **facts}) + "\n")

    def watch(self, every, look):
        while not self.over.wait(every):
            try:
                look()
            except (OSError, ValueError, subprocess.SubprocessError) as error:
                self.note("unseen", by=look.__name__, why=str(error)[:200])

    def look_at_metrics(self):
        url = f"http://127.0.0.1:{self.ports['metrics']}/metrics"
        told = {}
        for name, labels, value in re.findall(r'^(zoea_needs|zoea_server_away|zoea_server_light|zoea_mailbox_depth)\{(.*?)\} (\S+)$', fetch(url), re.M):
            if float(value):
                told[f"{name}{{{labels}}}"] = float(value)
        self.note("metrics", told=told)

    def look_at_status(self):
        status = json.loads(self.zoea("status", "--json", timeout=20))
        self.note(
            "status", trouble=status["trouble"], warnings=[one["code"] for one in status["warnings"]], silence=status["silence"],
            away=status["away"], doubtful=status["doubtful"], needs=[one["cause"] for one in status["needs"]], states=status["states"],
        )

    def look_at_sizes(self):
        sizes = {"load": os.getloadavg()[0], "run": len(self.runs)}
        for name, process in (("swarm", self.swarm), *self.servers.items()):
            found = re.search(r"VmRSS:\s+(\d+)", pathlib.Path(f"/proc/{process.child.pid}/status").read_text())
            sizes[f"{name}_mb"] = int(found[1]) / 1024 if found else None
        sizes["files"] = len(os.listdir(f"/proc/{self.swarm.child.pid}/fd"))
        for name, pattern in (("log", "zoea.log*"), ("database", "zoea.db*"), ("home", "**/*")):
            sizes[f"{name}_mb"] = sum(path.stat().st_size for path in self.home.glob(pattern) if path.is_file()) / 1e6
        self.note("sizes", **sizes)

    # The end.

    def finish(self):
        """Ends the swarm in good order, and keeps what judges it."""
        for order in self.orders:
            wait_for("a messenger is back", lambda order=order: order["acknowledged"] is not None, 150)
        self.over.set()
        for watcher in self.watchers:
            watcher.join(60)
        self.signal(self.swarm, signal.SIGTERM)
        ended = self.swarm.child.wait(60)
        kept = {"ended": ended, "check": self.zoea("db", "check", timeout=900)}
        kept["export"] = self.zoea("export", "--out", str(self.directory / "export.jsonl"), timeout=900)
        days = sorted({time.strftime("%Y-%m-%d", time.gmtime(at)) for at in (self.begun, time.time())})
        kept["report"] = "\n".join(self.zoea("report", "--day", day, timeout=300) for day in days)
        (self.directory / "events.jsonl").write_text(self.zoea("events", "--json", "--limit", "0", timeout=300))
        kept |= {"begun": self.begun, "over": time.time(), "runs": self.runs, "marks": self.marks, "orders": self.orders}
        kept["asked"] = {name: str(value) for name, value in vars(self.asked).items()}
        kept |= {"cores": os.cpu_count(), "disk": "tmpfs" if self.is_small else "RLIMIT_FSIZE", "version": self.zoea("--version").strip()}
        (self.directory / "night.json").write_text(json.dumps(kept))
        for log in self.home.glob("zoea.log*"):
            shutil.copy(log, self.directory)

    def close(self):
        self.over.set()
        for process in (self.swarm, *self.servers.values()):
            if process.child.poll() is None:
                self.signal(process, signal.SIGCONT)
            process.stop()
