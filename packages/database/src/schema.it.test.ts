import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort, startNats, startPostgres, type TestServer } from '@overtone/testkit';
import {
  canRead,
  headSchema,
  migrate,
  migrationHead,
  readMigrations,
  schemaOf,
  type Migration,
  type Schema,
} from './index.ts';
import { parseMigration } from './migrations.ts';
import { createScratch, dumpSchema, withClient, type Scratch } from '../test/scratch.ts';

const migrateMain = fileURLToPath(new URL('./migrate.main.ts', import.meta.url));
const serviceMain = fileURLToPath(new URL('../test/starting-service.main.ts', import.meta.url));
const migrations = readMigrations();
function upTo(version: number): Migration[] {
  return migrations.filter((migration) => migration.version <= version);
}
function readSchema(url: string): Promise<Schema> {
  return withClient(url, schemaOf);
}

let nats: TestServer;
let server: TestServer;
let scratch: Scratch;
let fresh: string;
beforeAll(async () => {
  [nats, server] = await Promise.all([startNats(), startPostgres()]);
  scratch = createScratch(server.url);
  fresh = await scratch.empty();
  await migrate({ url: fresh, passwords: {} });
});
afterAll(() => Promise.all([nats.stop(), server.stop()]));

/** The database of a later release that adds a migration. */
async function laterDatabase(readableFrom: number | null): Promise<string> {
  const url = await scratch.copyOf(fresh);
  await scratch.sql(
    url,
    `insert into schema_version (version, name, checksum, readable_from) values (999, 'later', 'x', ${readableFrom})`,
  );
  return url;
}

async function run(main: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [main], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return { child, output: () => output, exitCode: once(child, 'close').then(([code]) => code as number | null) };
}

/** Released migrations never change, so that some of them stand for all; every newer one is tried. */
const tried = migrations.filter((_, i) => i % 6 === 0 || i >= migrations.length - 10).map(({ version }) => version);

describe('schemaOf', () => {
  it('reads version 0 from an empty database', async () => {
    expect(await readSchema(await scratch.empty())).toEqual({ version: 0, readableFrom: 0 });
  });

  it('reads what the migrations of this code declare', async () => {
    expect(await readSchema(fresh)).toEqual(headSchema());
  });

  it('takes a version that declares nothing as readable by its own code only', async () => {
    expect(await readSchema(await laterDatabase(null))).toEqual({ version: 999, readableFrom: 999 });
    const url = await scratch.copyOf(fresh);
    await scratch.sql(url, 'alter table schema_version drop column readable_from');
    expect(await readSchema(url)).toEqual({ version: migrationHead(), readableFrom: migrationHead() });
  });
});

describe('a database that v0.5.0 has migrated', () => {
  it('gets the declarations of its migrations', async () => {
    const url = await scratch.copyOf(fresh);
    await scratch.sql(url, 'alter table schema_version drop column readable_from');
    expect(await migrate({ url, passwords: {} })).toMatchObject({ applied: [] });
    expect(await readSchema(url)).toEqual(headSchema());
    expect(await dumpSchema(url)).toBe(await dumpSchema(fresh));
  });

  it('keeps what a newer program has declared, unless this one knows a later contract step', async () => {
    const url = await scratch.copyOf(fresh);
    await scratch.sql(url, 'update schema_version set readable_from = 5 where version = 413');
    await scratch.sql(url, 'update schema_version set readable_from = 412 where version = 20');
    await migrate({ url, passwords: {} });
    expect(
      await scratch.sql(url, 'select readable_from from schema_version where version in (20, 413) order by 1'),
    ).toEqual([
      { readable_from: migrations.find(({ version }) => version === 413)!.readableBy },
      { readable_from: 412 },
    ]);
  });
});

describe('a database that is newer than the program', () => {
  it.each(tried)('is accepted by code of v%d exactly when it can read it', async (version) => {
    const url = await scratch.copyOf(fresh);
    const dump = await dumpSchema(url);
    const result = migrate({ url, passwords: {}, migrations: upTo(version) });
    if (canRead(version, headSchema()))
      await expect(result).resolves.toEqual({ from: migrationHead(), to: migrationHead(), applied: [] });
    else await expect(result).rejects.toMatchObject({ code: 'schema_too_new' });
    expect(await dumpSchema(url)).toBe(dump);
  });

  it('lets the migration command succeed when it is readable, and exit with 1 otherwise', async () => {
    const env = { PATH: process.env['PATH'] ?? '' };
    const readable = await run(migrateMain, { ...env, DATABASE_URL: await laterDatabase(migrationHead()) });
    expect(await readable.exitCode).toBe(0);
    expect(readable.output()).toContain('schema is at v999, newer than this program');
    const unreadable = await run(migrateMain, { ...env, DATABASE_URL: await laterDatabase(999) });
    expect(await unreadable.exitCode).toBe(1);
    expect(unreadable.output()).toContain('schema_too_new: the database is at v999');
  });

  it('lets a service start when it is readable, and exit with 1 otherwise', async () => {
    const start = async (url: string) =>
      await run(serviceMain, {
        NATS_URL: nats.url,
        DATABASE_URL: url,
        API_PORT: '0',
        INTERNAL_PORT: String(await freePort()),
        LOG_FORMAT: 'json',
      });
    const readable = await start(await laterDatabase(migrationHead()));
    await new Promise<void>((resolve, reject) => {
      readable.child.stdout.on('data', () => readable.output().includes('"msg":"ready"') && resolve());
      void readable.exitCode.then(() => reject(new Error(readable.output())));
    });
    readable.child.kill('SIGTERM');
    expect(await readable.exitCode).toBe(0);
    const unreadable = await start(await laterDatabase(999));
    expect(await unreadable.exitCode).toBe(1);
    expect(unreadable.output()).toContain('schema_too_new');
  });
});

describe('a migration while services of the version before run', () => {
  const chain = (readableBy: number) => [...migrations, { ...migrations.at(-1)!, version: 990, sql: '', readableBy }];

  it('is applied when their code can read the result', async () => {
    const url = await scratch.copyOf(fresh);
    await migrate({ url, passwords: {}, servicesRun: true, migrations: chain(migrationHead()) });
    expect(await readSchema(url)).toEqual({ version: 990, readableFrom: migrationHead() });
  });

  it('is refused otherwise, and applied once they are stopped', async () => {
    const url = await scratch.copyOf(fresh);
    const refused = migrate({ url, passwords: {}, servicesRun: true, migrations: chain(990) });
    await expect(refused).rejects.toMatchObject({ code: 'schema_contract' });
    expect(await readSchema(url)).toEqual(headSchema());
    await migrate({ url, passwords: {}, migrations: chain(990) });
    expect(await readSchema(url)).toEqual({ version: 990, readableFrom: 990 });
  });

  it('creates the schema of an empty database', async () => {
    expect(await migrate({ url: await scratch.empty(), passwords: {}, servicesRun: true })).toMatchObject({ from: 0 });
  });
});

describe('a database without a record of its migrations', () => {
  it.each(tried)('with the tables of v%d is recognised and upgraded', async (version) => {
    const url = await scratch.empty();
    await migrate({ url, passwords: {}, migrations: upTo(version) });
    await scratch.sql(url, 'drop table schema_version');
    const lines: string[] = [];
    const result = await migrate({ url, passwords: {}, report: (line) => lines.push(line) });
    // A migration without a proof leaves no trace that identifies it: it is run again.
    const recognised = upTo(version).findLast(({ proofs }) => proofs.length > 0)?.version ?? 0;
    expect(lines[0]).toBe(`schema v${recognised} recognised; its migrations are recorded`);
    expect(result).toMatchObject({ from: recognised, to: migrationHead() });
    expect(result.applied).toHaveLength(migrations.length - upTo(recognised).length);
    expect(await dumpSchema(url)).toBe(await dumpSchema(fresh));
    expect(await scratch.sql(url, 'select version, checksum, readable_from from schema_version order by 1')).toEqual(
      await scratch.sql(fresh, 'select version, checksum, readable_from from schema_version order by 1'),
    );
  });

  it('is recognised when its record was created but never written', async () => {
    const url = await scratch.copyOf(fresh);
    await scratch.sql(url, 'delete from schema_version');
    expect(await migrate({ url, passwords: {} })).toMatchObject({ from: migrationHead(), applied: [] });
  });

  it.each([
    ['of another product', 'create table orders (id integer)', 'does not know orders'],
    ['that lack a column of an earlier version', 'drop index ix_user_directory', 'of v402 it lacks ix_user_directory'],
    [
      'that lack a part of the newest version',
      'alter table media_file drop column stage_changed_at',
      'of v412 it lacks',
    ],
    ['of a later version', 'create table next_feature (id integer)', 'does not know next_feature'],
    ['with a column of a later version', 'alter table task add column next_feature text', 'differ: task.next_feature'],
    ['with a column of another type', 'alter table speaker alter column name type varchar(9)', 'differ: speaker.name'],
  ])('is refused with tables %s, and not changed', async (kind, statement, reason) => {
    const url = kind === 'of another product' ? await scratch.empty() : await scratch.copyOf(fresh);
    await scratch.sql(url, `drop table if exists schema_version; ${statement}`);
    const dump = await dumpSchema(url);
    await expect(migrate({ url, passwords: {} })).rejects.toMatchObject({
      code: 'schema_untracked',
      message: expect.stringContaining(reason),
    });
    expect(await dumpSchema(url)).toBe(dump);
  });

  it('counts a migration that only changes data as applied when a later one is recognised', async () => {
    const data = parseMigration('v990_data.sql', '-- readable-by: v413\n-- proof: none\nselect 1;\n');
    const table = parseMigration(
      'v991_table.sql',
      '-- readable-by: v413\n-- proof: added\ncreate table if not exists added (id integer);\n',
    );
    const url = await scratch.copyOf(fresh);
    await scratch.sql(url, 'drop table schema_version');
    expect((await migrate({ url, passwords: {}, migrations: [...migrations, data] })).applied).toEqual(['data']);
    await migrate({ url, passwords: {}, migrations: [...migrations, data, table] });
    await scratch.sql(url, 'drop table schema_version');
    const result = await migrate({ url, passwords: {}, migrations: [...migrations, data, table] });
    expect(result).toEqual({ from: 991, to: 991, applied: [] });
    expect(await scratch.sql(url, 'select 1 from schema_version where version = 990')).toHaveLength(1);
  });

  it('counts as empty when only an extension has created tables', async () => {
    const url = await scratch.empty();
    await scratch.sql(url, 'create extension pg_stat_statements');
    expect(await migrate({ url, passwords: {} })).toMatchObject({ from: 0, to: migrationHead() });
  });
});

describe('a migration from v414 on', () => {
  /** Applies it a second time, as after a crash of a tool that does not know of transactions. */
  async function applyTwice(url: string, { version, sql }: Migration): Promise<void> {
    await scratch.sql(url, sql);
    await scratch.sql(url, sql).catch((cause: unknown) => {
      throw new Error(`v${version} a second time: ${(cause as Error).message}`, { cause });
    });
  }

  it('can be applied twice', async () => {
    const url = await scratch.empty();
    await migrate({ url, passwords: {}, migrations: upTo(413) });
    for (const migration of migrations.filter(({ version }) => version > 413)) await applyTwice(url, migration);
    expect(await dumpSchema(url)).toBe(await dumpSchema(fresh));
    // The check itself finds a migration that cannot: v413 is from before the rule.
    await expect(
      applyTwice(
        url,
        migrations.find(({ version }) => version === 413)!,
      ),
    ).rejects.toThrow('already exists');
  });
});
