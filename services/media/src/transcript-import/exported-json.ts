import { word } from '@overtone/contracts';
import { z } from 'zod';
import { checkWordCount, collapseText, createCueList, maxTime, speakerNameOf } from './cues.ts';
import type { ParsedTranscript } from './cues.ts';
import { importErrors } from './import-errors.ts';
import { fromWhisper, whisperCppOutput, whisperOutput } from './whisper-json.ts';

const seconds = z.number().min(-maxTime).max(maxTime);

/** What an import needs of the JSON export; unknown fields are ignored. */
const exported = z.object({
  title: z.string().max(1000).optional(),
  language: z.string().max(35).nullish(),
  speakers: z
    .array(z.object({ label: z.string(), name: z.string() }))
    .max(1000)
    .optional(),
  segments: z.array(
    z.object({
      start_time: seconds,
      end_time: seconds,
      speaker: z.string().nullish(),
      text: z.string(),
      words: z.array(word.extend({ start: seconds, end: seconds, confidence: z.number().nullish() })).optional(),
    }),
  ),
});

/** The JSON export of this platform, or what Whisper writes. */
export function parseJsonTranscript(text: string): ParsedTranscript {
  const json = parseJson(text);
  checkWordCount(countWords(json));
  for (const schema of [whisperOutput, whisperCppOutput]) {
    const whisper = schema.safeParse(json);
    if (whisper.success) return fromWhisper(whisper.data);
  }
  return fromExport(json);
}

/** Before each word becomes several objects. */
function countWords(json: unknown): number {
  const segments = (json as { segments?: unknown } | null)?.segments;
  if (!Array.isArray(segments)) return 0;
  return segments.reduce<number>((sum, segment: { words?: unknown } | null) => {
    const words = segment?.words;
    return sum + (Array.isArray(words) ? words.length : 0);
  }, 0);
}

function fromExport(json: unknown): ParsedTranscript {
  const parsed = exported.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw importErrors.invalidField(issue?.path.join('.') ?? '', issue?.message ?? 'is not valid');
  }
  const { title, language, speakers = [], segments } = parsed.data;
  const names = new Map(speakers.map(({ label, name }) => [label, name]));
  const list = createCueList();
  segments.forEach((segment, i) => {
    const { start_time: start, end_time: end, speaker, words } = segment;
    list.add({
      line: i + 1,
      start,
      end,
      speaker: speaker ? speakerNameOf(names.get(speaker) ?? speaker) : null,
      text: collapseText(segment.text),
      ...(words ? { words: words.map((item) => ({ ...item, confidence: item.confidence ?? null })) } : {}),
    });
  });
  return { cues: list.cues, language: language ?? null, title: title ?? null, markupRemoved: 0 };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    const { message } = error as SyntaxError;
    const line = /line (\d+)/.exec(message)?.[1];
    const position = Number(/position (\d+)/.exec(message)?.[1] ?? text.length);
    throw importErrors.invalid(Number(line ?? text.slice(0, position).split('\n').length), 'This is not valid JSON.');
  }
}
