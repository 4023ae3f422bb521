import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { withClient } from '@overtone/backup';
import { migrate, readMigrations } from '@overtone/database';
import { withPostgres } from '../backup/with-postgres.ts';
import { dataFolder, productFolder, productVersion } from '../paths.ts';
import { databaseName } from '../servers/postgres.ts';
import { run, type RunResult } from '../setup/run.ts';
import { setUp } from '../setup/set-up.ts';
import { identify } from '../supervisor/identity.ts';
import { guardianName, processMark } from '../supervisor/instance-processes.ts';
import { writeRuntime } from '../supervisor/runtime.ts';
import { pinRelease, readPin, releaseOfClone } from '../update/releases.ts';
import { checkSchema } from './update.command.ts';

// A remote of small releases whose `overtone` does what `takeover` says, and a clone of it as the home of this version.
let folder: string;
let remote: string;
let home: string;
let data: string;
let guardian: ChildProcess | undefined;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'overtone-update-'));
  [remote, home, data] = ['remote', 'home', 'data'].map((name) => join(folder, name)) as [string, string, string];
  await git(folder, 'init', '--quiet', '--initial-branch', 'main', remote);
  await release('0.1.0');
  await git(folder, 'clone', '--quiet', remote, home);
  copyFileSync(join(productFolder, 'overtone'), join(home, 'overtone'));
});
afterEach(() => {
  guardian?.kill('SIGKILL');
  guardian = undefined;
  rmSync(folder, { recursive: true });
});

async function git(at: string, ...args: string[]): Promise<string> {
  const identity = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org'];
  const { code, output } = await run('git', ['-C', at, ...identity, ...args]);
  if (code !== 0) throw new Error(`git ${args.join(' ')}: ${output}`);
  return output.trim();
}

type Files = Readonly<Record<string, string>>;

type ReleaseOptions = { takeover?: string; tag?: string; files?: Files };

async function release(version: string, { takeover = 'exit 0', tag = `v${version}`, files = {} }: ReleaseOptions = {}) {
  const toolVersions = readFileSync(join(productFolder, 'overtone'), 'utf8').match(/^(node|pnpm)_version=.*$/gm)!;
  const script = `#!/bin/sh
${toolVersions.join('\n')}
echo "${version} $*" >>"${folder}/calls"
case $1 in
takeover) ${takeover} ;;
config) echo 'ADDED_PASSWORD=secret-of-${version}' >>"$4/.env"; echo 'rights of ${version}' >"$4/nats.conf" ;;
*) echo "release ${version} of $OVERTONE_HOME" ;;
esac
`;
  const all: Files = {
    'package.json': JSON.stringify({ version }),
    overtone: script,
    '.gitignore': '.tools/\n.releases/\n',
    'packages/cli/src/prepare.main.ts': '',
    'packages/database/migrations/v010_baseline.sql': '-- readable-by: v010\n',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(remote, name)), { recursive: true });
    writeFileSync(join(remote, name), text);
  }
  chmodSync(join(remote, 'overtone'), 0o755);
  await git(remote, 'add', '--all');
  await git(remote, 'commit', '--quiet', '--allow-empty', '--message', version);
  await git(remote, 'tag', tag);
}

async function overtone(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<RunResult> {
  return await run(join(productFolder, 'overtone'), args, { env: { OVERTONE_HOME: home, ...env } });
}

async function update(...args: string[]): Promise<RunResult> {
  return await overtone(['update', '--data', data, ...args]);
}

async function version(): Promise<unknown> {
  return JSON.parse((await overtone(['version', '--json'])).output);
}

function calls(): string[] {
  const file = join(folder, 'calls');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

function pretendRunning(guarded: boolean): void {
  mkdirSync(join(data, 'logs'), { recursive: true });
  const env = { PATH: process.env['PATH'], ...(guarded ? processMark(data, guardianName) : {}) };
  guardian = spawn('sleep', ['300'], { detached: true, stdio: 'ignore', env });
  const supervisor = identify(guardian.pid!)!;
  writeRuntime(dataFolder(data), {
    phase: 'ready',
    version: productVersion(),
    mark: '',
    supervisor,
    processes: [],
    exits: {},
  });
}

describe('update', () => {
  it('installs the newest release beside the present one, pins it and records what it replaced', async () => {
    await release('98.0.0');
    await release('99.0.0');
    const { code, output } = await update();
    expect([code, output]).toEqual([0, expect.stringContaining('99.0.0 is pinned')]);
    expect(await version()).toMatchObject({ current: productVersion(), pinned: '99.0.0', newest: '99.0.0' });
    expect(JSON.parse(readFileSync(join(home, '.releases', 'record.json'), 'utf8'))).toMatchObject({
      version: '99.0.0',
      replaced: { version: productVersion(), path: productFolder, schema_version: 0 },
    });
    expect(await run(join(home, 'overtone'), ['status'], { env: { OVERTONE_HOME: '' } })).toEqual({
      code: 0,
      output: `release 99.0.0 of ${home}\n`,
    });
  });

  it('lets the new release take over a detached instance', async () => {
    await release('99.0.0');
    pretendRunning(true);
    expect(await update('--version', 'v99.0.0')).toMatchObject({ code: 0 });
    expect(calls()).toContain(`99.0.0 takeover --data ${data}`);
  });

  it('pins nothing when the new release replaced nothing', async () => {
    await release('99.0.0', { takeover: 'echo "media was not ready within 120 s"; exit 1' });
    pretendRunning(true);
    const { code, output } = await update();
    expect([code, output]).toEqual([1, expect.stringContaining('media was not ready within 120 s')]);
    expect(output).toContain(`99.0.0 could not take over; ${productVersion()} was not replaced and runs on.`);
    expect(await version()).toMatchObject({ pinned: null });
    expect(existsSync(join(home, '.releases', 'record.json'))).toBe(false);
  });

  it('goes back to the present release when the new one replaced something and failed', async () => {
    await release('99.0.0', { takeover: 'exit 3' });
    pretendRunning(true);
    const { code, output } = await update();
    expect([code, output]).toEqual([1, expect.stringContaining(`going back to ${productVersion()}`)]);
    expect(await version()).toMatchObject({ pinned: null });
  });

  it('can be run again after it was killed', async () => {
    await release('99.0.0', {
      takeover: '[ -e ${0%/*}/.tools/second ] || { touch ${0%/*}/.tools/second; sleep 30; }',
    });
    pretendRunning(true);
    const first = spawn(join(productFolder, 'overtone'), ['update', '--data', data], {
      env: { ...process.env, OVERTONE_HOME: home },
      stdio: 'ignore',
      detached: true,
    });
    while (!calls().some((call) => call.includes('takeover'))) await new Promise((resolve) => setTimeout(resolve, 50));
    process.kill(-first.pid!, 'SIGKILL');
    expect(await version()).toMatchObject({ pinned: null });
    expect(await update()).toMatchObject({ code: 0 });
    expect(await version()).toMatchObject({ pinned: '99.0.0' });
  });

  it('installs a release again when its installation was interrupted', async () => {
    await release('99.0.0');
    mkdirSync(join(home, '.releases', 'v99.0.0', 'packages'), { recursive: true });
    expect(await update()).toMatchObject({ code: 0 });
    expect(existsSync(join(home, '.releases', 'v99.0.0', 'package.json'))).toBe(true);
  });

  it('rolls back to exactly what it replaced, once', async () => {
    await release('98.0.0');
    await release('99.0.0');
    await update('--version', '98.0.0');
    const replaced = { version: '98.0.0', path: join(home, '.releases', 'v98.0.0'), schema_version: 0 };
    const record = { version: productVersion(), replaced, at: new Date().toISOString() };
    writeFileSync(join(home, '.releases', 'record.json'), JSON.stringify(record));
    expect(await update('--rollback')).toMatchObject({ code: 0 });
    expect(await version()).toMatchObject({ pinned: '98.0.0' });
    expect(await update('--rollback')).toEqual({
      code: 1,
      output: '✗ There is nothing to roll back to: no update is recorded.\n',
    });
  });

  it('refuses an older release and touches nothing, unless the downgrade is forced', async () => {
    await release('0.2.0');
    const { code, output } = await update('--version', 'v0.2.0');
    expect([code, output]).toEqual([1, expect.stringContaining(`0.2.0 is older than ${productVersion()}`)]);
    expect(existsSync(join(home, '.releases'))).toBe(false);
    expect(await update('--version', 'v0.2.0', '--force-downgrade')).toMatchObject({ code: 0 });
    expect(await version()).toMatchObject({ pinned: '0.2.0' });
  });

  it('does nothing when no newer release is there', async () => {
    expect(await update()).toEqual({ code: 0, output: `✓ ${productVersion()} runs already.\n` });
  });

  it('refuses a tag whose sources are of another version', async () => {
    await release('98.0.0', { tag: 'v99.0.0' });
    const { code, output } = await update();
    expect([code, output]).toEqual([1, expect.stringContaining('The tag v99.0.0 holds version 98.0.0')]);
  });

  it('refuses a tag that was moved after it was fetched', async () => {
    await release('99.0.0');
    await overtone(['version', '--fetch']);
    await git(remote, 'tag', '--delete', 'v99.0.0');
    await release('99.0.0', { files: { 'other.txt': 'other' } });
    const { code, output } = await update();
    expect([code, output]).toEqual([1, expect.stringContaining('The releases cannot be fetched')]);
  });

  it('accepts only signed tags when the signers are given', async () => {
    await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(folder, 'key')]);
    const signers = join(folder, 'signers');
    writeFileSync(signers, `ada@example.org ${readFileSync(join(folder, 'key.pub'), 'utf8')}`);
    await release('99.0.0');
    const unsigned = await overtone(['update', '--data', data], { OT_RELEASE_SIGNERS: signers });
    expect([unsigned.code, unsigned.output]).toEqual([1, expect.stringContaining('The tag v99.0.0 is not signed')]);
    await release('99.1.0', { tag: 'unsigned' });
    const signing = ['-c', 'gpg.format=ssh', '-c', `user.signingkey=${join(folder, 'key.pub')}`];
    await git(remote, ...signing, 'tag', '--sign', '--message', '99.1.0', 'v99.1.0');
    expect(await overtone(['update', '--data', data], { OT_RELEASE_SIGNERS: signers })).toMatchObject({ code: 0 });
  });

  it('refuses an instance in a terminal', async () => {
    await release('99.0.0');
    pretendRunning(false);
    const { code, output } = await update();
    expect([code, output]).toEqual([1, expect.stringContaining('Overtone runs in a terminal')]);
  });

  it.each([
    ['a clone without a remote', async () => await git(home, 'remote', 'remove', 'origin'), 'has no remote "origin"'],
    ['a folder that is no clone', async () => rmSync(join(home, '.git'), { recursive: true }), 'is not a git clone'],
  ])('refuses %s in one sentence', async (_what, change, reason) => {
    await change();
    const { code, output } = await update();
    expect([code, output]).toEqual([1, expect.stringContaining(reason)]);
    const { code: shown, output: text } = await overtone(['version', '--fetch']);
    expect([shown, text]).toEqual([0, expect.stringContaining(reason)]);
  });
});

describe('update of containers', () => {
  const broken = '99.0.1';
  const path = () => `${join(folder, 'bin')}:${process.env['PATH']}`;
  const settings = () => readFileSync(join(home, '.env'), 'utf8');
  const updateContainers = async (command: string, ...args: string[]) =>
    await overtone([command, ...args], { PATH: path() });
  const setSchema = (version: number) =>
    writeFileSync(join(folder, 'schema'), JSON.stringify({ version, readableFrom: version }));
  /** What was run with docker compose, after the tag that was pinned then. */
  const composed = () => calls().flatMap((call) => (call.startsWith('compose ') ? call.slice('compose '.length) : []));

  beforeEach(async () => {
    await release('99.0.0', { files: { 'compose.yaml': 'name: of-99\n' } });
    writeFileSync(join(home, 'compose.yaml'), 'name: present\n');
    writeFileSync(join(home, 'nats.conf'), 'rights before\n');
    writeFileSync(join(home, '.env'), `OT_IMAGE_TAG=${productVersion()}\nLOG_LEVEL=debug\n`);
    mkdirSync(join(folder, 'bin'));
    setSchema(10);
    // A stand-in: the database is at the version in the file, and a service of the broken release never becomes healthy.
    writeFileSync(
      join(folder, 'bin', 'docker'),
      `#!/bin/sh
tag=$(sed -n 's/^OT_IMAGE_TAG=//p' .env)
echo "compose $tag $*" >>"${folder}/calls"
case "$*" in
*psql*) cat "${folder}/schema" ;;
*"tools backup"*) echo '✓ 1 MB'; echo '  /backups/before-update-20261128T030000Z-0a1b2c.dump' ;;
*" ps "*) cat "${folder}/ps" ;;
*"up "*identity) [ ! -e "${folder}/kill" ] || { rm "${folder}/kill"; kill -9 "$PPID"; } ;;
*"up "*search-indexer) [ "$tag" != ${broken} ] || { echo 'container is unhealthy'; exit 1; } ;;
*logs*) echo 'could not start' ;;
esac
`,
    );
    chmodSync(join(folder, 'bin', 'docker'), 0o755);
  });

  it('backs up, pins, pulls, migrates, and replaces one service after another, the edge last', async () => {
    const { code, output } = await updateContainers('update');
    expect([code, output]).toEqual([0, expect.stringContaining(`99.0.0 is pinned; it replaced ${productVersion()}`)]);
    expect(settings()).toBe('OT_IMAGE_TAG=99.0.0\nLOG_LEVEL=debug\nADDED_PASSWORD=secret-of-99.0.0\n');
    const ran = composed().map((call) => call.replace(/ compose /, ' '));
    const backup = ran.indexOf(`${productVersion()} run --rm --no-TTY --no-deps tools backup --before-update`);
    const pull = ran.findIndex((call) => call.startsWith('99.0.0 pull --quiet --policy missing migrate '));
    expect([backup !== -1, backup < pull]).toEqual([true, true]);
    expect(output).toContain('the database is in /backups/before-update-20261128T030000Z-0a1b2c.dump');
    const replaced = ran.filter((call) => call.includes('--wait-timeout')).map((call) => call.split(' ').at(-1));
    expect([new Set(replaced).size, replaced.at(-1)]).toEqual([replaced.length, 'edge-gateway']);
    expect(ran.findIndex((call) => call.includes('run --rm migrate'))).toBeLessThan(
      ran.findIndex((call) => call.includes('--wait-timeout')),
    );
    expect(ran.filter((call) => call.includes(' up ')).every((call) => call.startsWith('99.0.0 '))).toBe(true);
  });

  it('pins the version before again and replaces by it what was replaced, when a service is not healthy', async () => {
    await release(broken);
    const before = settings();
    const { code, output } = await updateContainers('update');
    expect([code, output]).toEqual([1, expect.stringContaining('search-indexer is not ready: container is unhealthy')]);
    expect(output).toContain('could not start');
    expect([settings(), readFileSync(join(home, 'nats.conf'), 'utf8')]).toEqual([before, 'rights before\n']);
    const ups = composed().filter((call) => call.includes('--wait-timeout'));
    const servicesOf = (tag: string) =>
      ups.filter((call) => call.startsWith(`${tag} `)).map((call) => call.split(' ').at(-1));
    expect(servicesOf(productVersion())).toEqual(servicesOf(broken));
    expect(existsSync(join(home, '.releases', 'record.json'))).toBe(false);
  });

  it('keeps compose.yaml, unless the update is a full one, which shows the difference', async () => {
    await updateContainers('update');
    expect(readFileSync(join(home, 'compose.yaml'), 'utf8')).toBe('name: present\n');
    await release('99.2.0');
    const { code, output } = await updateContainers('update-full');
    expect([code, output]).toEqual([0, expect.stringMatching(/^-name: present\n\+name: of-99$/m)]);
    expect(readFileSync(join(home, 'compose.yaml'), 'utf8')).toBe('name: of-99\n');
    expect(readFileSync(join(home, 'compose.yaml.before-update'), 'utf8')).toBe('name: present\n');
    expect(settings()).toContain('LOG_LEVEL=debug');
  });

  it('names the settings that the release adds, without their values', async () => {
    const { code, output } = await updateContainers('update-full');
    expect([code, output]).toEqual([0, expect.stringMatching(/^✓ added to \.env: ADDED_PASSWORD$/m)]);
    expect(output).not.toContain('secret-of');
    await release('99.2.0');
    expect((await updateContainers('update-full')).output).not.toContain('added to .env');
  });

  it('goes back to the tag that the update replaced, which runs in every container again', async () => {
    await release(productVersion());
    await updateContainers('update');
    const { code, output } = await updateContainers('update', '--rollback');
    expect([code, output]).toEqual([0, expect.stringContaining(`${productVersion()} is pinned; it replaced 99.0.0`)]);
    expect(settings()).toContain(`OT_IMAGE_TAG=${productVersion()}\n`);
    const ups = composed().filter((call) => call.includes('--wait-timeout'));
    const servicesOf = (tag: string) =>
      ups.filter((call) => call.startsWith(`${tag} `)).map((call) => call.split(' ').at(-1));
    expect(servicesOf(productVersion())).toEqual(servicesOf('99.0.0'));
  });

  it('refuses to go back to a release that cannot read the database, before any container is touched', async () => {
    await release(productVersion());
    await updateContainers('update');
    setSchema(999);
    const [before, ran] = [settings(), composed().length];
    const { code, output } = await updateContainers('update', '--rollback');
    expect([code, output]).toEqual([1, expect.stringContaining(`${productVersion()} cannot read the database`)]);
    expect(output).toContain('Nothing was stopped or changed. The way back needs the backup from before the update');
    expect(output).toContain('docker compose run --rm tools restore /backups/before-update-');
    expect(settings()).toBe(before);
    expect(composed().slice(ran)).toEqual([expect.stringContaining('psql')]);
  });

  const interrupt = async (command = 'update') => {
    writeFileSync(join(folder, 'kill'), '');
    return await updateContainers(command);
  };
  const backups = () => composed().filter((call) => call.includes('tools backup'));

  it('continues when it was killed, with one backup, and restarts the broker for its new permissions', async () => {
    expect((await interrupt('update-full')).code).not.toBe(0);
    expect(settings()).toContain('OT_IMAGE_TAG=99.0.0\n');
    const ran = composed().length;
    const { code, output } = await updateContainers('update');
    expect([code, output]).toEqual([0, expect.stringContaining(`99.0.0 is pinned; it replaced ${productVersion()}`)]);
    expect(output).toContain(`an update of ${productVersion()} was interrupted: continuing it`);
    expect(composed().slice(ran)).toContainEqual(expect.stringContaining('--force-recreate --wait nats'));
    expect(backups()).toHaveLength(1);
    const repeated = await updateContainers('update');
    expect([repeated.code, repeated.output]).toEqual([0, expect.stringContaining('99.0.0 is pinned already')]);
  });

  it('puts everything back when it fails after it was killed', async () => {
    const before = settings();
    await interrupt('update-full');
    await release(broken);
    const ran = composed().length;
    expect((await updateContainers('update')).code).toBe(1);
    expect([settings(), readFileSync(join(home, 'nats.conf'), 'utf8')]).toEqual([before, 'rights before\n']);
    expect(readFileSync(join(home, 'compose.yaml'), 'utf8')).toBe('name: present\n');
    const again = composed()
      .slice(ran)
      .filter((call) => call.startsWith(`${productVersion()} `));
    expect(again.filter((call) => call.includes('--wait-timeout'))).toHaveLength(10);
  });

  it('undoes an update that was killed, when it is asked to roll back', async () => {
    const before = settings();
    await interrupt('update-full');
    const { code, output } = await updateContainers('update', '--rollback');
    expect([code, output]).toEqual([0, expect.stringContaining(`${productVersion()} runs again`)]);
    expect([settings(), readFileSync(join(home, 'compose.yaml'), 'utf8')]).toEqual([before, 'name: present\n']);
    expect(backups()).toHaveLength(1);
  });

  it('is shown by status: each service with the version that it runs, and the one that people use', async () => {
    await interrupt();
    const container = (service: string, tag: string) =>
      JSON.stringify({ Service: service, Image: `overtone/${service}:${tag}`, State: 'running', Health: 'healthy' });
    const lines = [container('edge-gateway', productVersion()), container('media', '99.0.0')];
    writeFileSync(join(folder, 'ps'), lines.join('\n'));
    const { code, output } = await overtone(['status', '--json'], { PATH: path() });
    expect([code, JSON.parse(output)]).toMatchObject([
      0,
      {
        profile: 'containers',
        version: productVersion(),
        services: [
          { name: 'edge-gateway', version: productVersion(), ready: true },
          { name: 'media', version: '99.0.0', ready: true },
        ],
      },
    ]);
    writeFileSync(join(folder, 'ps'), `[${lines.join(',')}]`);
    const text = (await overtone(['status'], { PATH: path() })).output;
    expect(text).toContain('an update is not complete: media 99.0.0');
  });

  it('puts back every file that a full update replaced, when a service is not healthy', async () => {
    mkdirSync(join(home, 'deploy'));
    writeFileSync(join(home, 'deploy', 'rules.yml'), 'rules: present\n');
    await release(broken, { files: { 'deploy/rules.yml': 'rules: broken\n', 'deploy/new.yml': 'new\n' } });
    const { code, output } = await updateContainers('update-full');
    expect([code, output]).toEqual([1, expect.stringContaining('+rules: broken')]);
    expect(readFileSync(join(home, 'compose.yaml'), 'utf8')).toBe('name: present\n');
    expect(readFileSync(join(home, 'deploy', 'rules.yml'), 'utf8')).toBe('rules: present\n');
    expect(existsSync(join(home, 'deploy', 'new.yml'))).toBe(false);
  });
});

describe('a rollback to a release that cannot read the database', () => {
  it('is refused before anything is stopped, with the commands that lead back', async () => {
    await release('98.0.0');
    expect(await update()).toMatchObject({ code: 0 });
    const replaced = { version: '98.0.0', path: join(home, '.releases', 'v98.0.0'), schema_version: 10 };
    const record = { version: productVersion(), replaced, at: new Date().toISOString() };
    writeFileSync(join(home, '.releases', 'record.json'), JSON.stringify(record));
    writeFileSync(join(home, '.releases', 'current'), `v${productVersion()}\n`);
    mkdirSync(data);
    await setUp(dataFolder(data), 1);
    await withPostgres(dataFolder(data), async (urlOf) => {
      await withClient(urlOf('postgres'), async (client) => await client.query(`create database ${databaseName}`));
      const url = urlOf(databaseName);
      await migrate({ url, passwords: {}, migrations: readMigrations().slice(0, 1) });
      expect(await overtone(['backup', '--data', data])).toMatchObject({ code: 0 });
      await migrate({ url, passwords: {} });
      expect(await overtone(['backup', '--data', data])).toMatchObject({ code: 0 });
      const dumps = readdirSync(join(data, 'backups')).filter((name) => name.endsWith('.dump'));
      const readable = dumps.toSorted()[0]!;
      pretendRunning(true);
      const { code, output } = await update('--rollback');
      const lines = output.split('\n');
      expect([code, lines.slice(lines.findIndex((line) => line.startsWith('  ./overtone')))]).toEqual([
        1,
        [
          `  ./overtone down --data ${data}`,
          `  ./overtone restore ${join(data, 'backups', readable)} --no-restart --data ${data}`,
          `  ./overtone update --rollback --data ${data}`,
          `  ./overtone up --detach --data ${data}`,
          '',
        ],
      ]);
      expect(output).toContain('98.0.0 cannot read the database: it knows v10');
      expect(output).toContain('Nothing was stopped or changed.');
      expect(readdirSync(join(data, 'backups')).filter((name) => name.endsWith('.dump'))).toEqual(dumps);
    });
    expect(guardian?.exitCode).toBeNull();
    expect(calls().filter((call) => call.includes('takeover'))).toEqual([]);
    expect(readFileSync(join(home, '.releases', 'current'), 'utf8')).toBe(`v${productVersion()}\n`);
  });
});

describe('the pin of a fresh installation', () => {
  const checkOut = async (version: string) => await git(home, 'checkout', '--quiet', '--force', `v${version}`);

  it('is the release whose tag is checked out', async () => {
    await checkOut('0.1.0');
    expect(await releaseOfClone(home)).toBe('0.1.0');
    await pinRelease(home, { version: '0.1.0', folder: home });
    expect(readPin(home)).toBe('0.1.0');
  });

  it('is none in a clone of a branch, of another commit or of a tag of another version', async () => {
    expect(await releaseOfClone(home)).toBeUndefined();
    await release('0.2.0', { tag: 'v0.3.0' });
    await git(home, 'fetch', '--quiet', '--tags');
    await checkOut('0.3.0');
    expect(await releaseOfClone(home)).toBeUndefined();
    await checkOut('0.1.0');
    await git(home, 'commit', '--quiet', '--allow-empty', '--message', 'ours');
    expect(await releaseOfClone(home)).toBeUndefined();
    await pinRelease(home, { version: '0.1.0', folder: home });
    expect(readPin(home)).toBeUndefined();
  });

  it('lets the clone itself run as long as it holds that release', async () => {
    // Stand-ins for what the launcher installs.
    const tools = join(home, '.tools');
    mkdirSync(join(tools, 'bin'), { recursive: true });
    mkdirSync(join(home, 'node_modules', '.pnpm'), { recursive: true });
    for (const name of ['node', 'pnpm'])
      writeFileSync(join(tools, 'bin', name), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
    writeFileSync(join(home, 'pnpm-lock.yaml'), '');
    const versions = /^node_version=(.*)\npnpm_version=(.*)$/m.exec(readFileSync(join(home, 'overtone'), 'utf8'))!;
    writeFileSync(join(tools, 'installed'), `${versions[1]} ${versions[2]} 4294967295 0\n`);
    mkdirSync(join(home, '.releases'));
    writeFileSync(join(home, '.releases', 'current'), 'v0.1.0\n');
    const launch = async () => await run(join(home, 'overtone'), ['status'], { env: { OVERTONE_HOME: '' } });
    expect(await launch()).toEqual({ code: 0, output: `${join(home, 'packages/cli/src/main.ts')} status\n` });
    writeFileSync(join(home, 'package.json'), '{\n  "name": "x",\n  "version": "0.2.0"\n}\n');
    const { code, output } = await launch();
    expect([code, output]).toEqual([1, expect.stringContaining('v0.1.0 is pinned, but this clone holds v0.2.0')]);
  });

  it('is shown by version, or the branch that runs instead', async () => {
    expect((await overtone(['version'])).output).toContain(
      `pinned  none: ./overtone runs the branch main of the clone`,
    );
    mkdirSync(join(home, '.releases'));
    writeFileSync(join(home, '.releases', 'current'), 'v0.1.0\n');
    expect((await overtone(['version'])).output).toContain('pinned  0.1.0\n');
  });
});

describe('the schema', () => {
  const present = { version: 413, readableFrom: 410 };
  const releaseWith = (migrations: Files) => {
    const target = join(folder, 'target');
    mkdirSync(join(target, 'packages/database/migrations'), { recursive: true });
    for (const [name, text] of Object.entries(migrations))
      writeFileSync(join(target, 'packages/database/migrations', name), text);
    return { version: '99.0.0', folder: target };
  };

  const check = async (migrations: Files, stopped: boolean): Promise<void> =>
    await checkSchema(releaseWith(migrations), present, stopped, async () => 'Restore a backup.');

  it('of the database decides whether a release may run on it', async () => {
    await expect(check({ 'v409_old.sql': '-- readable-by: v409\n' }, true)).rejects.toThrow(
      /^99.0.0 cannot read the database: it knows v409.* Restore a backup\.$/,
    );
    await check({ 'v410_readable.sql': '-- readable-by: v410\n' }, false);
  });

  it('of a release must be readable by the present one while both run', async () => {
    const contracting = { 'v999_contract.sql': '-- readable-by: v999\n' };
    await expect(check(contracting, false)).rejects.toThrow('cannot read while both run');
    await check(contracting, true);
  });
});
