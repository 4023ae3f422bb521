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

/** Between the growth of linear and of quadratic work. */
export const linearGrowth = 2.5;
