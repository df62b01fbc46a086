"""Model servers with strict chat templates, each at a path of its own. A request that the template (or
Mistral's own validator) refuses is answered with 400 and the error text, as vLLM does. All other requests
are passed on to the simulated model.

insist.py PILOT TABLE TEMPLATE...: prints its address. On SIGTERM it writes for each template how many
requests it accepted and refused, and why."""
import collections
import copy
import datetime
import http.server
import json
import pathlib
import signal
import sys
import threading
import urllib.error
import urllib.request

import jinja2
import jinja2.sandbox
from mistral_common.protocol.instruct import validator
from mistral_common.protocol.instruct.request import ChatCompletionRequest

# The signals are blocked before there are threads, so that only the main thread waits for them.
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
PILOT, TABLE, TEMPLATES = sys.argv[1], sys.argv[2], sys.argv[3:]


def raise_exception(message):
    raise jinja2.TemplateError(message)


environment = jinja2.sandbox.ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
)
environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
environment.globals["raise_exception"] = raise_exception
environment.globals["strftime_now"] = lambda form: datetime.datetime.now().strftime(form)


def by_template(path):
    template = environment.from_string(pathlib.Path(path).read_text())
    # This template joins the arguments to text, so it gets them as text, as its model's own API passes them.
    as_text = "deepseek_v3" in path

    def judge(body):
        messages = copy.deepcopy(body["messages"])
        for message in messages:
            # vLLM and llama.cpp pass messages to a template in this form.
            if message.get("content") is None:
                message["content"] = ""
            for call in message.get("tool_calls", []):
                if not as_text:
                    call["function"]["arguments"] = json.loads(call["function"]["arguments"])
        template.render(
            messages=messages, tools=body.get("tools"), bos_token="<s>", eos_token="</s>", add_generation_prompt=True
        )

    return judge


def by_mistral(name):
    judge_of = getattr(validator, name)(validator.ValidationMode.serving)

    def judge(body):
        request = ChatCompletionRequest.from_openai(body["messages"], tools=body.get("tools"), model="m")
        judge_of.validate_request(request)

    return judge


judges = {pathlib.Path(path).stem: by_template(path) for path in TEMPLATES}
judges |= {name: by_mistral(name) for name in dir(validator) if name.startswith("MistralRequestValidator")}
took = collections.Counter()
refused = {name: collections.Counter() for name in judges}
lock = threading.Lock()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        name = self.path.split("/")[1]
        try:
            judges[name](json.loads(body))
        except Exception as error:  # whatever it is, this server cannot take the request
            with lock:
                refused[name][str(error)[:100]] += 1
            return self.answer(400, json.dumps({"object": "error", "message": str(error), "code": 400}).encode())
        with lock:
            took[name] += 1
        request = urllib.request.Request(
            PILOT + "/v1/chat/completions", body, {"content-type": "application/json"}
        )
        try:
            with urllib.request.urlopen(request) as answer:
                self.answer(answer.status, answer.read(), answer.headers["content-type"])
        except urllib.error.HTTPError as error:
            self.answer(error.code, error.read())

    def answer(self, status, body, kind="application/json"):
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
print(f"http://127.0.0.1:{server.server_port}", *judges, flush=True)
signal.sigwait({signal.SIGTERM, signal.SIGINT})
with open(TABLE, "w") as table:
    for name in judges:
        why = "; ".join(f"{count} x {reason}" for reason, count in refused[name].items())
        print(f"{name}\t{took[name]}\t{sum(refused[name].values())}\t{why}", file=table)
