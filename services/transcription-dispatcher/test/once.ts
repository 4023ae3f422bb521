import { expect } from '@jest/globals';
import { stages, transcriptionEvents } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { generousTimeout, statusOf, type World } from './harness.ts';

/** Expects that every stage of the file was accepted and published exactly once, in order. */
export async function expectProcessedOnce(w: World, fileId: string): Promise<void> {
  await waitFor(async () => (await statusOf(w, fileId)) === 'completed', { timeoutMs: 240_000, intervalMs: 100 });
  const published = await waitFor(async () => {
    const all = (await w.events()).filter((e) => e.data['fileId'] === fileId);
    return all.some((e) => e.subject === transcriptionEvents.runCompleted.subject) ? all : undefined;
  }, generousTimeout);
  const accepted = published.filter((e) => e.subject === transcriptionEvents.stageCompleted.subject);
  expect(accepted.map((e) => [e.data['stage'], e.data['sequence']])).toEqual(stages.map((s, i) => [s, i + 1]));
  expect(published.filter((e) => e.subject === transcriptionEvents.runCompleted.subject)).toHaveLength(1);
  expect(await w.sql('select status, count(*)::int from task where file_id = $1 group by status', [fileId])).toEqual([
    { status: 'completed', count: 5 },
  ]);
}
