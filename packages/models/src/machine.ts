import { execFile } from 'node:child_process';
import { availableParallelism, totalmem } from 'node:os';
import { promisify } from 'node:util';
import type { Machine } from './suggestion.ts';

/** Cores, memory and GPU of this machine; a container's limits count, where it has them. */
export async function readMachine(): Promise<Machine> {
  const limit = process.constrainedMemory();
  const memoryBytes = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { cores: availableParallelism(), memoryBytes, gpuMemoryMib: await largestGpu() };
}

async function largestGpu(): Promise<number | null> {
  const query = ['--query-gpu=memory.total', '--format=csv,noheader,nounits'];
  const found = await promisify(execFile)('nvidia-smi', query, { timeout: 5_000 }).catch(() => undefined);
  const sizes =
    found?.stdout
      .split('\n')
      .map(Number)
      .filter((mib) => mib > 0) ?? [];
  return sizes.length > 0 ? Math.max(...sizes) : null;
}
