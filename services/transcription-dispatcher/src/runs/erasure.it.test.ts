import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { erasureEvents, mediaEvents, transcriptionEvents, userErasureOrdered } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { startTestWorld } from '../../test/test-world.ts';

const world = startTestWorld();

/** Every table of the dispatcher in which the id of a person still appears. */
async function tablesWith(id: string): Promise<string[]> {
  const tables = ['run', 'stage', 'task', 'task_attempt', 'file_pipeline_timing'];
  const found = await Promise.all(
    tables.map(async (table) =>
      (await world.sql(`select 1 from ${table} t where to_jsonb(t)::text like '%' || $1 || '%'`, [id])).map(
        () => table,
      ),
    ),
  );
  return [...new Set(found.flat())];
}

async function answerOf(erasureId: string) {
  return waitFor(async () =>
    (await world.events()).find(
      ({ subject, data }) =>
        subject === erasureEvents['transcription-dispatcher'].subject && data['erasureId'] === erasureId,
    ),
  );
}

describe('an ordered erasure', () => {
  it('deletes tasks and results of the person, and takes the person out of finished runs', async () => {
    await world.worker();
    const [erased, kept] = [await world.upload(), await world.upload()];
    for (const { fileId } of [erased, kept]) await world.becomes(fileId, 'completed');
    const results = async (ownerId: string) =>
      await world.sql(
        `select sent_at from transcription_dispatcher_outbox where subject = $1 and data ->> 'ownerId' = $2`,
        [transcriptionEvents.stageCompleted.subject, ownerId],
      );
    await waitFor(async () => {
      const rows = await results(erased.ownerId);
      return rows.length > 0 && rows.every((row) => row['sent_at'] !== null);
    });
    const erasureId = randomUUID();
    await world.emit(userErasureOrdered, { erasureId, round: 1, userId: erased.ownerId });
    expect((await answerOf(erasureId)).data).toMatchObject({
      complete: true,
      counts: { tasks: expect.any(Number), runs: 1 },
    });
    expect(await tablesWith(erased.ownerId)).toEqual([]);
    expect(await tablesWith(kept.ownerId)).not.toEqual([]);
    // The result of a preparation holds the title in the file's tags.
    expect(await results(erased.ownerId)).toEqual([]);
    expect(await results(kept.ownerId)).not.toEqual([]);
    // Media deletes the file: the late event opens no run of the person.
    await world.emit(mediaEvents.deleted, { fileId: erased.fileId, ownerId: erased.ownerId });
    await world.emit(userErasureOrdered, { erasureId: randomUUID(), round: 1, userId: kept.ownerId });
    await waitFor(async () => (await tablesWith(kept.ownerId)).length === 0);
    expect(await tablesWith(erased.ownerId)).toEqual([]);
  });

  it('cancels a run that is waiting', async () => {
    const { fileId, ownerId } = await world.upload();
    await world.becomes(fileId, 'running');
    const erasureId = randomUUID();
    await world.emit(userErasureOrdered, { erasureId, round: 1, userId: ownerId });
    await answerOf(erasureId);
    await world.becomes(fileId, 'cancelled');
    expect(await tablesWith(ownerId)).toEqual([]);
  });
});
