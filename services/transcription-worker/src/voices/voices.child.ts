import os from 'node:os';
import { voiceVersionName } from '@overtone/contracts';
import { encodeVector } from '@overtone/service-kit/vectors';
import { z } from 'zod';
import { readSamples } from '../audio/wav.ts';
import { serveTasks } from '../children/serve-tasks.ts';
import { createFfmpeg } from '../ports/ffmpeg.adapter.ts';
import { embedVoice } from './voice-embedding.ts';
import { createVoiceFrames } from './voice-frames.ts';

const request = z.object({
  source: z.string(),
  wav: z.string(),
  env: z.record(z.string(), z.string()),
  maxSeconds: z.number(),
  versions: z.array(voiceVersionName),
  speakers: z.array(z.object({ speakerId: z.string(), spans: z.array(z.tuple([z.number(), z.number()])) })),
});

// Embeddings are background work: the programs that people wait for come first.
os.setPriority(os.constants.priority.PRIORITY_LOW);

serveTasks(async (input) => {
  const { source, wav, env, maxSeconds, versions, speakers } = request.parse(input);
  const transcoder = createFfmpeg({ env, maxSeconds });
  const probe = await transcoder.probe(source);
  await transcoder.transcode({ source, target: wav, probe, onProgress: () => undefined });
  const voices = [];
  for (const { speakerId, spans } of speakers) {
    const frames = createVoiceFrames();
    let seconds = 0;
    for (const [start, end] of spans) {
      frames.add(await readSamples(wav, start, end));
      seconds += end - start;
    }
    const vectors = embedVoice(frames, versions);
    if (vectors) voices.push({ speakerId, seconds, vectors: encode(vectors) });
  }
  return { voices };
});

function encode(vectors: NonNullable<ReturnType<typeof embedVoice>>): Record<string, string> {
  return Object.fromEntries(Object.entries(vectors).map(([version, vector]) => [version, encodeVector(vector)]));
}
