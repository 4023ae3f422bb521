import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { voiceVersions, type EmbeddedVoice, type VoiceVersion } from '@overtone/contracts';
import { createDatabase as connect, createOutbox } from '@overtone/database';
import { createLog, createMetrics, type Bus } from '@overtone/service-kit';
import { createDatabase } from '@overtone/testkit';
import { cleanUpAfterFile, createFolder } from '@overtone/testkit/cleanup';
import { PrismaClient } from '../generated/client.ts';
import { createLanceSpeakers } from '../ports/lancedb-speakers.adapter.ts';
import type { SpeakerIndex } from '../ports/speaker-index.ts';
import { createMigration } from './migration.service.ts';
import { createVoices } from './voices.service.ts';
import { createVoiceStates } from './voices.store.ts';

const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
const database = await createDatabase();
const { db, part } = connect(
  {
    env: { DATABASE_URL: database.urlFor('search_indexer'), DB_POOL_SIZE: 4, DB_MAX_OVERFLOW: 4 },
    name: 'search-indexer',
    metrics: createMetrics(),
    log,
  },
  (options) => new PrismaClient(options),
);
const index = createLanceSpeakers({ directory: await createFolder() });
cleanUpAfterFile(async () => {
  await index.close();
  await part.stop();
  await database.drop();
});

const fileId = randomUUID();
const ownerId = randomUUID();
const speakerId = randomUUID();
const states = createVoiceStates({ db });
/** What happens in another process while this one writes embeddings. */
let duringWrite: () => Promise<unknown>;
const interrupted: SpeakerIndex = {
  ...index,
  replaceFile: async (version, id, rows) => {
    if (rows.length > 0) await duringWrite();
    await index.replaceFile(version, id, rows);
  },
};

/** Ids of the jobs that the broker got; it keeps one of each. */
let jobIds: (string | undefined)[] = [];
const bus: Pick<Bus, 'connected' | 'publish'> = {
  connected: () => true,
  publish: async (_subject, _data, options) => void jobIds.push(options?.headers?.get('Nats-Msg-Id')),
};

function createReplica(speakers: SpeakerIndex) {
  return createVoices({
    db,
    outbox: createOutbox('search-indexer'),
    index: speakers,
    states,
    sources: {
      read: async () => ({ source: 'files/a', fingerprint: 'a', speakers: [] }),
      list: async () => ({ enabled: true, files: [] }),
    },
    bus: bus as Bus,
    log,
  });
}
const [replica, other] = [createReplica(interrupted), createReplica(index)];
const migration = createMigration({ db, outbox: createOutbox('search-indexer'), index, states, log });

function embedded(versions: readonly VoiceVersion[]): EmbeddedVoice {
  const vectors = voiceVersions
    .filter(({ name }) => versions.includes(name))
    .map(({ name, dimension }) => [name, Buffer.alloc(dimension * 4).toString('base64')]);
  return { speakerId, seconds: 10, vectors: Object.fromEntries(vectors) };
}

async function claim(): Promise<{ token: number; versions: VoiceVersion[] }> {
  const claimed = await other.claim({ fileId });
  if (claimed.outcome === 'none') throw new Error('nothing to claim');
  return claimed;
}

async function complete({ token, versions }: Awaited<ReturnType<typeof claim>>): Promise<string> {
  return (await replica.complete({ fileId, token, voices: [embedded(versions)] })).outcome;
}

beforeAll(() => part.start());
beforeEach(async () => {
  await states.setEnabled(true);
  await db.speakerIndexVersion.upsert({
    where: { version: 'v4' },
    create: { version: 'v4', state: 'building' },
    update: {},
  });
  await db.voiceFile.deleteMany();
  jobIds = [];
  await states.markDue(fileId, ownerId);
});

describe('embeddings that are written while another process changes what may be stored', () => {
  it('are removed when voices are forbidden', async () => {
    duringWrite = other.eraseAll;
    expect(await complete(await claim())).toBe('refused');
    for (const { name } of voiceVersions) expect(await index.read(name, [speakerId])).toEqual([]);
  });

  it('are removed when their file is forgotten', async () => {
    duringWrite = () => other.forget(fileId);
    expect(await complete(await claim())).toBe('refused');
    for (const { name } of voiceVersions) expect(await index.read(name, [speakerId])).toEqual([]);
  });

  it('are removed when their version is deleted, and stay in the others', async () => {
    duringWrite = async () => {
      if (await db.speakerIndexVersion.findUnique({ where: { version: 'v4' } }))
        await migration.drop('v4', async () => {});
    };
    expect(await complete(await claim())).toBe('accepted');
    expect(await index.read('v4', [speakerId])).toEqual([]);
    expect(await index.read('v3', [speakerId])).toHaveLength(1);
  });

  it('are computed again when a later claim was completed before them', async () => {
    const late = await claim();
    duringWrite = async () => {
      duringWrite = async () => {};
      const { token, versions } = await claim();
      await other.complete({ fileId, token, voices: [embedded(versions)] });
    };
    expect(await complete(late)).toBe('refused');
    const rows = await db.voiceFile.findMany({ where: { fileId } });
    expect(rows.map(({ state, fingerprint }) => [state, fingerprint])).toEqual(rows.map(() => ['due', null]));
  });

  it('are removed later when the process ended before it could remove them', async () => {
    await migration.drop('v4', async () => {});
    await index.replaceFile('v4', fileId, [{ speakerId, fileId, seconds: 1, vector: new Float32Array(256) }]);
    await migration.repairAll();
    expect(await index.read('v4', [speakerId])).toEqual([]);
  });
});

describe('the job of a recording', () => {
  it('has one id in all processes, so that the broker keeps it once', async () => {
    for (const process of [createReplica(index), createReplica(index)]) await process.queueDue();
    expect(jobIds).toHaveLength(2);
    expect(new Set(jobIds).size).toBe(1);
  });

  it('is not queued while a worker has claimed the recording, and has another id after a failure', async () => {
    await createReplica(index).queueDue();
    const { token } = await claim();
    await createReplica(index).queueDue();
    expect(jobIds).toHaveLength(1);
    await other.fail({ fileId, token, message: 'interrupted' });
    await db.$executeRaw`update voice_file set changed_at = changed_at - interval '1 hour'`;
    await createReplica(index).queueDue();
    expect(new Set(jobIds).size).toBe(2);
  });
});
