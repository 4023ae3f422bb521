import { readFile } from 'node:fs/promises';
import type { CatalogueEntry } from '../src/catalogue.ts';
import { pullModel } from '../src/pull.ts';

// A pull in a process of its own, which a test kills: <model folder> <file with the entry>.
const [cacheDir = '', entryFile = ''] = process.argv.slice(2);
const entry = JSON.parse(await readFile(entryFile, 'utf8')) as CatalogueEntry;
await pullModel({ cacheDir, entry, acceptLicence: true, download: { reserveBytes: 0 } });
