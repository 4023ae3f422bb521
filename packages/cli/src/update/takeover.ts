import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readEnv } from '@overtone/service-kit/env';
import { edgeLast, oneOfEachProcess, restartOne, untilReady } from '../commands/restart.command.ts';
import { askReady } from '../commands/status.command.ts';
import { runningEnvironment } from '../commands/config.command.ts';
import { updateEnv } from '../configuration/script-variables.ts';
import { withLock } from '../lock.ts';
import { productFolder, productVersion, type DataFolder } from '../paths.ts';
import { messageOf, Refusal } from '../refusal.ts';
import { kill, spawnProcess, stopProcess, waitUntilReady, type ProcessSpec } from '../servers/process.ts';
import { readInstance, type Instance } from '../setup/instance.ts';
import { adoptModels } from '../setup/adopt-models.ts';
import { assignPorts } from '../setup/ports.ts';
import { markVersion } from '../setup/preflight.ts';
import { lastLines } from '../setup/run.ts';
import { completeSetUp } from '../setup/set-up.ts';
import { prepareRunning } from '../setup/update.ts';
import { gpuScaleOf } from '../supervisor/gpu-scale.ts';
import { guardiansOf, spawnGuardian } from '../supervisor/guardian.ts';
import { identify, sessionOf } from '../supervisor/identity.ts';
import { guardianName, instanceProcesses, processMark } from '../supervisor/instance-processes.ts';
import { endLeftovers, waitForEnd } from '../supervisor/leftovers.ts';
import { planService, portNames, serverNames, serviceNames } from '../supervisor/plan.ts';
import { setupLock, sourceOf } from '../supervisor/run-instance.ts';
import { readLiveRuntime, type Runtime } from '../supervisor/runtime.ts';
import { graceOf } from '../supervisor/supervisor.ts';
import type { Terminal } from '../terminal.ts';

const edge = 'edge-gateway';
const trialsAtOnce = 2;
const shownLines = 40;
const killedWithinMs = 10_000;

/** How an instance runs. */
export type InstanceState = 'stopped' | 'foreground' | 'detached';

/** Whether and how an instance runs; waits for a supervisor that its guardian is about to start again. */
export async function stateOf(folder: DataFolder): Promise<InstanceState> {
  const guarded = (): boolean => guardiansOf(folder).length > 0;
  const deadline = Date.now() + killedWithinMs;
  while (readLiveRuntime(folder) === undefined && guarded() && Date.now() < deadline) await sleep(100);
  if (readLiveRuntime(folder) === undefined) return 'stopped';
  return guarded() ? 'detached' : 'foreground';
}

export function refuseForeground(state: InstanceState): void {
  if (state === 'foreground')
    throw new Refusal(
      'Overtone runs in a terminal, which no update can take over: stop it there with Ctrl-C, then update, or start it with --detach first.',
    );
}

/** The takeover failed after services of this release had replaced others. */
export class Replaced extends Refusal {}

/**
 * Makes this release the one that runs a detached instance, whichever release runs it now: the same for an update and for
 * a rollback. Each step can be repeated. Until a start of every service of this release was tried beside the running
 * ones, nothing is replaced. @throws Replaced when that has begun.
 */
export async function takeOver(folder: DataFolder, terminal: Terminal, options: { trial: boolean }): Promise<void> {
  const state = await stateOf(folder);
  refuseForeground(state);
  if (state === 'stopped') throw new Refusal('Overtone does not run; start this version with: ./overtone up');
  const running = readLiveRuntime(folder)!;
  const scaled = isScaled(running);
  const { OT_UPDATE_READY_SECONDS: seconds } = readEnv(updateEnv);
  useEnvironmentOf(folder);
  await withLock(setupLock(folder), async () => {
    const before = readInstance(folder);
    if (before === undefined) throw new Refusal(`${folder.settings} is missing; start again with: ./overtone up`);
    const scale = scaled ? gpuScaleOf(process.env) : undefined;
    const instance = await completeSetUp(folder, before, scale);
    const cacheDir = process.env['MODEL_CACHE_DIR'] ?? folder.models;
    await adoptModels(cacheDir, { wasUsedBefore: true, terminal });
    const { settle } = await prepareRunning(folder, terminal);
    const takeover = { folder, instance, terminal, withinMs: seconds * 1000 };
    if (options.trial) await tryServices(takeover);
    try {
      await replaceSupervisor(takeover, running, scaled);
      await replaceServices(takeover);
      await endOthers(folder);
      await settle();
      markVersion(folder);
    } catch (error) {
      throw new Replaced(messageOf(error), { cause: error });
    }
  });
  terminal.done(`${productVersion()} runs`);
}

type Takeover = {
  readonly folder: DataFolder;
  readonly instance: Instance;
  readonly terminal: Terminal;
  /** How long a service may take until it is ready. */
  readonly withinMs: number;
};

// The plan of the instance depends on the environment that it was started with, not on that of this command.
function useEnvironmentOf(folder: DataFolder): void {
  const kept = ['PATH', 'OVERTONE_HOME', 'NODE_COMPILE_CACHE'];
  const dropped = ['NODE_CHANNEL_FD', 'NODE_CHANNEL_SERIALIZATION_MODE'];
  const own = Object.entries(process.env).filter(([name]) => kept.includes(name));
  const theirs = Object.entries(runningEnvironment(folder) ?? {}).filter(([name]) => !dropped.includes(name));
  process.env = { ...Object.fromEntries(theirs), ...Object.fromEntries(own) };
}

function isScaled({ supervisor }: Runtime): boolean {
  return readFileSync(`/proc/${supervisor.pid}/cmdline`, 'utf8').split('\0').includes('--gpu-scale');
}

/** Starts every service of this release once on other ports; it takes no work there. */
async function tryServices(takeover: Takeover): Promise<void> {
  const { folder, instance, terminal, withinMs } = takeover;
  const names = serviceNames();
  const ports = await assignPorts([...portNames(names), `${edge}.api`], {});
  const queue = [...names];
  terminal.busy('trying the services');
  const tryNext = async (): Promise<void> => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift()) {
      const scratch = Object.fromEntries(
        ['api', 'internal'].map((listener) => [`${name}.${listener}`, ports[`${name}.${listener}`]!]),
      );
      const port = name === edge ? ports[`${edge}.api`]! : instance.port;
      const spec = specOf(folder, { ...instance, port, ports: { ...instance.ports, ...scratch } }, name);
      const trial = withProcess(folder, { ...spec, env: { ...spec.env, STANDBY: 'true' } }, withinMs, async () => {});
      await trial.catch((error: unknown) => {
        queue.length = 0;
        throw error;
      });
    }
  };
  const results = await Promise.allSettled(Array.from({ length: trialsAtOnce }, tryNext));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw new Refusal(`Nothing was replaced: ${messageOf(failed.reason)}`);
  terminal.done(`every service of ${productVersion()} starts`);
}

function specOf(folder: DataFolder, instance: Instance, name: string): ProcessSpec {
  return planService(name, sourceOf(folder, instance));
}

/** Runs work beside an additional process of a service. */
async function withProcess(
  folder: DataFolder,
  spec: ProcessSpec,
  withinMs: number,
  work: () => Promise<void>,
): Promise<void> {
  const logFile = join(folder.logs, `trial-${spec.name}.log`);
  rmSync(logFile, { force: true });
  const running = await spawnProcess(spec, { logFile, env: processMark(folder.root, `trial-${spec.name}`) });
  try {
    await waitUntilReady(spec, running, withinMs).catch(async (error: unknown) => {
      const { checks } = await askReady(`http://127.0.0.1:${spec.env['INTERNAL_PORT']}/health/ready`);
      const failing = Object.entries(checks).filter(([, result]) => result !== 'ok');
      const detail = failing.map(([name, result]) => `, ${name}: ${result}`).join('');
      throw new Refusal(`${messageOf(error)}${detail}\n${lastLines(readFileSync(logFile, 'utf8'), shownLines)}`);
    });
    await work();
    await stopProcess(spec, running, graceOf(spec));
    rmSync(logFile, { force: true });
  } finally {
    await stopProcess(spec, running, graceOf(spec));
  }
}

// Services and servers outlive their supervisor. This release's guardian is started first: its supervisor ends as long as
// the present one runs, and is started again every second, so that no kill of this command leaves an instance without one.
async function replaceSupervisor(takeover: Takeover, before: Runtime, scaled: boolean): Promise<void> {
  const { folder, terminal, withinMs } = takeover;
  if (isOfThisRelease(before.supervisor.pid)) return;
  terminal.busy('replacing the supervisor');
  const others = guardiansOf(folder);
  const guardian = spawnGuardian(folder, scaled ? ['--resume', '--gpu-scale'] : ['--resume'], {
    env: process.env,
    ipc: false,
  });
  if (guardian.pid === undefined) throw new Refusal('the supervisor could not be started');
  guardian.unref();
  for (const other of others) {
    kill(other.pid, 'SIGKILL');
    await waitForEnd([other], killedWithinMs);
    const rest = sessionOf(other);
    for (const { pid } of rest) kill(pid, 'SIGKILL');
    await waitForEnd(rest, killedWithinMs);
  }
  const names = serviceNames();
  const deadline = Date.now() + withinMs;
  // Not `ready`: services of another release that are not ready are replaced next.
  const isReplaced = (runtime: Runtime | undefined): boolean =>
    runtime !== undefined && names.every((name) => runtime.processes.some((entry) => entry.name === name));
  while (!isReplaced(readLiveRuntime(folder))) {
    if (Date.now() > deadline)
      throw new Refusal('the supervisor was not ready in time; see: ./overtone logs supervisor');
    await sleep(100);
  }
  terminal.done('the supervisor is replaced');
}

async function replaceServices(takeover: Takeover): Promise<void> {
  const { folder, instance, terminal, withinMs } = takeover;
  const processes = readLiveRuntime(folder)?.processes ?? [];
  const due = processes.filter(({ kind, pid }) => kind === 'service' && !isOfThisRelease(pid));
  for (const service of oneOfEachProcess(edgeLast(due))) {
    const replace = async (): Promise<void> => await restartOne(folder, service, withinMs, terminal);
    await (service.name === edge ? withSecondEdge(folder, instance, withinMs, terminal, replace) : replace());
  }
  // Services that this release adds were started by its supervisor.
  for (const name of serviceNames()) await untilReady(folder, name, withinMs);
}

/** Another edge listens on the public port, too, until the replaced one is ready: no connection is refused. */
async function withSecondEdge(
  folder: DataFolder,
  instance: Instance,
  withinMs: number,
  terminal: Terminal,
  work: () => Promise<void>,
): Promise<void> {
  const internal = `${edge}.internal`;
  const spec = specOf(
    folder,
    { ...instance, ports: { ...instance.ports, ...(await assignPorts([internal], {})) } },
    edge,
  );
  let replacing: Promise<void> | undefined;
  try {
    await withProcess(folder, spec, withinMs, async () => await (replacing = work()));
  } catch (error) {
    if (replacing !== undefined) throw error;
    // The running edge is of a version that does not share its port.
    terminal.warn('connections are refused for a moment, while the edge restarts');
    await work();
  }
}

/** Ends services that this release does not have, and what an interrupted takeover left. */
async function endOthers(folder: DataFolder): Promise<void> {
  const known = new Set([
    guardianName,
    ...serverNames,
    ...(readLiveRuntime(folder)?.processes ?? []).map(({ name, process: shared }) => shared ?? name),
  ]);
  const others = instanceProcesses(folder.root).filter(({ name }) => !known.has(name));
  await endLeftovers(others.map((other) => ({ ...other, kind: 'service' as const, restarts: 0 })));
}

function isOfThisRelease(pid: number): boolean {
  if (identify(pid) === undefined) return false;
  const sources = [join(productFolder, 'services'), join(productFolder, 'packages')];
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
    .split('\0')
    .some((argument) => sources.some((folder) => argument.startsWith(`${folder}/`)));
}
