import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { mediaRpc } from '@overtone/contracts';
import { createBus, createLog, type Bus } from '@overtone/service-kit';
import { startRun } from '../../test/runs.ts';
import { newUser, startMedia, type Media } from '../../test/start-media.ts';

let media: Media;
let bus: Bus;
beforeAll(async () => {
  media = await startMedia();
  const log = createLog('test', { LOG_LEVEL: 'fatal', LOG_FORMAT: 'json' });
  bus = createBus({ service: 'transcription-dispatcher', url: media.nats.url, user: 'test', password: 'test', log });
  await bus.connect();
});
afterAll(async () => {
  await bus.close();
  await media.stop();
});

it('describes existing files and who may read them, and omits deleted ones', async () => {
  const [mine, theirs] = [await startRun(media), await startRun(media)];
  const friend = newUser();
  const shared = { user_uuid: friend.userId, permission: 'viewer' };
  expect((await media.json(mine.owner, 'PUT', `/api/files/${mine.fileId}/shares`, shared)).status).toBeLessThan(300);
  const fileIds = [mine.fileId, theirs.fileId, randomUUID()];
  const readable = async (reader: { userId: string; role: 'user' | 'admin' }) => {
    const { files } = await bus.request(mediaRpc.describeFiles, { fileIds, reader });
    return new Map(files.map((f) => [f.fileId, f.readable]));
  };
  const seen = (a: boolean, b: boolean) =>
    new Map([
      [mine.fileId, a],
      [theirs.fileId, b],
    ] as const);
  expect(await readable({ userId: mine.owner.userId, role: 'user' })).toEqual(seen(true, false));
  expect(await readable({ userId: friend.userId, role: 'user' })).toEqual(seen(true, false));
  expect(await readable({ userId: randomUUID(), role: 'user' })).toEqual(seen(false, false));
  expect(await readable({ userId: randomUUID(), role: 'admin' })).toEqual(seen(true, true));
  const { files } = await bus.request(mediaRpc.describeFiles, {
    fileIds,
    reader: { userId: mine.owner.userId, role: 'user' },
  });
  expect(files.every((f) => f.title.length > 0)).toBe(true);
});
