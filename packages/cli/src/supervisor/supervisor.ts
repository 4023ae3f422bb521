import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { productVersion, type DataFolder } from '../paths.ts';
import { messageOf } from '../refusal.ts';
import type { ProcessSpec } from '../servers/process.ts';
import { keepDiskReserve } from './disk-reserve.ts';
import { identify, type ProcessIdentity } from './identity.ts';
import { instanceProcesses, processMark } from './instance-processes.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import { endLeftovers } from './leftovers.ts';
import { rotateLogs } from './logs.ts';
import type { Plan } from './plan.ts';
import { readRuntime, removeRuntime, writeRuntime, type RecordedProcess, type Runtime } from './runtime.ts';

/** The inputs and callbacks of a supervisor. */
export type SupervisorOptions = {
  readonly folder: DataFolder;
  readonly plan: Plan;
  /** Runs once the servers are up, before the services start. */
  readonly migrate: () => Promise<string>;
  /** Shown as progress in the terminal. */
  readonly progress: (line: string) => void;
  /** Writes to the supervisor's own log. */
  readonly log: (line: string) => void;
  /** Continues after a killed supervisor: adopts running processes and retries without limit. */
  readonly resume?: boolean;
  /** Started once everything is ready. @returns a function that ends it. */
  readonly afterStart?: () => () => Promise<void>;
  /** Servers and services keep running when the supervisor exits. */
  readonly servicesOutlive?: boolean;
};

/** Runs an instance. */
export type Supervisor = {
  /** Resolves when everything is ready. When a start fails, stops everything and rejects. */
  readonly start: () => Promise<void>;
  /** Stops everything, in reverse order. */
  readonly stop: () => Promise<void>;
};

const readyWithinMs = 240_000;
const serverGraceMs = 20_000;
const rotateEveryMs = 30_000;
const retryMs = 1000;
const edge = 'edge-gateway';

/** Starts servers and services, keeps them alive and records what runs. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { folder, plan, log } = options;
  const record = createRecord(folder, plan.mark, log);
  const { servers, services } = createKeepers(options, () => record.write(servers, services));
  const rotateNow = () => void rotateLogs(folder.logs).catch((error: unknown) => log(String(error)));
  const rotation = setInterval(rotateNow, rotateEveryMs);
  const onSpace = () => [...servers, ...services].forEach((keeper) => keeper.retryNow());
  const reserve = keepDiskReserve({ folder: folder.root, file: folder.reserve, log, onSpace });
  const stopping = new AbortController();
  let endAfterStart: (() => Promise<void>) | undefined;

  const stop = async (): Promise<void> => {
    stopping.abort();
    await endAfterStart?.();
    clearInterval(rotation);
    reserve.stop();
    record.enter('stopping', servers, services);
    // The edge first, so that no new requests arrive; the servers last, so that services can finish.
    await stopAll(services.filter((service) => service.name === edge));
    await stopAll(services.filter((service) => service.name !== edge));
    await stopAll(servers);
    record.remove();
  };
  let stopped: Promise<void> | undefined;
  const stopOnce = async () => await (stopped ??= stop());
  return {
    start: async () => {
      record.enter('starting', servers, services);
      try {
        await startKeepers(options, servers, services, stopping.signal);
      } catch (error) {
        await stopOnce();
        throw error;
      }
      record.enter('ready', servers, services);
      if (!stopping.signal.aborted) endAfterStart = options.afterStart?.();
    },
    stop: stopOnce,
  };
}

type Keepers = readonly Keeper[];

function createKeepers(options: SupervisorOptions, onChange: () => void): { servers: Keepers; services: Keepers } {
  const { folder, plan, log, resume = false, servicesOutlive = false } = options;
  // The record also contains processes that overwrite their environment (Redis); the marks find unrecorded processes.
  const recordedBefore = resume ? readRuntime(folder) : undefined;
  const before = resume ? [...instanceProcesses(folder.root), ...(recordedBefore?.processes ?? [])] : [];
  const keep = (spec: ProcessSpec, graceMs: number) =>
    createKeeper({
      adopted: before.find(({ name }) => name === spec.name),
      earlierExits: recordedBefore?.exits[spec.hosts?.[0] ?? spec.name],
      env: processMark(folder.root, spec.name),
      outlives: servicesOutlive,
      persistent: resume,
      spec: withoutOthers(spec, before),
      logFile: join(folder.logs, `${spec.name}.log`),
      readyWithinMs,
      graceMs,
      onChange,
      log,
    });
  return {
    servers: plan.servers.map((spec) => keep(spec, serverGraceMs)),
    services: plan.services.map((spec) => keep(spec, graceOf(spec))),
  };
}

// The supervisor before may have run the services of this process as one process each, which have its ports.
function withoutOthers(
  spec: ProcessSpec,
  before: readonly (ProcessIdentity & { readonly name: string })[],
): ProcessSpec {
  const others = before.filter(({ name }) => spec.hosts?.includes(name) === true);
  if (others.length === 0) return spec;
  const asRecorded = others.map((other) => ({ ...other, kind: 'service' as const, restarts: 0 }));
  return {
    ...spec,
    prepare: async () => {
      await endLeftovers(asRecorded, graceOf(spec));
      await spec.prepare?.();
    },
  };
}

/** The record of the running processes in the data folder; a write that fails is repeated. */
function createRecord(folder: DataFolder, mark: string, log: (line: string) => void) {
  const self = identify(process.pid)!;
  let phase: Runtime['phase'] = 'starting';
  let retry: NodeJS.Timeout | undefined;
  let failed = false;
  const write = (servers: Keepers, services: Keepers): void => {
    const processes = [...recorded(servers, 'server'), ...recorded(services, 'service')];
    const exits = Object.fromEntries(
      [...servers, ...services].flatMap((keeper) => keeper.hosts.map((name) => [name, [...keeper.exits()]])),
    );
    clearTimeout(retry);
    try {
      writeRuntime(folder, { phase, version: productVersion(), mark, supervisor: self, processes, exits });
      failed = false;
    } catch (error) {
      if (!failed) log(`processes not recorded: ${messageOf(error)}`);
      failed = true;
      retry = setTimeout(write, retryMs, servers, services);
    }
  };
  return {
    write,
    enter: (next: Runtime['phase'], servers: Keepers, services: Keepers): void => {
      phase = next;
      write(servers, services);
    },
    remove: (): void => {
      clearTimeout(retry);
      removeRuntime(folder);
    },
  };
}

async function startKeepers(
  { migrate, progress, log, resume = false }: SupervisorOptions,
  servers: Keepers,
  services: Keepers,
  stopping: AbortSignal,
): Promise<void> {
  const startAll = async (keepers: Keepers) => {
    await Promise.all(keepers.map(async (keeper) => await startOne(keeper, progress)));
  };
  const migrateOnce = async () => progress(`database: ${await migrate()}`);
  if (!resume) {
    await startAll(servers);
    await migrateOnce();
    await startAll(services);
    return;
  }
  // Resumed services already ran on this schema; each waits for its servers itself.
  await Promise.all([startAll(servers), startAll(services), repeatUntilDone(migrateOnce, stopping, log)]);
}

// The code may be newer than the schema when an update was interrupted.
async function repeatUntilDone(
  work: () => Promise<void>,
  stopping: AbortSignal,
  log: (line: string) => void,
): Promise<void> {
  for (let failed = false; !stopping.aborted; await sleep(retryMs)) {
    try {
      return await work();
    } catch (error) {
      if (!failed) log(messageOf(error));
      failed = true;
    }
  }
}

// The shutdown grace time of a service (see the kit's environment), plus a margin.
export function graceOf({ env }: ProcessSpec): number {
  const given = (name: string, otherwise: number) => Number(env[name] ?? otherwise);
  return given('DRAIN_DELAY_MS', 0) + given('SHUTDOWN_GRACE_MS', 10_000) + 5_000;
}

async function startOne(keeper: Keeper, progress: (line: string) => void): Promise<void> {
  const from = Date.now();
  await keeper.start();
  progress(`${keeper.name} is ready (${((Date.now() - from) / 1000).toFixed(1)} s)`);
}

async function stopAll(keepers: Keepers): Promise<void> {
  await Promise.all(keepers.map(async (keeper) => await keeper.stop()));
}

function recorded(keepers: Keepers, kind: RecordedProcess['kind']): RecordedProcess[] {
  return keepers.flatMap((keeper) => {
    const running = keeper.running();
    if (running === undefined) return [];
    const { name, hosts } = keeper;
    const shared = hosts.length > 1 ? { process: name } : {};
    return hosts.map((host) => ({ ...running, name: host, kind, restarts: keeper.restarts(), ...shared }));
  });
}
