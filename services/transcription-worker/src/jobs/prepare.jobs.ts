import { join } from 'node:path';
import type { InputOf, OutputOf, workerJobs } from '@overtone/contracts';
import type { JobDelivery } from '@overtone/service-kit';
import { artefactKey, type Artefacts } from './artefacts.ts';
import type { CpuChildren } from './cpu-children.ts';

/** `prepare`: probe, 16 kHz mono sound, waveform and picture. Invalid media is a permanent failure with a message for its owner. */
export function prepareJob({ artefacts, cpu }: { artefacts: Artefacts; cpu: CpuChildren }) {
  return (
    input: InputOf<typeof workerJobs.prepare>,
    delivery: JobDelivery,
  ): Promise<OutputOf<typeof workerJobs.prepare>> =>
    artefacts.inFolder(async (folder) => {
      const began = performance.now();
      const [source, wav, picture] = ['source', 'audio.wav', 'thumbnail.jpg'].map((name) => join(folder, name)) as [
        string,
        string,
        string,
      ];
      delivery.progress(0, 'Fetching the recording');
      await artefacts.download(input.objectKey, source, delivery.signal);
      const onProgress = (share: number) => delivery.progress(0.1 + share * 0.75, 'Preparing the sound');
      const done = await cpu.prepare({ source, wav, picture }, { signal: delivery.signal, onProgress });
      const engineSeconds = (performance.now() - began) / 1000;
      delivery.progress(0.9, 'Saving');
      const key = (name: string, extension?: string) => artefactKey(input, name, delivery.token, extension);
      const [audio, waveform, thumbnail] = await Promise.all([
        artefacts.upload(wav, key('audio', 'wav'), 'audio/wav', delivery.signal),
        artefacts.writeJson(key('waveform'), done.waveform),
        done.hasPicture ? artefacts.upload(picture, key('thumbnail', 'jpg'), 'image/jpeg', delivery.signal) : null,
      ]);
      const output = {
        audio,
        waveform,
        thumbnail,
        duration: done.seconds,
        truncated: done.truncated,
        media: done.media,
        engine_seconds: engineSeconds,
      };
      return { ...output, artefact: await artefacts.writeJson(key('prepare'), output) };
    });
}
