import { turnsArtefact, wordsArtefact, type InputOf, type OutputOf, type workerJobs } from '@overtone/contracts';
import type { JobDelivery } from '@overtone/service-kit';
import { assemble } from '../assembly/assembly.ts';
import { artefactKey, type Artefacts } from './artefacts.ts';

/** `assemble`: words to speakers. Without a diarization everything is said by one, and the transcript says why. */
export const assembleJob =
  ({ artefacts }: { artefacts: Artefacts }) =>
  async (input: InputOf<typeof workerJobs.assemble>, d: JobDelivery): Promise<OutputOf<typeof workerJobs.assemble>> => {
    const began = performance.now();
    const { transcribe, diarize } = input.earlier;
    d.progress(0, 'Putting words and speakers together');
    const heard = await artefacts.readJson(transcribe ?? '', wordsArtefact);
    const turns = diarize
      ? await artefacts.readJson(diarize, turnsArtefact)
      : { provider: 'none', turns: [], degraded: input.degraded ?? 'Speakers were not told apart' };
    const { speakers, segments } = assemble(heard.words, turns.turns, input.duration);
    const artefact = await artefacts.writeJson(artefactKey(input, 'assemble', d.token), {
      language: heard.language,
      engine: heard.engine,
      diarization: { provider: turns.provider, degraded: turns.degraded },
      speakers,
      segments,
    });
    return {
      artefact,
      segments: segments.length,
      speakers: speakers.length,
      engine_seconds: (performance.now() - began) / 1000,
    };
  };
