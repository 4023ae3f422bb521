import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { startPostgres } from '@overtone/testkit';
import { Client } from 'pg';
import { runPostgresProgram, runScript } from './scratch.ts';

// Makes `releases/<release>.sql.gz`: a database that the migrations of that release have created, with rows in every table.
// Run once, when a release is cut, and commit the result; it is not made again, because it stands for what is in the field.
//
//   node packages/database/test/make-release-fixture.main.ts v0.5.0 <tag or commit of the release>
//
// The rows come from `releases/*.data.sql` of this release and of all releases before it: each release adds a file with
// rows for the tables and columns that it has added.
const [release = '', commit = ''] = process.argv.slice(2);
const releases = join(import.meta.dirname, '..', 'releases');
const product = mkdtempSync(join(tmpdir(), 'overtone-release-'));
const server = await startPostgres();
try {
  migrateWithCodeOf(commit);
  const names = readdirSync(releases).filter((name) => name.endsWith('.data.sql'));
  for (const name of names.toSorted(byRelease).filter((each) => byRelease(each, release) <= 0))
    await runScript(server.url, readFileSync(join(releases, name)));
  await query(`update schema_version set applied_at = '2026-11-01 00:00:00+00'; analyze`);
  await refuseEmptyTables();
  const dump = await runPostgresProgram('pg_dump', ['--no-owner', '--dbname', server.url]);
  // psql of a patch release from before August 2025 does not know \restrict.
  const lines = dump.split('\n').filter((line) => !/^(--|\\(un)?restrict )/.test(line));
  writeFileSync(join(releases, `${release}.sql.gz`), gzipSync(lines.join('\n'), { level: 9 }));
} finally {
  await server.stop();
  rmSync(product, { recursive: true });
}

function migrateWithCodeOf(reference: string): void {
  const repository = join(import.meta.dirname, '..', '..', '..');
  const archive = execFileSync('git', ['archive', reference, 'packages/database'], { cwd: repository });
  execFileSync('tar', ['--extract', '--directory', product], { input: archive });
  const installed = join(product, 'packages', 'database', 'node_modules');
  mkdirSync(join(installed, '..'), { recursive: true });
  symlinkSync(join(repository, 'packages', 'database', 'node_modules'), installed);
  const main = join(product, 'packages', 'database', 'src', 'migrate.main.ts');
  execFileSync(process.execPath, [main], { env: { DATABASE_URL: server.url }, stdio: 'inherit' });
}

async function refuseEmptyTables(): Promise<void> {
  const empty = await query(
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples <= 0`,
  );
  if (empty.length > 0) throw new Error(`no rows in ${empty.map(({ relname }) => String(relname)).join(', ')}`);
}

async function query(text: string): Promise<Record<string, unknown>[]> {
  const client = new Client({ connectionString: server.url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(text)).rows;
  } finally {
    await client.end();
  }
}

function byRelease(left: string, right: string): number {
  const numbers = (name: string) => /^v(\d+)\.(\d+)\.(\d+)/.exec(name)!.slice(1).map(Number);
  const [x, y] = [numbers(left), numbers(right)];
  return x[0]! - y[0]! || x[1]! - y[1]! || x[2]! - y[2]!;
}
