import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { ObjectStore } from '@overtone/object-store';
import { createDatabaseClient } from '../../test/client.ts';
import { newUser, problemOf, startMedia, wav, type TestUser } from '../../test/start-media.ts';
import { createReservations } from './reservations.store.ts';

const settings = { UPLOAD_MAX_OPEN: '3', UPLOAD_MAX_RESERVED_BYTES: '1000000', MAX_UPLOAD_BYTES: '2000000' };
const media = await startMedia(settings, [], ['en', 'de']);

async function openOf({ userId }: TestUser): Promise<unknown> {
  return (await media.query('select count(*)::int as n from open_upload where user_id = $1', userId))[0]?.['n'];
}

describe('unfinished uploads', () => {
  it('are limited in number per user, also when they start concurrently', async () => {
    const ada = newUser();
    const answers = await Promise.all(Array.from({ length: 12 }, () => media.tus.begin(ada, 1000)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(3);
    const refused = answers.find(({ status }) => status !== 201);
    expect(refused?.headers.get('content-type')).toContain('application/problem+json');
    expect(refused && (await problemOf(refused))).toEqual([429, 'too_many_uploads']);
    expect((await media.tus.begin(newUser(), 1000)).status).toBe(201);
  });

  it('are limited in total bytes, but one upload is always possible', async () => {
    const ada = newUser();
    expect((await media.tus.begin(ada, 1_500_000)).status).toBe(201);
    expect(await problemOf(await media.tus.begin(ada, 1000))).toEqual([409, 'upload_quota_exceeded']);
  });

  it('release their reservation when they are finished, cancelled or rejected', async () => {
    const ada = newUser();
    const bytes = wav(99_001);
    const [finished, cancelled, refused] = [
      await media.tus.create(ada, bytes.length),
      await media.tus.create(ada, 10),
      await media.tus.create(ada, 5000),
    ];
    expect(await openOf(ada)).toBe(3);
    expect((await media.tus.send(ada, finished, 0, bytes)).status).toBe(204);
    expect((await media.tus.cancel(ada, cancelled)).status).toBe(204);
    expect((await media.tus.send(ada, refused, 0, Buffer.alloc(5000, 'x'))).status).toBe(400);
    expect(await openOf(ada)).toBe(0);
  });

  it('are rejected when the storage has no space for all of them', async () => {
    const { db, close } = createDatabaseClient(media.environment['DATABASE_URL'] ?? '');
    const space = (async () => ({ freeBytes: 10_000_000, totalBytes: 10_000_000 })) as ObjectStore['space'];
    const limits = { maxOpen: 100, maxReservedBytes: Number.MAX_SAFE_INTEGER };
    const { reserve, setReceived } = createReservations({ db, objects: { space }, limits });
    await media.query('delete from open_upload');
    const first = randomUUID();
    await reserve(first, randomUUID(), 3_000_000);
    // 3 MB of the first upload are missing; 3 MB for the second and 3 MB to assemble one of them leave 1 MB.
    await reserve(randomUUID(), randomUUID(), 3_000_000);
    await expect(reserve(randomUUID(), randomUUID(), 1_500_000)).rejects.toMatchObject({ code: 'storage_full' });
    await setReceived(first, 3_000_000);
    await reserve(randomUUID(), randomUUID(), 1_500_000);
    await close();
  });
});

describe('an unsupported language', () => {
  it('is rejected before the upload, and supported languages are listed', async () => {
    const ada = newUser();
    expect((await media.json(ada, 'GET', '/api/files/upload-limits')).body).toMatchObject({ languages: ['en', 'de'] });
    expect(await problemOf(await media.tus.begin(ada, 1000, { filename: 'talk.wav', language: 'fr' }))).toEqual([
      400,
      'language_unsupported',
    ]);
    expect((await media.tus.begin(ada, 1000, { filename: 'talk.wav', language: 'de-CH' })).status).toBe(201);
    const refused = await media.upload(ada, wav(99_002), { fields: { language: 'fr' } });
    expect(refused).toMatchObject({ status: 400, body: { code: 'language_unsupported' } });
    const { body } = await media.upload(ada, wav(99_002), { fields: { language: 'en' } });
    const again = await media.json(ada, 'POST', `/api/files/${body.uuid}/reprocess`, { language: 'fr' });
    expect(again).toMatchObject({ status: 400, body: { code: 'language_unsupported' } });
  });
});
