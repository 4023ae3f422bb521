import { z } from 'zod';

/** The stages of a run, in order. Each stores its own artefact, so that a later failure does not lose it. */
export const stages = ['prepare', 'transcribe', 'diarize', 'assemble', 'index'] as const;
export type Stage = (typeof stages)[number];
/** Why a healthy run makes no progress. */
export const waitingReasons = ['engine', 'worker', 'paused'] as const;

export const word = z.object({
  word: z.string(),
  start: z.number(),
  end: z.number(),
  confidence: z.number().nullable(),
  /** The times were calculated from the length of the word: it was edited, or the imported transcript has none for words. */
  interpolated: z.boolean().optional(),
  /** Another person spoke at the same time. */
  overlap: z.boolean().optional(),
});
export type Word = z.infer<typeof word>;

/** The engine of a transcript, stored with it and shown; `import`: a file, whose format is the model. */
export const engineInfo = z.object({
  provider: z.enum(['faster-whisper', 'sherpa-onnx', 'openai-compatible', 'pocketsphinx', 'scripted', 'import']),
  model: z.string(),
  /** `engine`: word times come from the engine; `estimated`: interpolated inside the engine's segments. */
  timing: z.enum(['engine', 'estimated']),
});
export type EngineInfo = z.infer<typeof engineInfo>;

// Artefacts of the stages in the object store.

/** `waveform` artefact: absolute peaks 0..127 per interval. */
export const waveformArtefact = z.object({ version: z.literal(1), interval_ms: z.int(), peaks: z.array(z.int()) });
/** `transcribe` artefact. `cpu.child.ts` of the worker copies its values into the transcript. */
export const wordsArtefact = z.object({
  language: z.string().nullable(),
  engine: engineInfo,
  words: z.array(word),
  /** The speaker of each word, where each one has a sound of its own. */
  speakers: z.array(z.int()).optional(),
});
export type WordsArtefact = z.infer<typeof wordsArtefact>;
export const turn = z.object({ start: z.number(), end: z.number(), speaker: z.int() });
export type Turn = z.infer<typeof turn>;
/** `diarize` artefact; `degraded` contains the reason for a single speaker. */
export const turnsArtefact = z.object({ provider: z.string(), turns: z.array(turn), degraded: z.string().nullable() });
export type TurnsArtefact = z.infer<typeof turnsArtefact>;
export const assembledSegment = z.object({
  start: z.number(),
  end: z.number(),
  /** Index into `speakers`. */
  speaker: z.int(),
  text: z.string(),
  confidence: z.number().nullable(),
  words: z.array(word),
});
/** `assemble` artefact. */
export const transcriptArtefact = z.object({
  language: z.string().nullable(),
  engine: engineInfo,
  diarization: z.object({ provider: z.string(), degraded: z.string().nullable() }),
  /** Labels in order of appearance: SPEAKER_01, SPEAKER_02, ... */
  speakers: z.array(z.string()),
  segments: z.array(assembledSegment),
});
export type TranscriptArtefact = z.infer<typeof transcriptArtefact>;
