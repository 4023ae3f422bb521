import { setTimeout as sleep } from 'node:timers/promises';
import { dataFolder, type DataFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { kill } from '../servers/process.ts';
import { readInstance } from '../setup/instance.ts';
import { isAlive } from '../supervisor/identity.ts';
import { readLiveRuntime, type RecordedProcess } from '../supervisor/runtime.ts';
import { createTerminal } from '../terminal.ts';
import { serviceStatus } from './status.command.ts';

const READY_WITHIN_MS = 120_000;
const LOOK_EVERY_MS = 100;
const DOOR = 'edge-gateway';

/** Starts services again, one after another, each only once the one before is ready; nothing that they do is lost. */
export async function restart(wanted: readonly string[], options: { readonly data?: string }): Promise<void> {
  const folder = dataFolder(options.data);
  const running = servicesOf(folder);
  const names = running.map((p) => p.name);
  const unknown = wanted.find((name) => !names.includes(name));
  if (unknown !== undefined) throw new Refusal(`There is no service ${unknown}; there are: ${names.join(', ')}.`);
  const terminal = createTerminal();
  // The door last, so that whoever comes in meanwhile is kept waiting there.
  const order = [...names.filter((name) => name !== DOOR), DOOR];
  for (const name of order.filter((n) => (wanted.length === 0 ? names : wanted).includes(n))) {
    const from = Date.now();
    terminal.busy(`${name} is restarting`);
    await restartOne(
      folder,
      running.find((p) => p.name === name)!,
    );
    terminal.done(`${name} is ready again (${((Date.now() - from) / 1000).toFixed(1)} s)`);
  }
}

function servicesOf(folder: DataFolder): RecordedProcess[] {
  const runtime = readLiveRuntime(folder);
  if (runtime === undefined) throw new Refusal('Overtone is not running; start it with: ./overtone up');
  return runtime.processes.filter((p) => p.kind === 'service');
}

async function restartOne(folder: DataFolder, before: RecordedProcess): Promise<void> {
  const deadline = Date.now() + READY_WITHIN_MS;
  // The supervisor starts again whatever ends; asked to stop, a service first finishes what it has begun.
  kill(before.pid, 'SIGTERM');
  while (isAlive(before) || !(await isReady(folder, before.name))) {
    if (Date.now() > deadline)
      throw new Refusal(`${before.name} was not ready again in time; see: ./overtone logs ${before.name}`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function isReady(folder: DataFolder, name: string): Promise<boolean> {
  const [instance, runtime] = [readInstance(folder), readLiveRuntime(folder)];
  if (instance === undefined || runtime === undefined) return false;
  return (await serviceStatus(name, instance, runtime)).ready;
}
