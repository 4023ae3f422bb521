import { speakerName } from '@overtone/contracts/speakers';
import { stringify } from 'csv-stringify/sync';
import { exportedComments } from './comments.ts';
import { collapseWhitespace, namesBy, showMasked, speakerOf, timestamp } from './spoken.ts';
import type { ExportedSummary } from './summary.ts';
import { speakerNames, type Writer } from './transcript.ts';

/** Spreadsheets run a cell that begins like a formula; the library puts an apostrophe in front of it. */
const csv = { escape_formulas: true, record_delimiter: 'windows' } as const;

/** A table with a row for each passage. It begins with a byte order mark, without which Excel does not read UTF-8. */
export const writeCsv: Writer = async function* ({ about, options, segments }) {
  const nameOf = namesBy(options.names, speakerNames(about));
  const withNames = options.names !== 'none';
  yield `\uFEFF${stringify([['start', 'end', ...(withNames ? ['speaker'] : []), 'text', 'confidence']], csv)}`;
  for await (const segment of segments) {
    const { start_time: start, end_time: end, text, confidence } = showMasked(segment, options.masked);
    const name = withNames ? [nameOf(speakerOf(segment)) ?? ''] : [];
    const times = [start, end].map((seconds) => timestamp(seconds, '.'));
    yield stringify([[...times, ...name, collapseWhitespace(text), confidence?.toFixed(2) ?? '']], csv);
  }
};

/** JSON for other programs: speakers by their label, without identifiers of this installation. */
export const writeJson: Writer = async function* ({ about, options, summary, comments, segments }) {
  const { title, filename, language, duration, recorded_date, upload_time, engine } = about;
  const withSpeakers = options.names !== 'none';
  const speakers = about.speakers.map((speaker) => ({
    label: speaker.name,
    name: speakerName(speaker),
    talk_time: speaker.talk_time,
  }));
  const head = {
    title,
    filename,
    language,
    duration,
    recorded_date,
    upload_time,
    engine,
    ...(withSpeakers ? { speakers } : {}),
    ...(summary ? { summary: toExported(summary) } : {}),
    ...(comments ? { comments: exportedComments(comments) } : {}),
  };
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "segments": [`;
  let separator = '\n';
  for await (const { start_time, end_time, text, speaker, words, confidence, edited } of segments) {
    const named = withSpeakers ? { speaker: speaker?.name ?? null } : {};
    yield `${separator}    ${JSON.stringify({ start_time, end_time, ...named, text, confidence, edited, words })}`;
    separator = ',\n';
  }
  yield '\n  ]\n}\n';
};

/** Without the identifiers of passages: they belong to this installation. */
function toExported({ summary, made_without_model, out_of_date, coverage, language }: ExportedSummary) {
  const withoutIds = JSON.parse(JSON.stringify(summary), (key: string, value: unknown) =>
    key === 'uuid' ? undefined : value,
  ) as unknown;
  return { content: withoutIds, made_without_model, out_of_date, language, gaps: coverage.gaps };
}
