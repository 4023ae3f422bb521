"""The part of numpy that python/ uses, over arrays: the tests of the default run need no packages."""

import array


class ndarray(array.array):
    def astype(self, _type):
        return self

    def __truediv__(self, _divisor):
        return self


def frombuffer(data, dtype):
    assert dtype == "<i2"
    return ndarray("h", data)


def concatenate(parts):
    joined = ndarray("h")
    for part in parts:
        joined.extend(part)
    return joined


def zeros(count, dtype):
    assert dtype == "float32"
    return ndarray("h", bytes(2 * count))
