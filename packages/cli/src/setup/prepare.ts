import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { withLock } from '../lock.ts';
import { productFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { lastLines, run } from './run.ts';
import { hashOf, isStamped, putStamp } from './stamps.ts';

type Step = {
  readonly name: string;
  readonly inputs: readonly string[];
  /** A file that is there when the work was done. */
  readonly output: string;
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env?: Record<string, string>;
};

const stamps = join(productFolder, 'node_modules', '.cache', 'overtone');

/** Makes what is made from sources (database clients, the browser application) where the sources changed. */
export async function prepare(say: (line: string) => void): Promise<void> {
  await withLock(`prepare:${productFolder}`, async () => {
    const due = steps()
      .map((step) => ({ ...step, hash: hashOf(step.inputs), stamp: join(stamps, step.name) }))
      .filter((step) => !isStamped(step.stamp, step.hash) || !existsSync(step.output));
    await pLimit(3).map(due, async (step) => {
      await make(step);
      putStamp(step.stamp, step.hash);
      say(`made ${step.name}`);
    });
  });
}

async function make({ name, command: [program, ...args], cwd, env }: Step): Promise<void> {
  const { code, output } = await run(program, args, { cwd, ...(env === undefined ? {} : { env }) });
  if (code !== 0) throw new Refusal(`Making ${name} failed:\n${lastLines(output, 20)}`);
}

function steps(): Step[] {
  const services = join(productFolder, 'services');
  const clients = readdirSync(services)
    .filter((service) => existsSync(join(services, service, 'prisma', 'schema.prisma')))
    .map((service) => prismaClient(service, join(services, service)));
  const ui = join(productFolder, 'packages', 'web-ui');
  return existsSync(join(ui, 'package.json')) ? [browserApplication(ui), ...clients] : clients;
}

function prismaClient(service: string, folder: string): Step {
  const schema = join(folder, 'prisma', 'schema.prisma');
  return {
    name: `database client of ${service}`,
    inputs: [schema, join(productFolder, 'node_modules', 'prisma', 'package.json')],
    output: join(folder, 'src', 'generated', 'client.ts'),
    command: [join(productFolder, 'node_modules', '.bin', 'prisma'), 'generate', '--schema', schema],
    cwd: folder,
    // Generating needs no engine; a command that did would fail instead of doing nothing.
    env: { PRISMA_SCHEMA_ENGINE_BINARY: '/bin/false', PRISMA_HIDE_UPDATE_MESSAGE: '1', CHECKPOINT_DISABLE: '1' },
  };
}

function browserApplication(folder: string): Step {
  return {
    name: 'browser application',
    inputs: [
      folder,
      ...['client', 'contracts', 'directory'].map((name) => join(productFolder, 'packages', name, 'src')),
      join(productFolder, 'pnpm-lock.yaml'),
    ],
    output: join(folder, 'dist', 'index.html'),
    command: ['pnpm', '--filter', '@overtone/web-ui', 'build'],
    cwd: productFolder,
  };
}
