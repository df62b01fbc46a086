"""llama.cpp's server as it ran in the first night: serve.py MODEL.gguf PORT TEMPLATE.jinja [TOKENS_OF_ALL_SLOTS]."""
import pathlib
import sys
import time

import xllamacpp

params = xllamacpp.CommonParams()
params.model.path, params.port = sys.argv[1], int(sys.argv[2])
params.model_alias = {pathlib.Path(sys.argv[1]).name}
params.chat_template, params.use_jinja = pathlib.Path(sys.argv[3]).read_text(), True
# Five Myses, each with a slot and so a cache of its own; one thread, so that the machine has a core for others.
params.n_ctx = int(sys.argv[4]) if len(sys.argv) > 4 else 40960
params.n_parallel, params.kv_unified, params.swa_full, params.cache_prompt = 5, False, True, True
params.n_predict = 256
params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
# The model knows no token for the end of a turn: the words that close one in the template stop it.
params.antiprompt = ["</assistant>"]
params.sampling.top_k, params.sampling.min_p = 4, 0.1
# From the second template on.
params.sampling.penalty_present, params.sampling.penalty_last_n = 0.8, 250
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
while True:
    time.sleep(1)
