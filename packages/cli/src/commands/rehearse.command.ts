import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { BackupError } from '@overtone/backup';
import { megabytes } from '../backup/sizes.ts';
import { withPostgres } from '../backup/with-postgres.ts';
import { replaceFile } from '../files.ts';
import { isLocked, withLock } from '../lock.ts';
import { dataFolder, type DataFolder } from '../paths.ts';
import { messageOf, Refusal } from '../refusal.ts';
import { describeFresh, isolate, migrateAndVerify } from '../rehearsal/database.ts';
import { runSmokeChecks, type SmokeAccount } from '../rehearsal/smoke.ts';
import { openSource, type Source, type SourceOptions } from '../rehearsal/source.ts';
import { freePort } from '../servers/ports.ts';
import { databaseName } from '../servers/postgres.ts';
import { ensurePackages, productPackages } from '../setup/packages.ts';
import { readInstance } from '../setup/instance.ts';
import { freeBytes, openDataFolder } from '../setup/preflight.ts';
import { prepare } from '../setup/prepare.ts';
import { secretsIn } from '../setup/secrets.ts';
import { clearLeftovers, setUp } from '../setup/set-up.ts';
import { markStores } from '../setup/stores.ts';
import { instanceProcesses } from '../supervisor/instance-processes.ts';
import { adminPassword, superviseInstance } from '../supervisor/run-instance.ts';
import { createTerminal, type Terminal } from '../terminal.ts';

/** `from` is a release, a file of a backup or `s3://bucket/prefix/file`; without it, the newest backup. */
export type RehearseOptions = SourceOptions & { data?: string };

/** What the services of a rehearsal may see of the environment: no address and no secret of another server. */
const keptVariables = /^(PATH|HOME|USER|LANG|LC_.*|TZ|TMPDIR|NODE_.*|LD_LIBRARY_PATH|CUDA_.*|MODEL_CACHE_DIR)$/;

/**
 * Restores a backup (or the database of a release) into an instance of its own, migrates and verifies it, starts the
 * services, uses them, and removes everything. The instance in use is not changed; only its keys and backups are read.
 */
export async function rehearse({ data, ...options }: RehearseOptions): Promise<void> {
  const terminal = createTerminal();
  const folder = dataFolder(data);
  const scratch = dataFolder(join(folder.root, 'rehearsal'));
  const startedAt = performance.now();
  const lock = `rehearsal:${folder.root}`;
  if (await isLocked(lock)) throw new Refusal(`A rehearsal is already running in ${scratch.root}.`);
  await withLock(lock, async () => {
    await remove(scratch);
    const removeAtEnd = removeAtSignals(scratch, terminal);
    try {
      await rehearseIn(scratch, { folder, options, terminal });
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal(describe(error), { cause: error });
    } finally {
      await removeAtEnd();
    }
  });
  terminal.done(`everything worked and was removed again, in ${secondsSince(startedAt)}`);
}

type Rehearsal = { readonly folder: DataFolder; readonly options: SourceOptions; readonly terminal: Terminal };

async function rehearseIn(scratch: DataFolder, { folder, options, terminal }: Rehearsal): Promise<void> {
  const leg = createLegs(terminal);
  const source = await leg(
    'checking',
    async () => await openSource(options, folder),
    ({ title }) => `${title} is complete`,
  );
  restrictEnvironment(folder);
  await leg(
    'preparing',
    async () => await setUpScratch(scratch, source, terminal),
    () => 'a folder of its own',
  );
  const account = await withPostgres(scratch, async (urlOf) => {
    const fresh = await describeFresh(urlOf);
    await leg(
      'restoring',
      async () => await source.load(urlOf),
      () => 'restored',
    );
    await leg(
      'migrating',
      async () => await migrateAndVerify(urlOf(databaseName), fresh),
      ({ from: before, to, rows, tables, seconds }) =>
        before === to
          ? `schema v${to} needs no migration; ${rows} rows in ${tables} tables are in order`
          : `migrated from v${before} to v${to} in ${seconds.toFixed(1)} s; ${rows} rows in ${tables} tables are unchanged`,
    );
    return await isolate(urlOf(databaseName));
  });
  await useServices(scratch, account, leg);
}

async function setUpScratch(scratch: DataFolder, source: Source, terminal: Terminal): Promise<void> {
  openDataFolder(scratch);
  const needed = source.bytes * 1.5 + 500 * 1024 * 1024;
  if (freeBytes(scratch.root) < needed)
    throw new Refusal(`The rehearsal needs ${megabytes(needed)} of free space in ${scratch.root}. (space_short)`);
  await ensurePackages(productPackages, terminal.step);
  await prepare(terminal.done);
  await setUp(scratch, await freePort());
  // Its library may name recordings of the instance in use, which are not in its store.
  await markStores(scratch, async () => await Promise.resolve(false));
  if (source.keys !== undefined) replaceFile(secretsIn(scratch.secrets).file('encryption_key'), `${source.keys}\n`);
}

async function useServices(scratch: DataFolder, found: SmokeAccount | undefined, leg: Leg): Promise<void> {
  const quiet = { progress: () => undefined, log: () => undefined };
  const supervisor = await superviseInstance(scratch, quiet, { gpuScale: false });
  try {
    await leg(
      'starting the services',
      async () => await supervisor.start(),
      () => 'every service is ready',
    );
    const { port, adminEmail } = readInstance(scratch)!;
    const first = {
      email: adminEmail!,
      password: secretsIn(scratch.secrets).read(adminPassword),
      recording: undefined,
    };
    await leg(
      'using them',
      async () => await runSmokeChecks(`http://127.0.0.1:${port}`, found ?? first),
      (lines) => lines.join('; '),
    );
  } finally {
    await supervisor.stop();
  }
}

type Leg = <T>(busy: string, work: () => Promise<T>, done: (result: T) => string) => Promise<T>;

/** Runs the legs of the rehearsal, and prints how long each took. */
function createLegs(terminal: Terminal): Leg {
  return async (busy, work, done) => {
    terminal.busy(busy);
    const startedAt = performance.now();
    const result = await work();
    terminal.done(`${secondsSince(startedAt).padStart(7)}  ${done(result)}`);
    return result;
  };
}

/** A service must not find the object store, the directory or another server of the instance in use. */
function restrictEnvironment(folder: DataFolder): void {
  process.env['MODEL_CACHE_DIR'] ??= folder.models;
  for (const name of Object.keys(process.env)) if (!keptVariables.test(name)) delete process.env[name];
}

async function remove(scratch: DataFolder): Promise<void> {
  await clearLeftovers(scratch);
  // A server that ends may write a file while its folder is removed.
  rmSync(scratch.root, { recursive: true, force: true, maxRetries: 10 });
}

/**
 * At Ctrl-C the rehearsal is removed, whatever it is doing, and the process exits. Repeated signals do not interrupt that.
 * @returns what removes it at its end; after a signal it does not return.
 */
function removeAtSignals(scratch: DataFolder, terminal: Terminal): () => Promise<void> {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  let stopping: Promise<never> | undefined;
  const stop = async (): Promise<never> => {
    terminal.busy('removing what was begun');
    // What was in progress continues until the exit, and may start a process or write a file after they were removed.
    do await remove(scratch);
    while (existsSync(scratch.root) || instanceProcesses(scratch.root).length > 0);
    process.exit(1);
  };
  const onSignal = (): void => void (stopping ??= stop());
  for (const signal of signals) process.on(signal, onSignal);
  return async () => {
    await (stopping ?? remove(scratch));
    for (const signal of signals) process.off(signal, onSignal);
  };
}

function describe(error: unknown): string {
  const code = error instanceof BackupError ? ` (${error.code})` : '';
  return `The rehearsal failed: ${messageOf(error)}${code}\nThe instance in use was not touched.`;
}

function secondsSince(startedAt: number): string {
  return `${((performance.now() - startedAt) / 1000).toFixed(1)} s`;
}
