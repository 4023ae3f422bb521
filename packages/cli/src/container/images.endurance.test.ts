import { globSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { composeFile, freshValues } from '../../test/compose-file.ts';
import { startStack, startUntilReady, until, type Stack } from '../../test/stack.ts';
import { productFolder } from '../paths.ts';
import { run } from '../setup/run.ts';
import { serviceNames } from '../supervisor/plan.ts';
import { assemble } from './assemble.ts';

// Ten installations and ten services: a timeout, not an expectation.
jest.setTimeout(20 * 60_000);

const services = serviceNames();
const values = freshValues();

let folder: string;
let stack: Stack;

function tree(service: string) {
  return join(folder, 'trees', service);
}

// What the Dockerfile does for each image, and the servers of compose.yaml with its secrets.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'overtone-images-'));
  // The packages are there already; pnpm would look for its store on the file system of the target.
  const { output } = await run('pnpm', ['store', 'path'], { cwd: productFolder });
  for (const service of services) await assemble(service, tree(service), output.trim());
  stack = await startStack(folder, services, values);
});

afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
});

describe('what an image holds', () => {
  it.each(services)('brings %s the packages of production only, and none of its tests', (service) => {
    const packages = readdirSync(join(tree(service), 'node_modules', '.pnpm'));
    expect(packages.filter((name) => /^(typescript|jest|vite|prisma|oxlint|knip|react)@/.test(name))).toEqual([]);
    const sources = globSync('{services,packages}/*/src/**/*.ts', { cwd: tree(service) });
    expect(sources).toContain(`services/${service}/src/main.ts`);
    expect(sources.filter((file) => file.endsWith('.test.ts'))).toEqual([]);
    expect(readdirSync(join(tree(service), 'services'))).toEqual([service]);
  });
});

describe('the commands in the image of operations', () => {
  it('run from it without a data folder', async () => {
    const { entrypoint } = composeFile(values).services['tools']!;
    const main = entrypoint!.at(-1)!.replace('/app', tree('operations'));
    const env = { ...stack.environment('tools'), OT_BACKUP_PLACE: join(folder, 'no-backups') };
    const { code, output } = await run(process.execPath, [main, 'backups'], { cwd: tree('operations'), env });
    expect([code, output]).toEqual([0, expect.stringContaining('There is no backup in')]);
  });
});

describe('the containers of compose.yaml', () => {
  const marker = () => join(folder, 'before');

  it('bring an empty database up to date, and find nothing to do the next time', async () => {
    writeFileSync(marker(), '');
    const { image, command } = composeFile(values).services['migrate']!;
    const service = services.find((name) => image.includes(`/${name}:`))!;
    const [program, main] = command! as [string, string];
    const env = stack.environment('migrate');
    const migrate = async () => await run(program, [main.replace('/app', tree(service))], { cwd: tree(service), env });
    const together = await Promise.all([migrate(), migrate()]);
    expect(together.map((run) => run.code)).toEqual([0, 0]);
    expect((await migrate()).output).toMatch(/^schema is at v\d+\n$/);
  });

  it('become ready with what compose.yaml tells them', async () => {
    await Promise.all(services.map(async (name) => await startUntilReady(stack, stack.service(name, tree(name)))));
  });

  it('miss only the servers that are not on this machine', async () => {
    const missed = async (name: string) => {
      const response = await fetch(`${stack.url(name, 'internal')}/health/ready`);
      const { checks } = (await response.json()) as { checks: Record<string, string> };
      return Object.entries(checks).flatMap(([check, result]) => (result === 'ok' ? [] : [check]));
    };
    const isAllowed = (down: readonly string[]) => down.every((check) => ['object_storage', 'search'].includes(check));
    // A check gives up after two seconds; on a machine that does much else the next one succeeds.
    for (const name of services) {
      const down = await until(async () => await missed(name), isAllowed);
      expect([name, isAllowed(down)]).toEqual([name, true]);
    }
  });

  it('are called healthy by the script of the image while they run, and not without a response', async () => {
    const script = join(productFolder, 'deploy', 'healthcheck.mjs');
    const codeFor = async (port: string) =>
      (await run(process.execPath, [script], { env: { INTERNAL_PORT: port } })).code;
    const { port } = new URL(stack.url('media', 'internal'));
    const code = await until(
      async () => await codeFor(port),
      (check) => check === 0,
    );
    expect([code, await codeFor('1')]).toEqual([0, 1]);
  });

  it('show the page and let the first administrator in', async () => {
    const edge = stack.url('edge-gateway', 'api');
    expect(await (await fetch(edge)).text()).toContain('<title>');
    const body = new URLSearchParams({ username: values['OT_ADMIN_EMAIL']!, password: values['OT_ADMIN_PASSWORD']! });
    const signIn = async () => await fetch(`${edge}/api/auth/token`, { method: 'POST', body });
    const signedIn = await until(signIn, (response) => response.status < 500);
    expect([signedIn.status, await signedIn.json()]).toMatchObject([200, { token_type: 'bearer' }]);
  });

  it('do not let a service speak for another on the bus', () => {
    for (const name of services) expect(stack.log(name)).not.toMatch(/Permissions Violation/i);
  });

  it('write nothing beside what is mounted', async () => {
    const { code, output } = await run('find', [join(folder, 'trees'), '-newer', marker()]);
    expect([code, output]).toEqual([0, '']);
  });

  it('end well when they are asked to', async () => {
    const ended = await stack.stop();
    for (const name of services) expect([name, ended[name]]).toEqual([name, '0']);
  });
});
