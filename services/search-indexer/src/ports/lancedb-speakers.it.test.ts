import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as lancedb from '@lancedb/lancedb';
import { expect, it } from '@jest/globals';
import { createFolder } from '@overtone/testkit/cleanup';
import { filesWith } from '../../test/files-with.ts';
import { createLanceSpeakers } from './lancedb-speakers.adapter.ts';
import { versionOf } from './speaker-index.ts';

it('keeps the files that a reader still uses when the fragments of many writes are joined', async () => {
  const directory = await createFolder();
  const index = createLanceSpeakers({ directory });
  const fileId = randomUUID();
  const write = () => {
    const vector = new Float32Array(versionOf('v4').dimension);
    const row = { speakerId: randomUUID(), fileId, seconds: 1, vector };
    return index.replaceFile('v4', fileId, [row]);
  };
  await write();
  const db = await lancedb.connect(join(directory, 'speakers'));
  const reader = await db.openTable('speakers-v4');
  await reader.checkout(await reader.version());
  for (let i = 1; i < 200; i++) await write();
  expect(await reader.query().toArray()).toHaveLength(1);
  reader.close();
  db.close();
  await index.close();
});

it('writes to a table that was made with the owners of the recordings', async () => {
  const directory = await createFolder();
  const db = await lancedb.connect(join(directory, 'speakers'));
  const { dimension } = versionOf('v4');
  const [kept, replaced] = [randomUUID(), randomUUID()];
  const earlier = (speaker_id: string, file_id: string) => ({
    speaker_id,
    file_id,
    owner_id: randomUUID(),
    seconds: 1,
    vector: Array.from({ length: dimension }, () => 0.5),
  });
  await db.createTable('speakers-v4', [earlier(kept, randomUUID()), earlier(randomUUID(), replaced)]);
  db.close();
  const index = createLanceSpeakers({ directory });
  expect(await index.read('v4', [kept])).toMatchObject([{ speakerId: kept }]);
  const row = { speakerId: randomUUID(), fileId: replaced, seconds: 2, vector: new Float32Array(dimension) };
  await index.replaceFile('v4', replaced, [row]);
  expect((await index.read('v4', [kept, row.speakerId])).toSorted((x, y) => x.seconds - y.seconds)).toMatchObject([
    { speakerId: kept, seconds: 1 },
    row,
  ]);
  expect((await index.countByFile('v4')).get(replaced)).toBe(1);
  await index.close();
});

it('has no voice of a removed file in its files after a purge, and keeps all others', async () => {
  const directory = await createFolder();
  const index = createLanceSpeakers({ directory });
  const voice = (fileId: string) => ({
    speakerId: randomUUID(),
    fileId,
    seconds: 1,
    vector: new Float32Array(versionOf('v4').dimension),
  });
  const [kept, removed] = [randomUUID(), randomUUID()];
  const others = Array.from({ length: 30 }, () => voice(kept));
  await index.replaceFile('v4', kept, others);
  await index.replaceFile('v4', removed, [voice(removed)]);
  expect(await filesWith(directory, removed)).not.toEqual([]);
  await index.replaceFile('v4', removed, []);
  await index.purge(['v4', 'v5']);
  expect(await filesWith(directory, removed)).toEqual([]);
  expect(await index.countByFile('v4')).toEqual(new Map([[kept, 30]]));
  expect(await index.read('v4', [others[3]!.speakerId])).toMatchObject([{ fileId: kept }]);
  await index.close();
});
