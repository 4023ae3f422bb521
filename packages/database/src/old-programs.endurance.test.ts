import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, startNats, startPostgres, type TestServer } from '@overtone/testkit';
import { migrate, readMigrations } from './index.ts';
import { createScratch, dumpSchema, type Scratch } from '../test/scratch.ts';

/** The newest migration of v0.4.0, the oldest release. */
const firstRelease = 361;
const product = resolve(import.meta.dirname, '..');
const migrations = readMigrations();
const released = migrations.filter(({ version }) => version > firstRelease);

let folder: string;
let nats: TestServer;
let server: TestServer;
let scratch: Scratch;
const databases = new Map<number, string>();
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'overtone-old-programs-'));
  [nats, server] = await Promise.all([startNats(), startPostgres()]);
  scratch = createScratch(server.url);
  let url = await scratch.empty();
  for (const { version } of migrations) {
    await migrate({ url, passwords: {}, migrations: migrations.filter((older) => older.version <= version) });
    databases.set(version, url);
    url = await scratch.copyOf(url);
  }
});
afterAll(async () => {
  await Promise.all([nats.stop(), server.stop()]);
  rmSync(folder, { recursive: true });
});

/** This code with the migrations up to a version: of newer ones it knows only what the database says. */
function programOf(version: number): string {
  const program = join(folder, `v${version}`);
  mkdirSync(join(program, 'migrations'), { recursive: true });
  for (const part of ['src', 'test', 'package.json'])
    cpSync(join(product, part), join(program, part), { recursive: true });
  for (const { version: known, name } of migrations.filter((migration) => migration.version <= version)) {
    const file = `v${String(known).padStart(3, '0')}_${name}.sql`;
    cpSync(join(product, 'migrations', file), join(program, 'migrations', file));
  }
  rmSync(join(program, 'node_modules'), { force: true });
  symlinkSync(join(product, 'node_modules'), join(program, 'node_modules'));
  return program;
}

/** Starts a service of a program and stops it when it is ready. */
async function startService(version: number, url: string): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(programOf(version), 'test', 'starting-service.main.ts')], {
    env: {
      NATS_URL: nats.url,
      DATABASE_URL: url,
      API_PORT: '0',
      INTERNAL_PORT: String(await freePort()),
      LOG_FORMAT: 'json',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.includes('"msg":"ready"')) child.kill('SIGTERM');
    });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output };
}

/** The newest migration of each declaration: databases in use, and the programs around the limit that they declare. */
const declarations = [...new Map(released.map((migration) => [migration.readableBy, migration])).values()];

describe.each(declarations)('a database at v$version, readable by v$readableBy', ({ version, readableBy }) => {
  it(`lets a service start whose newest migration is v${readableBy}`, async () => {
    const url = databases.get(version)!;
    const before = await dumpSchema(url);
    const { code, output } = await startService(readableBy, url);
    expect([code, output]).toEqual([0, expect.stringContaining('"msg":"ready"')]);
    expect(await dumpSchema(url)).toBe(before);
  });

  const tooOld = migrations.findLast((migration) => migration.version < readableBy)?.version;
  if (tooOld !== undefined)
    it(`lets no service start whose newest migration is v${tooOld}`, async () => {
      const { code, output } = await startService(tooOld, databases.get(version)!);
      expect([code, output]).toEqual([1, expect.stringContaining('schema_too_new')]);
      expect(output).toContain(`readable from v${readableBy} on`);
    });
});

describe.each(released)('a database at v$version', ({ version, readableBy }) => {
  it(`is taken by the migration of every older program from v${readableBy} on, and by no other`, async () => {
    const url = databases.get(version)!;
    const older = migrations.filter((migration) => migration.version < version);
    const takers: number[] = [];
    for (const program of older) {
      const known = migrations.filter((migration) => migration.version <= program.version);
      const result = await migrate({ url, passwords: {}, migrations: known }).catch((error: unknown) => error);
      if (result instanceof Error) expect(result).toMatchObject({ code: 'schema_too_new' });
      else takers.push(program.version);
    }
    expect(takers).toEqual(older.map((program) => program.version).filter((program) => program >= readableBy));
  });
});
