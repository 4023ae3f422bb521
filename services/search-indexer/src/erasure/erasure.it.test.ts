import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { erasureEvents, mediaEvents, searchAnswer, userErasureOrdered, type ErasureReport } from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { record } from '../../test/library.ts';
import { startWorld } from '../../test/world.ts';

const world = await stopAfterFile(startWorld());
const reports: ErasureReport[] = [];
world.nc.subscribe(erasureEvents['search-indexer'].subject, {
  callback: (_, message) => void reports.push(message.json()),
});

async function found(query: string, userId: string): Promise<string[]> {
  const { body } = await world.call(`/api/search?q=${query}`, { userId });
  return searchAnswer.parse(body).results.map(({ file_uuid }) => file_uuid);
}

async function indexed(text: string) {
  const recording = world.library.put(record({ turns: [['Ann', text]] }));
  const before = world.completed.length;
  await world.order(recording);
  await waitFor(() => world.completed.length > before);
  return recording.file;
}

describe('an ordered erasure', () => {
  it('removes files of the person from the index, saved searches, the person from access lists, and answers each order', async () => {
    const [erased, kept] = [await indexed('the quarterly report'), await indexed('the quarterly report')];
    const userId = erased.ownerId;
    await world.emit(mediaEvents.accessChanged, {
      fileId: kept.fileId,
      ownerId: kept.ownerId,
      groupIds: [],
      userIds: [userId],
      version: 1,
    });
    await waitFor(async () => (await found('quarterly', userId)).length === 2);
    const save = { method: 'POST', body: { name: 'Mine', search: { q: 'quarterly' } } };
    for (const person of [userId, kept.ownerId]) await world.call('/api/search/saved', { userId: person, ...save });
    const erasureId = randomUUID();
    await world.emit(userErasureOrdered, { erasureId, round: 1, userId });
    const [report] = await waitFor(() => (reports.length > 0 ? reports : undefined));
    expect(report).toMatchObject({
      erasureId,
      round: 1,
      complete: true,
      counts: { indexed_files: 1, access_lists: 1, saved_searches: 1 },
    });
    expect(await found('quarterly', userId)).toEqual([]);
    expect(await found('quarterly', kept.ownerId)).toEqual([kept.fileId]);
    const { body } = await world.call('/api/search/saved', { userId: kept.ownerId });
    expect(body['items']).toHaveLength(1);
    await world.emit(userErasureOrdered, { erasureId, round: 1, userId });
    await waitFor(() => reports.length === 2);
    expect(reports[1]).toMatchObject({ complete: true, counts: { indexed_files: 0, access_lists: 0 } });
  });
});
