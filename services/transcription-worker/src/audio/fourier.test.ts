import { describe, expect, it } from '@jest/globals';
import { createFourier } from './fourier.ts';

describe('the Fourier transform', () => {
  it('finds the two frequencies of a cosine', () => {
    const real = Float64Array.from({ length: 16 }, (_, i) => Math.cos((2 * Math.PI * 3 * i) / 16));
    const imaginary = new Float64Array(16);
    createFourier(16).transform(real, imaginary);
    expect(Array.from(real, (x) => Math.abs(Math.round(x)))).toEqual([0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0]);
    expect(imaginary.every((x) => Math.abs(x) < 1e-9)).toBe(true);
  });

  it('gives the signal again when it is applied to its conjugate', () => {
    const signal = Float64Array.from({ length: 64 }, (_, i) => ((i * 37) % 11) - 5);
    const [real, imaginary] = [signal.slice(), new Float64Array(64)];
    const { transform } = createFourier(64);
    transform(real, imaginary);
    for (let i = 0; i < 64; i++) imaginary[i] = -imaginary[i]!;
    transform(real, imaginary);
    expect(real.every((x, i) => Math.abs(x / 64 - signal[i]!) < 1e-9)).toBe(true);
  });

  it('rejects a length that is not a power of two', () => {
    expect(() => createFourier(12)).toThrow('power of two');
  });
});
