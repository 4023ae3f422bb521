import { setTimeout as sleep } from 'node:timers/promises';
import { withLock } from '../lock.ts';
import { dataFolder, type DataFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { kill } from '../servers/process.ts';
import { readInstance } from '../setup/instance.ts';
import { bringUpToDate } from '../setup/update.ts';
import { isAlive } from '../supervisor/identity.ts';
import { setupLock } from '../supervisor/run-instance.ts';
import { readLiveRuntime, type RecordedProcess } from '../supervisor/runtime.ts';
import { createTerminal, type Terminal } from '../terminal.ts';
import { serviceStatus } from './status.command.ts';

const readyWithinMs = 120_000;
const lookEveryMs = 100;
const edge = 'edge-gateway';

/**
 * Restarts services one after another, each after the previous one is ready; no work is lost. A restarted service gets
 * the packages, clients, schema and bus permissions of this version.
 */
export async function restart(wanted: readonly string[], options: { readonly data?: string }): Promise<void> {
  const terminal = createTerminal();
  const folder = dataFolder(options.data);
  servicesOf(folder, wanted); // checked before the lock, to fail without waiting
  await withLock(setupLock(folder), async () => {
    const update = await bringUpToDate(folder, terminal);
    const services = servicesOf(folder, wanted);
    const restarted = new Set(services.map(({ pid }) => pid));
    const isRestartOfAll = servicesOf(folder, []).every(({ pid }) => restarted.has(pid));
    for (const service of oneOfEachProcess(edgeLast(services)))
      await restartOne(folder, service, readyWithinMs, terminal);
    if (isRestartOfAll) await update.settle();
    else if (update.changed) terminal.warn('The other services are not of this version yet: ./overtone restart');
  });
}

function servicesOf(folder: DataFolder, wanted: readonly string[]): RecordedProcess[] {
  const runtime = readLiveRuntime(folder);
  if (runtime === undefined) throw new Refusal('Overtone is not running; start it with: ./overtone up');
  const all = runtime.processes.filter((entry) => entry.kind === 'service');
  const unknown = wanted.find((name) => !all.some((entry) => entry.name === name));
  if (unknown !== undefined) {
    throw new Refusal(`There is no service ${unknown}; there are: ${all.map((entry) => entry.name).join(', ')}.`);
  }
  return wanted.length === 0 ? all : all.filter((entry) => wanted.includes(entry.name));
}

/** The edge is restarted last: it holds requests that arrive while another service restarts. */
export function edgeLast(services: readonly RecordedProcess[]): RecordedProcess[] {
  return services.toSorted((left, right) => Number(left.name === edge) - Number(right.name === edge));
}

/** Services that share a process restart together, with the first of them. */
export function oneOfEachProcess(services: readonly RecordedProcess[]): RecordedProcess[] {
  return services.filter(({ pid }, index) => services.findIndex((other) => other.pid === pid) === index);
}

/** Ends a process of the instance, and waits until the one that the supervisor starts in its place is ready. */
export async function restartOne(
  folder: DataFolder,
  before: RecordedProcess,
  withinMs: number,
  terminal: Terminal,
): Promise<void> {
  const from = Date.now();
  const names = (readLiveRuntime(folder)?.processes ?? [before])
    .filter(({ pid, name }) => pid === before.pid || name === before.name)
    .map(({ name }) => name);
  const verb = names.length === 1 ? 'is' : 'are';
  terminal.busy(`${names.join(', ')} ${verb} restarting`);
  await replaced(folder, before, withinMs);
  for (const name of names) await untilReady(folder, name, withinMs);
  terminal.done(`${names.join(', ')} ${verb} ready again (${((Date.now() - from) / 1000).toFixed(1)} s)`);
}

async function replaced(folder: DataFolder, before: RecordedProcess, withinMs: number): Promise<void> {
  // The supervisor restarts an exited service; a service finishes its running work before it exits.
  if (isAlive(before)) kill(before.pid, 'SIGTERM');
  await untilReady(folder, before.name, withinMs, before);
}

/** Waits until a service is ready, as another process than the one `before`. */
export async function untilReady(
  folder: DataFolder,
  name: string,
  withinMs: number,
  before?: RecordedProcess,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while ((before !== undefined && isAlive(before)) || !(await isReady(folder, name))) {
    if (Date.now() > deadline) throw new Refusal(`${name} was not ready in time; see: ./overtone logs ${name}`);
    await sleep(lookEveryMs);
  }
}

async function isReady(folder: DataFolder, name: string): Promise<boolean> {
  const [instance, runtime] = [readInstance(folder), readLiveRuntime(folder)];
  if (instance === undefined || runtime === undefined) return false;
  return (await serviceStatus(name, instance, runtime)).ready;
}
