#!/usr/bin/env bash
# A real small model behind llama.cpp's server flies to and fro in the simulated game: by itself, step by step, then with the
# tool that starts a routine, then in place of the simulated model, to whom a round is offered (WAYS=offered: that alone). Needs the network (pip) and python3 with venv.
# `tests/conformance/routines.sh [DIRECTORY]`: installed programs and results stay in that directory. ZOEA=PATH tests
# another build, MODEL=FILE.gguf another model, TEMPLATE=FILE.jinja another template than the model's own, MINUTES=N sets how
# long it plays each way (6). The exit status is 0 if the model started a routine, and the routine made calls without it.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/tests/conformance
. "$here/small_model.sh"

echo "== it plays"
PYTHONDONTWRITEBYTECODE=1 exec "$work/venv/bin/python" "$here/routines.py" "$work" "$model" "${TEMPLATE:--}" "${MINUTES:-6}" ${WAYS:+"$WAYS"}
