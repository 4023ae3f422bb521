/** Fast Fourier transform of complex signals of one length (a power of two), in place. */
export type Fourier = { size: number; transform: (real: Float64Array, imaginary: Float64Array) => void };

export function createFourier(size: number): Fourier {
  if (size < 2 || (size & (size - 1)) !== 0) throw new Error(`${size} is not a power of two`);
  const cosines = Float64Array.from({ length: size / 2 }, (_, i) => Math.cos((2 * Math.PI * i) / size));
  const sines = Float64Array.from({ length: size / 2 }, (_, i) => -Math.sin((2 * Math.PI * i) / size));
  const swaps = swapsOf(size);
  return {
    size,
    transform: (real, imaginary) => {
      for (let i = 0; i < swaps.length; i += 2) {
        swap(real, swaps[i]!, swaps[i + 1]!);
        swap(imaginary, swaps[i]!, swaps[i + 1]!);
      }
      for (let half = 1; half < size; half *= 2) {
        const step = size / (2 * half);
        for (let from = 0; from < size; from += 2 * half)
          for (let i = 0; i < half; i++) {
            const [low, high, turn] = [from + i, from + i + half, i * step];
            const [cosine, sine] = [cosines[turn]!, sines[turn]!];
            const turnedReal = real[high]! * cosine - imaginary[high]! * sine;
            const turnedImaginary = real[high]! * sine + imaginary[high]! * cosine;
            real[high] = real[low]! - turnedReal;
            imaginary[high] = imaginary[low]! - turnedImaginary;
            real[low] = real[low]! + turnedReal;
            imaginary[low] = imaginary[low]! + turnedImaginary;
          }
      }
    },
  };
}

/** Pairs of positions whose bits are each other's reverse. */
function swapsOf(size: number): Uint32Array {
  const pairs: number[] = [];
  let reversed = 0;
  for (let i = 1; i < size; i++) {
    let bit = size >> 1;
    for (; reversed & bit; bit >>= 1) reversed ^= bit;
    reversed ^= bit;
    if (i < reversed) pairs.push(i, reversed);
  }
  return Uint32Array.from(pairs);
}

function swap(values: Float64Array, one: number, other: number): void {
  const kept = values[one]!;
  values[one] = values[other]!;
  values[other] = kept;
}
