import { writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { convertMiniLm } from './minilm.ts';
import { convertCampplus } from './campplus.ts';
import { readCheckpoint } from './checkpoint.ts';
import type { ConversionTask } from './convert.ts';
import { convertPyannote } from './pyannote.ts';
import { readSafetensors } from './safetensors.ts';

const { conversion, from, to } = workerData as ConversionTask;
const converters = {
  'pyannote-segmentation': async () => convertPyannote(await readCheckpoint(from)),
  campplus: async () => convertCampplus(await readCheckpoint(from)),
  minilm: async () => convertMiniLm(await readSafetensors(from)),
};
writeFileSync(to, await converters[conversion](), { flag: 'wx' });
