import { setPriority } from 'node:os';
import * as lancedb from '@lancedb/lancedb';
import { createRowIndices, removableBefore } from './lancedb-maintenance.ts';
import { dropVectorIndex, ensureVectorIndex } from './lancedb-vector-index.ts';

const [directory = '', name = '', indexFrom = '', mode = ''] = process.argv.slice(2);

setPriority(10);
// The standard input ends with the service.
process.stdin.on('end', () => process.exit(1)).resume();
const db = await lancedb.connect(directory);
const opened = await db.openTable(name);
if (mode === 'rewrite') {
  if ((await opened.countRows()) > 0) await opened.update({ where: 'true', valuesSql: { file_id: 'file_id' } });
  await createRowIndices(lancedb, opened);
  await dropVectorIndex(opened);
}
await opened.optimize({ cleanupOlderThan: mode === 'prune' ? new Date() : removableBefore() });
await ensureVectorIndex(lancedb, opened, Number(indexFrom));
process.exit(0);
