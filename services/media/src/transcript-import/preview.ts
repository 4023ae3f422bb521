import type { ImportPreview } from '@overtone/contracts';
import { speakerLabel, speakerName } from '@overtone/contracts/speakers';
import type { Span } from '@overtone/redaction';
import { maskSegment, maskSpeaker, type Mask } from '../redaction/redaction.ts';
import type { Detector } from '../redaction/redaction.store.ts';
import { shownTurns, type TranscriptSummary } from './transcript-import.ts';

/** The preview as its reader would see the stored transcript. */
export async function previewOf(
  transcript: TranscriptSummary,
  mask: Mask,
  { find }: Pick<Detector, 'find'>,
): Promise<ImportPreview> {
  const { first: segments, introduced: _, title: _title, ...about } = transcript;
  const spans = mask.kinds.size === 0 ? [] : await findSpans(transcript, find);
  // A text whose scan failed is withheld, like a stored one.
  const turnMask = spans ? mask : { ...mask, withholdsUnscanned: true };
  const shownNames = new Map(about.speakers.map((name, i) => [name, shownName(name, speakerLabel(i + 1), mask)]));
  return {
    ...about,
    speakers: [...shownNames.values()],
    turns: segments.slice(0, shownTurns).map(({ start, end, speaker, text }, i) => {
      const found = (spans?.[i] ?? []).map((span) => ({ ...span, uuid: '' }));
      const turn = maskSegment({ text, words: [], speaker: null }, { found, scanned: spans !== undefined }, turnMask);
      return {
        start_time: start,
        end_time: end,
        speaker: speaker === null ? null : (shownNames.get(speaker) ?? null),
        text: turn.text.slice(0, 500).toWellFormed(),
      };
    }),
  };
}

function shownName(name: string, label: string, mask: Mask): string {
  return speakerName(maskSpeaker({ name: label, display_name: name }, mask));
}

/** The personal data of the shown passages; undefined when the scan fails. */
async function findSpans(
  { first, speakers, introduced, language }: TranscriptSummary,
  find: Detector['find'],
): Promise<Span[][] | undefined> {
  try {
    const texts = first.map(({ text }) => text);
    return await find(texts, { language, knownNames: [...speakers, ...introduced] });
  } catch {
    return undefined;
  }
}
