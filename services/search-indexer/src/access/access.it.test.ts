import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { identityEvents, mediaEvents, searchAnswer, type FileAccess } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { record, type Recording } from '../../test/library.ts';
import { startWorld } from '../../test/world.ts';

const before = { userId: randomUUID(), groupId: randomUUID(), fileId: randomUUID(), ownerId: randomUUID() };
let w: Awaited<ReturnType<typeof startWorld>>;
beforeAll(async () => {
  const { userId, groupId, fileId, ownerId } = before;
  w = await startWorld({
    memberships: [{ userId, groupIds: [groupId], version: 2 }],
    shared: [{ fileId, ownerId, groupIds: [groupId], userIds: [], version: 1 }],
  });
});
afterAll(() => w.stop());

async function indexed(given: Partial<Recording['file']> = {}): Promise<Recording> {
  const recording = w.library.put(record({ ...given, turns: [['Ann', 'the report is due in march']] }));
  const count = w.completed.length;
  await w.order(recording);
  await waitFor(() => w.completed.length > count);
  return recording;
}

async function findsBy(mode: 'keyword' | 'semantic', userId: string, fileId: string): Promise<boolean> {
  const q = mode === 'keyword' ? 'report' : 'deadline';
  const { body } = await w.call(`/api/search?q=${q}&search_mode=${mode}&page_size=100`, { userId });
  return searchAnswer.parse(body).results.some((r) => r.file_uuid === fileId);
}

function finds(userId: string, { file }: Recording): Promise<boolean> {
  return findsBy('keyword', userId, file.fileId);
}

async function suggested(userId: string): Promise<number> {
  return ((await w.call('/api/search/suggestions?q=an', { userId })).body as unknown as unknown[]).length;
}

function shareWith({ file }: Recording, access: Partial<FileAccess> & { version: number }) {
  const { fileId, ownerId } = file;
  return w.emit(mediaEvents.accessChanged, { fileId, ownerId, groupIds: [], userIds: [], ...access });
}

function setGroups(userId: string, version: number, ...groupIds: string[]) {
  return w.emit(identityEvents.membershipChanged, { userId, groupIds, version });
}

describe('a shared file in search', () => {
  it('is found and suggested for users it is shared with, by keyword and by meaning', async () => {
    const [r, eve] = [await indexed(), randomUUID()];
    expect(await finds(eve, r)).toBe(false);
    await shareWith(r, { userIds: [eve], version: 1 });
    await waitFor(() => finds(eve, r));
    expect(await findsBy('semantic', eve, r.file.fileId)).toBe(true);
    expect(await suggested(eve)).toBe(1);
    expect(await suggested(randomUUID())).toBe(0);
    await shareWith(r, { version: 2 });
    await waitFor(async () => !(await finds(eve, r)));
    expect(await findsBy('semantic', eve, r.file.fileId)).toBe(false);
    expect(await finds(r.file.ownerId, r)).toBe(true);
  });

  it('disappears from the results within a second after the membership ends', async () => {
    const [r, eve, group] = [await indexed(), randomUUID(), randomUUID()];
    await shareWith(r, { groupIds: [group], version: 1 });
    await setGroups(eve, 1, randomUUID(), group);
    await waitFor(() => finds(eve, r));
    await setGroups(eve, 2);
    await waitFor(async () => !(await finds(eve, r)), { timeoutMs: 1_000 });
    expect(await findsBy('semantic', eve, r.file.fileId)).toBe(false);
  });

  it('is not restored by an outdated event', async () => {
    const [r, eve, group] = [await indexed(), randomUUID(), randomUUID()];
    await shareWith(r, { groupIds: [group], version: 3 });
    await setGroups(eve, 5, group);
    await waitFor(() => finds(eve, r));
    await setGroups(eve, 7);
    await waitFor(async () => !(await finds(eve, r)));
    await setGroups(eve, 6, group);
    await shareWith(r, { userIds: [eve], version: 2 });
    // Events are handled in order: when the last one is visible, the outdated ones have been handled.
    const [last, later] = [randomUUID(), randomUUID()];
    await shareWith(r, { groupIds: [later], version: 4 });
    await setGroups(last, 1, later);
    await waitFor(() => finds(last, r));
    expect(await finds(eve, r)).toBe(false);
  });

  it('is found after being shared while the service was down', async () => {
    const r = await indexed({ fileId: before.fileId, ownerId: before.ownerId });
    await waitFor(() => finds(before.userId, r));
  });

  it('is removed with its shares', async () => {
    const [r, eve] = [await indexed(), randomUUID()];
    await shareWith(r, { userIds: [eve], version: 1 });
    await waitFor(() => finds(eve, r));
    const { fileId, ownerId } = r.file;
    w.library.files.delete(fileId);
    await w.emit(mediaEvents.deleted, { fileId, ownerId });
    await waitFor(async () => !(await finds(eve, r)));
  });
});
