import { join } from 'node:path';
import type { InputOf, OutputOf, workerJobs } from '@overtone/contracts';
import type { JobDelivery } from '@overtone/service-kit';
import type { Engines } from '../engines/engines.ts';
import { engineMissing } from '../failures.ts';
import { artefactKey, type Artefacts } from './artefacts.ts';

/** `transcribe`: words with times, by the engine that this worker has. */
export function transcribeJob({ artefacts, engine }: { artefacts: Artefacts; engine: Engines['engine'] }) {
  return (
    input: InputOf<typeof workerJobs.transcribe>,
    delivery: JobDelivery,
  ): Promise<OutputOf<typeof workerJobs.transcribe>> =>
    artefacts.inFolder(async (folder) => {
      const serving = engine();
      if (!serving) throw engineMissing();
      const wavPath = join(folder, 'audio.wav');
      await artefacts.download(input.audio, wavPath, delivery.signal);
      delivery.progress(0, 'Transcribing');
      const transcription = await serving.transcribe({
        wavPath,
        seconds: input.duration,
        language: input.options.language,
        onProgress: (share) => delivery.progress(share, 'Transcribing'),
        signal: delivery.signal,
      });
      const artefact = await artefacts.writeJson(artefactKey(input, 'transcribe', delivery.token), {
        language: transcription.language,
        engine: transcription.engine,
        words: transcription.words,
      });
      return {
        artefact,
        engine: transcription.engine,
        language: transcription.language,
        words: transcription.words.length,
        engine_seconds: transcription.engineSeconds,
      };
    });
}
