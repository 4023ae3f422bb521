import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, type TestServer } from '@overtone/testkit';
import { headSchema, migrate, migrationHead, schemaOf } from './index.ts';
import { createScratch, dumpSchema, runPostgresProgram, runScript, withClient, type Scratch } from '../test/scratch.ts';

// Upgrades from the newest release of each of the last minor series; how a fixture is made: test/make-release-fixture.main.ts.
const folder = new URL('../test/releases/', import.meta.url);
const minors = Number(process.env['OT_UPGRADE_SOURCE_MINORS'] ?? 2);
const sources = newestOfEachMinor(readdirSync(folder)).slice(-minors);

function newestOfEachMinor(files: string[]): string[] {
  const inOrder = files
    .flatMap((file) => {
      const match = /^(v(\d+)\.(\d+)\.(\d+))\.sql\.gz$/.exec(file);
      return match ? [{ release: match[1]!, numbers: match.slice(2).map(Number) }] : [];
    })
    .toSorted((left, right) => {
      const differs = left.numbers.findIndex((part, i) => part !== right.numbers[i]);
      return (left.numbers[differs] ?? 0) - (right.numbers[differs] ?? 0);
    });
  return [...new Map(inOrder.map(({ release, numbers }) => [numbers.slice(0, 2).join('.'), release])).values()];
}

let server: TestServer;
let scratch: Scratch;
let fresh: string;
beforeAll(async () => {
  server = await startPostgres();
  scratch = createScratch(server.url);
  fresh = await scratch.empty();
  await migrate({ url: fresh, passwords: {} });
});
afterAll(() => server.stop());

type Columns = Map<string, string[]>;

/** The columns of every table but the record of migrations, with their types. */
async function readColumns(url: string): Promise<Columns> {
  const rows = await scratch.sql<{ table: string; columns: string[] }>(
    url,
    `select relname as table, array_agg(attname || ' ' || format_type(atttypid, atttypmod) order by attnum) as columns
     from pg_class c join pg_attribute on attrelid = c.oid
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname <> 'schema_version' and attnum > 0 and not attisdropped
     group by relname`,
  );
  return new Map(rows.map(({ table, columns }) => [table, columns]));
}

/** Count and hash of each table's rows, over the given columns. */
async function readContent(url: string, columns: Columns): Promise<Record<string, unknown>> {
  const content: Record<string, unknown> = {};
  for (const [table, names] of columns) {
    const list = names.map((name) => `"${name.split(' ')[0]}"`).join(', ');
    const [row] = await scratch.sql(
      url,
      `select count(*)::integer as rows, md5(string_agg(hash, '' order by hash)) as hash
       from (select md5(row(${list})::text) as hash from "${table}") hashed`,
    );
    content[table] = row;
  }
  return content;
}

/** Rows of a table that refer to a missing row. */
async function countOrphans(url: string): Promise<Record<string, unknown>[]> {
  const keys = await scratch.sql<Record<'name' | 'child' | 'parent' | 'match' | 'set', string>>(
    url,
    `select conname as name, conrelid::regclass::text as child, confrelid::regclass::text as parent,
       (select string_agg(format('child.%I = parent.%I', c.attname, p.attname), ' and ') from unnest(conkey, confkey) k(c, p)
        join pg_attribute c on c.attrelid = conrelid and c.attnum = k.c join pg_attribute p on p.attrelid = confrelid and p.attnum = k.p) as "match",
       (select string_agg(format('child.%I is not null', attname), ' and ') from pg_attribute where attrelid = conrelid and attnum = any(conkey)) as set
     from pg_constraint where contype = 'f'`,
  );
  expect(keys.length).toBeGreaterThan(5);
  return await Promise.all(
    keys.map(async ({ name, child, parent, match, set }) => ({
      name,
      orphans: (
        await scratch.sql(
          url,
          `select count(*)::integer as orphans from ${child} child where ${set} and not exists (select from ${parent} parent where ${match})`,
        )
      )[0]!['orphans'],
    })),
  );
}

describe.each(sources)('a database of %s', (release) => {
  let url: string;
  let columns: Columns;
  let before: Record<string, unknown>;
  beforeAll(async () => {
    url = await scratch.empty();
    await runScript(url, gunzipSync(readFileSync(new URL(`${release}.sql.gz`, folder))));
    columns = await readColumns(url);
    before = await readContent(url, columns);
    for (const [table, content] of Object.entries(before))
      expect({ table, content }).toEqual({ table, content: { rows: expect.any(Number), hash: expect.any(String) } });
    await migrate({ url, passwords: {} });
  });

  it('is upgraded directly to the newest schema', async () => {
    expect(await withClient(url, schemaOf)).toEqual(headSchema());
    expect(await dumpSchema(url)).toBe(await dumpSchema(fresh));
    expect(await migrate({ url, passwords: {} })).toEqual({ from: migrationHead(), to: migrationHead(), applied: [] });
  });

  it('keeps every row, and the value of every column that is still there', async () => {
    const after = await readColumns(url);
    expect([...columns.keys()].filter((table) => !after.has(table))).toEqual([]);
    for (const [table, names] of columns)
      expect({ table, lost: names.filter((name) => !after.get(table)!.includes(name)) }).toEqual({ table, lost: [] });
    expect(await readContent(url, columns)).toEqual(before);
  });

  it('has no row that refers to a missing row', async () => {
    for (const key of await countOrphans(url)) expect(key).toEqual({ name: key['name'], orphans: 0 });
  });

  it('holds only rows that the newest schema accepts', async () => {
    const copy = await scratch.empty();
    // As a restore does it: indexes, keys and triggers after the rows.
    const dump = (args: string[], of: string) => runPostgresProgram('pg_dump', [...args, '--dbname', of]);
    await runScript(copy, await dump(['--section=pre-data'], fresh));
    await runScript(copy, await dump(['--section=data'], url));
    await runScript(copy, await dump(['--section=post-data'], fresh));
    const tables = await readColumns(fresh);
    expect(await readContent(copy, tables)).toEqual(await readContent(url, tables));
  });
});
