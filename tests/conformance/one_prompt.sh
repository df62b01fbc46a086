#!/usr/bin/env bash
# What one prompt for all is worth with a real small model behind llama.cpp's server (decision 470): several Myses play the
# simulated game by this build and, with BEFORE=PATH, by another one, in turns: answers, and tokens of prompts that the server
# read. Needs the network (pip) and python3 with venv.
# `tests/conformance/one_prompt.sh [DIRECTORY]`: installed programs and results stay in that directory. ZOEA=PATH tests
# another build, MODEL=FILE.gguf another model, MINUTES=N sets how long each plays (5), MYSES=N how many (4), ROUNDS=N how often (1).
# REQUESTS=FILE, as `ZOEA_REQUESTS=FILE cargo test --test simulation -- after_an_hour` or `zoea pilot --record FILE --keep-bodies`
# writes it, counts the tokens that the requests of two Myses have in common, and plays nothing.
# The exit status is 0 if each build got answers.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/tests/conformance
. "$here/small_model.sh"

PYTHONDONTWRITEBYTECODE=1 exec "$work/venv/bin/python" "$here/one_prompt.py" "$work" "$model" "${MINUTES:-5}" "${MYSES:-4}" "${ROUNDS:-1}"
