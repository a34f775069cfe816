#!/usr/bin/env python3
"""Write quant_golden.txt: random blocks of every type and what the Python package `gguf` (0.19) decodes them to.

    pip install gguf==0.19.0 && python make_quant_golden.py > quant_golden.txt

One line a block: type name, the block's bytes, the values' float32 bits, both as hex.
"""
import numpy as np
from gguf import GGML_QUANT_SIZES, GGMLQuantizationType as Q
from gguf.quants import dequantize

TYPES = [Q.BF16, Q.Q4_0, Q.Q4_1, Q.Q5_0, Q.Q5_1, Q.Q8_0, Q.Q2_K, Q.Q3_K, Q.Q4_K, Q.Q5_K, Q.Q6_K, Q.IQ4_NL, Q.IQ4_XS, Q.MXFP4]
BLOCKS = 6

rng = np.random.default_rng(20260101)
for qtype in TYPES:
    elements, size = GGML_QUANT_SIZES[qtype]
    data = rng.integers(0, 256, (BLOCKS * 32 if elements == 1 else BLOCKS, size), dtype=np.uint8)
    with np.errstate(all="ignore"):
        values = dequantize(data.reshape(1, -1), qtype).astype("<f4").reshape(len(data), elements)
    for block, row in zip(data, values):
        print(qtype.name, block.tobytes().hex(), row.tobytes().hex())
