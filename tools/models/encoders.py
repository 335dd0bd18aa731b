"""Tiny encoders of pictures and of sound, one function for each kind of projector."""
from models.gguf_file import F32, GgufFile

DIM, HEADS, HIDDEN, LAYERS, EAR_LAYERS = 64, 2, 128, 2, 1
SOUND_ROWS = 1500  # of whisper's thirty seconds
MELS = 80


def begin(name, seed):
    file = GgufFile("clip", seed)
    file.text("general.type", "mmproj")
    file.text("general.name", name)
    return file


def add_settings(file, kind, row, layers=LAYERS):
    for key, value in (("embedding_length", DIM), ("attention.head_count", HEADS), ("feed_forward_length", HIDDEN),
                       ("block_count", layers), ("projection_dim", row)):
        file.number(f"clip.{kind}.{key}", value)
    file.real(f"clip.{kind}.attention.layer_norm_epsilon", 1e-6)


def eyes(file, projector, row, image, patch, layers=LAYERS, gelu=True, **keys):
    file.flag("clip.has_vision_encoder", True)
    file.text("clip.vision.projector_type", projector)
    file.flag("clip.use_gelu" if gelu else "clip.use_silu", True)
    add_settings(file, "vision", row, layers)
    file.number("clip.vision.image_size", image)
    file.number("clip.vision.patch_size", patch)
    file.array("clip.vision.image_mean", F32, [0.5] * 3)
    file.array("clip.vision.image_std", F32, [0.5] * 3)
    for key, value in keys.items():
        file.number(f"clip.vision.{key.replace('__', '.')}", value)
    file.matrix("v.patch_embd.weight", patch, patch, 3, DIM, kind="f16")


def add_places(file, rows, class_row):
    """Learned positions, and where the encoder has one a row that stands for no patch."""
    file.table("v.position_embd.weight", DIM, rows + class_row, reach=0.5)
    if class_row:
        file.bias("v.class_embd", DIM)


def add_blocks(file, prefix, layers=LAYERS, norm_bias=True, joined=False, gated=False, key_bias=True):
    for i in range(layers):
        block = f"{prefix}.blk.{i}"
        for norm in ("ln1", "ln2"):
            file.norm(f"{block}.{norm}", DIM) if norm_bias else file.ones(f"{block}.{norm}.weight", DIM)
        if joined:
            file.linear(f"{block}.attn_qkv", DIM, 3 * DIM)
        else:
            for part in "qkv":
                file.matrix(f"{block}.attn_{part}.weight", DIM, DIM)
                if part != "k" or key_bias:
                    file.bias(f"{block}.attn_{part}.bias", DIM)
        file.linear(f"{block}.attn_out", DIM, DIM)
        if gated:
            file.linear(f"{block}.ffn_gate", DIM, HIDDEN)
        file.linear(f"{block}.ffn_up", DIM, HIDDEN)
        file.linear(f"{block}.ffn_down", HIDDEN, DIM)


def llava(file, row):
    eyes(file, "mlp", row, image=56, patch=14, layers=3)
    file.bias("v.patch_embd.bias", DIM)
    add_places(file, 16, class_row=1)
    file.norm("v.pre_ln", DIM)
    add_blocks(file, "v", layers=3)
    file.linear("mm.0", DIM, row)
    file.linear("mm.2", row, row)


def idefics3(file, row):
    eyes(file, "idefics3", row, image=64, patch=16, projector__scale_factor=2, preproc_image_size=128)
    file.bias("v.patch_embd.bias", DIM)
    add_places(file, 16, class_row=0)
    add_blocks(file, "v")
    file.norm("v.post_ln", DIM)
    file.matrix("mm.model.fc.weight", 4 * DIM, row)


def internvl(file, row):
    eyes(file, "internvl", row, image=56, patch=14, projector__scale_factor=2, preproc_min_tiles=1,
         preproc_max_tiles=4)
    file.bias("v.patch_embd.bias", DIM)
    add_places(file, 16, class_row=1)
    add_blocks(file, "v")
    file.norm("mm.model.mlp.0", 4 * DIM)
    file.linear("mm.model.mlp.1", 4 * DIM, row)
    file.linear("mm.model.mlp.3", row, row)


def gemma3(file, row):
    eyes(file, "gemma3", row, image=128, patch=8)
    file.bias("v.patch_embd.bias", DIM)
    add_places(file, 256, class_row=0)
    add_blocks(file, "v")
    file.norm("v.post_ln", DIM)
    file.matrix("mm.input_projection.weight", row, DIM)
    file.ones("mm.soft_emb_norm.weight", DIM)


def lfm2(file, row):
    eyes(file, "lfm2", row, image=64, patch=16, projector__scale_factor=2)
    file.bias("v.patch_embd.bias", DIM)
    add_places(file, 16, class_row=0)
    add_blocks(file, "v")
    file.norm("v.post_ln", DIM)
    file.linear("mm.1", 4 * DIM, row)
    file.linear("mm.2", row, row)


def qwen25vl(file, row, projector="qwen2.5vl_merger"):
    eyes(file, projector, row, image=560, patch=14, gelu=False, n_wa_pattern=2)
    file.matrix("v.patch_embd.weight.1", 14, 14, 3, DIM, kind="f16")
    add_blocks(file, "v", norm_bias=False, gated=True)
    file.ones("v.post_ln.weight", DIM)
    file.linear("mm.0", 4 * DIM, 4 * DIM)
    file.linear("mm.2", 4 * DIM, row)


def qwen3vl(file, row):
    eyes(file, "qwen3vl_merger", row, image=64, patch=16, spatial_merge_size=2)
    file.matrix("v.patch_embd.weight.1", 16, 16, 3, DIM, kind="f16")
    file.bias("v.patch_embd.bias", DIM)
    add_places(file, 16, class_row=0)
    add_blocks(file, "v", joined=True)
    file.norm("v.deepstack.0.norm", 4 * DIM)
    file.linear("v.deepstack.0.fc1", 4 * DIM, 4 * DIM)
    file.linear("v.deepstack.0.fc2", 4 * DIM, row)
    file.norm("v.post_ln", DIM)
    file.linear("mm.0", 4 * DIM, 4 * DIM)
    file.linear("mm.2", 4 * DIM, row)


def ears(file, projector, row, **keys):
    """Whisper's encoder."""
    file.flag("clip.has_audio_encoder", True)
    file.text("clip.audio.projector_type", projector)
    add_settings(file, "audio", row, EAR_LAYERS)
    file.number("clip.audio.num_mel_bins", MELS)
    for key, value in keys.items():
        file.number(f"clip.audio.{key.replace('__', '.')}", value)
    for number, columns in ((1, MELS), (2, DIM)):
        file.matrix(f"a.conv1d.{number}.weight", 3, columns, DIM, kind="f16")
        file.bias(f"a.conv1d.{number}.bias", 1, DIM)
    file.table("a.position_embd.weight", DIM, SOUND_ROWS, reach=0.5)
    add_blocks(file, "a", EAR_LAYERS, key_bias=False)
    file.norm("a.post_ln", DIM)


def ultravox(file, row):
    ears(file, "ultravox", row, projector__stack_factor=8)
    file.ones("mm.a.norm_pre.weight", 8 * DIM)
    file.matrix("mm.a.mlp.1.weight", 8 * DIM, 2 * DIM)
    file.ones("mm.a.norm_mid.weight", DIM)
    file.matrix("mm.a.mlp.2.weight", DIM, row)


def voxtral(file, row):
    ears(file, "voxtral", row, projector__stack_factor=4)
    file.matrix("mm.a.mlp.1.weight", 4 * DIM, row)
    file.matrix("mm.a.mlp.2.weight", row, row)


def qwen2a(file, row, projector="qwen2a"):
    ears(file, projector, row)
    file.linear("mm.a.fc", DIM, row)


def qwen25o(file, row):
    qwen25vl(file, row, "qwen2.5o")
    qwen2a(file, row, "qwen2.5o")


def encoder(*parts):
    def make(name, row, seed):
        file = begin(name, seed)
        for part in parts:
            part(file, row)
        return file
    return make
