import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startPostgres, type TestServer } from '@overtone/testkit';
import { describeSchema, findOrphans, hashTables, readColumns, type Columns, type TableContent } from './content.ts';
import { headSchema, migrate, migrationHead, schemaOf } from './index.ts';
import { createScratch, dumpSchema, runPostgresProgram, runScript, withClient, type Scratch } from '../test/scratch.ts';

// Upgrades from the newest release of each of the last minor series; how a fixture is made: test/make-release-fixture.main.ts.
const folder = new URL('../releases/', import.meta.url);
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

/** Without the record of migrations, to which every migration adds a row. */
async function read(url: string): Promise<Columns> {
  return new Map([...(await withClient(url, readColumns))].filter(([table]) => table !== 'schema_version'));
}

describe.each(sources)('a database of %s', (release) => {
  let url: string;
  let columns: Columns;
  let before: TableContent[];
  beforeAll(async () => {
    url = await scratch.empty();
    await runScript(url, gunzipSync(readFileSync(new URL(`${release}.sql.gz`, folder))));
    columns = await read(url);
    before = await withClient(url, (client) => hashTables(client, columns));
    expect(before.filter(({ rows }) => rows === 0)).toEqual([]);
    await migrate({ url, passwords: {} });
  });

  it('is upgraded directly to the newest schema', async () => {
    expect(await withClient(url, schemaOf)).toEqual(headSchema());
    expect(await withClient(url, describeSchema)).toEqual(await withClient(fresh, describeSchema));
    expect(await dumpSchema(url)).toBe(await dumpSchema(fresh));
    expect(await migrate({ url, passwords: {} })).toEqual({ from: migrationHead(), to: migrationHead(), applied: [] });
  });

  it('keeps every row, and the value of every column that is still there', async () => {
    expect(await withClient(url, (client) => hashTables(client, columns))).toEqual(before);
  });

  it('has no row that refers to a missing row', async () => {
    expect(await withClient(url, findOrphans)).toEqual([]);
  });

  it('holds only rows that the newest schema accepts', async () => {
    const copy = await scratch.empty();
    // As a restore does it: indexes, keys and triggers after the rows.
    const dump = (args: string[], of: string) => runPostgresProgram('pg_dump', [...args, '--dbname', of]);
    await runScript(copy, await dump(['--section=pre-data'], fresh));
    await runScript(copy, await dump(['--section=data'], url));
    await runScript(copy, await dump(['--section=post-data'], fresh));
    expect(await withClient(copy, hashTables)).toEqual(await withClient(url, hashTables));
  });
});
