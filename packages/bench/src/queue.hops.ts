import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { AckPolicy, connect, RetentionPolicy, StorageType } from 'nats';
import type { QueueWorld } from './queue.world.ts';

const peerMain = fileURLToPath(new URL('hops.peer.ts', import.meta.url));

/** The claim is a commit: while the disk writes what a bench before has left, it takes longer than the client's second. */
const claimWithinMs = 60_000;

/**
 * What no order that goes this way can do without: a commit that is told of, a look at it, a message, a question, a
 * commit, an answer. One at a time, between processes as they are.
 */
export const startHops = async ({ database, nats, postgres }: QueueWorld) => {
  await database.query('create table bare_hop (n integer); insert into bare_hop values (0)');
  const nc = await connect({ servers: nats });
  const manager = await nc.jetstreamManager({ timeout: claimWithinMs });
  await manager.streams.add({
    name: 'HOPS',
    subjects: ['hops.ticket'],
    storage: StorageType.File,
    retention: RetentionPolicy.Workqueue,
  });
  await manager.consumers.add('HOPS', { durable_name: 'hops', ack_policy: AckPolicy.Explicit });
  const tickets = await nc.jetstream().consumers.get('HOPS', 'hops');
  const peer = spawn(process.execPath, ['--no-warnings', peerMain, nats, postgres], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(peer.stdout, 'data');
  return {
    /** @returns milliseconds from the commit to the answer. */
    hop: async (): Promise<number> => {
      const batch = await tickets.fetch({ max_messages: 1, expires: 30_000 });
      await database.query('begin');
      await database.query('update bare_hop set n = n + 1');
      await database.query(`select pg_notify('bare_hop', '')`);
      await database.query('commit');
      const from = performance.now();
      let taken = Number.NaN;
      for await (const ticket of batch) {
        await nc.request('hops.claim', undefined, { timeout: claimWithinMs });
        taken = performance.now() - from;
        ticket.ack();
      }
      return taken;
    },
    stop: async () => {
      peer.kill('SIGTERM');
      await nc.close();
    },
  };
};
export type Hops = Awaited<ReturnType<typeof startHops>>;
