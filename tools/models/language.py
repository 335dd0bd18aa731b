"""Tiny language models of random weights, one function for each architecture's tensors."""
from models.gguf_file import I32, U32, GgufFile
from models.vocabulary import add_vocabulary, all_tokens

DIM, HEADS, HEADS_KV, HEAD, HIDDEN = 64, 2, 1, 32, 128
CONTEXT = 4096
SLIDING_WINDOW = 48  # rows; small enough that tests pass it
MROPE_SECTIONS = (4, 6, 6, 0)  # time, y, x: half of a head's dimensions


def begin(architecture, name, layers, seed, heads_kv=HEADS_KV):
    file = GgufFile(architecture, seed)
    file.text("general.name", name)
    for key, value in (("context_length", CONTEXT), ("embedding_length", DIM), ("block_count", layers),
                       ("feed_forward_length", HIDDEN), ("attention.head_count", HEADS),
                       ("vocab_size", len(all_tokens()))):
        file.number(f"{architecture}.{key}", value)
    if isinstance(heads_kv, tuple):
        file.array(f"{architecture}.attention.head_count_kv", I32, heads_kv)
    else:
        file.number(f"{architecture}.attention.head_count_kv", heads_kv)
    file.real(f"{architecture}.attention.layer_norm_rms_epsilon", 1e-6)
    file.real(f"{architecture}.rope.freq_base", 10000.0)
    add_vocabulary(file)
    return file


def add_ends(file, output=True, norm="output_norm"):
    words = len(all_tokens())
    file.table("token_embd.weight", DIM, words)
    file.ones(f"{norm}.weight", DIM)
    if output:
        file.matrix("output.weight", DIM, words, gain=2.0)


def add_attention(file, block, bias=False, head_norms=False, kind="f32"):
    sizes = {"q": HEADS * HEAD, "k": HEADS_KV * HEAD, "v": HEADS_KV * HEAD}
    file.ones(f"{block}.attn_norm.weight", DIM)
    for part, rows in sizes.items():
        file.matrix(f"{block}.attn_{part}.weight", DIM, rows, kind=kind)
        if bias:
            file.bias(f"{block}.attn_{part}.bias", rows)
    file.matrix(f"{block}.attn_output.weight", HEADS * HEAD, DIM, kind=kind)
    if head_norms:
        for part in "qk":
            file.ones(f"{block}.attn_{part}_norm.weight", HEAD)


def add_feed_forward(file, block, kind="f32"):
    file.ones(f"{block}.ffn_norm.weight", DIM)
    file.matrix(f"{block}.ffn_gate.weight", DIM, HIDDEN, kind=kind)
    file.matrix(f"{block}.ffn_up.weight", DIM, HIDDEN, kind=kind)
    file.matrix(f"{block}.ffn_down.weight", HIDDEN, DIM, kind=kind)


def plain(architecture, layers=2, kind="f32", **attention):
    """llama, qwen2, qwen3 and what differs from them by keys alone."""
    def make(name, seed):
        file = begin(architecture, name, layers, seed)
        file.number(f"{architecture}.attention.key_length", HEAD)
        file.number(f"{architecture}.attention.value_length", HEAD)
        add_ends(file)
        for i in range(layers):
            add_attention(file, f"blk.{i}", kind=kind, **attention)
            add_feed_forward(file, f"blk.{i}", kind)
        return file
    return make


def qwen2vl(name, seed):
    file = plain("qwen2vl", bias=True)(name, seed)
    file.array("qwen2vl.rope.dimension_sections", I32, MROPE_SECTIONS)
    return file


def qwen3vl(name, seed):
    file = plain("qwen3vl", head_norms=True)(name, seed)
    file.array("qwen3vl.rope.dimension_sections", I32, MROPE_SECTIONS)
    file.number("qwen3vl.n_deepstack_layers", 1)
    return file


def gemma(architecture, head_norms):
    """Layers take turns at looking back over a window and over everything."""
    def make(name, seed):
        layers = 4
        file = begin(architecture, name, layers, seed)
        file.number(f"{architecture}.attention.key_length", HEAD)
        file.number(f"{architecture}.attention.value_length", HEAD)
        file.number(f"{architecture}.attention.sliding_window", SLIDING_WINDOW)
        if architecture == "gemma3":
            file.number("gemma3.attention.sliding_window_pattern", 2)
        else:
            file.real("gemma2.attn_logit_softcapping", 50.0)
            file.real("gemma2.final_logit_softcapping", 30.0)
        add_ends(file, output=False)
        for i in range(layers):
            add_attention(file, f"blk.{i}", head_norms=head_norms)
            file.ones(f"blk.{i}.post_attention_norm.weight", DIM)
            add_feed_forward(file, f"blk.{i}")
            file.ones(f"blk.{i}.post_ffw_norm.weight", DIM)
        return file
    return make


def lfm2(name, seed):
    """Short convolutions with a state, and one layer of attention."""
    heads_kv, width = (0, HEADS_KV, 0), 3
    file = begin("lfm2", name, len(heads_kv), seed, heads_kv)
    file.number("lfm2.shortconv.l_cache", width)
    add_ends(file, norm="token_embd_norm")
    for i, heads in enumerate(heads_kv):
        block = f"blk.{i}"
        if heads:
            add_attention(file, block, head_norms=True)
        else:
            file.ones(f"{block}.attn_norm.weight", DIM)
            file.matrix(f"{block}.shortconv.conv.weight", width, DIM)
            file.matrix(f"{block}.shortconv.in_proj.weight", DIM, 3 * DIM)
            file.matrix(f"{block}.shortconv.out_proj.weight", DIM, DIM)
        add_feed_forward(file, block)
    return file
