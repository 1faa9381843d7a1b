"""A model of 80,000 random numbers behind a real server: llama.cpp's, of the package `xllamacpp`.

It runs under a Python of its own and imports nothing of ours: it writes the model (GGUF 3: a vocabulary of bytes, one
layer), serves it on this machine, prints the address, and ends with its standard input. What it says is noise; what
keeps it in the form of an answer is the server, by the schema that it was sent. It likes quotation marks and brackets that close, else
strings and lists would run on to their bounds.

Usage: small_model.py MODEL.gguf SEED
"""

import random  # noqa: TID251 - a seeded one
import struct
import sys
from array import array

WIDTH, HIDDEN, HEADS, WINDOW = 64, 128, 4, 1 << 15
SPECIAL = ("<unk>", "<s>", "</s>")
BYTES = tuple(f"<0x{n:02X}>" for n in range(256))
LIKED = {
    **{chr(n): -2.0 for n in (*range(33), *range(128, 256))},
    **dict.fromkeys("23456789-.eE", -1.0),
    **dict.fromkeys('{}]"', 1.0),
}
"""By how much each is likelier than noise makes it."""
LOUD = 16.0
"""Of the number that is the same for all words: beside it what noise brings in is small."""
UNSIGNED, SIGNED, REAL, TEXT, LIST = 4, 5, 6, 8, 9
ALIGNED = 32


def text(value: str) -> bytes:
    return struct.pack("<Q", len(value.encode())) + value.encode()


def member(name: str, kind: int, value: "int | float | str") -> bytes:
    if isinstance(value, str):
        return text(name) + struct.pack("<I", kind) + text(value)
    return text(name) + struct.pack("<I", kind) + struct.pack("<f" if kind == REAL else "<I", value)


def members() -> "list[bytes]":
    words = SPECIAL + BYTES
    kinds = [2, 3, 3] + [6] * len(BYTES)
    count = struct.pack("<Q", len(words))
    return [
        member("general.architecture", TEXT, "llama"),
        *(member(f"llama.{name}", UNSIGNED, value) for name, value in (
            ("context_length", WINDOW), ("embedding_length", WIDTH), ("block_count", 1), ("feed_forward_length", HIDDEN),
            ("attention.head_count", HEADS), ("attention.head_count_kv", HEADS), ("rope.dimension_count", WIDTH // HEADS),
            ("vocab_size", len(words)),
        )),
        member("llama.attention.layer_norm_rms_epsilon", REAL, 1e-5),
        member("tokenizer.ggml.model", TEXT, "llama"),
        text("tokenizer.ggml.tokens") + struct.pack("<II", LIST, TEXT) + count + b"".join(map(text, words)),
        text("tokenizer.ggml.scores") + struct.pack("<II", LIST, REAL) + count + bytes(4 * len(words)),
        text("tokenizer.ggml.token_type") + struct.pack("<II", LIST, SIGNED) + count + struct.pack(f"<{len(words)}i", *kinds),
        *(member(f"tokenizer.ggml.{name}_token_id", UNSIGNED, at) for at, name in enumerate(("unknown", "bos", "eos"))),
        member("tokenizer.chat_template", TEXT, "{% for m in messages %}{{ m.content }}{% endfor %}"),
    ]  # fmt: skip


def tensors(seed: int) -> "dict[str, tuple[tuple[int, ...], array[float]]]":
    noise = random.Random(seed)  # noqa: S311 - noise is what is asked for

    def table(rows: int, columns: int) -> "tuple[tuple[int, ...], array[float]]":
        return (columns, rows), array("f", (noise.gauss(0, columns**-0.5) for _ in range(rows * columns)))

    def ones() -> "tuple[tuple[int, ...], array[float]]":
        return (WIDTH,), array("f", [1.0] * WIDTH)

    words = len(SPECIAL + BYTES)
    found = {
        "token_embd.weight": table(words, WIDTH),
        "output_norm.weight": ones(),
        "output.weight": table(words, WIDTH),
    }
    for name in ("q", "k", "v", "output"):
        found[f"blk.0.attn_{name}.weight"] = table(WIDTH, WIDTH)
    for name, shape in {"gate": (HIDDEN, WIDTH), "up": (HIDDEN, WIDTH), "down": (WIDTH, HIDDEN)}.items():
        found[f"blk.0.ffn_{name}.weight"] = table(*shape)
    found |= {f"blk.0.{name}_norm.weight": ones() for name in ("attn", "ffn")}
    for word in range(words):
        found["token_embd.weight"][1][word * WIDTH] = LOUD
        found["output.weight"][1][word * WIDTH] = (
            LIKED.get(chr(word - len(SPECIAL)), 0.0) if word >= len(SPECIAL) else 0.0
        )
    for name in (
        "attn_output",
        "ffn_down",
    ):  # nothing adds to the first number, so it stays the same, and is a liking
        numbers, columns = found[f"blk.0.{name}.weight"][1], found[f"blk.0.{name}.weight"][0][0]
        numbers[:columns] = array("f", bytes(4 * columns))
    return found


def write_model(path: str, seed: int) -> None:
    told, placed, data = members(), b"", b""
    made = tensors(seed)
    for name, (shape, numbers) in made.items():
        placed += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, 0, len(data))
        data += numbers.tobytes() + bytes(-len(numbers.tobytes()) % ALIGNED)
    head = b"GGUF" + struct.pack("<IQQ", 3, len(made), len(told)) + b"".join(told) + placed
    with open(path, "wb") as stream:
        stream.write(head + bytes(-len(head) % ALIGNED) + data)


def serve(path: str) -> None:
    import xllamacpp

    asked = xllamacpp.CommonParams()
    asked.model.path, asked.hostnames, asked.port = path, ["127.0.0.1"], 0
    asked.n_ctx, asked.n_parallel, asked.cpuparams.n_threads, asked.warmup = WINDOW, 1, 1, False
    running = xllamacpp.Server(asked)
    print(running.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    write_model(sys.argv[1], int(sys.argv[2]))
    serve(sys.argv[1])
