import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { serveTasks } from '../src/children/serve-tasks.ts';

// A task child that returns its process id, its number of loads and its kept memory.
type Order = { load?: string; hoardMb?: number; until?: string; crash?: boolean; refuse?: boolean };

let loads = 0;
let loaded: string | undefined;
let hoard = Buffer.alloc(0);

serveTasks(async (input, { signal }) => {
  const { load, hoardMb, until, crash, refuse } = input as Order;
  if (crash) process.abort();
  if (refuse) throw new Error('refused');
  if (load !== undefined && loaded !== load) {
    loads += 1;
    loaded = load;
  }
  if (hoardMb !== undefined) hoard = Buffer.concat([hoard, Buffer.alloc(hoardMb << 20, 1)]);
  while (until !== undefined && !signal.aborted && !existsSync(until)) await sleep(10);
  return { pid: process.pid, loads, hoarded: hoard.length };
});
