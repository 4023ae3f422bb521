import { describe, test } from '@jest/globals';
import { mediaEvents } from '@overtone/contracts';
import { migrate } from '@overtone/database';
import { startNats, startPostgres } from '@overtone/testkit';
import { busUsers } from '@overtone/testkit/bus';
import {
  createWorld,
  password,
  spawnDispatcher,
  startDispatcher,
  uploadedFile,
  worldOf,
  type World,
} from '../../test/harness.ts';
import { startMedia } from '../../test/neighbours.ts';
import { expectOnce } from '../../test/once.ts';
import { startWorker } from '../../test/workers.ts';

test('two dispatchers side by side do every job once', async () => {
  const w = await createWorld();
  const dispatchers = await Promise.all([startDispatcher(w), startDispatcher(w)]);
  const media = startMedia(w);
  const workers = await Promise.all([startWorker(w), startWorker(w)]);
  const files = Array.from({ length: 6 }, () => uploadedFile());
  for (const file of files) await w.emit(mediaEvents.uploaded, file);
  for (const file of files) await expectOnce(w, file.fileId);
  for (const worker of workers) await worker.stop();
  media.stop();
  for (const dispatcher of dispatchers) await dispatcher.stop();
  await w.close();
});

describe('whatever is killed at any moment', () => {
  const drive = async (w: World, kill: (round: number) => Promise<void>, rounds: number): Promise<void> => {
    const media = startMedia(w);
    // Work takes a moment, so that a kill meets every kind of state.
    const moment = () => new Promise<void>((resolve) => setTimeout(resolve, 20));
    const script = { prepare: moment, transcribe: moment, diarize: moment, assemble: moment, index: moment };
    const worker = await startWorker(w, script);
    const files = Array.from({ length: rounds }, () => uploadedFile());
    for (const [round, file] of files.entries()) {
      await w.emit(mediaEvents.uploaded, file);
      await new Promise((resolve) => setTimeout(resolve, 37 * round));
      await kill(round);
    }
    for (const file of files) await expectOnce(w, file.fileId);
    await worker.stop();
    media.stop();
  };

  test('the dispatcher: every job is still done once', async () => {
    const w = await createWorld();
    let dispatcher = await spawnDispatcher(w);
    await drive(
      w,
      async () => {
        await dispatcher.kill9();
        dispatcher = await spawnDispatcher(w);
      },
      5,
    );
    await dispatcher.kill9();
    await w.close();
  });

  test('the broker: every job is still done once', async () => {
    const w = await createWorld();
    const dispatcher = await startDispatcher(w);
    await drive(
      w,
      async () => {
        await w.nats.kill9();
        await w.nats.restart();
      },
      4,
    );
    await dispatcher.stop();
    await w.close();
  });

  test('the database: every job is still done once', async () => {
    const [nats, postgres] = await Promise.all([
      startNats({ users: busUsers(password) }),
      startPostgres({ durable: true }),
    ]);
    await migrate({ url: postgres.url, passwords: { transcription_dispatcher: password } });
    const url = new URL(postgres.url);
    url.username = 'transcription_dispatcher';
    url.password = password;
    const w = await worldOf(nats, { url: postgres.url }, url.href);
    const dispatcher = await startDispatcher(w);
    await drive(
      w,
      async () => {
        await postgres.kill9();
        await postgres.restart();
      },
      4,
    );
    await dispatcher.stop();
    await w.close();
    await postgres.stop();
  });
});
