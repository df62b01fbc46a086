"""Adds the control interface's token to requests, for test programs that cannot send one.

proxy.py RUN_JSON CONTROL_TOKEN: prints its URL, then passes on all requests with their headers.
"""

import http.client
import http.server
import json
import sys
import urllib.parse

with open(sys.argv[1]) as file:
    UPSTREAM = urllib.parse.urlsplit(json.load(file)["control"])
with open(sys.argv[2]) as file:
    TOKEN = file.read().strip()


class Passing(http.server.BaseHTTPRequestHandler):
    """Passes on a request."""

    protocol_version = "HTTP/1.1"

    def pass_on(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        upstream = http.client.HTTPConnection(UPSTREAM.hostname, UPSTREAM.port, timeout=60)
        upstream.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.headers.items():
            if name.lower() not in ("connection", "content-length", "authorization"):
                upstream.putheader(name, value)
        upstream.putheader("Authorization", f"Bearer {TOKEN}")
        upstream.putheader("Content-Length", str(len(body)))
        upstream.endheaders(body)
        answer = upstream.getresponse()
        content = answer.read()
        self.send_response(answer.status)
        for name, value in answer.getheaders():
            if name.lower() not in ("connection", "content-length", "transfer-encoding"):
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)
        upstream.close()

    do_GET = do_POST = do_DELETE = do_OPTIONS = pass_on

    def log_message(self, *_):
        """Suppresses the log of requests."""


class Quiet(http.server.ThreadingHTTPServer):
    """Does not report connections that the other side closed."""

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)


server = Quiet(("127.0.0.1", 0), Passing)
print(f"http://127.0.0.1:{server.server_port}{UPSTREAM.path}", flush=True)
server.serve_forever()
