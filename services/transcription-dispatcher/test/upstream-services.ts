import { identityRpc, mediaEvents, mediaRpc, transcriptionEvents } from '@overtone/contracts';
import { consumer, createBus } from '@overtone/service-kit';
import { log, password, type World } from './harness.ts';

type FakeFile = { title: string; readers: string[] };

/** Fakes of the RPCs of media and identity that the dispatcher calls. */
export async function startUpstreamServices(world: World) {
  const files = new Map<string, FakeFile>();
  const names = new Map<string, string>();
  const buses = await Promise.all(
    (['media', 'identity'] as const).map(async (service) => {
      const bus = createBus({ service, url: world.nats.url, user: 'test', password, log });
      await bus.connect();
      return bus;
    }),
  );
  const [media, identity] = buses;
  media?.serve(mediaRpc.describeFiles, async ({ fileIds, reader }) => ({
    files: fileIds.flatMap((fileId) => {
      const file = files.get(fileId);
      return file ? [{ fileId, title: file.title, readable: file.readers.includes(reader.userId) }] : [];
    }),
  }));
  identity?.serve(identityRpc.names, async ({ userIds }) => ({
    users: userIds.flatMap((userId) => {
      const fullName = names.get(userId);
      return fullName === undefined ? [] : [{ userId, email: '', fullName }];
    }),
  }));
  await Promise.all(buses.map((bus) => bus.nc().flush()));
  return {
    files,
    names,
    stop: async () => {
      await Promise.all(buses.map((bus) => bus.close()));
    },
  };
}

/** A fake of media that reports every assembled transcript as stored, also those assembled while the broker was away. */
export async function startMedia(world: World) {
  const lost = { reports: false };
  const bus = createBus({ service: 'media', url: world.nats.url, user: 'test', password, log });
  await bus.connect();
  const running = consumer(transcriptionEvents.stageCompleted, 'store-results', async (completed) => {
    if (completed.stage !== 'assemble' || lost.reports) return;
    const { runId, fileId, ownerId } = completed;
    await world.emit(mediaEvents.transcriptStored, {
      runId,
      fileId,
      ownerId,
      transcriptVersion: 1,
      provisional: false,
    });
  }).start(bus);
  return {
    /** While `reports` is true, no report is sent, and none later. */
    lost,
    stop: async () => {
      await running.stop();
      await bus.close();
    },
  };
}
