import type { FileDetail } from '@overtone/contracts';
import { speakerName } from '@overtone/contracts/speakers';
import { collapseWhitespace, speakerOf, toCues, wrapLines, type Spoken } from './cues.ts';
import { summaryLines, type ExportedSummary } from './summary.ts';

export type { Spoken } from './cues.ts';

const paragraphPause = 2;

/** `01:02:03,004`; hours may exceed 99. */
export function timestamp(seconds: number, separator: ',' | '.'): string {
  const ms = Math.max(0, Math.round(seconds * 1000));
  const clock = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${clock.map((part) => pad(part)).join(':')}${separator}${pad(ms % 1000, 3)}`;
}

/** SubRip. The text must not contain a blank line, which ends a cue, or `-->`. */
export function toSrt(segments: Spoken[], withSpeakers: boolean): string {
  const prefixOf = (speaker: string | null): string => (withSpeakers && speaker ? `${speaker}: ` : '');
  return toCues(segments, { prefixOf })
    .map(({ start, end, speaker, text }, index) => {
      const body = wrapLines((prefixOf(speaker) + text).replaceAll('-->', '→')).join('\n');
      return `${index + 1}\n${timestamp(start, ',')} --> ${timestamp(end, ',')}\n${body}\n`;
    })
    .join('\n');
}

function escapeVtt(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** WebVTT (https://www.w3.org/TR/webvtt1/): the speaker is a voice span. */
export function toVtt(segments: Spoken[], withSpeakers: boolean, summary: ExportedSummary | null = null): string {
  const cues = toCues(segments).map(({ start, end, speaker, text }) => {
    const voice = withSpeakers && speaker ? `<v ${escapeVtt(speaker)}>` : '';
    return `${timestamp(start, '.')} --> ${timestamp(end, '.')}\n${voice}${escapeVtt(wrapLines(text).join('\n'))}\n`;
  });
  const note = summary ? [`NOTE\n${summaryLines(summary).join('\n').replaceAll('-->', '→')}\n`] : [];
  return ['WEBVTT\n', ...note, ...cues].join('\n');
}

/** Plain text: one paragraph per speaker turn, headed by speaker and time. */
export function toTxt(segments: Spoken[], withSpeakers: boolean, summary: ExportedSummary | null = null): string {
  const turns: { speaker: string | null; start: number; end: number; text: string }[] = [];
  for (const segment of segments) {
    const text = collapseWhitespace(segment.text);
    if (text === '') continue;
    const speaker = speakerOf(segment);
    const last = turns.at(-1);
    const pause = last ? segment.start_time - last.end : 0;
    if (last && last.speaker === speaker && pause < paragraphPause) {
      last.text += ` ${text}`;
      last.end = segment.end_time;
    } else {
      turns.push({ speaker, start: segment.start_time, end: segment.end_time, text });
    }
  }
  const paragraphs = turns.map(({ speaker, start, text }) => {
    const heading = withSpeakers && speaker ? `${speaker} ` : '';
    return `${heading}[${timestamp(start, '.').slice(0, 8)}]\n${text}\n`;
  });
  const lines = summary ? summaryLines(summary) : [];
  return [...(lines.length > 0 ? [`${lines.join('\n')}\n`] : []), ...paragraphs].join('\n');
}

type Exported = Pick<
  FileDetail,
  'title' | 'filename' | 'language' | 'duration' | 'recorded_date' | 'upload_time' | 'engine' | 'speakers'
>;

/** JSON for other programs: speakers by their label, without identifiers of this installation. */
export function toJson(
  file: Exported,
  segments: Spoken[],
  withSpeakers: boolean,
  summary: ExportedSummary | null = null,
): string {
  const { title, filename, language, duration, recorded_date, upload_time, engine } = file;
  const speakers = file.speakers.map((speaker) => ({
    label: speaker.name,
    name: speakerName(speaker),
    talk_time: speaker.talk_time,
  }));
  const shown = segments.map(({ start_time, end_time, text, speaker, words, ...more }) => ({
    start_time,
    end_time,
    ...(withSpeakers ? { speaker: speaker?.name ?? null } : {}),
    text,
    confidence: more.confidence,
    edited: more.edited,
    words,
  }));
  const about = { title, filename, language, duration, recorded_date, upload_time, engine };
  const exported = {
    ...about,
    ...(withSpeakers ? { speakers } : {}),
    ...(summary ? { summary: toExported(summary) } : {}),
    segments: shown,
  };
  return JSON.stringify(exported, null, 2);
}

/** Without the identifiers of passages: they belong to this installation. */
function toExported({ summary, made_without_model, out_of_date, coverage, language }: ExportedSummary) {
  const withoutIds = JSON.parse(JSON.stringify(summary), (key: string, value: unknown) =>
    key === 'uuid' ? undefined : value,
  ) as unknown;
  return { content: withoutIds, made_without_model, out_of_date, language, gaps: coverage.gaps };
}

function pad(value: number, width = 2): string {
  return String(value).padStart(width, '0');
}
