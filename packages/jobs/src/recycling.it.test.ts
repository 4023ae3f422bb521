import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { startNats, waitFor } from '@overtone/testkit';
import { cleanUpAfterFile, createFolder, stopAfterFile } from '@overtone/testkit/cleanup';
import { AckPolicy, connect, RetentionPolicy } from 'nats';

const main = fileURLToPath(new URL('../test/recycling.main.ts', import.meta.url));
const nats = await stopAfterFile(startNats());
const nc = await connect({ servers: nats.url });
cleanUpAfterFile(() => nc.close());
const jsm = await nc.jetstreamManager();
await jsm.streams.add({ name: 'JOBS', subjects: ['job.>'], retention: RetentionPolicy.Workqueue });
const filter_subject = 'job.cpu.media.>';
await jsm.consumers.add('JOBS', { durable_name: 'cpu-media', filter_subject, ack_policy: AckPolicy.Explicit });
for (const bucket of ['LEASES', 'WORKERS']) await nc.jetstream({ timeout: 30_000 }).views.kv(bucket);
const folder = await createFolder();

function list() {
  return join(folder, 'list');
}

function noted() {
  return existsSync(list())
    ? readFileSync(list(), 'utf8')
        .trim()
        .split('\n')
        .map((line) => line.split(' ') as [task: string, pid: string])
    : [];
}

async function order(until: string | null = null): Promise<string> {
  const taskId = randomUUID();
  await nc.jetstream({ timeout: 30_000 }).publish('job.cpu.media.note', JSON.stringify({ taskId, input: { until } }));
  return taskId;
}

function start() {
  const env = { PATH: process.env['PATH'], NATS_URL: nats.url, LIST: list(), API_PORT: '0', INTERNAL_PORT: '0' };
  const child = spawn(process.execPath, ['--no-warnings', main], { env, stdio: 'ignore' });
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return { pid: String(child.pid), ended, isOver: () => child.exitCode !== null, kill: () => child.kill('SIGKILL') };
}

describe('a process that does tasks itself', () => {
  it('ends well after its number of tasks, but not before the last one it has in hand, and loses none', async () => {
    const gate = join(folder, 'gate');
    const first = start();
    const held = await order(gate);
    const tasks = [held];
    for (let i = 0; i < 4; i++) tasks.push(await order());
    await waitFor(() => noted().length === 4);
    tasks.push(await order());
    await waitFor(() => noted().length === 5);
    // The limit is reached with one task still running: later tasks are for the successor process.
    const later = [await order(), await order(), await order()];
    const second = start();
    await waitFor(() => noted().length >= 8);
    expect(first.isOver()).toBe(false);
    writeFileSync(gate, '');
    expect(await first.ended).toBe(0);
    await waitFor(() => noted().length === 9);
    const all = noted();
    expect(all.map(([task]) => task).toSorted()).toEqual([...tasks, ...later].toSorted());
    expect(all.find(([task]) => task === held)?.[1]).toBe(first.pid);
    expect(new Set(all.map(([, pid]) => pid)).size).toBe(2);
    second.kill();
    await second.ended;
  });
});
