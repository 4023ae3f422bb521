import { setPriority } from 'node:os';
import * as lancedb from '@lancedb/lancedb';
import type { Table } from '@lancedb/lancedb';

/** LanceDB's own maintenance joins partitions of less than 1,024 rows, which takes longer than the rest of it. */
const rowsPerPartition = 2_048;
/** Searches in progress may still read files that maintenance has replaced. */
const keepOldMs = 120_000;

const [directory = '', name = '', indexFrom = ''] = process.argv.slice(2);

setPriority(10);
// The standard input ends with the service.
process.stdin.on('end', () => process.exit(1)).resume();
const db = await lancedb.connect(directory);
const opened = await db.openTable(name);
await opened.optimize({ cleanupOlderThan: new Date(Date.now() - keepOldMs) });
await ensureVectorIndex(opened, Number(indexFrom));
process.exit(0);

/**
 * An index of uncompressed vectors: built in seconds and with exact distances (distances of LanceDB's compressed indices
 * are not cosines, so that no minimum could be set). Rebuilt when the table has outgrown its partitions.
 */
async function ensureVectorIndex(table: Table, from: number): Promise<void> {
  const schema = await table.schema();
  if (!schema.fields.some((field) => field.name === 'vector')) return;
  const rows = await table.countRows('vector is not null');
  if (rows < from) return;
  const partitions = Math.ceil(rows / rowsPerPartition);
  const present = (await table.listIndices()).find((i) => i.columns.includes('vector'));
  if (present) {
    if (Number(present.name.split('_').at(-1)) * 2 > partitions) return;
    await table.dropIndex(present.name);
  }
  const config = lancedb.Index.ivfFlat({ distanceType: 'cosine', numPartitions: partitions });
  await table.createIndex('vector', { config, name: nameOf(partitions) });
}

function nameOf(partitions: number): string {
  return `vector_in_${partitions}`;
}
