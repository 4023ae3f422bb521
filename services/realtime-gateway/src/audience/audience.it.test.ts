import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { identityEvents, mediaEvents, transcriptionLive, type FileAccess } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { callerOf, createWorld, plainClient, startGateway, type World } from '../../test/harness.ts';

let w: World;
let gateway: Awaited<ReturnType<typeof startGateway>>;
const open: { close: () => void }[] = [];
const before = { userId: randomUUID(), groupId: randomUUID(), fileId: randomUUID(), ownerId: randomUUID() };

beforeAll(async () => {
  w = await createWorld();
  w.known.memberships.push({ userId: before.userId, groupIds: [before.groupId], version: 1 });
  const { fileId, ownerId, groupId } = before;
  w.known.shared.push({ fileId, ownerId, groupIds: [groupId], userIds: [], version: 1 });
});
afterAll(() => w.stop());
beforeEach(async () => {
  gateway = await startGateway(w);
});
afterEach(async () => {
  for (const c of open.splice(0)) c.close();
  await gateway.stop();
});

const greeted = async (userId: string) => {
  const client = plainClient(gateway.apiPort, callerOf(userId));
  open.push(client);
  await client.greeted();
  return client;
};
const updated = ({ fileId, ownerId }: { fileId: string; ownerId: string }) =>
  w.emit(mediaEvents.updated, { fileId, ownerId, status: 'processing' });
const share = (file: { fileId: string; ownerId: string }, access: Partial<FileAccess> & { version: number }) =>
  w.emit(mediaEvents.accessChanged, { groupIds: [], userIds: [], ...file, ...access });
const newFile = () => ({ fileId: randomUUID() as string, ownerId: randomUUID() as string });

describe('a shared file', () => {
  test('is told of to those it is shared with, from then on until it is not', async () => {
    const [file, last, eve] = [newFile(), newFile(), randomUUID()];
    const socket = await greeted(eve);
    await updated(file);
    await share(file, { userIds: [eve], version: 1 });
    await updated(file);
    await share(file, { version: 2 });
    await updated(file);
    await updated({ ...last, ownerId: eve });
    await waitFor(() => socket.told.length === 5);
    expect(socket.told.slice(1).map(({ type, data }) => [type, 'file_id' in data && data.file_id])).toEqual([
      ['file_created', file.fileId],
      ['file_updated', file.fileId],
      ['file_deleted', file.fileId],
      ['file_updated', last.fileId],
    ]);
  });

  test('is told of to the members of its group, who fetch anew what they see when that changes', async () => {
    const [file, eve, group] = [newFile(), randomUUID(), randomUUID()];
    const socket = await greeted(eve);
    await share(file, { groupIds: [group], version: 1 });
    await w.emit(identityEvents.membershipChanged, { userId: eve, groupIds: [group], version: 1 });
    await updated(file);
    await w.emit(identityEvents.membershipChanged, { userId: eve, groupIds: [], version: 2 });
    await updated(file);
    await updated({ ...newFile(), ownerId: eve });
    await waitFor(() => socket.told.length === 5);
    expect(socket.types().slice(1)).toEqual(['resync', 'file_updated', 'resync', 'file_updated']);
  });

  test('that was shared long ago is told of too, with its progress', async () => {
    const { fileId, ownerId, userId } = before;
    const socket = await greeted(userId);
    await waitFor(async () => {
      await updated({ fileId, ownerId });
      return socket.types().includes('file_updated');
    });
    const live = { runId: randomUUID(), fileId, ownerId, stage: 'transcribe', stageFraction: 0.5, progress: 0.5 };
    w.say(transcriptionLive.fileProgress, { ...live, message: 'Transcribing', etaSeconds: null });
    await socket.first('transcription_status');
    const late = await greeted(userId);
    expect(await late.first('transcription_status')).toMatchObject({ data: { file_id: fileId } });
    const stranger = await greeted(randomUUID());
    await updated({ ...newFile(), ownerId: userId });
    expect(stranger.types()).toEqual(['connection_established']);
  });
});
