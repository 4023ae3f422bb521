import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { schemaAfter } from '@overtone/database/migrations';
import type { Schema } from '@overtone/database/schema';
import { z } from 'zod';
import { readIfThere, replaceFile } from '../files.ts';
import { Refusal } from '../refusal.ts';
import { isNewer } from '../setup/preflight.ts';
import { lastLines, run } from '../setup/run.ts';

/** A version and the folder that it runs from: a worktree of its tag in `.releases`, or the clone itself. */
export type Release = { readonly version: string; readonly folder: string };

const recordSchema = z.object({
  version: z.string(),
  /** What the update replaced, and the schema that the database had then. */
  replaced: z.object({ version: z.string(), path: z.string(), schema_version: z.int() }),
  at: z.iso.datetime(),
});
export type UpdateRecord = z.infer<typeof recordSchema>;

const tagPattern = /^v(\d+\.\d+\.\d+)$/;

function pathsOf(home: string) {
  const root = join(home, '.releases');
  return { root, pin: join(root, 'current'), record: join(root, 'record.json') };
}

/** The pinned release; `undefined`: the sources of the clone run, whatever is checked out. */
export function readPin(home: string): string | undefined {
  return tagPattern.exec(readIfThere(pathsOf(home).pin)?.trim() ?? '')?.[1];
}

/** From now on `./overtone` is this release. A clone that is no release itself is used without a pin. */
export async function pinRelease(home: string, { version, folder }: Release): Promise<void> {
  const { root, pin } = pathsOf(home);
  if (folder === home && (await releaseOfClone(home)) !== version) return rmSync(pin, { force: true });
  mkdirSync(root, { recursive: true });
  replaceFile(pin, `v${version}\n`, 0o644);
}

/** The release that is checked out in the clone; `undefined` when it follows a branch, or is at another commit. */
export async function releaseOfClone(home: string): Promise<string | undefined> {
  if ((await branchOf(home)) !== undefined) return undefined;
  const { code, output } = await git(home, 'tag', '--points-at', 'HEAD');
  const version = versionIn(home);
  return code === 0 && output.split('\n').includes(`v${version}`) ? version : undefined;
}

/** The branch that the clone follows. */
export async function branchOf(home: string): Promise<string | undefined> {
  const { code, output } = await git(home, 'symbolic-ref', '--quiet', '--short', 'HEAD');
  return code === 0 ? output : undefined;
}

/** What the last update replaced. */
export function readRecord(home: string): UpdateRecord | undefined {
  const text = readIfThere(pathsOf(home).record);
  return text === undefined ? undefined : recordSchema.parse(JSON.parse(text));
}

export function writeRecord(home: string, record: UpdateRecord): void {
  mkdirSync(pathsOf(home).root, { recursive: true });
  replaceFile(pathsOf(home).record, `${JSON.stringify(record, undefined, 2)}\n`, 0o644);
}

export function removeRecord(home: string): void {
  rmSync(pathsOf(home).record, { force: true });
}

/** Fetches the tags of the remote `origin`. A tag that was moved since is refused. */
export async function fetchReleases(home: string): Promise<void> {
  const inside = await git(home, 'rev-parse', '--git-dir');
  if (inside.code !== 0)
    throw new Refusal(`${home} is not a git clone, so there is nothing to fetch releases from: ${inside.output}`);
  if ((await git(home, 'remote', 'get-url', 'origin')).code !== 0)
    throw new Refusal(
      `${home} has no remote "origin" to fetch releases from. Without a network this can be a folder or a bundle file: git remote add origin PATH`,
    );
  const { code, output } = await git(home, 'fetch', '--quiet', '--tags', 'origin');
  if (code !== 0) throw new Refusal(`The releases cannot be fetched: ${output}`);
}

/** The versions that have a tag in the clone, newest first. */
export async function knownVersions(home: string): Promise<string[]> {
  const { code, output } = await git(home, 'tag', '--list', 'v*');
  if (code !== 0) return [];
  const versions = output.split('\n').flatMap((tag) => tagPattern.exec(tag)?.[1] ?? []);
  return versions.sort((left, right) => (isNewer(left, right) ? -1 : 1));
}

/** Refuses a tag of another version, and one that no allowed signer signed (OT_RELEASE_SIGNERS: an allowed-signers file). */
export async function verifyRelease(home: string, version: string, signers: string | undefined): Promise<void> {
  const { code, output } = await git(home, 'show', `v${version}:package.json`);
  const found = code === 0 ? (JSON.parse(output) as { version?: string }).version : 'unknown';
  if (found !== version) throw new Refusal(`The tag v${version} holds version ${found}; nothing was touched.`);
  if (signers === undefined) return;
  const verified = await git(
    home,
    '-c',
    'gpg.format=ssh',
    '-c',
    `gpg.ssh.allowedSignersFile=${signers}`,
    'verify-tag',
    `v${version}`,
  );
  if (verified.code !== 0)
    throw new Refusal(`The tag v${version} is not signed by a signer of ${signers}: ${verified.output}`);
}

/** Installs a release in `.releases`, with packages and everything that is made from sources. Continues an interrupted one. */
export async function installRelease(
  home: string,
  version: string,
  present: Release,
  say: (line: string) => void,
): Promise<Release> {
  const tag = `v${version}`;
  const folder = join(pathsOf(home).root, tag);
  const commit = await required(home, 'rev-parse', `${tag}^{commit}`);
  const installed = join(folder, '.tools', 'release');
  const release = { version, folder };
  if (readIfThere(installed)?.trim() === commit) return release;
  say(`installing ${tag}`);
  await git(home, 'worktree', 'remove', '--force', folder);
  rmSync(folder, { recursive: true, force: true });
  await required(home, 'worktree', 'prune');
  await required(home, 'worktree', 'add', '--quiet', '--detach', folder, commit);
  await shareTools(present.folder, folder);
  const env = { OVERTONE_HOME: home, PATH: `${join(folder, '.tools', 'bin')}:${process.env['PATH'] ?? ''}` };
  // Any command installs the packages.
  await succeed(join(folder, 'overtone'), ['help'], { cwd: folder, env });
  await succeed(join(folder, '.tools', 'bin', 'node'), [join(folder, 'packages/cli/src/prepare.main.ts')], {
    cwd: folder,
    env,
  });
  replaceFile(installed, `${commit}\n`, 0o644);
  return release;
}

/** What the migrations of a release say about the schema that they lead to. */
export function schemaOfRelease({ folder }: Release): Schema {
  const migrations = join(folder, 'packages', 'database', 'migrations');
  const found = readdirSync(migrations).flatMap((file) => {
    const version = /^v(\d+)_.*\.sql$/.exec(file)?.[1];
    if (version === undefined) return [];
    const declared = /^-- readable-by: v(\d+)/.exec(readFileSync(join(migrations, file), 'utf8'))?.[1];
    return [{ version: Number(version), readableBy: Number(declared ?? version) }];
  });
  return schemaAfter(found);
}

/** The version of the sources in a folder. */
export function versionIn(folder: string): string | undefined {
  const text = readIfThere(join(folder, 'package.json'));
  return text === undefined ? undefined : (JSON.parse(text) as { version: string }).version;
}

// Node and pnpm are downloaded only when the release needs other versions of them than the present one.
async function shareTools(from: string, to: string): Promise<void> {
  const needed = (folder: string) =>
    readIfThere(join(folder, 'overtone'))
      ?.match(/^(node|pnpm)_version=.*$/gm)
      ?.join();
  const versions = readIfThere(join(from, '.tools', 'versions'));
  if (versions === undefined || needed(from) !== needed(to)) return;
  const tools = join(to, '.tools');
  mkdirSync(tools, { recursive: true });
  const [modules, bin] = [join(from, '.tools', 'node_modules'), join(from, '.tools', 'bin')];
  // Hard links; the launcher replaces such files and never writes into them.
  if ((await run('cp', ['--archive', '--link', modules, bin, tools])).code === 0)
    replaceFile(join(tools, 'versions'), versions, 0o644);
  else rmSync(tools, { recursive: true, force: true });
}

async function succeed(command: string, args: readonly string[], options: Parameters<typeof run>[2]): Promise<void> {
  const { code, output } = await run(command, args, options);
  if (code !== 0) throw new Refusal(`The release cannot be installed; nothing was touched:\n${lastLines(output, 40)}`);
}

async function required(home: string, ...args: string[]): Promise<string> {
  const { code, output } = await git(home, ...args);
  if (code !== 0) throw new Refusal(`git ${args[0]} failed: ${output}`);
  return output;
}

async function git(home: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const { code, output } = await run('git', ['-C', home, ...args], { env: { GIT_TERMINAL_PROMPT: '0' } });
  return { code, output: output.trim() };
}
