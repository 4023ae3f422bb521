import { cp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mediaEvents } from '@overtone/contracts';
import { createBus, createLog, createMetrics, type Bus, type Metrics, type Part } from '@overtone/service-kit';
import { createDatabase, startFaultyProxy, startNats, waitFor } from '@overtone/testkit';
import { cleanUpAfterFile, stopAfterFile } from '@overtone/testkit/cleanup';
import type { Pool, PoolClient } from 'pg';
import { createOutboxRelay } from './outbox-relay.ts';
import { createOutbox, type Tx } from './outbox.ts';
import { createPool } from './pool.ts';

const log = createLog('media', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
const outbox = createOutbox('media');

function file() {
  return { fileId: crypto.randomUUID(), ownerId: crypto.randomUUID() };
}

function txOf(client: PoolClient): Tx {
  return {
    $executeRawUnsafe: async (text, ...values) => (await client.query(text, values)).rowCount ?? 0,
  };
}

let pool: Pool;
let bus: Bus;
let metrics: Metrics;
let relay: Part;
const nats = await stopAfterFile(startNats());
const db = await createDatabase();
cleanUpAfterFile(db.drop);
beforeEach(async () => {
  const env = { DATABASE_URL: db.urlFor('media'), DB_POOL_SIZE: 5, DB_MAX_OVERFLOW: 5 };
  metrics = createMetrics();
  pool = createPool({ env, name: 'media', metrics, log });
  bus = createBus({ service: 'media', url: nats.url, log });
  await bus.connect();
  const jsm = await bus.jetstreamManager();
  await jsm.streams.add({ name: 'EVENTS', subjects: ['evt.>'], allow_direct: true });
  await jsm.streams.purge('EVENTS');
  // The broker has lost nothing of the test before.
  await pool.query('delete from media_outbox');
  relay = createOutboxRelay({ service: 'media', pool, url: env.DATABASE_URL, bus, log, metrics });
});
afterEach(async () => {
  await relay.stop();
  await bus.close();
  await pool.end();
});

async function inTransaction(work: (tx: Tx) => Promise<void>, end: 'commit' | 'rollback' = 'commit') {
  const client = await pool.connect();
  await client.query('begin');
  await work(txOf(client));
  await client.query(end);
  client.release();
}

async function published(): Promise<string[]> {
  const { messages, first_seq, last_seq } = (await (await bus.jetstreamManager()).streams.info('EVENTS')).state;
  if (messages === 0) return [];
  const jsm = await bus.jetstreamManager();
  const out: string[] = [];
  for (let seq = first_seq; seq <= last_seq; seq++) {
    out.push((await jsm.streams.getMessage('EVENTS', { seq })).json<{ fileId: string }>().fileId);
  }
  return out;
}

async function unsent() {
  return (await pool.query('select 1 from media_outbox where sent_at is null')).rowCount;
}

describe('outbox', () => {
  it('publishes committed events in order and once', async () => {
    await relay.start();
    const files = Array.from({ length: 450 }, file);
    for (const file of files) await inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, file));
    await waitFor(async () => (await unsent()) === 0);
    expect(await published()).toEqual(files.map((file) => file.fileId));
  });

  it('publishes the events of one statement in order', async () => {
    await relay.start();
    const files = Array.from({ length: 450 }, file);
    await inTransaction(async (tx) => {
      await outbox.addAll(tx, mediaEvents.deleted, files);
      await outbox.addAll(tx, mediaEvents.deleted, []);
    });
    await waitFor(async () => (await unsent()) === 0);
    expect(await published()).toEqual(files.map((file) => file.fileId));
  });

  it('publishes nothing of a transaction that was rolled back', async () => {
    await relay.start();
    await inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, file()), 'rollback');
    const kept = file();
    await inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, kept));
    await waitFor(async () => (await published()).length > 0);
    expect(await published()).toEqual([kept.fileId]);
  });

  it('publishes each event once when two replicas relay', async () => {
    const url = db.urlFor('media');
    const second = createOutboxRelay({ service: 'media', pool, url, bus, log, metrics: createMetrics() });
    await Promise.all([relay.start(), second.start()]);
    const files = Array.from({ length: 100 }, file);
    await Promise.all(files.map((file) => inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, file))));
    await waitFor(async () => (await unsent()) === 0);
    await second.stop();
    expect((await published()).sort()).toEqual(files.map((file) => file.fileId).sort());
  });

  it('leaves all rows to the replica that holds the lock, and takes over when that connection ends', async () => {
    const other = await pool.connect();
    await other.query(`select pg_advisory_lock(hashtext('media_outbox'))`);
    const deleted = file();
    await inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, deleted));
    await relay.start();
    const idleRelays = async () =>
      (
        await pool.query(
          `select 1 from pg_stat_activity
           where application_name = 'media-outbox' and state = 'idle' and query like '%pg_try_advisory_lock%'`,
        )
      ).rowCount;
    await waitFor(async () => (await idleRelays()) === 1);
    expect([await unsent(), await published()]).toEqual([1, []]);
    other.release(true);
    await waitFor(async () => (await unsent()) === 0);
    expect(await published()).toEqual([deleted.fileId]);
  });

  it('publishes a row again after a crash between publish and mark, and the broker drops the duplicate', async () => {
    const deleted = file();
    await inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, deleted));
    await relay.start();
    await waitFor(async () => (await unsent()) === 0);
    await pool.query('update media_outbox set sent_at = null');
    await waitFor(async () => (await unsent()) === 0);
    expect((await published()).filter((id) => id === deleted.fileId)).toHaveLength(1);
  });

  it('continues on a new connection when the current one stops responding', async () => {
    const url = new URL(db.urlFor('media'));
    const proxy = await startFaultyProxy({ port: Number(url.port) });
    // The first connection stalls after its first queries.
    proxy.suffer((connection) => (connection === 1 ? [{ kind: 'stall', towards: 'client', at: 2_000 }] : []));
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    const quick = { metrics: createMetrics(), queryTimeoutMs: 1_000 };
    const own = createOutboxRelay({ service: 'media', pool, url: url.href, bus, log, ...quick });
    await own.start();
    await waitFor(async () => {
      await inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, file()));
      return proxy.connections() > 1;
    });
    await waitFor(async () => (await unsent()) === 0);
    await own.stop();
    await proxy.stop();
  });

  it('takes over from a replica that vanished behind a proxy while it held the lock', async () => {
    const url = new URL(db.urlFor('media'));
    const proxy = await startFaultyProxy({ port: Number(url.port) });
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    const [holdsLock, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const publish = (): Promise<void> => {
      holdsLock.resolve();
      return end.promise;
    };
    const limits = { metrics: createMetrics(), abandonedAfterMs: 100 };
    const vanishing = createOutboxRelay({
      service: 'media',
      pool,
      url: url.href,
      bus: { ...bus, publish },
      log,
      ...limits,
    });
    const deleted = file();
    await inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, deleted));
    await vanishing.start();
    await holdsLock.promise;
    proxy.silenceOpen();
    await relay.start();
    await waitFor(async () => (await published()).includes(deleted.fileId));
    const stopped = vanishing.stop();
    end.resolve();
    await proxy.stop();
    await stopped;
  });

  it('keeps events while the broker is down and publishes them when it is available again', async () => {
    await relay.start();
    await nats.kill9();
    const deleted = file();
    await inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, deleted));
    await waitFor(async () => /^outbox_pending 1$/m.test(await metrics.registry.metrics()));
    expect(await unsent()).toBe(1);
    await nats.restart();
    await waitFor(async () => (await unsent()) === 0);
    expect(await published()).toContain(deleted.fileId);
    expect(await metrics.registry.metrics()).toMatch(/^outbox_pending 0$/m);
  });

  it.each([
    { events: 'the last events', kept: 1 },
    { events: 'all events', kept: 0 },
  ])('publishes $events again that a power failure took from the broker', async ({ kept }) => {
    const files = Array.from({ length: 3 }, file);
    const publishAll = async (all: typeof files): Promise<void> => {
      for (const deleted of all) await inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, deleted));
      await waitFor(async () => (await unsent()) === 0);
    };
    const [storage, saved] = [join(nats.folder, 'jetstream'), join(nats.folder, 'saved')];
    await relay.start();
    await publishAll(files.slice(0, kept));
    await nats.kill9();
    await cp(storage, saved, { recursive: true });
    await nats.restart();
    await publishAll(files.slice(kept));
    await nats.kill9();
    await rm(storage, { recursive: true });
    await rename(saved, storage);
    await nats.restart();
    await waitFor(async () => (await published()).length === files.length);
    expect(await published()).toEqual(files.map(({ fileId }) => fileId));
  });

  it('publishes nothing again when it connects again to a broker that lost nothing', async () => {
    const deleted = file();
    await relay.start();
    await inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, deleted));
    await waitFor(async () => (await unsent()) === 0);
    const [{ sent_at: before } = {}] = (await pool.query('select sent_at from media_outbox')).rows;
    await nats.kill9();
    await nats.restart();
    const later = file();
    await inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, later));
    await waitFor(async () => (await published()).length === 2);
    const { rows } = await pool.query('select sent_at from media_outbox order by id limit 1');
    expect(rows).toEqual([{ sent_at: before }]);
  });

  it('logs one warning when it fails repeatedly', async () => {
    await relay.stop();
    const warnings: string[] = [];
    const counted = Object.assign(Object.create(log) as typeof log, {
      warn: (_fields: object, message: string) => warnings.push(message),
    });
    const url = db.urlFor('media');
    const failing = createOutboxRelay({ service: 'media', pool, url, bus, log: counted, metrics: createMetrics() });
    await (await bus.jetstreamManager()).streams.delete('EVENTS');
    await inTransaction((tx) => outbox.add(tx, mediaEvents.deleted, file()));
    await failing.start();
    await waitFor(() => warnings.length > 0);
    // Allowed: time for further runs that fail; nothing announces them.
    await sleep(2_500);
    await failing.stop();
    expect(warnings).toEqual(['outbox relay run failed']);
  });
});
