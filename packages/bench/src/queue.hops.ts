import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AckPolicy, connect, RetentionPolicy, StorageType } from 'nats';
import type { QueueWorld } from './queue.world.ts';

const peerMain = fileURLToPath(new URL('hops.peer.ts', import.meta.url));

/** A claim is a commit: while the disk writes the data of an earlier bench, it takes longer than the default second. */
const claimTimeoutMs = 60_000;

/**
 * Measures the minimal path of a job: commit, notification, read, message, request, commit, reply. One at a time, between
 * the same processes as in the product.
 */
export async function startHops({ database, nats, postgres }: QueueWorld) {
  await database.query('create table bare_hop (n integer); insert into bare_hop values (0)');
  const nc = await connect({ servers: nats });
  const manager = await nc.jetstreamManager({ timeout: claimTimeoutMs });
  await manager.streams.add({
    name: 'HOPS',
    subjects: ['hops.ticket'],
    storage: StorageType.File,
    retention: RetentionPolicy.Workqueue,
  });
  await manager.consumers.add('HOPS', { durable_name: 'hops', ack_policy: AckPolicy.Explicit });
  const consumer = await nc.jetstream().consumers.get('HOPS', 'hops');
  const peer = spawn(process.execPath, ['--no-warnings', peerMain, nats, postgres], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(peer.stdout, 'data');
  return {
    /** @returns milliseconds from the commit to the reply. */
    hop: async (): Promise<number> => {
      const batch = await consumer.fetch({ max_messages: 1, expires: 30_000 });
      await database.query('begin');
      await database.query('update bare_hop set n = n + 1');
      await database.query(`select pg_notify('bare_hop', '')`);
      await database.query('commit');
      const startedAt = performance.now();
      let durationMs = Number.NaN;
      for await (const message of batch) {
        await nc.request('hops.claim', undefined, { timeout: claimTimeoutMs });
        durationMs = performance.now() - startedAt;
        message.ack();
      }
      return durationMs;
    },
    stop: async () => {
      peer.kill('SIGTERM');
      await nc.close();
    },
  };
}

export type Hops = Awaited<ReturnType<typeof startHops>>;
