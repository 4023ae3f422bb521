/** Microseconds of processor time, which other processes hardly change. */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/**
 * Processor time of one input of four times the size, divided by that of four inputs: 1 when it grows with the size, 4 when it
 * grows with its square. The smallest of several measurements, because only disturbances make it larger.
 */
export async function growthOf<T>(
  inputOf: (size: number) => T,
  size: number,
  work: (input: T) => unknown,
): Promise<number> {
  const [small, large] = [inputOf(size), inputOf(size * 4)];
  await work(small);
  let smallest = Infinity;
  for (let tries = 0; tries < 5 && smallest > 1.5; tries += 1) {
    const divided = await processorTime(async () => {
      for (let i = 0; i < 4; i += 1) await work(small);
    });
    smallest = Math.min(smallest, (await processorTime(() => work(large))) / divided);
  }
  return smallest;
}

/**
 * Whether a large input takes far more processor time than small ones of the same size together. The least of several tries
 * counts: other processes and the collector only add time.
 * @param noiseMicroseconds far above the time of linear work on the large input, far below that of quadratic work
 */
export async function isSuperLinear<T>(
  work: (input: T) => unknown,
  { large, small, count }: { large: T; small: T; count: number },
  noiseMicroseconds: number,
): Promise<boolean> {
  let [whole, divided] = [Infinity, Infinity];
  for (let tries = 0; tries < 5; tries += 1) {
    whole = Math.min(whole, await processorTime(() => work(large)));
    if (whole < noiseMicroseconds) return false;
    const together = await processorTime(async () => {
      for (let i = 0; i < count; i += 1) await work(small);
    });
    divided = Math.min(divided, together);
    if (whole < divided * 3) return false;
  }
  return whole > divided * 4;
}

/** Between the growth of linear and of quadratic work. */
export const linearGrowth = 2.5;
