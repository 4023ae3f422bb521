import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { identityEvents, mediaEvents, presenceLive, transcriptionLive, type FileAccess } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import { callerOf, createWorld, plainClient, startGateway } from '../../test/harness.ts';

let gateway: Awaited<ReturnType<typeof startGateway>>;
const before = { userId: randomUUID(), groupId: randomUUID(), fileId: randomUUID(), ownerId: randomUUID() };

const world = await createWorld();
world.known.memberships.push({ userId: before.userId, groupIds: [before.groupId], version: 1 });
const { fileId, ownerId, groupId } = before;
world.known.shared.push({ fileId, ownerId, groupIds: [groupId], userIds: [], version: 1 });
beforeEach(async () => {
  gateway = await startGateway(world);
});
afterEach(async () => {
  await gateway.stop();
});

async function connect(userId: string) {
  const client = plainClient(gateway.apiPort, callerOf(userId));
  cleanUpAfterTest(() => client.close());
  await client.established();
  return client;
}

function updated({ fileId, ownerId }: { fileId: string; ownerId: string }) {
  return world.emit(mediaEvents.updated, { fileId, ownerId, status: 'processing' });
}

function share(file: { fileId: string; ownerId: string }, access: Partial<FileAccess> & { version: number }) {
  return world.emit(mediaEvents.accessChanged, { groupIds: [], userIds: [], ...file, ...access });
}

function newFile() {
  return { fileId: randomUUID() as string, ownerId: randomUUID() as string };
}

describe('an open page', () => {
  it('is shown to the owner and to those the file is shared with, not to the person or to others', async () => {
    const [file, reader, eve, stranger] = [newFile(), randomUUID(), randomUUID(), randomUUID()];
    const people = [file.ownerId, reader, eve, stranger];
    const sockets = await Promise.all(people.map((person) => connect(person)));
    await share(file, { userIds: [reader, eve], version: 1 });
    for (const socket of [sockets[1], sockets[2]]) await socket?.first('file_created');
    const report = { visitId: randomUUID(), userId: reader, name: 'Rita', segmentId: null, left: false };
    world.publishLive(presenceLive.reported, { ...file, ...report });
    const shown = { file_id: file.fileId, visit_id: report.visitId, segment_id: null, left: false };
    for (const socket of [sockets[0], sockets[2]])
      expect(await socket?.first('presence')).toEqual({
        type: 'presence',
        data: { ...shown, person: { uuid: reader, name: 'Rita' } },
      });
    await updated(file);
    await sockets[1]?.first('file_updated');
    await updated({ fileId: randomUUID(), ownerId: stranger });
    await sockets[3]?.first('file_updated');
    for (const socket of [sockets[1], sockets[3]]) expect(socket?.types()).not.toContain('presence');
  });
});

describe('a shared file', () => {
  it('sends events to users it is shared with, until the share ends', async () => {
    const [file, last, eve] = [newFile(), newFile(), randomUUID()];
    const socket = await connect(eve);
    await updated(file);
    await share(file, { userIds: [eve], version: 1 });
    await updated(file);
    await share(file, { version: 2 });
    await updated(file);
    await updated({ ...last, ownerId: eve });
    await waitFor(() => socket.received.length === 5);
    expect(socket.received.slice(1).map(({ type, data }) => [type, 'file_id' in data && data.file_id])).toEqual([
      ['file_created', file.fileId],
      ['file_updated', file.fileId],
      ['file_deleted', file.fileId],
      ['file_updated', last.fileId],
    ]);
  });

  it('sends events to group members, and a resync when their membership changes', async () => {
    const [file, eve, group] = [newFile(), randomUUID(), randomUUID()];
    const socket = await connect(eve);
    await share(file, { groupIds: [group], version: 1 });
    await world.emit(identityEvents.membershipChanged, { userId: eve, groupIds: [group], version: 1 });
    await updated(file);
    await world.emit(identityEvents.membershipChanged, { userId: eve, groupIds: [], version: 2 });
    await updated(file);
    await updated({ ...newFile(), ownerId: eve });
    await waitFor(() => socket.received.length === 5);
    expect(socket.types().slice(1)).toEqual(['resync', 'file_updated', 'resync', 'file_updated']);
  });

  it('sends events and progress for a share from before the gateway started', async () => {
    const { fileId, ownerId, userId } = before;
    const socket = await connect(userId);
    await waitFor(async () => {
      await updated({ fileId, ownerId });
      return socket.types().includes('file_updated');
    });
    const live = { runId: randomUUID(), fileId, ownerId, stage: 'transcribe', stageFraction: 0.5, progress: 0.5 };
    world.publishLive(transcriptionLive.fileProgress, { ...live, message: 'Transcribing', etaSeconds: null });
    await socket.first('transcription_status');
    const late = await connect(userId);
    expect(await late.first('transcription_status')).toMatchObject({ data: { file_id: fileId } });
    const stranger = await connect(randomUUID());
    await updated({ ...newFile(), ownerId: userId });
    expect(stranger.types()).toEqual(['connection_established']);
  });

  it('sends events for a share whose own event was lost with the stream', async () => {
    const [file, reader] = [newFile(), before.userId];
    const socket = await connect(reader);
    const receivesUpdatesOf = (of: { fileId: string; ownerId: string }) =>
      waitFor(async () => {
        await updated(of);
        return socket.received.some(({ data }) => 'file_id' in data && data.file_id === of.fileId);
      });
    await receivesUpdatesOf(before);
    world.known.shared.push({ ...file, groupIds: [], userIds: [reader], version: 1 });
    await world.recreateStream();
    await receivesUpdatesOf(file);
  });
});
