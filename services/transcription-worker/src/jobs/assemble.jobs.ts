import { join } from 'node:path';
import type { InputOf, OutputOf, workerJobs } from '@overtone/contracts';
import type { JobDelivery } from '@overtone/service-kit';
import { artefactKey, type Artefacts } from './artefacts.ts';
import type { CpuChildren } from './cpu-children.ts';

/** `assemble`: words to speakers. Without a diarization, one speaker has all words and the transcript carries the reason. */
export function assembleJob({ artefacts, cpu }: { artefacts: Artefacts; cpu: CpuChildren }) {
  return (
    input: InputOf<typeof workerJobs.assemble>,
    delivery: JobDelivery,
  ): Promise<OutputOf<typeof workerJobs.assemble>> =>
    artefacts.inFolder(async (folder) => {
      const began = performance.now();
      const { transcribe, diarize } = input.earlier;
      delivery.progress(0, 'Putting words and speakers together');
      const [words, turns, target] = [join(folder, 'words'), join(folder, 'turns'), join(folder, 'transcript')];
      await artefacts.download(transcribe ?? '', words, delivery.signal);
      if (diarize) await artefacts.download(diarize, turns, delivery.signal);
      const order = {
        words,
        turns: diarize ? turns : null,
        degraded: input.degraded ?? 'Speakers were not separated',
        seconds: input.duration,
        target,
      };
      const { segments, speakers } = await cpu.assemble(order, { signal: delivery.signal });
      const key = artefactKey(input, 'assemble', delivery.token);
      const artefact = await artefacts.upload(target, key, 'application/json', delivery.signal);
      return { artefact, segments, speakers, engine_seconds: (performance.now() - began) / 1000 };
    });
}
