import { join } from 'node:path';
import { artefactKey, type Artefacts, type StageJob } from './artefacts.ts';
import type { CpuChildren } from './cpu-children.ts';

/** `assemble`: words to speakers. Without a diarization, one speaker has all words and the transcript carries the reason. */
export function assembleJob({ artefacts, cpu }: { artefacts: Artefacts; cpu: CpuChildren }): StageJob<'assemble'> {
  return (input, { progress, signal, token }) =>
    artefacts.inFolder(async (folder) => {
      const began = performance.now();
      const { transcribe, diarize } = input.earlier;
      progress(0, 'Putting words and speakers together');
      const [words, turns, target] = [join(folder, 'words'), join(folder, 'turns'), join(folder, 'transcript')];
      await artefacts.download(transcribe ?? '', words, signal);
      if (diarize) await artefacts.download(diarize, turns, signal);
      const order = {
        words,
        turns: diarize ? turns : null,
        degraded: input.degraded ?? 'Speakers were not separated',
        seconds: input.duration,
        target,
      };
      const { segments, speakers } = await cpu.assemble(order, { signal });
      const key = artefactKey(input, 'assemble', token);
      const artefact = await artefacts.upload(target, key, 'application/json', signal);
      return { artefact, segments, speakers, engine_seconds: (performance.now() - began) / 1000 };
    });
}
