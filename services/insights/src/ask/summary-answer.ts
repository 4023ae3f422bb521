import type { SummaryContent } from '@overtone/contracts';
import { citationList, type CitedAnswer, type Passage } from './citations.ts';
import { contentWordsOf } from './content-words.ts';

type Statement = { text: string; segments: { uuid: string }[] };
/** A segment of the current transcript. */
export type SummarySegment = Passage & { uuid: string };

const maxStatements = 8;
const maxCitationsPerStatement = 2;
const aspects: readonly { asked: RegExp; of: (content: SummaryContent) => Statement[] }[] = [
  {
    asked:
      /\b(?:action items?|to-?dos?|tasks?|next steps?|who (?:does|will do)|aufgaben?|nächsten? schritte?|zu tun)\b/iu,
    of: ({ action_items: items }) =>
      items.map(({ text, owner, due_date: due, segments }) => {
        const details = [owner, due].filter((detail) => detail !== null && !text.includes(detail));
        return { text: details.length === 0 ? text : `${text} (${details.join(', ')})`, segments };
      }),
  },
  {
    asked:
      /\b(?:deci(?:de|ded|sions?)|agreed?|agreements?|entschieden|entscheidung(?:en)?|beschlossen|beschl[uü]sse?|vereinbart)\b/iu,
    of: ({ key_decisions: decisions }) => decisions,
  },
  {
    asked:
      /\b(?:open (?:questions?|points?|issues?)|follow-?ups?|unresolved|offene[nr]? (?:fragen?|punkte?)|ungeklärt)\b/iu,
    of: ({ follow_ups: followUps }) => followUps,
  },
  {
    asked: /\b(?:topics?|subjects?|themen|thema|agenda)\b/iu,
    of: ({ topics }) => topics.map(({ title, segments }) => ({ text: title, segments })),
  },
];

/**
 * The part of a summary that a general question asks for: decisions, tasks, open questions, topics, or the brief.
 * @returns null when the summary has none; an answer that says "nothing was decided" would be a guess.
 */
export function summaryAnswerOf(
  question: string,
  content: SummaryContent,
  segments: readonly SummarySegment[],
): CitedAnswer | null {
  const aspect = aspects.find(({ asked }) => asked.test(question));
  const statements = (aspect ? aspect.of(content) : content.brief).slice(0, maxStatements);
  const byId = new Map(segments.map((segment) => [segment.uuid, segment]));
  const list = citationList();
  const sentences = statements.map(({ text, segments: sources }) => {
    const cited = sources.flatMap(({ uuid }) => byId.get(uuid) ?? []).slice(0, maxCitationsPerStatement);
    const citations = cited.map((segment) => list.numberOf(segment, contentWordsOf(text)));
    return { text, citations: [...new Set(citations)], supported: citations.length > 0 };
  });
  return list.citations.length === 0 ? null : { sentences, citations: list.citations };
}
