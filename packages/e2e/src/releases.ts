import { execFile } from 'node:child_process';
import { access, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { launcher } from './instance.ts';

const productFolder = dirname(launcher);

/** A remote with releases, and a clone of it at the first one. */
export type Releases = { home: string; first: string; next: string; failing: string; breaking: string };

async function git(at: string, ...args: string[]): Promise<string> {
  const identity = ['-c', 'user.name=Overtone', '-c', 'user.email=overtone@example.org'];
  return (await promisify(execFile)('git', ['-C', at, ...identity, ...args])).stdout.trim();
}

/** Changes a file, which must contain the text. */
async function replaceIn(file: string, text: string, replacement: string): Promise<void> {
  const before = await readFile(file, 'utf8');
  if (!before.includes(text)) throw new Error(`${file} does not contain ${text}`);
  await writeFile(file, before.replaceAll(text, replacement));
}

async function setVersion(folder: string, from: string, to: string): Promise<void> {
  const groups = ['packages', 'services'];
  const found = await Promise.all(
    groups.map(async (group) => (await readdir(join(folder, group))).map((name) => join(folder, group, name))),
  );
  for (const place of [folder, ...found.flat()]) {
    const file = join(place, 'package.json');
    const exists = await access(file).then(
      () => true,
      () => false,
    );
    if (exists) await replaceIn(file, `"version": "${from}"`, `"version": "${to}"`);
  }
}

async function commitRelease(folder: string, version: string): Promise<string> {
  await git(folder, 'add', '--all');
  await git(folder, 'commit', '--quiet', '--allow-empty', '--message', version);
  await git(folder, 'tag', `v${version}`);
  return version;
}

/** A service that is never ready, always or unless it only proves that it starts. */
async function breakService(folder: string, condition: string): Promise<void> {
  const check = `{ checks: { fault: { critical: true, probe: async () => { if (${condition}) throw new Error('a fault of the release'); } } } }`;
  await replaceIn(
    join(folder, 'services', 'search-indexer', 'src', 'search-indexer.ts'),
    'slices: [',
    `slices: [${check}, `,
  );
}

/**
 * Makes releases from the committed sources: the sources; a newer version with a migration; one with a service that is
 * never ready; one with a service that is not ready once it has replaced the running one.
 */
export async function makeReleases(): Promise<Releases & { remove: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'overtone-e2e-releases-'));
  const [work, remote, home] = ['work', 'remote', 'home'].map((name) => join(folder, name)) as [string, string, string];
  await git(folder, 'clone', '--quiet', '--no-tags', '--no-checkout', productFolder, work);
  await git(work, 'checkout', '--quiet', '--detach', await git(productFolder, 'rev-parse', 'HEAD'));
  const { version } = JSON.parse(await readFile(join(work, 'package.json'), 'utf8')) as { version: string };
  const first = await commitRelease(work, version);
  await setVersion(work, first, '90.0.0');
  const migrations = join(work, 'packages', 'database', 'migrations');
  const head = (await readdir(migrations))
    .flatMap((name) => /^v(\d+)_/.exec(name)?.[1] ?? [])
    .sort()
    .at(-1)!;
  await writeFile(
    join(migrations, 'v990_release_note.sql'),
    `-- readable-by: v${head}\n-- proof: release_note\ncreate table if not exists release_note (uuid uuid primary key);\n`,
  );
  const next = await commitRelease(work, '90.0.0');
  await setVersion(work, next, '90.0.1');
  await breakService(work, 'true');
  const failing = await commitRelease(work, '90.0.1');
  await git(work, 'checkout', '--quiet', '--detach', `v${next}`);
  await setVersion(work, next, '90.0.2');
  await breakService(work, "process.env['STANDBY'] === undefined");
  const breaking = await commitRelease(work, '90.0.2');
  await git(folder, 'clone', '--quiet', '--bare', work, remote);
  await git(folder, 'clone', '--quiet', '--branch', `v${first}`, remote, home);
  // Node and pnpm are not downloaded again.
  await promisify(execFile)('mkdir', [join(home, '.tools')]);
  const tools = ['node_modules', 'bin', 'versions'].map((name) => join(productFolder, '.tools', name));
  await promisify(execFile)('cp', ['--archive', ...tools, join(home, '.tools')]);
  return { home, first, next, failing, breaking, remove: () => rm(folder, { recursive: true, force: true }) };
}
