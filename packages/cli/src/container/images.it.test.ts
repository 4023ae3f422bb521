import { globSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { composeFile, freshValues } from '../../test/compose-file.ts';
import { startStack, untilReady, type Stack } from '../../test/stack.ts';
import { productFolder } from '../paths.ts';
import type { RunningProcess } from '../servers/index.ts';
import { run } from '../setup/run.ts';
import { serviceNames } from '../supervisor/plan.ts';
import { assemble } from './assemble.ts';

const MINUTES = 60_000;
const services = serviceNames();
const values = freshValues();

let folder: string;
let stack: Stack;
const tree = (service: string) => join(folder, 'trees', service);

// What the Dockerfile does for each image, and the servers of compose.yaml with its secrets.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'overtone-images-'));
  // The packages are there already; pnpm would look for its store on the file system of the target.
  const { output } = await run('pnpm', ['store', 'path'], { cwd: productFolder });
  for (const service of services) await assemble(service, tree(service), output.trim());
  stack = await startStack(folder, services, values);
}, 20 * MINUTES);

afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
}, 10 * MINUTES);

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

describe('the containers of compose.yaml', () => {
  const running = new Map<string, RunningProcess>();
  const marker = () => join(folder, 'before');

  it(
    'bring an empty database up to date, and find nothing to do the next time',
    async () => {
      writeFileSync(marker(), '');
      const { image, command } = composeFile(values).services['migrate']!;
      const service = services.find((name) => image.includes(`/${name}:`))!;
      const [program, main] = command! as [string, string];
      const env = stack.environment('migrate');
      const migrate = async () =>
        await run(program, [main.replace('/app', tree(service))], { cwd: tree(service), env });
      const together = await Promise.all([migrate(), migrate()]);
      expect(together.map((r) => r.code)).toEqual([0, 0]);
      expect((await migrate()).output).toMatch(/^schema is at v\d+\n$/);
    },
    5 * MINUTES,
  );

  it(
    'become ready with what compose.yaml tells them',
    async () => {
      const specs = services.map((name) => stack.service(name, tree(name)));
      for (const spec of specs) running.set(spec.name, await stack.start(spec));
      await Promise.all(
        specs.map(async (spec) => {
          await untilReady(spec, running.get(spec.name)!).catch((cause: unknown) => {
            throw new Error(`${(cause as Error).message}\n${stack.log(spec.name).slice(-2000)}`, { cause });
          });
        }),
      );
    },
    10 * MINUTES,
  );

  it('miss only the servers that are not on this machine', async () => {
    const down = await Promise.all(
      services.map(async (name) => {
        const response = await fetch(`${stack.url(name, 'internal')}/health/ready`);
        const { checks } = (await response.json()) as { checks: Record<string, string> };
        return Object.entries(checks).flatMap(([check, result]) => (result === 'ok' ? [] : [check]));
      }),
    );
    expect([...new Set(down.flat())].filter((check) => !['object_storage', 'search'].includes(check))).toEqual([]);
  });

  it('show the page and let the first administrator in', async () => {
    const edge = stack.url('edge-gateway', 'api');
    expect(await (await fetch(edge)).text()).toContain('<title>');
    const body = new URLSearchParams({ username: values['OT_ADMIN_EMAIL']!, password: values['OT_ADMIN_PASSWORD']! });
    const signedIn = await fetch(`${edge}/api/auth/token`, { method: 'POST', body });
    expect([signedIn.status, await signedIn.json()]).toMatchObject([200, { token_type: 'bearer' }]);
  });

  it('do not let a service speak for another on the bus', () => {
    for (const name of services) expect(stack.log(name)).not.toMatch(/Permissions Violation/i);
  });

  it(
    'write nothing beside what is mounted',
    async () => {
      const { code, output } = await run('find', [join(folder, 'trees'), '-newer', marker()]);
      expect([code, output]).toEqual([0, '']);
    },
    5 * MINUTES,
  );

  it(
    'end well when they are asked to',
    async () => {
      const ended = await stack.stop();
      for (const name of services) expect([name, ended[name]]).toEqual([name, '0']);
    },
    10 * MINUTES,
  );
});
