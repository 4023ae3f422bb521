import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import {
  erasureEvents,
  mediaEvents,
  operationsEvents,
  searchAnswer,
  userErasureOrdered,
  type ErasureReport,
} from '@overtone/contracts';
import { waitFor } from '@overtone/testkit';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { Client } from 'pg';
import { filesWith } from '../../test/files-with.ts';
import { record } from '../../test/library.ts';
import { startWorld } from '../../test/world.ts';

const world = await stopAfterFile(startWorld());
const reports: ErasureReport[] = [];
world.nc.subscribe(erasureEvents['search-indexer'].subject, {
  callback: (_, message) => void reports.push(message.json()),
});
await world.nc.flush();

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

  it('leaves no word of the person in the files of the index, and none of their actions in the outbox', async () => {
    const [erased, kept] = [await indexed('a zebrafinch sings'), await indexed('the quarterly report')];
    const sql = new Client({ connectionString: world.database.url });
    await sql.connect();
    const action = operationsEvents.performed.subject;
    for (const actorId of [erased.ownerId, kept.ownerId])
      await sql.query(
        `insert into search_indexer_outbox (subject, data, headers, message_id, sent_at)
         values ($1, $2, '{}', gen_random_uuid(), now())`,
        [action, { actorId, details: { name: 'My list' }, client: { ip: '192.0.2.1' } }],
      );
    expect(await filesWith(world.directory, erased.fileId)).not.toEqual([]);
    const before = reports.length;
    await world.emit(userErasureOrdered, { erasureId: randomUUID(), round: 1, userId: erased.ownerId });
    await waitFor(() => reports.length > before);
    expect(await filesWith(world.directory, 'zebrafinch')).toEqual([]);
    expect(await filesWith(world.directory, erased.fileId)).toEqual([]);
    expect(await found('quarterly', kept.ownerId)).toEqual([kept.fileId]);
    const { rows } = await sql.query<{ actor: string }>(
      `select data ->> 'actorId' as actor from search_indexer_outbox where subject = $1`,
      [action],
    );
    await sql.end();
    expect(rows).toEqual([{ actor: kept.ownerId }]);
  });
});
