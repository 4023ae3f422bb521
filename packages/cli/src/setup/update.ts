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

/** What `up` does before services start, done while they run. */
export interface Update {
  /** Whether services of this version find something that was not there for those that run. */
  readonly changed: boolean;
  /** Once every service is of this version. */
  readonly settle: () => Promise<void>;
}

/**
 * Makes of a running instance one that services of this version can be started on, while those of the version before
 * go on: migrations only add what these do not need to know of, and rights on the bus are of both.
 */
export async function bringUpToDate(folder: DataFolder, terminal: Terminal): Promise<Update> {
  openDataFolder(folder);
  refuseOtherPlan(folder);
  const instance = readInstance(folder);
  if (instance === undefined) throw new Refusal(`${folder.settings} is missing; start again with: ./overtone up`);
  await ensurePackages(productPackages, terminal.step);
  terminal.busy('preparing');
  await prepare(terminal.done);
  try {
    const widened = await widenBusRights(folder, instance);
    if (widened) terminal.done('bus: rights of this version');
    const schema = await migrate(sourceOf(folder, instance));
    terminal.done(`database: ${schema}`);
    markVersion(folder);
    return {
      changed: widened || schema.includes('->'),
      settle: async () => await settleBusRights(folder, instance),
    };
  } catch (error) {
    throw new Refusal(`Nothing was started again: ${messageOf(error)}`, { cause: error });
  }
}

// The supervisor is the one thing that is not started again: it still starts services the way its own version does.
function refuseOtherPlan(folder: DataFolder): void {
  if (readLiveRuntime(folder)?.mark === planMark()) return;
  throw new Refusal(
    'This version starts its services in another way than the one that runs; take it over with: ./overtone down, then ./overtone up',
  );
}
