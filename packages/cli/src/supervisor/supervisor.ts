import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { productVersion, type DataFolder } from '../paths.ts';
import { messageOf } from '../refusal.ts';
import type { ProcessSpec } from '../servers/process.ts';
import { keepDiskReserve } from './disk-reserve.ts';
import { identify } from './identity.ts';
import { instanceProcesses, processMark } from './instance-processes.ts';
import { createKeeper, type Keeper } from './keeper.ts';
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

const READY_WITHIN_MS = 120_000;
const SERVER_GRACE_MS = 20_000;
const ROTATE_EVERY_MS = 30_000;
const RETRY_MS = 1000;
const DOOR = 'edge-gateway';

/** Starts servers and services, keeps them alive and records what runs. */
export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { folder, plan, migrate, progress, log, resume = false, servicesOutlive = false } = options;
  const self = identify(process.pid)!;
  let phase: Runtime['phase'] = 'starting';
  let stopped: Promise<void> | undefined;

  // The record also contains processes that overwrite their environment (Redis); the marks find unrecorded processes.
  const before = resume ? [...instanceProcesses(folder.root), ...(readRuntime(folder)?.processes ?? [])] : [];
  const keep = (spec: ProcessSpec, graceMs: number) =>
    createKeeper({
      adopted: before.find(({ name }) => name === spec.name),
      env: processMark(folder.root, spec.name),
      outlives: servicesOutlive,
      persistent: resume,
      spec,
      logFile: join(folder.logs, `${spec.name}.log`),
      readyWithinMs: READY_WITHIN_MS,
      graceMs,
      onChange: record,
      log,
    });
  const servers = plan.servers.map((spec) => keep(spec, SERVER_GRACE_MS));
  const services = plan.services.map((spec) => keep(spec, graceOf(spec)));
  const rotation = setInterval(
    () => void rotateLogs(folder.logs).catch((error: unknown) => log(String(error))),
    ROTATE_EVERY_MS,
  );
  const reserve = keepDiskReserve({
    folder: folder.root,
    file: folder.reserve,
    log,
    onSpace: () => {
      for (const keeper of [...servers, ...services]) keeper.retryNow();
    },
  });
  let recording: NodeJS.Timeout | undefined;
  let unrecorded = false;

  function record(): void {
    const processes = [...recorded(servers, 'server'), ...recorded(services, 'service')];
    clearTimeout(recording);
    try {
      writeRuntime(folder, { phase, version: productVersion(), mark: plan.mark, supervisor: self, processes });
      unrecorded = false;
    } catch (error) {
      if (!unrecorded) log(`processes not recorded: ${messageOf(error)}`);
      unrecorded = true;
      recording = setTimeout(record, RETRY_MS);
    }
  }

  async function stop(): Promise<void> {
    clearInterval(rotation);
    reserve.stop();
    phase = 'stopping';
    record();
    // The edge first, so that no new requests arrive; the servers last, so that services can finish.
    await stopAll(services.filter((service) => service.name === DOOR));
    await stopAll(services.filter((service) => service.name !== DOOR));
    await stopAll(servers);
    clearTimeout(recording);
    removeRuntime(folder);
  }

  async function start(): Promise<void> {
    record();
    // Resumed services already ran on this schema; each waits for its servers itself.
    if (resume) await Promise.all([startAll(servers), startAll(services), migrateRepeatedly()]);
    else {
      await startAll(servers);
      progress(`database: ${await migrate()}`);
      await startAll(services);
    }
    phase = 'ready';
    record();
  }

  async function startAll(keepers: readonly Keeper[]): Promise<void> {
    await Promise.all(keepers.map(async (keeper) => await startOne(keeper, progress)));
  }

  // The code may be newer than the schema when an update was interrupted.
  async function migrateRepeatedly(): Promise<void> {
    for (let failed = false; stopped === undefined; await sleep(RETRY_MS)) {
      try {
        return progress(`database: ${await migrate()}`);
      } catch (error) {
        if (!failed) log(messageOf(error));
        failed = true;
      }
    }
  }

  const stopOnce = async () => await (stopped ??= stop());
  return {
    start: async () => {
      try {
        await start();
      } catch (error) {
        await stopOnce();
        throw error;
      }
    },
    stop: stopOnce,
  };
}

// The shutdown grace time of a service (see the kit's environment), plus a margin.
function graceOf({ env }: ProcessSpec): number {
  const given = (name: string, otherwise: number) => Number(env[name] ?? otherwise);
  return given('DRAIN_DELAY_MS', 0) + given('SHUTDOWN_GRACE_MS', 10_000) + 5_000;
}

async function startOne(keeper: Keeper, progress: (line: string) => void): Promise<void> {
  const from = Date.now();
  await keeper.start();
  progress(`${keeper.name} is ready (${((Date.now() - from) / 1000).toFixed(1)} s)`);
}

async function stopAll(keepers: readonly Keeper[]): Promise<void> {
  await Promise.all(keepers.map(async (keeper) => await keeper.stop()));
}

function recorded(keepers: readonly Keeper[], kind: RecordedProcess['kind']): RecordedProcess[] {
  return keepers.flatMap((keeper) => {
    const running = keeper.running();
    return running === undefined ? [] : [{ ...running, name: keeper.name, kind, restarts: keeper.restarts() }];
  });
}
