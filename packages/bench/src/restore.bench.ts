import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findPostgresBin } from '@overtone/cli/servers';
import { launcher } from '@overtone/e2e/instance';
import { Client } from 'pg';
import { mebibytes, type Bench, type Row } from './bench.ts';

const readyGoal = 120;
const throughputGoal = 0.9;
const memoryGoal = 200 * 1024 ** 2;

type Measured = { seconds: number; memory: number };

/** The drill of docs/backup.md on a large database, beside the bare programs of PostgreSQL. */
export const restoreBench: Bench = {
  name: 'restore',
  about: 'backup and restore of 1,000,000 segments in 5,000 files, beside pg_dump and pg_restore',
  run: async function* ({ size, another, folder }) {
    const { data, down, remove } = await another({});
    const url = (database: string): string => ownerUrl(data, database);
    await fill(url('overtone'), Math.round(5_000 * size), 200);
    const [backups, bareFile] = [join(folder, 'backups'), join(folder, 'bare.dump')];
    const bin = findPostgresBin() ?? '';
    const bareDump = await measure(join(bin, 'pg_dump'), ['-Fc', '-Z1', '-f', bareFile, url('overtone')]);
    const backup = await measure(launcher, ['backup', '--data', data, '--to', backups]);
    yield ratioRow('backup', backup, bareDump);
    yield memoryRow('backup', backup);

    await withClient(url('postgres'), 'create database bare template template0');
    const bareRestore = await measure(join(bin, 'pg_restore'), ['--single-transaction', '-d', url('bare'), bareFile]);
    await withClient(url('postgres'), 'drop database bare');
    await down();
    rmSync(join(data, 'postgres'), { recursive: true });
    const dump = join(backups, readdirSync(backups).find((name) => name.endsWith('.dump')) ?? '');
    const restore = await measure(launcher, ['restore', dump, '--yes', '--no-restart', '--data', data]);
    yield ratioRow('restore with check and verification', restore, bareRestore);
    yield memoryRow('restore', restore);
    const up = await measure(launcher, ['up', '--detach', '--data', data]);
    const seconds = restore.seconds + up.seconds;
    yield {
      name: 'from a lost database until ready',
      ours: `${seconds.toFixed(1)} s`,
      peer: '',
      ratio: null,
      goal: `<= ${readyGoal} s`,
      met: seconds <= readyGoal,
    };
    await remove();
  },
};

/** Runs a program. @returns its seconds and the largest memory (bytes) of the process itself. */
async function measure(program: string, args: readonly string[]): Promise<Measured> {
  const from = Date.now();
  const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  let memory = 0;
  const look = setInterval(() => (memory = Math.max(memory, peakMemory(child.pid))), 20);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.once('exit', resolve);
    });
    if (code !== 0) throw new Error(`${program} ${args[0]} ended with ${code}: ${output}`);
    return { seconds: (Date.now() - from) / 1000, memory };
  } finally {
    clearInterval(look);
    child.stderr.destroy();
  }
}

function peakMemory(pid: number | undefined): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

async function fill(url: string, files: number, segmentsEach: number): Promise<void> {
  await withClient(
    url,
    `insert into media_file (user_id, filename, title, object_key, content_type, file_size, status)
     select gen_random_uuid(), n || '.wav', 'Recording ' || n, 'files/' || n || '/original', 'audio/wav', 1000000, 'completed'
     from generate_series(1, ${files}) n;
     insert into transcript_segment (media_file_id, position, start_time, end_time, text, words)
     select uuid, n, n * 3, n * 3 + 2.5, repeat(md5(uuid::text || n) || ' ', 4),
       jsonb_build_array(jsonb_build_object('w', md5(n::text), 's', n, 'e', n + 0.5))
     from media_file cross join generate_series(1, ${segmentsEach}) n`,
  );
}

async function withClient(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

function ownerUrl(data: string, database: string): string {
  const password = readFileSync(join(data, 'secrets', 'db_overtone'), 'utf8').trim();
  const { ports } = JSON.parse(readFileSync(join(data, 'instance.json'), 'utf8')) as { ports: { postgres: number } };
  return `postgresql://overtone:${password}@127.0.0.1:${ports.postgres}/${database}`;
}

function ratioRow(name: string, ours: Measured, bare: Measured): Row {
  const ratio = bare.seconds / ours.seconds;
  return {
    name,
    ours: `${ours.seconds.toFixed(1)} s`,
    peer: `${bare.seconds.toFixed(1)} s bare`,
    ratio,
    goal: `>= ${throughputGoal}`,
    met: ratio >= throughputGoal,
  };
}

function memoryRow(name: string, { memory }: Measured): Row {
  return {
    name: `memory of ${name}`,
    ours: mebibytes(memory),
    peer: '',
    ratio: null,
    goal: `<= ${mebibytes(memoryGoal)}`,
    met: memory <= memoryGoal,
  };
}
