import type { OutputOf, workerJobs } from '@overtone/contracts';

type Prepared = OutputOf<typeof workerJobs.prepare>;

/** What the stage `prepare` says of a minute of one voice. */
export function prepared(over: Partial<Prepared> = {}): Prepared {
  return {
    artefact: 'derived/prepare-1.json',
    audio: 'derived/audio.wav',
    waveform: 'derived/waveform.json',
    thumbnail: null,
    duration: 60,
    truncated: false,
    media: {
      format: 'mp3',
      audio_codec: 'mp3',
      video_codec: null,
      width: null,
      height: null,
      channels: 1,
      sample_rate: 16_000,
    },
    engine_seconds: 0.5,
    ...over,
  };
}
