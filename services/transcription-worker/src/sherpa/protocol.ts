import { z } from 'zod';
import type { DiarizationConfig, EmbeddingConfig, RecognizerConfig, VadConfig } from './config.ts';

const recognizer = z.custom<RecognizerConfig>((value) => typeof value === 'object' && value !== null);
const vad = z.custom<VadConfig>((value) => typeof value === 'object' && value !== null);
const diarization = z.custom<DiarizationConfig>((value) => typeof value === 'object' && value !== null);
const embedding = z.custom<EmbeddingConfig>((value) => typeof value === 'object' && value !== null);

/** Tasks of the sherpa-onnx child. */
export const sherpaTask = z.discriminatedUnion('task', [
  z.object({ task: z.literal('load-recognizer'), config: recognizer }),
  z.object({ task: z.literal('load-vad'), config: vad }),
  z.object({ task: z.literal('load-embedding'), config: embedding }),
  z.object({
    task: z.literal('transcribe'),
    config: recognizer,
    vad: vad.nullable(),
    /** Seconds; for the detection by loudness, without a voice activity model. */
    gaps: z.object({ minSilence: z.number(), minSpeech: z.number() }),
    wavPath: z.string(),
    seconds: z.number(),
    longest: z.number(),
    /** Pieces decoded concurrently. */
    batch: z.int().min(1),
  }),
  z.object({
    task: z.literal('diarize'),
    config: diarization,
    wavPath: z.string(),
    seconds: z.number(),
    speakers: z.object({ least: z.int().min(1), most: z.int().min(1).nullable() }),
  }),
  z.object({
    task: z.literal('embed-speakers'),
    config: embedding,
    wavPath: z.string(),
    speakers: z.array(z.object({ speakerId: z.string(), spans: z.array(z.tuple([z.number(), z.number()])) })),
  }),
]);
export type SherpaTask = z.infer<typeof sherpaTask>;
