import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import * as lancedb from '@lancedb/lancedb';
import { expect, it } from '@jest/globals';
import { createFolder } from '@overtone/testkit/cleanup';
import { createLanceSpeakers } from './lancedb-speakers.adapter.ts';
import { versionOf } from './speaker-index.ts';

it('keeps the files that a reader still uses when the fragments of many writes are joined', async () => {
  const directory = await createFolder();
  const index = createLanceSpeakers({ directory });
  const fileId = randomUUID();
  const write = () => {
    const vector = new Float32Array(versionOf('v4').dimension);
    const row = { speakerId: randomUUID(), fileId, ownerId: randomUUID(), seconds: 1, vector };
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
