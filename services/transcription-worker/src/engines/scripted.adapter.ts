import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Word } from '@overtone/contracts';
import { word } from '@overtone/contracts';
import { z } from 'zod';
import type { Recognised, SpeechEngine, TranscribeRequest } from './engines.ts';
import { tidyWords } from './words.ts';

const info = { provider: 'scripted', model: 'scripted', timing: 'engine' } as const;

/** `words`: the result for every recording; `secondsPerHour`: simulated duration; `failure`: fail with this message. */
const scriptSchema = z.object({
  language: z.string().nullable().default('en'),
  words: z.array(word).optional(),
  secondsPerHour: z.number().min(0).default(0),
  failure: z.string().optional(),
});
type Script = z.infer<typeof scriptSchema>;

const vocabulary =
  'the report says that our project will need more time and money before the end of march because the new building is not ready yet so please send a letter to every member of the team'.split(
    ' ',
  );

/** Generates 2.5 words per second with a pause after every twelfth; deterministic for the same length. */
export function inventedWords(seconds: number): Word[] {
  const words: Word[] = [];
  for (let at = 0.2; at + 0.35 < seconds; at += (words.length % 12 === 0 ? 0.8 : 0) + 0.4) {
    words.push({
      word: vocabulary[words.length % vocabulary.length] ?? 'the',
      start: at,
      end: at + 0.35,
      confidence: 1,
    });
  }
  return words;
}

async function play(script: Script, request: TranscribeRequest): Promise<Recognised> {
  const began = performance.now();
  if (script.failure !== undefined) throw new Error(script.failure);
  const steps = 10;
  for (let step = 1; step <= steps; step++) {
    request.signal?.throwIfAborted();
    const pause = (script.secondsPerHour * request.seconds * 1000) / 3600 / steps;
    if (pause >= 1) await sleep(pause, undefined, request.signal ? { signal: request.signal } : {});
    request.onProgress?.(step / steps);
  }
  return {
    language: script.language,
    words: tidyWords(script.words ?? inventedWords(request.seconds), request.seconds),
    engine: info,
    engineSeconds: (performance.now() - began) / 1000,
  };
}

/** Returns scripted words without decoding: for tests and the bench, behind an explicit variable. `source`: `1` or a JSON file. */
export function createScripted(source: string): SpeechEngine {
  return {
    id: 'scripted',
    info,
    languages: [],
    translates: false,
    remote: false,
    check: () => Promise.resolve({ ready: true }),
    transcribe: async (request) => {
      const script = source === '1' ? {} : (JSON.parse(await readFile(source, 'utf8')) as unknown);
      return play(scriptSchema.parse(script), request);
    },
    close: () => undefined,
  };
}
