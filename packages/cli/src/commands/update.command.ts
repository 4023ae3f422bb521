import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createBackup, openDestination, withClient } from '@overtone/backup';
import { topology } from '@overtone/contracts';
import { canRead, schemaOf, type Schema } from '@overtone/database/schema';
import { migrationHead } from '@overtone/database/migrations';
import { readEnv } from '@overtone/service-kit/env';
import { postgresPrograms, withPostgres } from '../backup/with-postgres.ts';
import { updateEnv } from '../configuration/script-variables.ts';
import { replaceFile } from '../files.ts';
import { tryLock, withLock } from '../lock.ts';
import { dataFolder, homeFolder, productFolder, productVersion, type DataFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { databaseName } from '../servers/postgres.ts';
import { settleBusRights } from '../setup/bus-rights.ts';
import { readInstance } from '../setup/instance.ts';
import { isNewer } from '../setup/preflight.ts';
import { secretsIn } from '../setup/secrets.ts';
import { clearLeftovers } from '../setup/set-up.ts';
import { setupLock } from '../supervisor/run-instance.ts';
import { readLiveRuntime } from '../supervisor/runtime.ts';
import { createTerminal, type Terminal } from '../terminal.ts';
import {
  fetchReleases,
  installRelease,
  knownVersions,
  pinRelease,
  readRecord,
  removeRecord,
  schemaOfRelease,
  verifyRelease,
  versionIn,
  writeRecord,
  type Release,
} from '../update/releases.ts';
import {
  backUpContainers,
  finishUpdate,
  imageTag,
  isUnfinished,
  schemaInContainer,
  undoUpdate,
  updateContainers,
} from '../update/containers.ts';
import { refuseForeground, Replaced, stateOf, takeOver } from '../update/takeover.ts';
import { listBackupsIfThere, refusing } from './backup.command.ts';

/** Options of `update`. */
export type UpdateOptions = {
  readonly data?: string;
  /** A tag or a version; by default the newest release. */
  readonly version?: string;
  /** Back to what the last update replaced. */
  readonly rollback?: boolean;
  readonly forceDowngrade?: boolean;
  /** Containers: replaces compose.yaml and what belongs to it, too. */
  readonly full?: boolean;
};

const replacedCode = 3;

/** Installs another release beside the present one and lets it take over the instance, which serves all the time. */
export async function update(options: UpdateOptions): Promise<void> {
  const terminal = createTerminal();
  const folder = dataFolder(options.data);
  if ((await tryLock(`update:${homeFolder}`)) === undefined) throw new Refusal('Another update is running.');
  const tag = readInstance(folder) === undefined && options.data === undefined ? imageTag(homeFolder) : undefined;
  if (tag !== undefined) return await updateOfContainers(tag, options, terminal);
  refuseForeground(await stateOf(folder));
  const present: Release = { version: productVersion(), folder: productFolder };
  const version = await chooseVersion(options, present, terminal);
  if (version === present.version && [undefined, version].includes(readLiveRuntime(folder)?.version)) {
    if (options.rollback === true) removeRecord(homeFolder);
    return terminal.done(`${version} runs already.`);
  }
  const target = await targetOf(version, options, present, terminal);
  terminal.done(`${version} is installed in ${target.folder}`);
  const state = await stateOf(folder);
  refuseForeground(state);
  const schema = await saveDatabase(folder, options, target, state === 'stopped', terminal);
  if (state === 'detached') await handOver(folder, present, target, terminal);
  else if (isNewer(present.version, version) && schema !== undefined) replaceFile(folder.version, `${version}\n`);
  await pin(options, present, target, schema);
  terminal.done(`${version} is pinned; it replaced ${present.version}`);
  if (state === 'stopped') terminal.line('  start it with  ./overtone up');
  else if (options.rollback !== true) terminal.line('  go back with  ./overtone update --rollback');
}

/** The same for the containers of compose.yaml, which are pinned in .env. Continues an update that was interrupted. */
async function updateOfContainers(tag: string, options: UpdateOptions, terminal: Terminal): Promise<void> {
  const present: Release = { version: tag.replace(/^v/, ''), folder: productFolder };
  const unfinished = isUnfinished(homeFolder);
  // What an unfinished update has begun to replace is the version to go back to, not what the update before replaced.
  const version =
    unfinished && options.rollback === true ? present.version : await chooseVersion(options, present, terminal);
  const undone = version === present.version;
  if (undone && !unfinished) return terminal.done(`${version} is pinned already.`);
  if (unfinished)
    terminal.warn(`an update of ${present.version} was interrupted: ${undone ? 'undoing' : 'continuing'} it`);
  if (!undone) await verifyRelease(homeFolder, version, process.env['OT_RELEASE_SIGNERS']);
  const target = undone ? present : await installRelease(homeFolder, version, present, terminal.step);
  const schema = await schemaInContainer(homeFolder);
  if (schema === undefined)
    throw new Refusal('The database does not run; start it first: docker compose up --detach postgres');
  await checkSchema(target, schema, true, async () => wayBackOfContainers(version, options));
  const { OT_UPDATE_READY_SECONDS: withinSeconds } = readEnv(updateEnv);
  if (undone) {
    await undoUpdate({ home: homeFolder, withinSeconds, terminal });
    return terminal.done(`${version} runs again`);
  }
  if (!unfinished) await backUpContainers(homeFolder, terminal);
  await updateContainers({ home: homeFolder, target, full: options.full === true, withinSeconds, terminal });
  await pin(options, present, target, schema);
  finishUpdate(homeFolder);
  terminal.done(`${version} is pinned; it replaced ${present.version}`);
}

function wayBackOfContainers(version: string, { rollback }: UpdateOptions): string {
  const update = rollback === true ? '--rollback' : `--version v${version} --force-downgrade`;
  return [
    'The way back needs the backup from before the update. What was written later is lost:',
    '  docker compose run --rm tools backups',
    `  docker compose stop ${Object.keys(topology).join(' ')}`,
    '  docker compose run --rm tools restore /backups/before-update-TIME.dump',
    `  ./overtone update ${update}`,
  ].join('\n');
}

/** The hidden command of the next release: `takeOver`, with an exit code that says whether anything was replaced. */
export async function takeover(options: { data?: string; trial: boolean }): Promise<void> {
  const terminal = createTerminal();
  try {
    await takeOver(dataFolder(options.data), terminal, options);
  } catch (error) {
    if (!(error instanceof Replaced)) throw error;
    terminal.fail(error.message);
    process.exit(replacedCode);
  }
}

async function chooseVersion(options: UpdateOptions, present: Release, terminal: Terminal): Promise<string> {
  if (options.rollback === true) {
    if (options.version !== undefined)
      throw new Refusal('A rollback goes back to what the last update replaced; give no --version.');
    const record = readRecord(homeFolder);
    if (record === undefined) throw new Refusal('There is nothing to roll back to: no update is recorded.');
    return record.replaced.version;
  }
  terminal.busy('fetching the releases');
  await fetchReleases(homeFolder);
  const known = await knownVersions(homeFolder);
  const wanted = options.version?.replace(/^v/, '') ?? known[0];
  if (wanted === undefined) throw new Refusal('The remote has no release: no tag like v1.2.3.');
  if (!known.includes(wanted))
    throw new Refusal(`There is no release ${wanted}; the newest: ${known.slice(0, 5).join(', ') || 'there is none'}.`);
  if (isNewer(present.version, wanted) && options.forceDowngrade !== true) {
    if (options.version === undefined) return present.version;
    throw new Refusal(
      `${wanted} is older than ${present.version}; nothing was touched. To go back: ./overtone update --rollback, or --force-downgrade.`,
    );
  }
  return wanted;
}

async function targetOf(
  version: string,
  { rollback }: UpdateOptions,
  present: Release,
  terminal: Terminal,
): Promise<Release> {
  const replaced = rollback === true ? readRecord(homeFolder)?.replaced.path : undefined;
  if (replaced !== undefined && versionIn(replaced) === version) return { version, folder: replaced };
  if (version === present.version) return present;
  await verifyRelease(homeFolder, version, process.env['OT_RELEASE_SIGNERS']);
  return await installRelease(homeFolder, version, present, terminal.step);
}

/** Checks that the release can read the schema, then backs the database up. @returns its schema; undefined before the first start. */
async function saveDatabase(
  folder: DataFolder,
  options: UpdateOptions,
  target: Release,
  stopped: boolean,
  terminal: Terminal,
): Promise<Schema | undefined> {
  if (readInstance(folder) === undefined) return undefined;
  return await refusing(
    async () =>
      await withLock(setupLock(folder), async () => {
        if (stopped) await clearLeftovers(folder);
        return await withPostgres(folder, async (urlOf) => {
          const databaseUrl = urlOf(databaseName);
          const schema = await withClient(databaseUrl, async (client) => await schemaOf(client));
          await checkSchema(target, schema, stopped, async () => await wayBack(folder, options, target));
          terminal.busy('backing up');
          const { dump } = await createBackup({
            databaseUrl,
            programs: postgresPrograms(),
            destination: openDestination({ folder: folder.backups }),
            productVersion: productVersion(),
            encryptionKey: secretsIn(folder.secrets).read('encryption_key'),
            label: 'before-update',
          });
          terminal.done(`the database is in ${folder.backups}/${dump.file}`);
          return schema;
        });
      }),
  );
}

/**
 * @param nextSteps what to do when the release cannot run on the schema.
 * @throws Refusal when it cannot, or when the present one cannot run on the schema of the release.
 */
export async function checkSchema(
  target: Release,
  schema: Schema,
  stopped: boolean,
  nextSteps: () => Promise<string>,
): Promise<void> {
  const { version: head, readableFrom } = schemaOfRelease(target);
  if (!canRead(head, schema))
    throw new Refusal(
      `${target.version} cannot read the database: it knows v${head}, and v${schema.version} can be read from v${schema.readableFrom} on. ` +
        `Nothing was stopped or changed. ${await nextSteps()}`,
    );
  if (!stopped && !canRead(migrationHead(), { version: head, readableFrom }))
    throw new Refusal(
      `${target.version} migrates the database to v${head}, which ${productVersion()} cannot read while both run. Nothing was touched. ` +
        'Stop first: ./overtone down, ./overtone update, ./overtone up.',
    );
}

/** The commands that lead to a release which cannot read the present database, from the newest backup that it can read. */
async function wayBack(folder: DataFolder, { rollback }: UpdateOptions, target: Release): Promise<string> {
  const { version: head } = schemaOfRelease(target);
  const destination = openDestination({ folder: folder.backups });
  const { backups } = await listBackupsIfThere(destination);
  const readable = backups.find(({ manifest }) => manifest.schema_version <= head);
  const file = readable === undefined ? 'FILE' : join(destination.place, readable.manifest.dump.file);
  const update = rollback === true ? 'update --rollback' : `update --version v${target.version} --force-downgrade`;
  // Versions up to 0.5.0 sign no backup.
  const accepted =
    readable !== undefined && readable.manifest.manifest_hmac === undefined ? ' --accept-unverified-backup' : '';
  const commands = ['down', `restore ${file} --no-restart${accepted}`, update, 'up --detach'];
  const data = folder.root === dataFolder(undefined).root ? '' : ` --data ${folder.root}`;
  const made = readable === undefined ? `there is none in ${folder.backups}` : `of ${readable.manifest.created_at}`;
  return [
    `The way back needs a backup that it can read (${made}). What was written later is lost:`,
    ...commands.map((command) => `  ./overtone ${command}${data}`),
  ].join('\n');
}

async function handOver(folder: DataFolder, present: Release, target: Release, terminal: Terminal): Promise<void> {
  const code = await runTakeover(target, folder, []);
  if (code === 0) return;
  const failed = `${target.version} could not take over`;
  if (code === 1) {
    const instance = readInstance(folder);
    if (instance !== undefined && target.folder !== present.folder) await settleBusRights(folder, instance);
    throw new Refusal(`${failed}; ${present.version} was not replaced and runs on.`);
  }
  terminal.warn(`${failed}: going back to ${present.version}`);
  if ((await runTakeover(present, folder, ['--no-trial'])) !== 0)
    throw new Refusal(
      `${failed}, and ${present.version} could not either; start it again: ./overtone down, ./overtone up`,
    );
  throw new Refusal(`${failed}; ${present.version} runs again.`);
}

async function runTakeover(release: Release, folder: DataFolder, flags: readonly string[]): Promise<number> {
  const child = spawn(join(release.folder, 'overtone'), ['takeover', '--data', folder.root, ...flags], {
    env: { ...process.env, OVERTONE_HOME: homeFolder },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return await new Promise((resolve) => {
    child.on('error', () => resolve(1));
    child.once('exit', (code) => resolve(code ?? replacedCode));
  });
}

// The record precedes the pin: when this command is killed between them, the next one repeats the update.
async function pin(
  options: UpdateOptions,
  present: Release,
  target: Release,
  schema: Schema | undefined,
): Promise<void> {
  if (options.rollback !== true && target.folder !== present.folder)
    writeRecord(homeFolder, {
      version: target.version,
      replaced: { version: present.version, path: present.folder, schema_version: schema?.version ?? 0 },
      at: new Date().toISOString(),
    });
  await pinRelease(homeFolder, target);
  if (options.rollback === true) removeRecord(homeFolder);
}
