import { join } from 'node:path';
import { artefactKey, type Artefacts, type StageJob } from './artefacts.ts';
import type { CpuChildren } from './cpu-children.ts';

/** `prepare`: probe, 16 kHz mono sound, waveform and picture. Invalid media is a permanent failure with a message for its owner. */
export function prepareJob({ artefacts, cpu }: { artefacts: Artefacts; cpu: CpuChildren }): StageJob<'prepare'> {
  return (input, { progress, signal, token }) =>
    artefacts.inFolder(async (folder) => {
      const began = performance.now();
      const pathOf = (name: string) => join(folder, name);
      const [source, wav, picture] = [pathOf('source'), pathOf('audio.wav'), pathOf('thumbnail.jpg')];
      progress(0, 'Fetching the recording');
      await artefacts.download(input.objectKey, source, signal);
      const onProgress = (share: number) => progress(0.1 + share * 0.75, 'Preparing the sound');
      const {
        hasPicture,
        seconds,
        waveform: peaks,
        ...found
      } = await cpu.prepare({ source, wav, picture }, { signal, onProgress });
      const engineSeconds = (performance.now() - began) / 1000;
      progress(0.9, 'Saving');
      const key = (name: string, extension?: string) => artefactKey(input, name, token, extension);
      const [audio, waveform, thumbnail] = await Promise.all([
        artefacts.upload(wav, key('audio', 'wav'), 'audio/wav', signal),
        artefacts.writeJson(key('waveform'), peaks),
        hasPicture ? artefacts.upload(picture, key('thumbnail', 'jpg'), 'image/jpeg', signal) : null,
      ]);
      const output = { ...found, audio, waveform, thumbnail, duration: seconds, engine_seconds: engineSeconds };
      return { ...output, artefact: await artefacts.writeJson(key('prepare'), output) };
    });
}
