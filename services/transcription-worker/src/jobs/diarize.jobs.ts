import { join } from 'node:path';
import type { Diarizer } from '../diarization/diarization.ts';
import { artefactKey, type Artefacts, type StageJob } from './artefacts.ts';

/** `diarize`: who speaks when. A failure here never costs the words: the dispatcher continues without speakers. */
export function diarizeJob({ artefacts, diarizer }: { artefacts: Artefacts; diarizer: Diarizer }): StageJob<'diarize'> {
  return (input, { progress, signal, token }) =>
    artefacts.inFolder(async (folder) => {
      const wavPath = join(folder, 'audio.wav');
      await artefacts.download(input.audio, wavPath, signal);
      const began = performance.now();
      progress(0, 'Telling the speakers apart');
      const { minSpeakers, maxSpeakers } = input.options;
      const found = await diarizer.diarize({
        wavPath,
        seconds: input.duration,
        minSpeakers,
        maxSpeakers,
        onProgress: (share) => progress(share, 'Telling the speakers apart'),
        signal,
      });
      const engineSeconds = (performance.now() - began) / 1000;
      const artefact = await artefacts.writeJson(artefactKey(input, 'diarize', token), found);
      const { provider, turns, degraded } = found;
      const speakers = new Set(turns.map((turn) => turn.speaker)).size;
      return { artefact, provider, speakers, degraded, engine_seconds: engineSeconds };
    });
}
