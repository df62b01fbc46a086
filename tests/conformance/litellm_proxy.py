"""LiteLLM's proxy between a swarm and its models: litellm_proxy.py WORK [MODEL.gguf].

WORK/venv has litellm. Prints a line for each thing that is tried; the exit status is 0 if all of it holds."""
import collections
import contextlib
import json
import pathlib
import re
import sys
import time

from swarm import PLAIN, ZOEA, Process, Swarm, fetch, free_port, wait_for

WORK = pathlib.Path(sys.argv[1])
MODEL = sys.argv[2] if len(sys.argv) > 2 else None
HERE = pathlib.Path(__file__).parent
KEY = "sk-held-by-litellm"
ADDRESS = re.compile(r"http://[0-9.:]+")
# Our client repeats by itself, so the proxy need not.
PROXY = """
model_list:
{models}
litellm_settings:
  num_retries: 0
  telemetry: false
router_settings:
  num_retries: 0
general_settings:
  master_key: {key}
"""
MODELS = """  - model_name: {name}
    litellm_params: {{model: openai/{name}, api_base: "{url}/v1", api_key: none}}
"""
SWARM = """
[swarm]
default_provider = "litellm"
turn_pause = "200ms"
[mcp]
upstream = "{game}/mcp"
logins_per_minute = 1000
{mcp}
[progress]
watch = "off"
[providers.litellm]
endpoint = "{proxy}/v1"
model = "{model}"
api_key_env = "LITELLM_KEY"
retry = ["1s", "2s", "4s"]
{extra}
"""
MYSIS = '[[myses]]\nname = "{name}"\n'
results = []


def tell(name, is_fine, remark):
    results.append(is_fine)
    print(f"{'holds ' if is_fine else 'FAILED'} {name}: {remark}", flush=True)


def configuration(game, proxy, model, names=("alpha", "beta", "gamma"), extra="", mcp=""):
    text = SWARM.format(game=game, proxy=proxy, model=model, extra=extra, mcp=mcp)
    return text + "".join(MYSIS.format(name=name) for name in names)


def play(name, text, seconds, holds, env=None, prompt=None, mission="Mine ore and sell it."):
    """Plays, and tells the figures of it."""
    log = WORK / "results" / f"litellm-{re.sub(r'[^a-z0-9]+', '-', name.lower())}.jsonl"
    with Swarm(text, log, mission, env if env is not None else {"LITELLM_KEY": KEY}, prompt) as swarm:
        time.sleep(seconds)
        events = swarm.events()
        returned = [event for event in events if event["event"] == "tool_returned"]
        answers = [event for event in events if event["event"] == "model_replied"]
        figures = {
            "answers": len(answers),
            "calls": len(returned),
            "succeeded": sum(not event["is_error"] for event in returned),
            "errored": swarm.count(event="state_changed", to="errored"),
            "tokens in": sum((event.get("usage") or {}).get("input") or 0 for event in answers),
        }
        notices = swarm.notices()
        texts = collections.Counter(event["text"][:240] for event in events if event["event"] == "host")
        status = swarm.zoea("status")
        books = swarm.zoea("books")
        swarm.stop()
        with log.open("a") as out:
            print(json.dumps({"texts": texts, "status": status, "books": books}, indent=1), file=out)
        told = ", ".join(f"{count} x {code}" for code, count in notices.items()) or "nothing"
        remark = ", ".join(f"{value} {key}" for key, value in figures.items())
        tell(name, holds(figures, notices, status), f"{remark}; told: {told}")
        for text, count in texts.items():
            print(f"         {count} x {text}")


def doctors(game, proxy, home_of):
    """What doctor and its proof say of the proxy."""
    for name, model, key, good in [
        ("doctor", "pilot", KEY, True),
        ("doctor, a model that the proxy has not", "nonesuch", KEY, False),
        ("doctor, a wrong key", "pilot", "sk-wrong", False),
        ("doctor, nobody behind the proxy", "nowhere", KEY, False),
    ]:
        with home_of(configuration(game, proxy, model), {"LITELLM_KEY": key}) as home:
            report = json.loads(home("doctor", "--json"))
        provider = next(check for check in report["checks"] if "litellm" in check["name"])
        tell(name, provider["ok"] == good, provider["detail"][:400])
    with home_of(configuration(game, proxy, "pilot"), {"LITELLM_KEY": KEY}) as home:
        proof = json.loads(home("doctor", "--prove", "--yes", "--json", timeout=300))
    checks = ", ".join(f"{check['name']} {check['ok']}" for check in proof["checks"])
    tell("doctor --prove", proof["verdict"] == "plays",
         f"{proof['verdict']} ({checks}); learnt: {proof['learnt'] or 'nothing'}; spent {proof['spent']}")


@contextlib.contextmanager
def home_of(text, env):
    """The program's commands on a home without a swarm."""
    import subprocess
    import tempfile
    with tempfile.TemporaryDirectory() as home:
        (pathlib.Path(home) / "zoea.toml").write_text(text)

        def run(*arguments, timeout=120):
            command = [ZOEA, "--home", home, *arguments]
            ran = subprocess.run(command, env=PLAIN | env, capture_output=True, text=True, timeout=timeout)
            if not ran.stdout:
                raise RuntimeError(ran.stderr)
            return ran.stdout

        yield run


def main():
    with contextlib.ExitStack() as stack:
        def serve(name, *command, env=None):
            process = Process(command, WORK / "results" / f"litellm-{name}.txt", env)
            return stack.enter_context(process)

        def address(process):
            return wait_for("an address", lambda: ADDRESS.search(process.text()), 60).group()

        game = address(serve("galaxy", ZOEA, "galaxy", "--addr", ":0", "--tick", "300ms",
                             "--logins-per-minute", "unlimited"))
        models = {
            "pilot": address(serve("pilot", ZOEA, "pilot", "--addr", "127.0.0.1:0", "--seed", "7")),
            "limited": address(serve("limited", ZOEA, "pilot", "--addr", "127.0.0.1:0", "--seed", "7",
                                     "--fault", "http-429@0.1:3", "--fault", "http-500@0.05")),
            "nowhere": f"http://127.0.0.1:{free_port()}",
        }
        if MODEL:
            port = free_port()
            serve("llama", sys.executable, HERE / "serve.py", "-", str(port), MODEL, "16384")
            models["llama"] = f"http://127.0.0.1:{port}"
        port = free_port()
        proxy = f"http://127.0.0.1:{port}"
        listed = "".join(MODELS.format(name=name, url=url) for name, url in models.items())
        (WORK / "litellm.yaml").write_text(PROXY.format(models=listed, key=KEY))
        env = PLAIN | {"LITELLM_LOCAL_MODEL_COST_MAP": "True"}
        serve("proxy", WORK / "venv" / "bin" / "litellm", "--config", str(WORK / "litellm.yaml"),
              "--host", "127.0.0.1", "--port", str(port), env=env)
        wait_for("the proxy", lambda: fetch(f"{proxy}/health/liveliness"), 900, 1)
        # The proxy imports its parts at the first request, which takes a while.
        warm = {"model": "pilot", "messages": [{"role": "user", "content": "Go on."}]}
        wait_for("an answer", lambda: fetch(f"{proxy}/v1/chat/completions", warm, key=KEY), 600, 1)
        doctors(game, proxy, home_of)
        play("play, the simulated model", configuration(game, proxy, "pilot"), 60,
             lambda got, told, status: got["succeeded"] > 20 and got["errored"] == 0 and got["tokens in"] > 0)
        play("play, with 429 and 500 behind the proxy", configuration(game, proxy, "limited"), 60,
             lambda got, told, status: got["succeeded"] > 10 and got["errored"] == 0 and told["retry"] > 0)
        play("play, nobody behind the proxy", configuration(game, proxy, "nowhere"), 40,
             lambda got, told, status: got["errored"] == 0 and "away" in status)
        if MODEL:
            wait_for("the model", lambda: fetch(f"{models['llama']}/health"), 300, 1)
            text = configuration(game, proxy, "llama", ["alpha"], 'timeout = "10m"\nmax_concurrency = 1',
                                 'tools = ["register", "get_status", "mine"]')
            play("play, llama.cpp behind the proxy", text, 240, lambda got, told, status: got["answers"] >= 2,
                 prompt="You are {{name}}, a pilot. Play by calling tools. {{mission}}",
                 mission="Register, then call get_status, then mine again and again.")
    return 0 if all(results) else 1


sys.exit(main())
