"""What one token costs in a GGUF file: bytes of weights read, and operations of its linear layers.

    work = work_of(path)            # work.bytes_per_token, work.ops_per_token, work.head_ops
"""

import math
import struct
from dataclasses import dataclass

# Weights and bytes of one block of each tensor type.
_BLOCKS = {0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34), 10: (256, 84),
           11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 20: (32, 18), 23: (256, 136), 30: (1, 2),
           39: (32, 17)}
_SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9


@dataclass(frozen=True)
class Work:
    bytes_per_token: float  # of a decode step
    ops_per_token: float    # without the output layer; two a multiply-add
    head_ops: float         # the output layer, for each row of logits

    def operations(self, test):
        """Of one run of a test: prefill wants logits for its last token only."""
        tokens, rows = (test.n_prompt, 1) if test.n_prompt else (test.n_gen, test.n_gen)
        return tokens * self.ops_per_token + rows * self.head_ops


class _Reader:
    def __init__(self, stream):
        self.stream = stream

    def scalar(self, code):
        size = struct.calcsize(code)
        data = self.stream.read(size)
        if len(data) < size:
            raise ValueError("the file ends within its header")
        return struct.unpack("<" + code, data)[0]

    def string(self):
        return self.stream.read(self.scalar("Q")).decode("utf-8", "replace")

    def value(self, kind):
        if kind == _STRING:
            return self.string()
        if kind != _ARRAY:
            return self.scalar(_SCALARS[kind])
        element, count = self.scalar("I"), self.scalar("Q")
        if element in _SCALARS:
            self.stream.seek(count * struct.calcsize(_SCALARS[element]), 1)
        else:
            for _ in range(count):
                self.value(element)
        return None


def work_of(path):
    """None when the file is no GGUF file or holds a tensor type that is not known here."""
    try:
        with open(path, "rb") as stream:
            return _read(_Reader(stream))
    except (OSError, ValueError, KeyError, struct.error):
        return None


def _read(reader):
    if reader.stream.read(4) != b"GGUF" or reader.scalar("I") < 2:
        raise ValueError("not GGUF")
    tensors, keys = reader.scalar("Q"), reader.scalar("Q")
    metadata = {}
    for _ in range(keys):
        key = reader.string()
        metadata[key] = reader.value(reader.scalar("I"))
    shapes = {}
    for _ in range(tensors):
        name = reader.string()
        shape = [reader.scalar("Q") for _ in range(reader.scalar("I"))]
        shapes[name] = (shape, reader.scalar("I"))
        reader.scalar("Q")
    return _work(metadata, shapes)


def _work(metadata, shapes):
    family = metadata.get("general.architecture", "")
    experts = metadata.get(f"{family}.expert_count") or 1
    used = metadata.get(f"{family}.expert_used_count") or experts
    head = "output.weight" if "output.weight" in shapes else "token_embd.weight"
    read_bytes = ops = head_ops = 0.0
    for name, (shape, kind) in shapes.items():
        if name == "token_embd.weight" and name != head:
            continue
        weights, size = _BLOCKS[kind]
        count = math.prod(shape) * (used / experts if "_exps" in name else 1)
        read_bytes += count / weights * size
        if name == head:
            head_ops = 2.0 * count
        elif len(shape) > 1:
            ops += 2.0 * count
    return Work(read_bytes, ops, head_ops)
