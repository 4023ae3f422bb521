import { describe, it } from '@jest/globals';
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
  createWorldOn,
  type World,
} from '../../test/harness.ts';
import { startMedia } from '../../test/upstream-services.ts';
import { expectProcessedOnce } from '../../test/once.ts';
import { startWorker } from '../../test/workers.ts';

describe('a crash at a random moment', () => {
  const drive = async (world: World, kill: (round: number) => Promise<void>, rounds: number): Promise<void> => {
    const media = await startMedia(world);
    // Work takes a while, so that a kill can hit every state.
    const moment = () => new Promise<void>((resolve) => setTimeout(resolve, 20));
    const script = { prepare: moment, transcribe: moment, diarize: moment, assemble: moment, index: moment };
    const worker = await startWorker(world, script);
    const files = Array.from({ length: rounds }, () => uploadedFile());
    for (const [round, file] of files.entries()) {
      await world.emit(mediaEvents.uploaded, file);
      await new Promise((resolve) => setTimeout(resolve, 37 * round));
      await kill(round);
    }
    for (const file of files) await expectProcessedOnce(world, file.fileId);
    await worker.stop();
    await media.stop();
  };

  it('completes every job once when the dispatcher is killed', async () => {
    const world = await createWorld();
    let dispatcher = await spawnDispatcher(world);
    await drive(
      world,
      async () => {
        await dispatcher.kill9();
        dispatcher = await spawnDispatcher(world);
      },
      5,
    );
    await dispatcher.kill9();
    await world.close();
  });

  it('completes every job once when the broker is killed', async () => {
    const world = await createWorld();
    const dispatcher = await startDispatcher(world);
    await drive(
      world,
      async () => {
        await world.nats.kill9();
        await world.nats.restart();
      },
      4,
    );
    await dispatcher.stop();
    await world.close();
  });

  it('completes every job once when the database is killed', async () => {
    const [nats, postgres] = await Promise.all([
      startNats({ users: busUsers(password) }),
      startPostgres({ durable: true }),
    ]);
    await migrate({ url: postgres.url, passwords: { transcription_dispatcher: password } });
    const url = new URL(postgres.url);
    url.username = 'transcription_dispatcher';
    url.password = password;
    const on = await createWorldOn(nats, { url: postgres.url }, url.href);
    const dispatcher = await startDispatcher(on);
    await drive(
      on,
      async () => {
        await postgres.kill9();
        await postgres.restart();
      },
      4,
    );
    await dispatcher.stop();
    await on.close();
    await postgres.stop();
  });
});
