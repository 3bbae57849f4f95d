"""A llama.cpp server with a tiny model of random numbers: it speaks the real protocol and says nonsense."""

import sys
import time

import gguf
import numpy
import xllamacpp

EMBEDDING, LAYERS, HEADS, FORWARD, CONTEXT = 64, 2, 4, 128, 32768


def write_model(path):
    tokens = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)]
    kinds = [gguf.TokenType.UNKNOWN, gguf.TokenType.CONTROL, gguf.TokenType.CONTROL] + [gguf.TokenType.BYTE] * 256
    # The reader of words wants plain letters too.
    letters = [chr(code) for code in range(33, 127)] + ["\u2581"]
    tokens += letters
    kinds += [gguf.TokenType.NORMAL] * len(letters)
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(EMBEDDING)
    writer.add_block_count(LAYERS)
    writer.add_feed_forward_length(FORWARD)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(EMBEDDING // HEADS)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types(kinds)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_unk_token_id(0)
    random = numpy.random.default_rng(7)

    def tensor(name, *shape):
        values = random.standard_normal(shape, dtype=numpy.float32) * 0.1
        writer.add_tensor(name, values)

    tensor("token_embd.weight", len(tokens), EMBEDDING)
    for layer in range(LAYERS):
        for norm in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{layer}.{norm}.weight", numpy.ones(EMBEDDING, dtype=numpy.float32))
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            tensor(f"blk.{layer}.{name}.weight", EMBEDDING, EMBEDDING)
        tensor(f"blk.{layer}.ffn_gate.weight", FORWARD, EMBEDDING)
        tensor(f"blk.{layer}.ffn_up.weight", FORWARD, EMBEDDING)
        tensor(f"blk.{layer}.ffn_down.weight", EMBEDDING, FORWARD)
    writer.add_tensor("output_norm.weight", numpy.ones(EMBEDDING, dtype=numpy.float32))
    tensor("output.weight", len(tokens), EMBEDDING)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


path = sys.argv[1]
write_model(path)
params = xllamacpp.CommonParams()
params.model.path = path
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_ctx = CONTEXT
params.n_parallel = 1
params.cpuparams.n_threads = 2
params.warmup = False
server = xllamacpp.Server(params)
print(f"listening on {server.listening_address}", flush=True)
sys.stdin.read()
