import type { Bench } from './bench.ts';
import { needTools } from './tools.ts';

/** Measured inside the worker, on conversations that it makes of synthetic voices and of prompts that people read. */
export const diarizationBench: Bench = {
  name: 'diarization',
  about: 'words to the right speaker, DER, overlap and word error rate of conversations in quiet and in bad rooms',
  run: async function* ({ folder, size }) {
    needTools(['flite', 'sox']);
    const { measureDiarization } = await import('@overtone/transcription-worker/bench');
    yield* measureDiarization(folder, size);
  },
};
