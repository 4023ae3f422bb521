import { expect } from '@jest/globals';
import { stages, transcriptionEvents } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { patience, statusOf, type World } from './harness.ts';

/** The job was done once: every stage accepted once, in order, and told of once; however it was killed meanwhile. */
export const expectOnce = async (w: World, fileId: string): Promise<void> => {
  await waitFor(async () => (await statusOf(w, fileId)) === 'completed', { timeoutMs: 240_000, intervalMs: 100 });
  const said = await waitFor(async () => {
    const all = (await w.events()).filter((e) => e.data['fileId'] === fileId);
    return all.some((e) => e.subject === transcriptionEvents.runCompleted.subject) ? all : undefined;
  }, patience);
  const accepted = said.filter((e) => e.subject === transcriptionEvents.stageCompleted.subject);
  expect(accepted.map((e) => [e.data['stage'], e.data['sequence']])).toEqual(stages.map((s, i) => [s, i + 1]));
  expect(said.filter((e) => e.subject === transcriptionEvents.runCompleted.subject)).toHaveLength(1);
  expect(await w.sql('select status, count(*)::int from task where file_id = $1 group by status', [fileId])).toEqual([
    { status: 'completed', count: 5 },
  ]);
};
