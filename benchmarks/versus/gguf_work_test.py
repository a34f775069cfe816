"""Bytes and operations of a token, from files written here."""

import pathlib
import struct
import tempfile
import unittest

from versus.gguf_work import work_of
from versus.plan import Test


def text(value):
    return struct.pack("<Q", len(value)) + value.encode()


def gguf(tensors, metadata=()):
    """tensors: (name, shape, type). metadata: (key, uint32)."""
    out = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(metadata) + 3)
    out += text("general.architecture") + struct.pack("<I", 8) + text("llama")
    out += text("tokenizer.tokens") + struct.pack("<IIQ", 9, 8, 2) + text("a") + text("b")
    out += text("tokenizer.types") + struct.pack("<IIQ3i", 9, 5, 3, 1, 2, 3)
    for key, value in metadata:
        out += text(key) + struct.pack("<II", 4, value)
    for name, shape, kind in tensors:
        out += text(name) + struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, 0)
    return out


class WorkTest(unittest.TestCase):
    def work(self, content):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "m.gguf"
            path.write_bytes(content)
            return work_of(path)

    def test_tied_embeddings_are_the_output_layer(self):
        work = self.work(gguf([("token_embd.weight", (64, 100), 8), ("blk.0.attn_q.weight", (64, 64), 2),
                               ("blk.0.attn_norm.weight", (64,), 0)]))
        self.assertEqual(work.bytes_per_token, 6400 / 32 * 34 + 4096 / 32 * 18 + 64 * 4)
        self.assertEqual((work.ops_per_token, work.head_ops), (2 * 4096, 2 * 6400))
        self.assertEqual(work.operations(Test(512, 0)), 512 * 8192 + 12800)
        self.assertEqual(work.operations(Test(0, 4)), 4 * (8192 + 12800))

    def test_an_untied_embedding_is_not_read(self):
        work = self.work(gguf([("token_embd.weight", (64, 100), 8), ("output.weight", (64, 100), 1)]))
        self.assertEqual(work.bytes_per_token, 12800)

    def test_experts_count_as_far_as_they_are_used(self):
        work = self.work(gguf([("output.weight", (32, 1), 0), ("blk.0.ffn_up_exps.weight", (32, 32, 8), 0)],
                              [("llama.expert_count", 8), ("llama.expert_used_count", 2)]))
        self.assertEqual(work.ops_per_token, 2 * 32 * 32 * 2)

    def test_files_that_cannot_be_read(self):
        good = gguf([("output.weight", (32, 1), 0)])
        for content in (b"", b"GGUF", good[:-9], b"PK" + good, gguf([("output.weight", (32, 1), 99)])):
            self.assertIsNone(self.work(content))
        self.assertIsNone(work_of("/nonexistent"))


if __name__ == "__main__":
    unittest.main()
