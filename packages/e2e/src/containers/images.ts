import { existsSync } from 'node:fs';
import { cp, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { serviceNames } from '@overtone/contracts';
import { elasticsearchSources, prepareElasticsearch } from '@overtone/testkit/elasticsearch-server';
import { cacheFolder, readMirror, type Engine } from './engine.ts';
import { run, succeeds } from './run.ts';

const productFolder = resolve(import.meta.dirname, '../../../..');
const recipes = resolve(import.meta.dirname, '../../containers');
const nodeVersion = process.versions.node;
const npmVersion = '11.21.2';
const searchVersion = '9.5.3';
/** The release of deploy/Dockerfile, and the one whose servers have the versions of compose.yaml. */
const releases = ['bookworm', 'trixie'] as const;

/** What stands in for an image that cannot be pulled, by the service of compose.yaml. */
const standIns: Readonly<Record<string, string>> = {
  postgres: 'PostgreSQL 17 of Debian',
  nats: 'NATS 2.10 of Debian',
  redis: 'Redis 8 of Debian',
  objects: 's3rver 3.7.1 of npm; versitygw is no package of the distribution',
  elasticsearch: `core and HTTP module ${searchVersion} of Maven; the distribution of Elasticsearch is no package`,
  prometheus: 'Prometheus 2.53 of Debian',
};

type Compose = { services: Record<string, { image: string }> };
type Log = (line: string) => void;

/** The base image of deploy/Dockerfile. */
export const baseImage = `node:${nodeVersion}-bookworm-slim`;

/** Whether images can be pulled: the base image is. */
export async function canPull({ docker }: Engine): Promise<boolean> {
  return await docker(['pull', '--quiet', baseImage], { limitMs: 300_000 }).then(
    () => true,
    () => false,
  );
}

/** Makes what cannot be pulled, under the names that deploy/Dockerfile and compose.yaml use. */
export async function makeStandIns(engine: Engine, folder: string, compose: Compose, log: Log): Promise<void> {
  for (const release of releases) await makeNode(engine, folder, release);
  log(
    `substituted: tags node:${nodeVersion}-{${releases.join(',')}}-slim: debootstrap, Node and npm ${npmVersion} of npm`,
  );
  const context = join(folder, 'servers');
  await rm(context, { recursive: true, force: true });
  await cp(recipes, context, { recursive: true });
  await cp(await prepareElasticsearch(searchVersion), join(context, 'search'), { recursive: true });
  await cp(join(elasticsearchSources, 'SearchNode.java'), join(context, 'SearchNode.java'));
  for (const [service, description] of Object.entries(standIns)) {
    const image = compose.services[service]!.image;
    await build(engine, context, [
      `--file=${join(context, 'servers.Dockerfile')}`,
      `--build-arg=NODE=node:${nodeVersion}-trixie-slim`,
      `--target=${service}`,
      `--tag=${image}`,
    ]);
    log(`substituted: tag ${image}: ${description}`);
  }
}

/** Builds the images of the product with its own Dockerfile; an image that an own daemon has already is used. */
export async function buildProduct(engine: Engine, compose: Compose, tag: string, log: Log): Promise<void> {
  const hasPostgresPackages = await fetch('http://apt.postgresql.org/').then(
    ({ ok }) => ok,
    () => false,
  );
  if (!hasPostgresPackages)
    log(
      'substituted: build argument DEBIAN=trixie of operations: apt.postgresql.org is not reachable, Debian 13 has pg_dump 17',
    );
  for (const service of serviceNames) {
    const { image } = compose.services[service]!;
    if (engine.isOwn && (await engine.docker(['image', 'inspect', image]).then(Boolean, () => false))) {
      log(`${service}: the image was there`);
      continue;
    }
    const startedAt = performance.now();
    await build(engine, productFolder, [
      `--file=${join(productFolder, 'deploy/Dockerfile')}`,
      `--build-arg=SERVICE=${service}`,
      `--build-arg=OT_IMAGE_TAG=${tag}`,
      ...(service === 'operations' && !hasPostgresPackages ? ['--build-arg=DEBIAN=trixie'] : []),
      `--tag=${image}`,
    ]);
    const bytes = Number(await engine.docker(['image', 'inspect', '--format={{.Size}}', image]));
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
    log(`${service}: built in ${seconds} s, ${(bytes / 1e6).toFixed(0)} MB`);
  }
}

/** In the network of this machine, whose resolver and certificates reach the package mirrors. */
async function build({ docker, isOwn }: Engine, context: string, args: readonly string[]): Promise<void> {
  await docker(['build', '--quiet', ...(isOwn ? ['--network=host'] : []), ...args, context]);
}

async function makeNode(engine: Engine, folder: string, release: string): Promise<void> {
  const image = `node:${nodeVersion}-${release}-slim`;
  if (await engine.docker(['image', 'inspect', image]).then(Boolean, () => false)) return;
  const base = `overtone-base:${release}`;
  await engine.docker(['import', await baseSystem(folder, release), base]);
  const context = join(folder, 'node');
  await mkdir(context, { recursive: true });
  await cp(process.execPath, join(context, 'node'), { dereference: true });
  await cp(await npmPackage(), join(context, 'npm'), { recursive: true });
  const recipe = join(recipes, 'node.Dockerfile');
  await build(engine, context, [`--file=${recipe}`, `--build-arg=BASE=${base}`, `--tag=${image}`]);
}

/** The archive of a minimal Debian with the certificates of this machine. */
async function baseSystem(folder: string, release: string): Promise<string> {
  const archive = join(cacheFolder, `${release}.tar.gz`);
  if (existsSync(archive)) return archive;
  const root = join(folder, release);
  await run('debootstrap', ['--variant=minbase', '--include=ca-certificates', release, root, await readMirror()]);
  const certificates = 'etc/ssl/certs/ca-certificates.crt';
  await cp(`/${certificates}`, join(root, certificates), { dereference: true });
  await run('chroot', [root, 'apt-get', 'clean']);
  // Complete or not at all: an interrupted run leaves no archive of this name.
  await run('tar', [
    '--use-compress-program=gzip -1',
    '--directory',
    root,
    '--create',
    '--file',
    `${archive}.part`,
    '.',
  ]);
  await rename(`${archive}.part`, archive);
  await rm(root, { recursive: true });
  return archive;
}

async function npmPackage(): Promise<string> {
  const packed = join(cacheFolder, `npm-${npmVersion}`);
  if (existsSync(packed)) return join(packed, 'package');
  await run('npm', ['pack', '--silent', `npm@${npmVersion}`], { cwd: cacheFolder });
  await mkdir(`${packed}.part`, { recursive: true });
  await run('tar', [
    '--extract',
    '--file',
    join(cacheFolder, `npm-${npmVersion}.tgz`),
    '--directory',
    `${packed}.part`,
  ]);
  await rename(`${packed}.part`, packed);
  return join(packed, 'package');
}

/** The limits that this machine does not permit; where it permits them all, compose.yaml runs without an override. */
export async function writeOverride(file: string, log: Log): Promise<void> {
  if (await succeeds('sh', ['-c', 'ulimit -n 65536'])) return;
  const limit = Number(await run('sh', ['-c', 'ulimit -Hn']));
  const services = { elasticsearch: { ulimits: { nofile: { soft: limit, hard: limit } } } };
  await writeFile(file, JSON.stringify({ services }));
  log(`substituted: override of elasticsearch: this machine permits ${limit} open files instead of 65536`);
}
