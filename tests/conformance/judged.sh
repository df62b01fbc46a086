#!/usr/bin/env bash
# Puts our client of model servers before LLMock, which fails on purpose and judges how its client takes that:
# whether it waits as Retry-After asks, how it repeats, what it does with cut streams. Needs the network (pip)
# and python3 with venv; takes some fifteen minutes. `tests/conformance/judged.sh [DIRECTORY [CASE…]]`: installed programs
# and results stay in that directory; a CASE is a part of a case's name. ZOEA=PATH tests another build. The exit
# status is 0 if the judge finds no error and every Mysis does what it should.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/tests/conformance
work=${1:-$(mktemp -d)}
shift || true
mkdir -p "$work/results"
work=$(cd "$work" && pwd)

echo "== what we need ($work)"
if [ -z "${ZOEA:-}" ]; then
    cargo build --locked --bin zoea
    ZOEA=${CARGO_TARGET_DIR:-$PWD/target}/debug/zoea
fi
export ZOEA
[ -d "$work/venv" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q 'llmock>=0.2.2'
"$work/venv/bin/pip" list 2>/dev/null | grep -E '^llmock '

echo "== the verdict of LLMock"
PYTHONDONTWRITEBYTECODE=1 exec "$work/venv/bin/python" "$here/judged.py" "$work" "$@"
