import { setPriority } from 'node:os';
import * as lancedb from '@lancedb/lancedb';
import { ensureVectorIndex } from './lancedb-vector-index.ts';

/** Searches in progress may still read files that maintenance has replaced. */
const keepOldMs = 120_000;

const [directory = '', name = '', indexFrom = ''] = process.argv.slice(2);

setPriority(10);
// The standard input ends with the service.
process.stdin.on('end', () => process.exit(1)).resume();
const db = await lancedb.connect(directory);
const opened = await db.openTable(name);
await opened.optimize({ cleanupOlderThan: new Date(Date.now() - keepOldMs) });
await ensureVectorIndex(lancedb, opened, Number(indexFrom));
process.exit(0);
