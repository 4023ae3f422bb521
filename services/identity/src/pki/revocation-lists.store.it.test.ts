import { randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createPool } from '@overtone/database';
import { createLog, createMetrics } from '@overtone/service-kit';
import { createDatabase } from '@overtone/testkit';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';
import type { RevocationList } from './revocation-list.ts';
import { revocationListsStore as store, type AuthenticList } from './revocation-lists.store.ts';

const database = await createDatabase();
cleanUpAfterFile(database.drop);
const pool = createPool({
  env: { DATABASE_URL: database.urlFor('identity'), DB_POOL_SIZE: 1, DB_MAX_OVERFLOW: 1 },
  name: 'identity',
  metrics: createMetrics(),
  log: createLog('identity', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' }),
});
cleanUpAfterFile(() => pool.end());
beforeEach(() => pool.query('delete from revocation_list'));

const url = 'http://authority.example.org/list.crl';
const width = 5;

function createList(day: number, change: Partial<AuthenticList & RevocationList> = {}): AuthenticList {
  const { issuerId = 'aa'.repeat(32), ...list } = change;
  const words = new Uint32Array(Uint8Array.from(randomBytes(3 * width * 4)).buffer);
  return {
    url,
    issuerId,
    list: {
      issuer: '2.5.4.3=root',
      thisUpdate: Date.UTC(2026, 0, day),
      nextUpdate: Date.UTC(2026, 1, day),
      serials: { count: 3, width, words },
      scope: 'full',
      algorithm: new Uint8Array(),
      signed: new Uint8Array(),
      signature: Uint8Array.from(randomBytes(70)),
      ...list,
    },
  };
}

async function saveAll(...lists: AuthenticList[]): Promise<void> {
  return store.save(pool, lists, lists);
}

async function loadDays(): Promise<number[]> {
  return (await store.load(pool)).map(({ list }) => new Date(list.thisUpdate).getUTCDate()).sort((x, y) => x - y);
}

describe('stored revocation lists', () => {
  it('are loaded as they were saved, also a list that is read in several parts', async () => {
    const count = 450_000;
    const words = new Uint32Array(count * width).map((_word, i) => (i * 2_654_435_761) >>> 0);
    const large = createList(2, { serials: { count, width, words } });
    const endless = createList(1, { nextUpdate: undefined, scope: 'partial', issuerId: 'bb' });
    const empty = createList(3, { serials: { count: 0, width: 1, words: new Uint32Array() }, issuerId: 'cc' });
    await saveAll(large, endless, empty);
    const loaded = await store.load(pool);
    for (const saved of [large, endless, empty]) {
      const match = loaded.find(({ issuerId }) => issuerId === saved.issuerId);
      expect(match).toMatchObject({ url, issuerId: saved.issuerId });
      expect(match?.list.serials.words.length).toBe(saved.list.serials.words.length);
      expect(Buffer.compare(Buffer.from(saved.list.serials.words.buffer), bufferOf(match))).toBe(0);
      expect({ ...match?.list, serials: null }).toEqual({ ...saved.list, serials: null });
    }
  });

  it('are replaced by a newer list of the same issuer, and only of this one', async () => {
    await saveAll(createList(1));
    await saveAll(createList(2, { issuerId: 'bb' }));
    expect(await loadDays()).toEqual([1, 2]);
    await saveAll(createList(3));
    expect(await loadDays()).toEqual([2, 3]);
  });

  it('keep the newer list when the server returns an older one', async () => {
    await saveAll(createList(5));
    await saveAll(createList(4));
    expect(await loadDays()).toEqual([4, 5]);
  });

  it('keep a complete list and a partial one of the same download', async () => {
    await saveAll(createList(1), createList(2, { scope: 'partial' }));
    expect(await loadDays()).toEqual([1, 2]);
  });

  it('have the address of the last download of the same list', async () => {
    const list = createList(1);
    await saveAll(list);
    await saveAll({ ...list, url: `${url}?new` });
    expect(await store.load(pool)).toMatchObject([{ url: `${url}?new` }]);
  });

  it('are limited to the 64 newest', async () => {
    for (let i = 1; i <= 66; i++) await saveAll(createList(1, { issuerId: `${i}` }));
    const issuers = (await store.load(pool)).map(({ issuerId }) => Number(issuerId)).sort((x, y) => x - y);
    expect(issuers).toEqual(Array.from({ length: 64 }, (_, i) => i + 3));
  });
});

function bufferOf(stored: AuthenticList | undefined): Buffer {
  return Buffer.from(stored?.list.serials.words.buffer ?? new ArrayBuffer(0));
}
