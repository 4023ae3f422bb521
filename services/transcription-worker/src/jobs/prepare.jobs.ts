import { join } from 'node:path';
import type { InputOf, OutputOf, workerJobs } from '@overtone/contracts';
import type { JobDelivery } from '@overtone/service-kit';
import type { Transcoder } from '../ports/transcoder.ts';
import { artefactKey, type Artefacts } from './artefacts.ts';

/** `prepare`: probe, 16 kHz mono sound, waveform and picture. Bad media fails for good, with words for its owner. */
export const prepareJob =
  ({ artefacts, transcoder }: { artefacts: Artefacts; transcoder: Transcoder }) =>
  (input: InputOf<typeof workerJobs.prepare>, d: JobDelivery): Promise<OutputOf<typeof workerJobs.prepare>> =>
    artefacts.inFolder(async (folder) => {
      const began = performance.now();
      const [source, wav, picture] = ['source', 'audio.wav', 'thumbnail.jpg'].map((n) => join(folder, n)) as [
        string,
        string,
        string,
      ];
      d.progress(0, 'Fetching the recording');
      await artefacts.download(input.objectKey, source, d.signal);
      const probe = await transcoder.probe(source, d.signal);
      d.progress(0.1, 'Preparing the sound');
      const onProgress = (share: number) => d.progress(0.1 + share * 0.75, 'Preparing the sound');
      const done = await transcoder.transcode({ source, target: wav, probe, onProgress, signal: d.signal });
      const hasPicture = await transcoder.thumbnail(source, picture, probe, d.signal);
      const engineSeconds = (performance.now() - began) / 1000;
      d.progress(0.9, 'Saving');
      const key = (name: string, extension?: string) => artefactKey(input, name, d.token, extension);
      const [audio, waveform, thumbnail] = await Promise.all([
        artefacts.upload(wav, key('audio', 'wav'), 'audio/wav', d.signal),
        artefacts.writeJson(key('waveform'), done.waveform),
        hasPicture ? artefacts.upload(picture, key('thumbnail', 'jpg'), 'image/jpeg', d.signal) : null,
      ]);
      const output = {
        audio,
        waveform,
        thumbnail,
        duration: done.seconds,
        truncated: done.truncated,
        media: {
          format: probe.container,
          audio_codec: probe.audioCodec ?? null,
          video_codec: probe.videoCodec ?? null,
          width: probe.width ?? null,
          height: probe.height ?? null,
          channels: probe.channels ?? null,
          sample_rate: probe.sampleRate ?? null,
        },
        engine_seconds: engineSeconds,
      };
      return { ...output, artefact: await artefacts.writeJson(key('prepare'), output) };
    });
