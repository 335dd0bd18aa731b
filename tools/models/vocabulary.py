"""A byte-level BPE vocabulary small enough for tiny models, with the control tokens of every family."""
from models.gguf_file import I32, STRING

NORMAL, CONTROL = 1, 3
END, TURN_BEGIN, TURN_END = "<|endoftext|>", "<|im_start|>", "<|im_end|>"
CONTROL_TOKENS = (
    END, TURN_BEGIN, TURN_END,
    "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|audio_bos|>", "<|audio_eos|>",  # Qwen
    "<start_of_image>", "<end_of_image>",  # Gemma
    "<fake_token_around_image>", "<global-img>",  # Idefics
    "<img>", "</img>", "[BEGIN_AUDIO]",  # InternVL, Voxtral
    "<|image_start|>", "<|image_end|>", "<|img_thumbnail|>")  # LFM2
MERGES = ("Ċ Ċ", "Ġ t", "h e", "Ġt he", "i n", "Ġ a", "r e", "o n", "Ġ s", "e r", "a t", "o u", "e n", "n d", "Ġ w",
          "i s", "Ġ c", "in g", "o r", "Ġ o", "e s", "i t", "Ġ b", "a n", "a r", "Ġ f", "e d", "Ġ I", "Ġ m", "u m")
TEMPLATE = (
    "{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")


def byte_letters():
    """The letter that stands for each byte, as byte-level BPE has had it since GPT-2."""
    shown = [*range(33, 127), *range(161, 173), *range(174, 256)]
    hidden = [byte for byte in range(256) if byte not in shown]
    letters = {byte: chr(byte) for byte in shown}
    letters.update({byte: chr(256 + i) for i, byte in enumerate(hidden)})
    return [letters[byte] for byte in range(256)]


def all_tokens():
    return [*CONTROL_TOKENS, *byte_letters(), *(merge.replace(" ", "") for merge in MERGES)]


def add_vocabulary(file):
    tokens = all_tokens()
    file.text("tokenizer.ggml.model", "gpt2")
    file.text("tokenizer.ggml.pre", "smollm")
    file.array("tokenizer.ggml.tokens", STRING, tokens)
    file.array("tokenizer.ggml.token_type", I32, [CONTROL if token in CONTROL_TOKENS else NORMAL for token in tokens])
    file.array("tokenizer.ggml.merges", STRING, MERGES)
    for role, token in (("bos", TURN_BEGIN), ("eos", TURN_END), ("padding", END)):
        file.number(f"tokenizer.ggml.{role}_token_id", tokens.index(token))
    file.flag("tokenizer.ggml.add_bos_token", False)
    file.text("tokenizer.chat_template", TEMPLATE)
