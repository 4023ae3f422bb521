import { mkdtemp, cp, mkdir, rm, appendFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { freePort } from '@overtone/cli/servers';
import { overtone } from '../instance.ts';
import { until } from '../until.ts';
import { openEngine, type Engine } from './engine.ts';
import { baseImage, buildProduct, canPull, makeStandIns, writeOverride } from './images.ts';
import type { RunOptions } from './run.ts';

const productFolder = resolve(import.meta.dirname, '../../../..');
/** Two processors with other work; the health checks themselves are not changed. */
const startMs = 900_000;

/** A container, as `docker compose ps` describes it. */
export type Container = { Service: string; Name: string; State: string; Health: string; ExitCode: number };

/** What of a container says who it is and what it may do. */
export type Inspected = {
  Config: { User: string };
  HostConfig: {
    ReadonlyRootfs: boolean;
    CapDrop: string[] | null;
    SecurityOpt: string[] | null;
    NanoCpus: number;
    PortBindings: Record<string, { HostIp: string }[]> | null;
  };
};

/** The product in the containers of compose.yaml. */
export type Stack = Awaited<ReturnType<typeof openStack>>;

/**
 * A folder with compose.yaml and its files, as an administrator has it, and Docker. `OT_CONTAINERS` names a folder where
 * Docker's data stay, so that a later run finds its images.
 */
export async function openStack() {
  const kept = process.env['OT_CONTAINERS'];
  const folder = kept === undefined ? await mkdtemp(join(tmpdir(), 'overtone-containers-')) : resolve(kept);
  await mkdir(folder, { recursive: true });
  const home = await mkdtemp(join(folder, 'home-'));
  for (const name of ['compose.yaml', 'deploy'])
    await cp(join(productFolder, name), join(home, name), { recursive: true });
  const engine: Engine = await openEngine(folder, baseImage);
  const compose = (args: readonly string[], options: RunOptions = {}) =>
    engine.docker(['compose', '--project-name', project, ...args], { cwd: home, ...options });
  let address = '';

  return {
    compose,
    /** Settings of `.env`, after `./overtone config container` has written it. */
    settings: () => parseEnv(readFileSync(join(home, '.env'), 'utf8')),
    address: () => address,
    /** `.env`, the images, and the override of what this machine does not permit. */
    prepare: async (log: (line: string) => void) => {
      const written = await overtone(['config', 'container', '--out', home]);
      if (written.code !== 0) throw new Error(written.output);
      // Beside an installation with its images and its port.
      if (!engine.isOwn)
        await appendFile(
          join(home, '.env'),
          `OT_IMAGE_PREFIX=overtone-test\nOT_LISTEN=127.0.0.1:${await freePort()}\n`,
        );
      const settings = parseEnv(readFileSync(join(home, '.env'), 'utf8'));
      log(`.env: ${limitNames.map((name) => `${name}=${settings[name] ?? ''}`).join(' ')}`);
      const described = JSON.parse(await compose(['--profile', '*', 'config', '--format', 'json'])) as Parameters<
        typeof buildProduct
      >[1];
      if (!(await canPull(engine))) await makeStandIns(engine, folder, described, log);
      await buildProduct(engine, described, settings['OT_IMAGE_TAG'] ?? '', log);
      await writeOverride(join(home, 'compose.override.yaml'), log);
      await engine.isolate();
    },
    start: async () => {
      await compose(['up', '--detach', '--no-build'], { limitMs: startMs });
      const [, port = '8080'] = (await compose(['port', 'edge-gateway', '8080'])).trim().split(':');
      address = `http://127.0.0.1:${await engine.forward(Number(port))}`;
    },
    containers: async () => containersIn(await compose(['ps', '--all', '--format', 'json'])),
    inspect: async (container: string) => (JSON.parse(await engine.docker(['inspect', container])) as [Inspected])[0],
    /** Waits until each container of a service with a health check is healthy. */
    healthy: async () =>
      await until(
        'all containers are healthy',
        async () => {
          const containers = containersIn(await compose(['ps', '--all', '--format', 'json']));
          const waiting = containers.filter(({ Service, Health }) => Service !== 'migrate' && Health !== 'healthy');
          if (waiting.length > 0)
            throw new Error(waiting.map((each) => `${each.Name} ${each.State} ${each.Health}`).join(', '));
          return containers;
        },
        startMs,
        2_000,
      ),
    evidence: async () => `${await compose(['ps', '--all'])}\n${await compose(['logs', '--tail', '15', '--no-color'])}`,
    close: async () => {
      await compose(['--profile', '*', 'down', '--volumes', '--timeout', '10']).catch(() => undefined);
      await engine.close();
      await rm(kept === undefined ? folder : home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

const project = 'overtone-test';
const limitNames = ['WORKER_CPUS', 'WORKER_MEMORY', 'SEARCH_CPUS', 'SEARCH_HEAP', 'SEARCH_MEMORY'];

/** One line of JSON for each; before Compose 2.21 one list. */
function containersIn(output: string): Container[] {
  return output
    .split('\n')
    .filter(Boolean)
    .flatMap((line) => JSON.parse(line) as Container | Container[]);
}
