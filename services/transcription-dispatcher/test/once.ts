import { expect } from '@jest/globals';
import { stages, transcriptionEvents } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { statusOf, type World } from './harness.ts';

/** Expects that every stage of the file was accepted and published exactly once, in order. */
export async function expectProcessedOnce(world: World, fileId: string): Promise<void> {
  await waitFor(async () => (await statusOf(world, fileId)) === 'completed', { intervalMs: 100 });
  const published = await waitFor(async () => {
    const all = (await world.events()).filter((event) => event.data['fileId'] === fileId);
    return all.some((event) => event.subject === transcriptionEvents.runCompleted.subject) ? all : undefined;
  });
  const accepted = published.filter((event) => event.subject === transcriptionEvents.stageCompleted.subject);
  expect(accepted.map((event) => [event.data['stage'], event.data['sequence']])).toEqual(
    stages.map((stage, i) => [stage, i + 1]),
  );
  expect(published.filter((event) => event.subject === transcriptionEvents.runCompleted.subject)).toHaveLength(1);
  expect(
    await world.sql('select status, count(*)::int from task where file_id = $1 group by status', [fileId]),
  ).toEqual([{ status: 'completed', count: 5 }]);
}
