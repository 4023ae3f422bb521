import { join } from 'node:path';
import type { Engines } from '../engines/engines.ts';
import { engineMissing } from '../failures.ts';
import { artefactKey, type Artefacts, type StageJob } from './artefacts.ts';

/** `transcribe`: words with times, by the engine that this worker has. */
export function transcribeJob({
  artefacts,
  engine,
}: {
  artefacts: Artefacts;
  engine: Engines['engine'];
}): StageJob<'transcribe'> {
  return (input, { progress, signal, token }) =>
    artefacts.inFolder(async (folder) => {
      const serving = engine();
      if (!serving) throw engineMissing();
      const wavPath = join(folder, 'audio.wav');
      await artefacts.download(input.audio, wavPath, signal);
      progress(0, 'Transcribing');
      const { engineSeconds, ...recognised } = await serving.transcribe({
        wavPath,
        seconds: input.duration,
        language: input.options.language,
        onProgress: (share) => progress(share, 'Transcribing'),
        signal,
      });
      const artefact = await artefacts.writeJson(artefactKey(input, 'transcribe', token), recognised);
      return { ...recognised, artefact, words: recognised.words.length, engine_seconds: engineSeconds };
    });
}
