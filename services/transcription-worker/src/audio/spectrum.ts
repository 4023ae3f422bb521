/** Mean square of the samples. */
export function powerOf(samples: Float32Array): number {
  let power = 0;
  for (const sample of samples) power += sample * sample;
  return power / samples.length;
}

/** A frequency on the mel scale. */
export function melOf(hertz: number): number {
  return 1127 * Math.log(1 + hertz / 700);
}
