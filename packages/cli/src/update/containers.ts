import { cpSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { topology } from '@overtone/contracts';
import type { Schema } from '@overtone/database/schema';
import { readIfThere, replaceFile } from '../files.ts';
import { messageOf, Refusal } from '../refusal.ts';
import { lastLines, run } from '../setup/run.ts';
import type { Terminal } from '../terminal.ts';
import type { Release } from './releases.ts';

const edge = 'edge-gateway';
const shownLines = 40;
/** What of a release stands in the clone for `docker compose`; `update-full` replaces it. */
const composeFiles = ['compose.yaml', 'deploy'];

/** The tag that the containers of a clone are pinned to; `undefined` when it has no container profile. */
export function imageTag(home: string): string | undefined {
  const text = readIfThere(join(home, '.env'));
  return text === undefined ? undefined : parseEnv(text)['OT_IMAGE_TAG'];
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

/** Dumps the database in its container. */
export async function dumpContainer(home: string, terminal: Terminal): Promise<void> {
  const folder = join(home, 'backups');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `before-update-${new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '')}.dump`);
  terminal.busy('backing up');
  // A shell writes the file, because the dump may be larger than the memory.
  const script =
    'umask 077; docker compose exec --no-TTY postgres pg_dump --username overtone --format custom overtone >"$1.part" && mv "$1.part" "$1"';
  const { code, output } = await run('sh', ['-c', script, 'sh', file], { cwd: home });
  if (code !== 0) {
    rmSync(`${file}.part`, { force: true });
    throw new Refusal(`The backup failed; nothing was touched: ${lastLines(output, 3)}`);
  }
  terminal.done(`the database is in ${file}`);
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
 * Pins the image tag of a release, pulls, migrates and replaces one service after another, the edge last. When a step
 * fails, the present tag is pinned again and what was replaced is replaced by it.
 */
export async function updateContainers(update: ContainerUpdate): Promise<void> {
  const { home, target, full, terminal } = update;
  const kept = keep(home);
  const refreshed: string[] = [];
  const replaced: string[] = [];
  try {
    if (full) await refreshFiles(update, refreshed);
    await writeSettings(update);
    terminal.busy('pulling the images');
    await required(home, 'pull', '--quiet', 'migrate', ...Object.keys(topology));
    // A file that was replaced is not seen in a running container.
    if (readIfThere(join(home, 'nats.conf')) !== kept.get('nats.conf'))
      await required(home, 'up', '--detach', '--no-deps', '--force-recreate', '--wait', 'nats');
    terminal.busy('migrating');
    await required(home, 'run', '--rm', 'migrate');
    terminal.done('the database is migrated');
    for (const service of servicesInOrder()) {
      replaced.push(service);
      await replaceService(update, service);
    }
  } catch (error) {
    terminal.warn(messageOf(error));
    for (const name of refreshed) restoreFile(join(home, name));
    await goBack(update, kept, replaced);
    throw new Refusal(`${target.version} could not take over; the version before is pinned and runs again.`, {
      cause: error,
    });
  }
}

async function goBack(update: ContainerUpdate, kept: Kept, replaced: readonly string[]): Promise<void> {
  const { home, terminal } = update;
  const rights = readIfThere(join(home, 'nats.conf'));
  for (const [name, text] of kept) replaceFile(join(home, name), text, name === '.env' ? 0o600 : 0o644);
  if (replaced.length > 0) terminal.warn(`going back: ${replaced.join(', ')}`);
  for (const service of replaced) await replaceService(update, service);
  if (rights !== kept.get('nats.conf'))
    await required(home, 'up', '--detach', '--no-deps', '--force-recreate', '--wait', 'nats');
}

async function replaceService({ home, withinSeconds, terminal }: ContainerUpdate, service: string): Promise<void> {
  const wait = ['--wait', '--wait-timeout', String(withinSeconds)];
  const { code, output } = await compose(home, 'up', '--detach', '--no-deps', ...wait, service);
  if (code === 0) return terminal.done(`${service} is ready`);
  const logs = await compose(home, 'logs', '--no-color', '--tail', String(shownLines), service);
  throw new Refusal(`${service} is not ready: ${lastLines(output, 1)}\n${lastLines(logs.output, shownLines)}`);
}

function servicesInOrder(): string[] {
  return Object.keys(topology).toSorted((left, right) => Number(left === edge) - Number(right === edge));
}

type Kept = ReadonlyMap<string, string>;

function keep(home: string): Kept {
  const names = ['.env', 'nats.conf'];
  return new Map(
    names.flatMap((name) => {
      const text = readIfThere(join(home, name));
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

// The release itself adds the secrets and bus users that it needs; the values that are there stay.
async function writeSettings({ home, target, terminal }: ContainerUpdate): Promise<void> {
  const file = join(home, '.env');
  const before = parseEnv(readFileSync(file, 'utf8'));
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
async function refreshFiles({ home, target, terminal }: ContainerUpdate, refreshed: string[]): Promise<void> {
  for (const name of composeFiles) {
    const [ours, theirs] = [join(home, name), join(target.folder, name)];
    if (!existsSync(theirs)) continue;
    const { output } = await run('git', ['diff', '--no-index', '--no-color', '--', ours, theirs]);
    if (output.trim() === '') continue;
    terminal.line(output.trimEnd());
    rmSync(`${ours}.before-update`, { recursive: true, force: true });
    if (existsSync(ours)) cpSync(ours, `${ours}.before-update`, { recursive: true });
    refreshed.push(name);
    cpSync(theirs, ours, { recursive: true });
    terminal.done(`${name} is of ${target.version}; the one before is ${name}.before-update`);
  }
}

function restoreFile(path: string): void {
  rmSync(path, { recursive: true, force: true });
  if (existsSync(`${path}.before-update`)) renameSync(`${path}.before-update`, path);
}

async function required(home: string, ...args: string[]): Promise<void> {
  const { code, output } = await compose(home, ...args);
  if (code !== 0) throw new Refusal(`docker compose ${args.join(' ')} failed:\n${lastLines(output, shownLines)}`);
}

async function compose(home: string, ...args: string[]) {
  return await run('docker', ['compose', ...args], { cwd: home });
}
