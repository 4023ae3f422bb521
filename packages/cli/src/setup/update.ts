import type { DataFolder } from '../paths.ts';
import { messageOf, Refusal } from '../refusal.ts';
import { migrate } from '../supervisor/migrate.ts';
import { planMark } from '../supervisor/plan.ts';
import { sourceOf } from '../supervisor/run-instance.ts';
import { readLiveRuntime } from '../supervisor/runtime.ts';
import type { Terminal } from '../terminal.ts';
import { settleBusRights, widenBusRights } from './bus-rights.ts';
import { readInstance } from './instance.ts';
import { ensurePackages, productPackages } from './packages.ts';
import { markVersion, openDataFolder } from './preflight.ts';
import { prepare } from './prepare.ts';

/** The setup steps of `up`, for a running instance. */
export type Update = {
  /** Whether this version requires something that the running services did not have. */
  readonly changed: boolean;
  /** Called when every service runs this version. */
  readonly settle: () => Promise<void>;
};

/** Prepares a running instance for services of this version, which the running supervisor starts. */
export async function bringUpToDate(folder: DataFolder, terminal: Terminal): Promise<Update> {
  openDataFolder(folder);
  refuseOtherPlan(folder);
  const update = await prepareRunning(folder, terminal);
  markVersion(folder);
  return update;
}

/**
 * Prepares a running instance for services of this version while those of another version keep running: a migration
 * that they could not work with is refused, and the permissions on the bus are those of both versions.
 */
export async function prepareRunning(folder: DataFolder, terminal: Terminal): Promise<Update> {
  const instance = readInstance(folder);
  if (instance === undefined) throw new Refusal(`${folder.settings} is missing; start again with: ./overtone up`);
  await ensurePackages(productPackages, terminal.step);
  terminal.busy('preparing');
  await prepare(terminal.done);
  try {
    const widened = await widenBusRights(folder, instance);
    if (widened) terminal.done('bus: rights of this version');
    const schema = await migrate(sourceOf(folder, instance), { servicesRun: true });
    terminal.done(`database: ${schema}`);
    return {
      changed: widened || schema.includes('->'),
      settle: async () => await settleBusRights(folder, instance),
    };
  } catch (error) {
    throw new Refusal(`Nothing was started again: ${messageOf(error)}`, { cause: error });
  }
}

// The supervisor is not restarted: it still starts services like its own version.
function refuseOtherPlan(folder: DataFolder): void {
  if (readLiveRuntime(folder)?.mark === planMark()) return;
  throw new Refusal(
    'This version starts its services in another way than the one that runs; take it over with: ./overtone down, then ./overtone up',
  );
}
