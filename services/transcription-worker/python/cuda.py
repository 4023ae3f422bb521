"""The CUDA libraries of the environment's packages, which the dynamic linker does not find by itself."""

import ctypes
import glob
import os
import sysconfig


def load_cuda_libraries() -> None:
    """Loads the libraries of the `nvidia-*` packages, if they are installed. CTranslate2 opens them by name later."""
    folder = os.path.join(sysconfig.get_path("purelib"), "nvidia", "*", "lib", "lib*.so*")
    waiting = sorted(glob.glob(folder))
    # A library may need another one that is not loaded yet: repeat while one of them can be loaded.
    while waiting:
        failed = [path for path in waiting if not _loads(path)]
        if len(failed) == len(waiting):
            return
        waiting = failed


def _loads(path: str) -> bool:
    try:
        ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
        return True
    except OSError:
        return False
