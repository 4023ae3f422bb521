import { writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { convertCampplus } from './campplus.ts';
import { readCheckpoint } from './checkpoint.ts';
import type { ConversionTask } from './convert.ts';
import { convertPyannote } from './pyannote.ts';

const { conversion, from, to } = workerData as ConversionTask;
const convert = { 'pyannote-segmentation': convertPyannote, campplus: convertCampplus }[conversion];
writeFileSync(to, convert(await readCheckpoint(from)), { flag: 'wx' });
