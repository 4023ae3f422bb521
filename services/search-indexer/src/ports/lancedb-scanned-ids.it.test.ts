import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as lancedb from '@lancedb/lancedb';
import { describe, expect, it } from '@jest/globals';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { scanRowIds } from './lancedb-scanned-ids.ts';
import { fileRowIdOf, rowIdOf, sectionIdOf } from './search-index.ts';

const { table } = await stopAfterFile(openTable());

async function openTable() {
  const directory = await mkdtemp(join(tmpdir(), 'scanned-ids-'));
  const db = await lancedb.connect(directory);
  const opened = await db.createTable('rows', idsOf(randomUUID()));
  return {
    table: opened,
    stop: async (): Promise<void> => {
      opened.close();
      db.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function idsOf(fileId: string): { id: string }[] {
  const passages = Array.from({ length: 700 }, (_, i) => [rowIdOf(fileId, i), rowIdOf(fileId, i, 38)]).flat();
  return [rowIdOf(fileId, 'card'), ...passages, sectionIdOf(fileId, 0), fileRowIdOf(fileId)].map((id) => ({ id }));
}

async function rowsOfTable(): Promise<[number, string][]> {
  const rows = await table.query().select(['id']).withRowId().toArrow();
  const [ids, at] = [rows.getChild('id'), rows.getChild('_rowid')];
  return Array.from({ length: rows.numRows }, (_, i) => [Number(at?.get(i)), String(ids?.get(i))]);
}

describe('scanned row ids', () => {
  it('give every row its id and every id its address, after rows were added, deleted and moved', async () => {
    const [kept, deleted] = [randomUUID(), randomUUID()];
    await table.add([...idsOf(kept), ...idsOf(deleted)]);
    await table.add(idsOf(randomUUID()));
    await table.delete(`id like '${deleted}%'`);
    for (const change of [async () => {}, () => table.optimize(), () => table.delete(`id = '${rowIdOf(kept, 3)}'`)]) {
      await change();
      const [rows, scanned] = [await rowsOfTable(), await scanRowIds(table)];
      expect(rows.length).toBeGreaterThan(4_000);
      expect(rows.map(([address]) => scanned.idAt(address))).toEqual(rows.map(([, id]) => id));
      expect(rows.map(([, id]) => scanned.addressOf(id))).toEqual(rows.map(([address]) => address));
      expect(scanned.addressOf(rowIdOf(deleted, 0))).toBeUndefined();
    }
  });

  it('know nothing of other rows', async () => {
    const scanned = await scanRowIds(table);
    expect([scanned.idAt(2 ** 40), scanned.idAt(-1), scanned.addressOf(rowIdOf(randomUUID(), 0))]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
