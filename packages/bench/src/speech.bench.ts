import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bench } from './bench.ts';
import { needTools } from './tools.ts';

const run = promisify(execFile);
const sources = join(import.meta.dirname, '../../cli/src');

/** The models of MODEL_CACHE_DIR, else of the data folder `data` of the clone. */
export const speechBench: Bench = {
  name: 'speech',
  about: 'words, speed, memory and speakers of every installed engine, beside faster-whisper itself',
  run: async function* ({ folder, size }) {
    needTools(['flite', 'sox', 'ffmpeg']);
    const { measureSpeech } = await import('@overtone/transcription-worker/speech-bench');
    const cli = (...args: readonly string[]) =>
      run(process.execPath, [join(sources, 'main.ts'), ...args], { maxBuffer: 1 << 26 });
    await run(process.execPath, [join(sources, 'speech-environment.main.ts')]);
    const listed = JSON.parse((await cli('models', 'list', '--json')).stdout) as { folder: string };
    yield* measureSpeech({
      folder,
      each: Math.max(1, Math.round(3 * size)),
      models: listed.folder,
      evaluate: async (model, set) =>
        JSON.parse((await cli('models', 'evaluate', model, '--set', set, '--json')).stdout),
    });
  },
};
