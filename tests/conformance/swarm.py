"""A swarm that plays in a home of its own, for the tests with servers of others."""
import collections
import json
import os
import pathlib
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

ZOEA = os.environ["ZOEA"]
PLAIN = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/")}


def free_port():
    """A port that nobody uses."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def fetch(url, body=None, method=None, key=None):
    """What a server answers: its JSON, or its text."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {key}"} if key else {})
    request = urllib.request.Request(url, data, headers, method=method)
    with urllib.request.urlopen(request, timeout=120) as answer:
        text = answer.read().decode()
    return json.loads(text) if "json" in answer.headers.get("content-type", "") else text


def wait_for(what, holds, seconds, every=0.1):
    """Waits until it holds, and returns what it returned. Says `what` if it never does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            if value := holds():
                return value
        except (OSError, urllib.error.URLError):
            pass
        time.sleep(every)
    raise TimeoutError(f"not within {seconds} s: {what}")


class Process:
    """A server that ends with the test."""

    def __init__(self, command, log, env=None):
        self.log = pathlib.Path(log)
        self.log.parent.mkdir(parents=True, exist_ok=True)
        with self.log.open("wb") as out:
            self.child = subprocess.Popen(command, stdout=out, stderr=out, env=env, start_new_session=True)

    def text(self):
        return self.log.read_text(errors="replace")

    def stop(self):
        if self.child.poll() is None:
            self.child.send_signal(signal.SIGTERM)
            try:
                self.child.wait(20)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()


class Swarm(Process):
    """The program with this configuration, headless. Its events are read as they come."""

    def __init__(self, configuration, log, mission="Mine ore and sell it.", env=None, prompt=None, accounts=None):
        self.home = tempfile.TemporaryDirectory()
        home = pathlib.Path(self.home.name)
        (home / "zoea.toml").write_text(configuration)
        if prompt:
            (home / "system-prompt.md").write_text(prompt)
        self.env = PLAIN | (env or {})
        if accounts:
            (home / "accounts.json").write_text(json.dumps(accounts))
            print(self.zoea("accounts", "import", str(home / "accounts.json")), end="")
        self.zoea("broadcast", mission)
        command = [ZOEA, "--home", self.home.name, "run", "--headless", "--json", "--start-swarm"]
        super().__init__(command, log, self.env)
        self.errors = pathlib.Path(log)

    def zoea(self, *arguments, timeout=60):
        """The output of a command on this home."""
        command = [ZOEA, "--home", self.home.name, *arguments]
        ran = subprocess.run(command, env=self.env, capture_output=True, text=True, timeout=timeout)
        return ran.stdout if ran.returncode == 0 else ran.stdout + ran.stderr

    def events(self):
        """What it told so far."""
        lines = self.text().splitlines()
        parsed = []
        for line in lines:
            try:
                parsed.append(json.loads(line))
            except ValueError:
                continue
        return parsed

    def count(self, **wanted):
        return sum(all(event.get(key) == value for key, value in wanted.items()) for event in self.events())

    def notices(self):
        return collections.Counter(event["code"] for event in self.events() if event["event"] == "host")

    def rows(self, name):
        """All rows of a Mysis."""
        text = self.zoea("log", name, "--limit", "0", "--json")
        return [json.loads(line) for line in text.splitlines() if line.startswith("{")]

    def __exit__(self, *arguments):
        super().__exit__(*arguments)
        self.home.cleanup()
