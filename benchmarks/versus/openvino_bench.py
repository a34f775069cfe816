"""llama-bench for OpenVINO GenAI: the same options and JSON, run with the interpreter that has openvino_genai.

    python openvino_bench.py -m MODEL.gguf -p 512 -n 128 -d 0 -t 2 -r 2 -o json

Prefill is the time to the first token of a random prompt of that length, decode the time between the tokens after it.
The cache of prompt prefixes is off, every prompt is new, and the end-of-text token does not end a run. Depth: prefill
of n tokens behind d cannot be told apart from prefill of d + n, so only decode is measured there.
"""

import argparse
import json
import random
import sys
import time

FIRST_ID, LAST_ID = 100, 4000  # plain tokens in every vocabulary


def numbers(text):
    return [int(part) for part in text.split(",") if part]


def load(model, threads):
    import openvino_genai as genai
    scheduler = genai.SchedulerConfig()
    scheduler.enable_prefix_caching = False
    return genai.LLMPipeline(model, "CPU", scheduler_config=scheduler, INFERENCE_NUM_THREADS=threads)


def generate(pipeline, prompt_tokens, new_tokens):
    """(seconds to the first token, seconds of all tokens after it)."""
    import numpy
    import openvino
    import openvino_genai as genai
    ids = numpy.array([[random.randrange(FIRST_ID, LAST_ID) for _ in range(prompt_tokens)]], dtype=numpy.int64)
    config = genai.GenerationConfig(max_new_tokens=new_tokens, ignore_eos=True, do_sample=False)
    inputs = genai.TokenizedInputs(openvino.Tensor(ids), openvino.Tensor(numpy.ones_like(ids)))
    metrics = pipeline.generate(inputs, config).perf_metrics
    made = metrics.get_num_generated_tokens()
    if made != new_tokens:
        raise RuntimeError(f"asked for {new_tokens} tokens, got {made}")
    return metrics.get_ttft().mean / 1e3, metrics.get_tpot().mean / 1e3 * (made - 1)


def measure(pipeline, n_prompt, n_gen, depth):
    """Tokens a second."""
    if n_prompt:
        return n_prompt / generate(pipeline, n_prompt, 1)[0]
    return n_gen / generate(pipeline, max(depth, 1), n_gen + 1)[1]


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-m", "--model", required=True)
    for short, default in (("-p", "512"), ("-n", "128"), ("-d", "0")):
        parser.add_argument(short, default=default, metavar="LIST")
    parser.add_argument("-t", type=int, default=2, metavar="THREADS")
    parser.add_argument("-r", type=int, default=5, metavar="REPETITIONS")
    parser.add_argument("-o", choices=["json"], default="json", help="json only")
    options = parser.parse_args(arguments)
    import openvino_genai as genai
    try:
        pipeline = load(options.model, options.t)
    except RuntimeError as error:
        print("cannot load the file: " + " ".join(str(error).split()[-12:]), file=sys.stderr)
        return 1
    rows = []
    for depth in numbers(options.d):
        tests = [(n, 0) for n in numbers(options.p) if n and not depth] + [(0, n) for n in numbers(options.n) if n]
        for n_prompt, n_gen in tests:
            measure(pipeline, n_prompt, min(n_gen, 1), 0)
            speeds = [measure(pipeline, n_prompt, n_gen, depth) for _ in range(options.r)]
            rows.append({"n_prompt": n_prompt, "n_gen": n_gen, "n_depth": depth, "n_threads": options.t,
                         "samples_ts": speeds, "avg_ts": sum(speeds) / len(speeds), "backends": "OpenVINO CPU",
                         "engine_version": genai.__version__,
                         "test_time": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())})
    json.dump(rows, sys.stdout, indent=1)
    print()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
