import { setPriority } from 'node:os';
import * as lancedb from '@lancedb/lancedb';
import { removableBefore } from './lancedb-maintenance.ts';
import { ensureVectorIndex } from './lancedb-vector-index.ts';

const [directory = '', name = '', indexFrom = ''] = process.argv.slice(2);

setPriority(10);
// The standard input ends with the service.
process.stdin.on('end', () => process.exit(1)).resume();
const db = await lancedb.connect(directory);
const opened = await db.openTable(name);
await opened.optimize({ cleanupOlderThan: removableBefore() });
await ensureVectorIndex(lancedb, opened, Number(indexFrom));
process.exit(0);
