import { join } from 'node:path';
import { productVersion, type DataFolder } from '../paths.ts';
import type { ProcessSpec } from '../servers/process.ts';
import { identify } from './identity.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import { rotateLogs } from './logs.ts';
import type { Plan } from './plan.ts';
import { removeRuntime, writeRuntime, type RecordedProcess, type Runtime } from './runtime.ts';

/** What a supervisor looks after and whom it tells. */
export interface SupervisorOptions {
  readonly folder: DataFolder;
  readonly plan: Plan;
  /** Runs once the servers are up, before the services start. */
  readonly migrate: () => Promise<string>;
  /** Shown to the person who waits. */
  readonly progress: (line: string) => void;
  /** Written to the supervisor's own log. */
  readonly log: (line: string) => void;
}

/** Runs an instance. */
export interface Supervisor {
  /** Resolves when everything is ready; rejects, with everything stopped again, when something will not start. */
  readonly start: () => Promise<void>;
  /** Stops everything, in reverse order. */
  readonly stop: () => Promise<void>;
}

const READY_WITHIN_MS = 120_000;
const SERVER_GRACE_MS = 20_000;
const ROTATE_EVERY_MS = 30_000;
const DOOR = 'edge-gateway';

/** Starts servers and services, keeps them alive and records what runs. */
export function createSupervisor({ folder, plan, migrate, progress, log }: SupervisorOptions): Supervisor {
  const self = identify(process.pid)!;
  let phase: Runtime['phase'] = 'starting';
  let stopped: Promise<void> | undefined;

  const keep = (spec: ProcessSpec, graceMs: number) =>
    createKeeper({
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
    () => void rotateLogs(folder.logs).catch((e: unknown) => log(String(e))),
    ROTATE_EVERY_MS,
  );

  function record(): void {
    const processes = [...recorded(servers, 'server'), ...recorded(services, 'service')];
    writeRuntime(folder, { phase, version: productVersion(), mark: plan.mark, supervisor: self, processes });
  }

  async function stop(): Promise<void> {
    clearInterval(rotation);
    phase = 'stopping';
    record();
    // The door first, so that nobody new comes in; the servers last, so that everybody can finish.
    await stopAll(services.filter((k) => k.name === DOOR));
    await stopAll(services.filter((k) => k.name !== DOOR));
    await stopAll(servers);
    removeRuntime(folder);
  }

  async function start(): Promise<void> {
    record();
    await Promise.all(servers.map(async (keeper) => await startOne(keeper, progress)));
    progress(`database: ${await migrate()}`);
    await Promise.all(services.map(async (keeper) => await startOne(keeper, progress)));
    phase = 'ready';
    record();
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

// What a service gives itself to stop (see the kit's environment), and some for its last words.
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
