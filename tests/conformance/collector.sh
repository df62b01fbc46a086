#!/usr/bin/env bash
# Sends the spans of a swarm to a real backend, Arize's Phoenix, and asks it for the tree of one turn. Needs the
# network (pip) and python3 with venv. `tests/conformance/collector.sh [DIRECTORY]`: installed programs and results
# stay in that directory. The exit status is 0 if Phoenix has every kind of span, in its turn. ZOEA=PATH tests
# another build; KEEP=1 leaves Phoenix running.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/tests/conformance
work=${1:-$(mktemp -d)}
mkdir -p "$work/results"
work=$(cd "$work" && pwd)
port=${PHOENIX_PORT:-6006}
url=http://127.0.0.1:$port

echo "== what we need ($work)"
if [ -z "${ZOEA:-}" ]; then
    cargo build --locked --bin zoea
    ZOEA=${CARGO_TARGET_DIR:-$PWD/target}/debug/zoea
fi
[ -d "$work/venv" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q arize-phoenix
"$work/venv/bin/pip" list 2>/dev/null | grep -E '^arize-phoenix '

echo "== Phoenix"
state=$(mktemp -d)
PHOENIX_WORKING_DIR=$state PHOENIX_HOST=127.0.0.1 PHOENIX_PORT=$port PHOENIX_GRPC_PORT=$((port + 1)) \
    PHOENIX_TELEMETRY_ENABLED=false "$work/venv/bin/phoenix" serve >"$work/results/phoenix.txt" 2>&1 &
phoenix=$!
home=$(mktemp -d)
finish() {
    kill "${pilot:-}" 2>/dev/null || true
    if [ -n "${KEEP:-}" ]; then
        echo "Phoenix ($phoenix) goes on at $url"
    else
        kill "$phoenix" 2>/dev/null || true
        wait 2>/dev/null || true
        rm -rf "$state"
    fi
    rm -rf "$home"
}
trap finish EXIT
for _ in $(seq 300); do curl -sf -m 2 "$url/healthz" >/dev/null && break; sleep 1; done
curl -sf -m 2 "$url/healthz" >/dev/null

echo "== an offline swarm for 60 s, by OpenTelemetry's own variables"
OTEL_EXPORTER_OTLP_ENDPOINT=$url OTEL_SERVICE_NAME=belt \
    "$ZOEA" --home "$home" run --offline --headless --for 60s >"$work/results/offline.txt"
python3 "$here/spans.py" "$url" | tee "$work/results/spans.txt"

echo "== a configured swarm for 20 s, with what was said, as JSON where Phoenix refuses it, then as protobuf"
"$ZOEA" pilot --addr 127.0.0.1:0 >"$home/pilot" &
pilot=$!
for _ in $(seq 100); do grep -q http:// "$home/pilot" && break; sleep 0.1; done
model=$(grep -o 'http://[^ ]*' "$home/pilot" | head -n 1)
configure() { # PROTOCOL
    cat >"$home/zoea.toml" <<CONFIGURATION
[providers.pilot]
endpoint = "$model"
model = "pilot"
price = { input = 0.1, output = 0.4 }
[mcp]
upstream = "offline"
[traces]
endpoint = "$url"
protocol = "$1"
contents = true
service = "belt"
[[myses]]
name = "quill"
CONFIGURATION
}
play() { "$ZOEA" --home "$home" run --headless --json --start-swarm --for "$1"; }
configure json
play 15s >"$work/results/json.txt"
grep -m 1 -o 'the trace collector takes no spans[^"]*' "$work/results/json.txt"
configure protobuf
"$ZOEA" --home "$home" broadcast "Mine ore and sell it." >/dev/null
play 20s >"$work/results/contents.txt"
python3 "$here/spans.py" "$url" contents | tee "$work/results/contents-spans.txt"
