import type { SummaryObject } from '@overtone/contracts';
import { clock, collapseWhitespace } from './spoken.ts';

export type ExportedSummary = Pick<
  SummaryObject,
  'summary' | 'coverage' | 'made_without_model' | 'out_of_date' | 'language'
>;

/** `seconds`: where in the recording an item comes from. */
export type SummarySection = { heading: string; items: { text: string; seconds: number[] }[] };
type Sourced = { segments: readonly { start: number }[] };

/** The parts of the summary, without those that are empty. */
export function summarySections(exported: ExportedSummary): SummarySection[] {
  const { brief, key_decisions, action_items, topics, follow_ups } = exported.summary;
  const item = (text: string, { segments }: Sourced) => ({
    text: collapseWhitespace(text),
    seconds: [...new Set(segments.map(({ start }) => start))],
  });
  const statements = (list: readonly (Sourced & { text: string })[]) => list.map((one) => item(one.text, one));
  const sections = [
    { heading: 'Summary', items: statements(brief) },
    { heading: 'Key decisions', items: statements(key_decisions) },
    {
      heading: 'Action items',
      items: action_items.map(({ text, owner, due_date, ...source }) =>
        item([text, owner && `Owner: ${owner}.`, due_date && `Due: ${due_date}.`].filter(Boolean).join(' '), source),
      ),
    },
    {
      heading: 'Topics',
      items: topics.map((topic) => item(`${topic.title} (${clock(topic.start)} to ${clock(topic.end)})`, topic)),
    },
    { heading: 'Follow-ups', items: statements(follow_ups) },
    { heading: 'About this summary', items: notesOf(exported).map((text) => ({ text, seconds: [] })) },
  ];
  return sections.filter(({ items }) => items.length > 0);
}

/** The summary as lines of plain text. */
export function summaryLines(exported: ExportedSummary): string[] {
  return summarySections(exported).flatMap(({ heading, items }) => [
    `${heading}:`,
    ...items.map(({ text }) => `- ${text}`),
  ]);
}

function notesOf({ made_without_model, out_of_date, coverage }: ExportedSummary): string[] {
  const missing = coverage.gaps.map(({ start, end }) => `${clock(start)} to ${clock(end)}`);
  return [
    ...(made_without_model ? ['Made of sentences of the transcript, without a language model.'] : []),
    ...(out_of_date ? ['The transcript was edited since.'] : []),
    ...(missing.length > 0 ? [`Parts that it does not cover: ${missing.join(', ')}.`] : []),
  ];
}
