#!/usr/bin/env bash
# Plays through LiteLLM's proxy, with the simulated model behind it, and llama.cpp's server if MODEL names a
# GGUF file. Needs the network (pip) and python3 with venv; takes some ten minutes.
# `tests/conformance/litellm.sh [DIRECTORY]`: installed programs and results stay in that directory. ZOEA=PATH
# tests another build. The exit status is 0 if all that is tried holds.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/tests/conformance
work=${1:-$(mktemp -d)}
mkdir -p "$work/results"
work=$(cd "$work" && pwd)

echo "== what we need ($work)"
if [ -z "${ZOEA:-}" ]; then
    cargo build --locked --bin zoea
    ZOEA=${CARGO_TARGET_DIR:-$PWD/target}/debug/zoea
fi
export ZOEA
[ -d "$work/venv" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q 'litellm[proxy]>=1.106' ${MODEL:+xllamacpp}
"$work/venv/bin/pip" list 2>/dev/null | grep -E '^(litellm|xllamacpp) '

echo "== through LiteLLM's proxy"
PYTHONDONTWRITEBYTECODE=1 exec "$work/venv/bin/python" "$here/litellm_proxy.py" "$work" ${MODEL:+"$MODEL"}
