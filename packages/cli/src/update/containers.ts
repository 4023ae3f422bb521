import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { topology } from '@overtone/contracts';
import type { Schema } from '@overtone/database/schema';
import { z } from 'zod';
import { readIfThere, replaceFile } from '../files.ts';
import { messageOf, Refusal } from '../refusal.ts';
import { lastLines, run } from '../setup/run.ts';
import type { Terminal } from '../terminal.ts';
import type { Release } from './releases.ts';

const edge = 'edge-gateway';
const shownLines = 40;
const settingsFiles = ['.env', 'nats.conf'];
/** What of a release stands in the clone for `docker compose`; `update-full` replaces it. */
const composeFiles = ['compose.yaml', 'deploy'];

/** What an update changes of the clone, as it was before. It is removed when the update has ended, so it outlives a kill. */
function keptFolder(home: string): string {
  return join(home, '.releases', 'unfinished');
}

/** Whether an update of the containers was interrupted: some of them may run the release that it installs. */
export function isUnfinished(home: string): boolean {
  return existsSync(keptFolder(home));
}

/** The tag that the containers of a clone are pinned to, by the last update that ended; `undefined` without a container profile. */
export function imageTag(home: string): string | undefined {
  const text = readIfThere(join(isUnfinished(home) ? keptFolder(home) : home, '.env'));
  return text === undefined ? undefined : parseEnv(text)['OT_IMAGE_TAG'];
}

const containerSchema = z.object({
  Service: z.string(),
  Image: z.string(),
  State: z.string(),
  Health: z.string().optional(),
});
type RunningContainer = { readonly service: string; readonly version: string; readonly ready: boolean };

/** The containers of the services, with the tag that each runs. One line of JSON each; before Compose 2.21 one list. */
export async function runningContainers(home: string): Promise<RunningContainer[]> {
  const { code, output } = await compose(home, 'ps', '--all', '--format', 'json');
  if (code !== 0) throw new Refusal(`docker compose ps failed: ${lastLines(output, 3)}`);
  const lines = output.split('\n').filter((line) => /^[[{]/.test(line));
  const found = z.array(containerSchema).parse(lines.flatMap((line) => JSON.parse(line) as unknown));
  return found
    .filter(({ Service }) => Service in topology)
    .map(({ Service, Image, State, Health }) => ({
      service: Service,
      version: Image.slice(Image.lastIndexOf(':') + 1),
      ready: State === 'running' && (Health ?? 'healthy') === 'healthy',
    }));
}

/** The schema of the database in its container; `undefined` when it does not run. */
export async function schemaInContainer(home: string): Promise<Schema | undefined> {
  const sql = `select json_build_object('version', max(version), 'readableFrom', max(coalesce((to_jsonb(applied) ->> 'readable_from')::integer, version))) from schema_version applied`;
  const psql = [
    'psql',
    '--username',
    'overtone',
    '--dbname',
    'overtone',
    '--no-align',
    '--tuples-only',
    '--command',
    sql,
  ];
  const { code, output } = await compose(home, 'exec', '--no-TTY', 'postgres', ...psql);
  return code === 0 ? (JSON.parse(lastLines(output, 1)) as Schema) : undefined;
}

/** Backs the database up with the tools of the present release: with a manifest, where `tools restore` finds it. */
export async function backUpContainers(home: string, terminal: Terminal): Promise<void> {
  terminal.busy('backing up');
  const { code, output } = await compose(
    home,
    'run',
    '--rm',
    '--no-TTY',
    '--no-deps',
    'tools',
    'backup',
    '--before-update',
  );
  if (code !== 0) throw new Refusal(`The backup failed; nothing was touched: ${lastLines(output, 3)}`);
  const file = /^ +(\S+\.dump(?:\.age)?)$/m.exec(output)?.[1];
  terminal.done(
    `the database is in ${file ?? 'the place of the backups'}; docker compose run --rm tools backups lists it`,
  );
}

type ContainerUpdate = {
  readonly home: string;
  readonly target: Release;
  /** Replaces the compose files of the clone, too. */
  readonly full: boolean;
  readonly withinSeconds: number;
  readonly terminal: Terminal;
};

/**
 * Pins the image tag of a release, pulls what is missing, migrates and replaces one service after another, the edge last.
 * When a step fails, the tag before is pinned again and what was replaced is replaced by it. An update that was killed is
 * continued: it compares with the files before the first attempt.
 */
export async function updateContainers(update: ContainerUpdate): Promise<void> {
  const { home, target, full, terminal } = update;
  // What the interrupted attempt replaced is not known.
  const replaced = new Set(isUnfinished(home) ? servicesInOrder() : []);
  const kept = keepFiles(home);
  try {
    if (full) await refreshFiles(update, kept);
    await writeSettings(update, kept);
    terminal.busy('pulling the images that are missing');
    await required(home, 'pull', '--quiet', '--policy', 'missing', 'migrate', ...Object.keys(topology));
    // A file that was replaced is not seen in a running container.
    if (readIfThere(join(home, 'nats.conf')) !== readIfThere(join(kept, 'nats.conf'))) await recreateBroker(home);
    terminal.busy('migrating');
    await required(home, 'run', '--rm', 'migrate');
    terminal.done('the database is migrated');
    for (const service of servicesInOrder()) {
      replaced.add(service);
      await replaceService(update, service);
    }
  } catch (error) {
    terminal.warn(messageOf(error));
    await goBack(update, [...replaced]);
    throw new Refusal(`${target.version} could not take over; the version before is pinned and runs again.`, {
      cause: error,
    });
  }
}

/** Undoes an update that was interrupted: the files before it are put back, and every service runs with them. */
export async function undoUpdate(update: Omit<ContainerUpdate, 'target' | 'full'>): Promise<void> {
  await goBack(update, servicesInOrder());
}

async function goBack(update: Omit<ContainerUpdate, 'target' | 'full'>, replaced: readonly string[]): Promise<void> {
  const { home, terminal } = update;
  const kept = keptFolder(home);
  const rights = readIfThere(join(home, 'nats.conf'));
  for (const name of composeFiles) {
    const [ours, before] = [join(home, name), join(kept, name)];
    // Containers mount these folders: unchanged files are not written.
    if (existsSync(before) && (await difference(before, ours)) === '') continue;
    rmSync(ours, { recursive: true, force: true });
    if (existsSync(before)) cpSync(before, ours, { recursive: true });
  }
  for (const name of settingsFiles) {
    const text = readIfThere(join(kept, name));
    if (text !== undefined) replaceFile(join(home, name), text, name === '.env' ? 0o600 : 0o644);
  }
  if (replaced.length > 0) terminal.warn(`going back: ${replaced.join(', ')}`);
  for (const service of replaced) await replaceService(update, service);
  if (rights !== readIfThere(join(kept, 'nats.conf'))) await recreateBroker(home);
  finishUpdate(home);
}

/** The update has ended: what the clone holds now is what its containers run. */
export function finishUpdate(home: string): void {
  rmSync(keptFolder(home), { recursive: true, force: true });
}

async function recreateBroker(home: string): Promise<void> {
  await required(home, 'up', '--detach', '--no-deps', '--force-recreate', '--wait', 'nats');
}

async function replaceService(
  { home, withinSeconds, terminal }: Pick<ContainerUpdate, 'home' | 'withinSeconds' | 'terminal'>,
  service: string,
): Promise<void> {
  const wait = ['--wait', '--wait-timeout', String(withinSeconds)];
  const { code, output } = await compose(home, 'up', '--detach', '--no-deps', ...wait, service);
  if (code === 0) return terminal.done(`${service} is ready`);
  const logs = await compose(home, 'logs', '--no-color', '--tail', String(shownLines), service);
  throw new Refusal(`${service} is not ready: ${lastLines(output, 1)}\n${lastLines(logs.output, shownLines)}`);
}

function servicesInOrder(): string[] {
  return Object.keys(topology).toSorted((left, right) => Number(left === edge) - Number(right === edge));
}

// The folder appears complete or not at all.
function keepFiles(home: string): string {
  const folder = keptFolder(home);
  if (existsSync(folder)) return folder;
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true, mode: 0o700 });
  for (const name of [...settingsFiles, ...composeFiles])
    if (existsSync(join(home, name))) cpSync(join(home, name), join(part, name), { recursive: true });
  renameSync(part, folder);
  return folder;
}

// The release itself adds the secrets and bus users that it needs; the values that are there stay.
async function writeSettings({ home, target, terminal }: ContainerUpdate, kept: string): Promise<void> {
  const file = join(home, '.env');
  const before = parseEnv(readFileSync(join(kept, '.env'), 'utf8'));
  const { code, output } = await run(join(target.folder, 'overtone'), ['config', 'container', '--out', home], {
    env: { OVERTONE_HOME: home },
  });
  if (code !== 0) throw new Refusal(`The settings cannot be completed: ${lastLines(output, 3)}`);
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => (/^\s*OT_IMAGE_TAG\s*=/.test(line) ? `OT_IMAGE_TAG=${target.version}` : line));
  replaceFile(file, lines.join('\n'));
  const added = Object.keys(parseEnv(lines.join('\n'))).filter((name) => !(name in before));
  if (added.length > 0) terminal.done(`added to .env: ${added.join(', ')}`);
}

// `git diff` exits with 1 when there are differences.
async function difference(before: string, after: string): Promise<string> {
  return (await run('git', ['diff', '--no-index', '--no-color', '--', before, after])).output.trimEnd();
}

async function refreshFiles({ home, target, terminal }: ContainerUpdate, kept: string): Promise<void> {
  for (const name of composeFiles) {
    const [ours, before, theirs] = [join(home, name), join(kept, name), join(target.folder, name)];
    if (!existsSync(theirs)) continue;
    const changes = await difference(before, theirs);
    if (changes === '') continue;
    terminal.line(changes);
    rmSync(`${ours}.before-update`, { recursive: true, force: true });
    if (existsSync(before)) cpSync(before, `${ours}.before-update`, { recursive: true });
    cpSync(theirs, ours, { recursive: true });
    terminal.done(`${name} is of ${target.version}; the one before is ${name}.before-update`);
  }
}

async function required(home: string, ...args: string[]): Promise<void> {
  const { code, output } = await compose(home, ...args);
  if (code !== 0) throw new Refusal(`docker compose ${args.join(' ')} failed:\n${lastLines(output, shownLines)}`);
}

async function compose(home: string, ...args: string[]) {
  return await run('docker', ['compose', ...args], { cwd: home });
}
