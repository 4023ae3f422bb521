import type { Word } from '@overtone/contracts';
import { z } from 'zod';
import { checkWordCount, collapseText, createCueList, maxTime, speakerNameOf } from './cues.ts';
import type { ParsedTranscript } from './cues.ts';

const seconds = z.number().min(-maxTime).max(maxTime);
const spoken = z.object({
  word: z.string(),
  /** Missing where the aligner found none. */
  start: seconds.nullish(),
  end: seconds.nullish(),
  probability: z.number().nullish(),
  score: z.number().nullish(),
});

/** What Whisper, faster-whisper, whisperX and the transcription API of OpenAI write; unknown fields are ignored. */
export const whisperOutput = z.object({
  language: z.string().max(35).nullish(),
  segments: z.array(
    z.object({
      start: seconds,
      end: seconds,
      text: z.string(),
      speaker: z.string().nullish(),
      words: z.array(spoken).nullish(),
    }),
  ),
});
/** What whisper.cpp writes, with milliseconds. */
export const whisperCppOutput = z
  .object({
    result: z.object({ language: z.string().max(35) }).optional(),
    transcription: z.array(
      z.object({
        offsets: z.object({
          from: z
            .number()
            .min(0)
            .max(maxTime * 1000),
          to: z
            .number()
            .min(0)
            .max(maxTime * 1000),
        }),
        text: z.string(),
      }),
    ),
  })
  .transform(({ result, transcription }): z.infer<typeof whisperOutput> => ({
    language: result?.language,
    segments: transcription.map(({ offsets, text }) => ({ start: offsets.from / 1000, end: offsets.to / 1000, text })),
  }));

export function fromWhisper({ language, segments }: z.infer<typeof whisperOutput>): ParsedTranscript {
  const list = createCueList();
  let words = 0;
  segments.forEach(({ start, end, text, speaker, words: given }, i) => {
    words += given?.length ?? 0;
    checkWordCount(words);
    const known = given ? timedWords(given) : null;
    list.add({
      line: i + 1,
      start,
      end,
      speaker: speaker ? speakerNameOf(speaker) : null,
      text: collapseText(text),
      ...(known ? { words: known } : {}),
    });
  });
  return { cues: list.cues, language: language ?? null, title: null, markupRemoved: 0 };
}

/** A word without times lies between the adjacent ones; null when none has times. */
function timedWords(given: readonly z.infer<typeof spoken>[]): Word[] | null {
  if (given.every(({ start }) => typeof start !== 'number')) return null;
  let latest = given.find(({ start }) => typeof start === 'number')?.start ?? 0;
  return given.map(({ word, start, end, probability, score }) => {
    const from = start ?? latest;
    latest = Math.max(from, end ?? from);
    const isKnown = typeof start === 'number' && typeof end === 'number';
    return {
      word: word.trim(),
      start: from,
      end: latest,
      confidence: probability ?? score ?? null,
      ...(isKnown ? {} : { interpolated: true }),
    };
  });
}
