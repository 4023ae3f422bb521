import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, waitFor, type TestServer } from '@overtone/testkit';
import { createScratch, dumpSchema, migrationsBefore, type Scratch } from '../test/scratch.ts';
import { migrate, readMigrations, type Migration } from './index.ts';
import { parseMigration } from './migrations.ts';

const killable = fileURLToPath(new URL('../test/migrate-and-wait.main.ts', import.meta.url));
const migrations = readMigrations();
const header = '-- readable-by: v410\n-- proof: backfilled\n';

/** Many statements, one of which changes many rows. */
const long = parseMigration(
  'v990_long.sql',
  `${header}create table if not exists backfilled (id integer primary key, text text not null);
insert into backfilled select i, 'row ' || i from generate_series(1, 50000) i on conflict do nothing;
alter table backfilled add column if not exists length integer;
update backfilled set length = length(text) where length is null;
alter table backfilled alter column length set not null;
create index if not exists ix_backfilled_length on backfilled (length);
do $$ begin
  if not exists (select from pg_constraint where conname = 'ck_backfilled_length') then
    alter table backfilled add constraint ck_backfilled_length check (length > 0);
  end if;
end $$;
alter table media_file add column if not exists backfilled_at timestamptz;
grant select on backfilled to media;
`,
);

let server: TestServer;
let scratch: Scratch;
beforeAll(async () => {
  server = await startPostgres();
  scratch = createScratch(server.url);
});
afterAll(() => server.stop());

describe('a migration that is killed', () => {
  /** The statements of a migration, each with the comments before it. */
  function splitStatements(sql: string): string[] {
    const parts = sql.match(/(?:--.*\n|'[^']*'|\$\$[^]*?\$\$|[^;])+;/g) ?? [];
    expect(parts.join('').trim()).toBe(sql.trim());
    return parts;
  }

  /** Each migrates until it reaches its boundary between two statements; the last one is before the commit. */
  async function killAtBoundaries(urls: string[], migration: Migration, victim: 'process' | 'server'): Promise<void> {
    const parts = splitStatements(migration.sql);
    const declared = migration.sql.split('\n', 2).join('\n') + '\n';
    const databases = urls.map((url, boundary) => ({
      url,
      file: `v${migration.version}_${migration.name}.sql`,
      sql: `${declared}${[...parts.slice(0, boundary), 'select pg_sleep(600);', ...parts.slice(boundary)].join('')}`,
    }));
    const child = spawn(process.execPath, [killable, JSON.stringify(databases)], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    const waiting = await waitFor(async () => {
      const rows = await scratch.sql<{ pid: number }>(
        server.url,
        `select pid from pg_stat_activity where wait_event = 'PgSleep'`,
      );
      return rows.length === urls.length ? rows.map(({ pid }) => pid) : undefined;
    });
    // The server ends all sessions and recovers when one of its processes is killed.
    process.kill(victim === 'process' ? child.pid! : waiting[0]!, 'SIGKILL');
    await ended;
    await waitFor(() => scratch.sql(server.url, 'select 1'));
  }

  it.each(
    [...migrations.slice(-1), long].flatMap((migration) =>
      (['process', 'server'] as const).map((victim) => ({ name: `v${migration.version}`, migration, victim })),
    ),
  )(
    '$name is applied by the next run, at whichever statement its $victim was killed',
    async ({ migration, victim }) => {
      const old = await scratch.before(migration.version);
      const chain = [...migrationsBefore(migration.version), migration];
      const expected = await scratch.copyOf(old);
      await migrate({ url: expected, passwords: {}, migrations: chain });
      const dumpOfNew = await dumpSchema(expected);
      expect(dumpOfNew).not.toBe(await dumpSchema(old));
      const urls: string[] = [];
      while (urls.length <= splitStatements(migration.sql).length) urls.push(await scratch.copyOf(old));
      expect(urls.length).toBeGreaterThan(1);
      await killAtBoundaries(urls, migration, victim);
      for (const url of urls) {
        const resumed = migrate({ url, passwords: {}, migrations: chain, limits: { migratorWaitMs: 5_000 } });
        expect(await resumed).toMatchObject({ applied: [migration.name] });
        expect(await dumpSchema(url)).toBe(dumpOfNew);
      }
    },
  );
});
