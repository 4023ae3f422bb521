"""Takes the memory of the first GPU except for the given number of MiB, and holds it until its input ends."""

import ctypes
import sys

leave = int(sys.argv[1]) * 2**20
cuda = ctypes.CDLL("libcuda.so.1")


def call(name: str, *args: object) -> int:
    return getattr(cuda, name)(*args)


def free() -> int:
    available, total = ctypes.c_size_t(), ctypes.c_size_t()
    call("cuMemGetInfo_v2", ctypes.byref(available), ctypes.byref(total))
    return available.value


device, context = ctypes.c_int(), ctypes.c_void_p()
for code in [
    call("cuInit", 0),
    call("cuDeviceGet", ctypes.byref(device), 0),
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device),
    call("cuCtxSetCurrent", context),
]:
    if code != 0:
        sys.exit(f"CUDA error {code}")
size = max(0, free() - leave)
while size > 2**20:
    taken = ctypes.c_uint64()
    if call("cuMemAlloc_v2", ctypes.byref(taken), ctypes.c_size_t(size)) == 0:
        size = max(0, free() - leave)
    else:
        size //= 2
print(f"left {free() // 2**20} MiB", flush=True)
sys.stdin.read()
