import { execFile } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { freePorts, requireProgram } from '@overtone/cli/servers';
import { start, type TestServer } from './servers.ts';

/** The versions that the adapter is tested with. */
export const elasticsearchVersions = ['8.19.0', '9.5.3'] as const;
type Version = (typeof elasticsearchVersions)[number];

const minimumJava: Record<Version, number> = { '8.19.0': 17, '9.5.3': 21 };
/** The program that starts a node, and the list of its artifacts. */
export const elasticsearchSources = resolve(import.meta.dirname, '../elasticsearch');
const homes = resolve(import.meta.dirname, '../../../.tools/elasticsearch');
const module = 'transport-netty4';
/** Of a JVM on a busy machine. */
const startMs = 180_000;

/**
 * Starts a real Elasticsearch server of one node, without modules except HTTP. Its programs are Java artifacts, which Maven
 * downloads once into .tools; nothing of them is part of the product.
 * @param settings of the node, besides those of a single node on the loopback.
 * @throws Error without `mvn` or a JDK of the version.
 */
export async function startElasticsearch(
  version: Version,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestServer> {
  const java = findJava(minimumJava[version]);
  const home = await prepareElasticsearch(version);
  const [port = 0, transportPort = 0] = await freePorts(2);
  const url = `http://127.0.0.1:${port}`;
  return await start(
    (folder) => {
      const all = {
        'path.home': home,
        'path.data': join(folder, 'data'),
        'path.logs': join(folder, 'logs'),
        'http.port': String(port),
        'transport.port': String(transportPort),
        'network.host': '127.0.0.1',
        'discovery.type': 'single-node',
        'node.store.allow_mmap': 'false',
        'cluster.routing.allocation.disk.threshold_enabled': 'false',
        ...settings,
      };
      return {
        name: `elasticsearch-${version}`,
        command: java,
        args: [
          '-Xms512m',
          '-Xmx512m',
          '-XX:+UseSerialGC',
          `-Des.path.home=${home}`,
          `-Des.nativelibs.path=${join(home, 'native')}`,
          '-cp',
          join(home, 'lib', '*'),
          join(elasticsearchSources, 'SearchNode.java'),
          folder,
          ...Object.entries(all).map(([key, value]) => `${key}=${value}`),
        ],
        env: {},
        stopSignal: 'SIGKILL',
        probe: () => isReady(url),
      };
    },
    { port, url },
    startMs,
  );
}

async function isReady(url: string): Promise<boolean> {
  const health = await fetch(`${url}/_cluster/health`).catch(() => null);
  return health?.ok ?? false;
}

/** The folder of a version's programs; concurrent calls do not disturb each other. */
export async function prepareElasticsearch(version: Version): Promise<string> {
  const home = join(homes, version);
  if (existsSync(home)) return home;
  await mkdir(homes, { recursive: true });
  const folder = await mkdtemp(`${home}-`);
  const lib = join(folder, 'lib');
  await promisify(execFile)(requireProgram('mvn'), [
    '--batch-mode',
    '--quiet',
    `--file=${join(elasticsearchSources, 'pom.xml')}`,
    'dependency:copy-dependencies',
    `-Delasticsearch=${version}`,
    `-DoutputDirectory=${lib}`,
  ]);
  await mkdir(join(folder, 'modules', module), { recursive: true });
  for (const name of await readdir(lib))
    if (/^(netty|transport-netty4)-/.test(name)) await rename(join(lib, name), join(folder, 'modules', module, name));
  await writeFile(
    join(folder, 'modules', module, 'plugin-descriptor.properties'),
    [
      `name=${module}`,
      'description=HTTP',
      `version=${version}`,
      `elasticsearch.version=${version}`,
      'java.version=17',
      'classname=org.elasticsearch.transport.netty4.Netty4Plugin',
    ].join('\n'),
  );
  await mkdir(join(folder, 'native'));
  const zstd = findLibrary('libzstd.so.1');
  if (zstd) await symlink(zstd, join(folder, 'native', 'libzstd.so'));
  await rename(folder, home).catch(() => rm(folder, { recursive: true }));
  return home;
}

/** `JAVA_HOME`, or the newest JDK of the system. */
function findJava(minimum: number): string {
  const folder = '/usr/lib/jvm';
  const installed = existsSync(folder) ? readdirSync(folder).map((name) => join(folder, name)) : [];
  const given = process.env['JAVA_HOME'];
  const [newest] = (given === undefined ? installed : [given])
    .flatMap((path) => {
      const release = join(path, 'release');
      const major = existsSync(release) ? /^JAVA_VERSION="(\d+)/m.exec(readFileSync(release, 'utf8'))?.[1] : undefined;
      return existsSync(join(path, 'bin', 'javac')) ? [{ path, major: Number(major ?? 0) }] : [];
    })
    .sort((x, y) => y.major - x.major);
  if (!newest || newest.major < minimum)
    throw new Error(`this version of Elasticsearch needs a JDK ${minimum} or newer: install one, or set JAVA_HOME`);
  return join(newest.path, 'bin', 'java');
}

function findLibrary(name: string): string | undefined {
  const folders = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu', '/usr/lib64', '/usr/lib'];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}
