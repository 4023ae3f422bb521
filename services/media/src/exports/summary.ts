import type { SummaryObject } from '@overtone/contracts';
import { collapseWhitespace } from './cues.ts';

export type ExportedSummary = Pick<
  SummaryObject,
  'summary' | 'coverage' | 'made_without_model' | 'out_of_date' | 'language'
>;

/** The summary as lines of plain text, without headings for what it does not have. */
export function summaryLines(exported: ExportedSummary): string[] {
  const { brief, key_decisions, action_items, topics, follow_ups } = exported.summary;
  const items = action_items.map(({ text, owner, due_date }) =>
    [text, owner && `Owner: ${owner}.`, due_date && `Due: ${due_date}.`].filter(Boolean).join(' '),
  );
  const list = (heading: string, entries: readonly string[]): string[] =>
    entries.length === 0 ? [] : [`${heading}:`, ...entries.map((entry) => `- ${collapseWhitespace(entry)}`)];
  const textsOf = (statements: readonly { text: string }[]) => statements.map(({ text }) => text);
  return [
    ...list('Summary', textsOf(brief)),
    ...list('Key decisions', textsOf(key_decisions)),
    ...list('Action items', items),
    ...list(
      'Topics',
      topics.map(({ title, start, end }) => `${title} (${clock(start)} to ${clock(end)})`),
    ),
    ...list('Follow-ups', textsOf(follow_ups)),
    ...list('About this summary', notesOf(exported)),
  ];
}

function notesOf({ made_without_model, out_of_date, coverage }: ExportedSummary): string[] {
  const missing = coverage.gaps.map(({ start, end }) => `${clock(start)} to ${clock(end)}`);
  return [
    ...(made_without_model ? ['Made of sentences of the transcript, without a language model.'] : []),
    ...(out_of_date ? ['The transcript was edited since.'] : []),
    ...(missing.length > 0 ? [`Parts that it does not cover: ${missing.join(', ')}.`] : []),
  ];
}

/** `01:02:03` */
function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds));
  return [Math.floor(whole / 3_600), Math.floor(whole / 60) % 60, whole % 60]
    .map((part) => String(part).padStart(2, '0'))
    .join(':');
}
