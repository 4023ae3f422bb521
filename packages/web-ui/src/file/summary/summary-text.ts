import { t } from '@lingui/core/macro';
import { clock } from '../../lib/format.ts';
import type { Statement, Summary } from './summary-queries.ts';

type Sources = Statement['segments'];

/** The seconds of a statement, each once, in order. */
export function secondsOf(sources: Sources): number[] {
  const bySecond = new Map(sources.map(({ start }) => [Math.floor(start), start]));
  return [...bySecond.keys()].toSorted((x, y) => x - y);
}

/** What is known of an action item besides its text. */
export function taskFacts({ owner, due_date }: Summary['summary']['action_items'][number]): string[] {
  return [...(owner === null ? [] : [t`Owner: ${owner}`]), ...(due_date === null ? [] : [t`Due: ${due_date}`])];
}

/** A summary as plain text, for the clipboard. */
export function summaryText({ title, made_without_model, summary }: Summary): string {
  const line = ({ text, segments }: Statement): string => `- ${[text, timesOf(segments)].filter(Boolean).join(' ')}`;
  const parts: [string, string[]][] = [
    [t`Key decisions`, summary.key_decisions.map(line)],
    [
      t`Action items`,
      summary.action_items.map(
        (item) =>
          `${line(item)}${taskFacts(item)
            .map((fact) => `; ${fact}`)
            .join('')}`,
      ),
    ],
    [t`Topics`, summary.topics.map((topic) => `- ${clock(topic.start)}–${clock(topic.end)} ${topic.title}`)],
    [t`Follow-ups`, summary.follow_ups.map(line)],
  ];
  return [
    title,
    ...(made_without_model ? [t`Automatic extract`] : []),
    summary.brief.map(({ text, segments }) => [text, timesOf(segments)].filter(Boolean).join(' ')).join('\n'),
    ...parts.filter(([, lines]) => lines.length > 0).map(([heading, lines]) => `${heading}\n${lines.join('\n')}`),
  ].join('\n\n');
}

function timesOf(sources: Sources): string {
  const seconds = secondsOf(sources);
  return seconds.length === 0 ? '' : `[${seconds.map((second) => clock(second)).join(', ')}]`;
}
