"""A recording proxy before a model server: record.py LISTEN_PORT UPSTREAM_PORT FILE.jsonl [bodies].

With a fourth argument the requests are kept whole too, in FILE.jsonl.bodies, for whoever looks into one: they are no part of a cassette.

Each request of POST /v1/chat/completions becomes one line: a fingerprint of the request, and the answer whole. A streamed
answer is kept as its raw chunks, with the milliseconds since the request. Other requests are passed on and not recorded.
"""
import hashlib, http.client, json, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

LISTEN, UPSTREAM, FILE = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
LOCK = threading.Lock()
COUNT = [0]
BODIES = open(FILE + ".bodies", "a") if len(sys.argv) > 4 else None
DROP = ("connection", "transfer-encoding", "content-length", "keep-alive", "host")


def digest(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def fingerprint(body):
    messages = body.get("messages") or [{}]
    return {
        "sha256": digest(body),
        "model": body.get("model"),
        "stream": bool(body.get("stream")),
        "tools": len(body.get("tools") or []),
        "tools_sha256": digest(body.get("tools")),
        "messages": len(messages),
        "last_role": messages[-1].get("role"),
        "last_sha256": digest(messages[-1]),
    }


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_GET(self):
        self.pass_on(b"", False)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length") or 0))
        self.pass_on(body, self.path.endswith("/chat/completions"))

    def pass_on(self, body, kept):
        started = time.time()
        at = lambda: round((time.time() - started) * 1000)
        headers = {k: v for k, v in self.headers.items() if k.lower() not in DROP}
        line = {"n": 0, "at": round(started, 3), "path": self.path}
        if kept:
            with LOCK:
                COUNT[0] += 1
                line["n"] = COUNT[0]
            parsed = json.loads(body)
            line["request"] = fingerprint(parsed)
            if BODIES:
                with LOCK:
                    BODIES.write(json.dumps({"n": line["n"], "body": parsed}, ensure_ascii=False) + "\n")
                    BODIES.flush()
        up = http.client.HTTPConnection("127.0.0.1", UPSTREAM, timeout=1800)
        chunks, status, ended = [], 0, "whole"
        try:
            up.request(self.command, self.path, body, headers)
            answer = up.getresponse()
            status = answer.status
            line["status"] = status
            line["content_type"] = answer.getheader("content-type")
            is_stream = "event-stream" in (line["content_type"] or "")
            self.send_response(status)
            for key, value in answer.getheaders():
                if key.lower() not in DROP:
                    self.send_header(key, value)
            self.send_header("Connection", "close")
            if is_stream:
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                while chunk := answer.read1(65536):
                    chunks.append([at(), chunk.decode("utf-8", "replace")])
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(chunk), chunk))
                    self.wfile.flush()
                self.wfile.write(b"0\r\n\r\n")
            else:
                whole = answer.read()
                chunks.append([at(), whole.decode("utf-8", "replace")])
                self.send_header("Content-Length", str(len(whole)))
                self.end_headers()
                self.wfile.write(whole)
        except (BrokenPipeError, ConnectionResetError):
            ended = "left by the asker"
        except OSError as fault:
            ended = f"fault: {fault}"
            if not status:
                self.send_error(502)
        finally:
            up.close()
            self.close_connection = True
        if kept:
            line.update(ms=at(), ended=ended, chunks=chunks)
            with LOCK, open(FILE, "a") as out:
                out.write(json.dumps(line, ensure_ascii=False) + "\n")


ThreadingHTTPServer.daemon_threads = True
ThreadingHTTPServer(("127.0.0.1", LISTEN), Handler).serve_forever()
