"""A CPU that calculates with 8-bit and 32-bit numbers only, and a GPU that the test may take away."""

import os


def get_supported_compute_types(device):
    if device == "cuda" and os.environ.get("FAKE_CUDA") == "missing":
        raise RuntimeError("CUDA driver version is insufficient for CUDA runtime version")
    return {"int8", "float32"} if device == "cpu" else {"int8", "int8_float16", "float16", "float32"}


def set_random_seed(seed):
    pass
