import { join } from 'node:path';
import type { InputOf, OutputOf, workerJobs } from '@overtone/contracts';
import type { JobDelivery } from '@overtone/service-kit';
import type { Diarizer } from '../diarization/diarization.ts';
import { artefactKey, type Artefacts } from './artefacts.ts';

/** `diarize`: who speaks when. A failure here never costs the words: the dispatcher continues without speakers. */
export function diarizeJob({ artefacts, diarizer }: { artefacts: Artefacts; diarizer: Diarizer }) {
  return (
    input: InputOf<typeof workerJobs.diarize>,
    delivery: JobDelivery,
  ): Promise<OutputOf<typeof workerJobs.diarize>> =>
    artefacts.inFolder(async (folder) => {
      const wavPath = join(folder, 'audio.wav');
      await artefacts.download(input.audio, wavPath, delivery.signal);
      const began = performance.now();
      delivery.progress(0, 'Telling the speakers apart');
      const { provider, turns, degraded } = await diarizer.diarize({
        wavPath,
        seconds: input.duration,
        minSpeakers: input.options.minSpeakers,
        maxSpeakers: input.options.maxSpeakers,
        onProgress: (share) => delivery.progress(share, 'Telling the speakers apart'),
        signal: delivery.signal,
      });
      const engineSeconds = (performance.now() - began) / 1000;
      const artefact = await artefacts.writeJson(artefactKey(input, 'diarize', delivery.token), {
        provider,
        turns,
        degraded,
      });
      const speakers = new Set(turns.map((turn) => turn.speaker)).size;
      return { artefact, provider, speakers, degraded, engine_seconds: engineSeconds };
    });
}
