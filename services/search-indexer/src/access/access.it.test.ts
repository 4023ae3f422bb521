import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { identityEvents, mediaEvents, searchAnswer, type FileAccess } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { record, type Recording } from '../../test/library.ts';
import { startWorld } from '../../test/world.ts';

const before = { userId: randomUUID(), groupId: randomUUID(), fileId: randomUUID(), ownerId: randomUUID() };
const { userId, groupId, fileId, ownerId } = before;
const world = await stopAfterFile(
  startWorld({
    memberships: [{ userId, groupIds: [groupId], version: 2 }],
    shared: [{ fileId, ownerId, groupIds: [groupId], userIds: [], version: 1 }],
  }),
);

async function indexed(given: Partial<Recording['file']> = {}): Promise<Recording> {
  const recording = world.library.put(record({ ...given, turns: [['Ann', 'the report is due in march']] }));
  const count = world.completed.length;
  await world.order(recording);
  await waitFor(() => world.completed.length > count);
  return recording;
}

async function findsBy(mode: 'keyword' | 'semantic', userId: string, fileId: string): Promise<boolean> {
  const query = mode === 'keyword' ? 'report' : 'deadline';
  const { body } = await world.call(`/api/search?q=${query}&search_mode=${mode}&page_size=100`, { userId });
  return searchAnswer.parse(body).results.some((result) => result.file_uuid === fileId);
}

function finds(userId: string, { file }: Recording): Promise<boolean> {
  return findsBy('keyword', userId, file.fileId);
}

async function suggested(userId: string): Promise<number> {
  return ((await world.call('/api/search/suggestions?q=an', { userId })).body as unknown as unknown[]).length;
}

function shareWith({ file }: Recording, access: Partial<FileAccess> & { version: number }) {
  const { fileId, ownerId } = file;
  return world.emit(mediaEvents.accessChanged, { fileId, ownerId, groupIds: [], userIds: [], ...access });
}

function setGroups(userId: string, version: number, ...groupIds: string[]) {
  return world.emit(identityEvents.membershipChanged, { userId, groupIds, version });
}

describe('a shared file in search', () => {
  it('is found and suggested for users it is shared with, by keyword and by meaning', async () => {
    const [recording, eve] = [await indexed(), randomUUID()];
    expect(await finds(eve, recording)).toBe(false);
    await shareWith(recording, { userIds: [eve], version: 1 });
    await waitFor(() => finds(eve, recording));
    expect(await findsBy('semantic', eve, recording.file.fileId)).toBe(true);
    expect(await suggested(eve)).toBe(1);
    expect(await suggested(randomUUID())).toBe(0);
    await shareWith(recording, { version: 2 });
    await waitFor(async () => !(await finds(eve, recording)));
    expect(await findsBy('semantic', eve, recording.file.fileId)).toBe(false);
    expect(await finds(recording.file.ownerId, recording)).toBe(true);
  });

  it('disappears from the results by the event of the end of the membership, before the next comparison', async () => {
    const [recording, eve, group] = [await indexed(), randomUUID(), randomUUID()];
    await shareWith(recording, { groupIds: [group], version: 1 });
    await setGroups(eve, 1, randomUUID(), group);
    await waitFor(() => finds(eve, recording));
    await setGroups(eve, 2);
    await waitFor(async () => !(await finds(eve, recording)));
    expect(await findsBy('semantic', eve, recording.file.fileId)).toBe(false);
  });

  it('is not restored by an outdated event', async () => {
    const [recording, eve, group] = [await indexed(), randomUUID(), randomUUID()];
    await shareWith(recording, { groupIds: [group], version: 3 });
    await setGroups(eve, 5, group);
    await waitFor(() => finds(eve, recording));
    await setGroups(eve, 7);
    await waitFor(async () => !(await finds(eve, recording)));
    await setGroups(eve, 6, group);
    await shareWith(recording, { userIds: [eve], version: 2 });
    // Events are handled in order: when the last one is visible, the outdated ones have been handled.
    const [other, last, later] = [await indexed(), randomUUID(), randomUUID()];
    await shareWith(other, { groupIds: [later], version: 1 });
    await setGroups(last, 1, later);
    await waitFor(() => finds(last, other));
    expect(await finds(eve, recording)).toBe(false);
  });

  it('is found after being shared while the service was down', async () => {
    const recording = await indexed({ fileId: before.fileId, ownerId: before.ownerId });
    await waitFor(() => finds(before.userId, recording));
  });

  it('is removed with its shares', async () => {
    const [recording, eve] = [await indexed(), randomUUID()];
    await shareWith(recording, { userIds: [eve], version: 1 });
    await waitFor(() => finds(eve, recording));
    const { fileId, ownerId } = recording.file;
    world.library.files.delete(fileId);
    await world.emit(mediaEvents.deleted, { fileId, ownerId });
    await waitFor(async () => !(await finds(eve, recording)));
  });
});
