import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rmdir, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { until } from '../until.ts';
import { run, succeeds, type RunOptions } from './run.ts';

/** Packages, base systems and Java artifacts that a later run uses again. */
export const cacheFolder = resolve(import.meta.dirname, '../../../../.tools/containers');

/** Docker, as the test uses it. */
export type Engine = {
  /** Whether the test started it, with images and a network of its own. */
  readonly isOwn: boolean;
  readonly docker: (args: readonly string[], options?: RunOptions) => Promise<string>;
  /** An own daemon builds in the network of this machine, and runs containers in a namespace that cannot reach it. */
  readonly isolate: () => Promise<void>;
  /** A port of this machine that leads to a port of the loopback where containers are published. */
  readonly forward: (port: number) => Promise<number>;
  readonly close: () => Promise<void>;
};

/**
 * The Docker of this machine when it can pull an image; otherwise that of the distribution, unpacked into `folder`, not
 * installed. No other gets images under the names of those that it cannot pull.
 */
export async function openEngine(folder: string, image: string): Promise<Engine> {
  const isUsable =
    (await succeeds('docker', ['compose', 'version'])) && (await succeeds('docker', ['pull', '--quiet', image]));
  return isUsable ? existingEngine() : await ownEngine(folder);
}

function existingEngine(): Engine {
  return {
    isOwn: false,
    docker: (args, options) => run('docker', args, options),
    isolate: () => Promise.resolve(),
    forward: (port) => Promise.resolve(port),
    close: () => Promise.resolve(),
  };
}

async function ownEngine(folder: string): Promise<Engine> {
  const programs = join(folder, 'programs');
  await unpackDocker(programs);
  const path = `${join(programs, 'usr/sbin')}:${join(programs, 'usr/bin')}:${process.env['PATH'] ?? ''}`;
  const socket = join(folder, 'docker.sock');
  const env = {
    PATH: path,
    DOCKER_HOST: `unix://${socket}`,
    DOCKER_CONFIG: await writeClientConfiguration(folder, programs),
    // BuildKit would pull the syntax of the Dockerfile from a registry of images.
    DOCKER_BUILDKIT: '0',
  };
  const docker: Engine['docker'] = (args, options = {}) =>
    run(join(programs, 'usr/bin/docker'), args, { ...options, env: { ...env, ...options.env } });
  const namespace = `overtone-${process.pid}`;
  const cgroups = await missingCgroups();
  const children: ChildProcess[] = [];
  const servers: Server[] = [];
  let daemon: ChildProcess | undefined;

  const start = async (prefix: readonly string[], args: readonly string[]) => {
    const [command = 'dockerd', ...rest] = [
      ...prefix,
      join(programs, 'usr/sbin/dockerd'),
      `--data-root=${join(folder, 'docker')}`,
      `--exec-root=${join(folder, 'exec')}`,
      `--pidfile=${join(folder, 'docker.pid')}`,
      `--host=unix://${socket}`,
      '--storage-driver=overlay2',
      '--log-level=warn',
      ...args,
    ];
    daemon = spawn(command, rest, { env: { ...process.env, PATH: path }, stdio: 'ignore' });
    await until('the Docker daemon', () => docker(['version']), 120_000, 500);
  };
  const stop = async () => {
    if (!daemon || daemon.exitCode !== null) return;
    const ended = once(daemon, 'exit');
    daemon.kill('SIGTERM');
    await ended;
  };

  await start([], ['--bridge=none', '--iptables=false']);
  return {
    isOwn: true,
    docker,
    isolate: async () => {
      await stop();
      await run('ip', ['netns', 'add', namespace]);
      await run('ip', ['-n', namespace, 'link', 'set', 'lo', 'up']);
      await start(['nsenter', `--net=/run/netns/${namespace}`], []);
      await raiseWeight();
    },
    forward: async (port) => {
      const socketPath = join(folder, `port-${port}.sock`);
      await rm(socketPath, { force: true });
      const main = join(import.meta.dirname, '../forward.main.ts');
      const inside = ['--net', `/run/netns/${namespace}`].join('=');
      children.push(spawn('nsenter', [inside, process.execPath, main, socketPath, String(port)], { stdio: 'inherit' }));
      await until('the way into the namespace', () => Promise.resolve(existsSync(socketPath)));
      const server = createServer((socket) => joinSockets(socket, connect(socketPath))).listen(0, '127.0.0.1');
      servers.push(server);
      await once(server, 'listening');
      const address = server.address();
      if (address === null || typeof address === 'string') throw new Error('the forwarding server has no port');
      return address.port;
    },
    close: async () => {
      for (const server of servers) server.close();
      for (const child of children) child.kill('SIGTERM');
      await stop();
      await unmountBelow(folder);
      if (existsSync(`/run/netns/${namespace}`)) await run('ip', ['netns', 'delete', namespace]);
      for (const cgroup of cgroups) await rmdir(cgroup).catch(() => undefined);
    },
  };
}

/** A daemon leaves the namespace of host networks mounted, and the layer of a build that was interrupted. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8')).split('\n').map((line) => line.split(' ')[1] ?? '');
  // What was mounted last covers the others.
  for (const path of mounts.filter((mounted) => mounted.startsWith(`${folder}/`)).toReversed())
    await run('umount', [path]);
}

/** Both ends of a forwarded connection. */
function joinSockets(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.on('error', () => to.destroy());
    from.pipe(to);
  }
}

async function writeClientConfiguration(folder: string, programs: string): Promise<string> {
  const configuration = join(folder, 'client');
  const plugins = join(configuration, 'cli-plugins');
  await rm(plugins, { recursive: true, force: true });
  await mkdir(plugins, { recursive: true });
  await symlink(join(programs, 'usr/libexec/docker/cli-plugins/docker-compose'), join(plugins, 'docker-compose'));
  return configuration;
}

/** Compose 2 is in Debian from release 13 on; it is linked statically enough to run on release 12. */
async function unpackDocker(target: string): Promise<void> {
  const packages = join(cacheFolder, 'packages');
  await mkdir(packages, { recursive: true });
  for (const name of ['docker.io', 'containerd', 'docker-compose']) {
    if ((await archivesOf(packages, name)).length === 0) await download(name, packages);
    for (const archive of await archivesOf(packages, name)) await run('dpkg', ['--extract', archive, target]);
  }
}

async function archivesOf(folder: string, name: string): Promise<string[]> {
  return (await readdir(folder)).filter((file) => file.startsWith(`${name}_`)).map((file) => join(folder, file));
}

async function download(name: string, folder: string): Promise<void> {
  if (name !== 'docker-compose') {
    await run('apt-get', ['download', name], { cwd: folder });
    return;
  }
  const state = join(cacheFolder, 'apt');
  const list = join(state, 'sources.list');
  await mkdir(join(state, 'lists/partial'), { recursive: true });
  await mkdir(join(state, 'cache/archives/partial'), { recursive: true });
  const keys = '/usr/share/keyrings/debian-archive-keyring.gpg';
  await writeFile(list, `deb [signed-by=${keys}] ${await readMirror()} trixie main\n`);
  const options = [
    `Dir::Etc::SourceList=${list}`,
    'Dir::Etc::SourceParts=-',
    `Dir::State::Lists=${join(state, 'lists')}`,
    `Dir::Cache=${join(state, 'cache')}`,
  ].flatMap((option) => ['-o', option]);
  await run('apt-get', [...options, '-qq', 'update']);
  await run('apt-get', [...options, 'download', name], { cwd: folder });
}

/** Where this machine gets the packages of Debian from. */
export async function readMirror(): Promise<string> {
  const addresses = await run('apt-get', [
    'indextargets',
    '--format',
    '$(REPO_URI)',
    'Created-By: Packages',
    'Label: Debian',
  ]);
  const [address] = addresses.split('\n');
  if (!address) throw new Error('apt-get has no list of the packages of Debian');
  return address;
}

const controllers = '/sys/fs/cgroup';

/** The groups that Docker makes and leaves behind. */
async function missingCgroups(): Promise<string[]> {
  const names = await readdir(controllers);
  return [...names.map((name) => join(controllers, name, 'docker')), join(controllers, 'docker')].filter(
    (path) => !existsSync(path),
  );
}

/** With the first version of cgroups all containers together weigh as much as one process outside, and health checks time out. */
async function raiseWeight(): Promise<void> {
  const shares = join(controllers, 'cpu/docker/cpu.shares');
  if (!existsSync(join(controllers, 'cpu/cpu.shares'))) return;
  await mkdir(join(controllers, 'cpu/docker'), { recursive: true });
  await writeFile(shares, '16384');
}
