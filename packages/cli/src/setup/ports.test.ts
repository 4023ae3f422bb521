import { describe, expect, it } from '@jest/globals';
import { assignPorts } from './ports.ts';

function machine(busy: readonly number[], drawn: readonly number[]) {
  const draws = [...drawn];
  return {
    isFree: async (port: number) => await Promise.resolve(!busy.includes(port)),
    draw: () => draws.shift() ?? Number.NaN,
  };
}

describe('assignPorts', () => {
  it('reuses the port of the last start when it is free', async () => {
    expect(await assignPorts(['nats'], { nats: 21_000 }, machine([], []))).toEqual({ nats: 21_000 });
  });

  it('selects another port when it is in use', async () => {
    expect(await assignPorts(['nats'], { nats: 21_000 }, machine([21_000], [22_000]))).toEqual({ nats: 22_000 });
  });

  it('never assigns one port to two names', async () => {
    const assigned = await assignPorts(['a', 'b'], { b: 21_000 }, machine([], [21_000, 21_000, 23_000]));
    expect(assigned).toEqual({ a: 21_000, b: 23_000 });
  });

  it('removes the ports of names that no longer exist', async () => {
    expect(await assignPorts(['new'], { old: 21_000 }, machine([], [22_000]))).toEqual({ new: 22_000 });
  });
});
