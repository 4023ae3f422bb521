import type { SearchAnswer } from '@overtone/contracts';
import { z } from 'zod';
import type { Layout } from '../chunking/chunking.ts';
import type { StoredPassage } from '../ports/search-index.ts';
import type { Fused } from '../ranking/ranking.ts';
import { snippetOf, type Snippet } from '../snippets/snippets.ts';
import type { SearchPlan } from './search.ts';

type Occurrence = SearchAnswer['results'][number]['occurrences'][number];

const layoutSchema = z.object({
  at: z.array(z.number()),
  ms: z.array(z.number()),
  turns: z.array(z.tuple([z.number(), z.string().nullable()])),
});
/** Cards have no layout: nobody speaks in a title. */
const noLayout: Layout = { at: [0], ms: [0], turns: [[0, null]] };
const layoutOf = (passage: StoredPassage): Layout =>
  passage.layout === '' ? noLayout : layoutSchema.parse(JSON.parse(passage.layout));

/** A found passage as it is shown; undefined when nothing of it was said by those asked for. */
export const occurrenceOf = (
  passage: StoredPassage,
  hit: Fused,
  plan: SearchPlan,
  language: string | null,
): Occurrence | undefined => {
  const snippet = snippetOf({
    text: passage.text,
    layout: layoutOf(passage),
    language,
    marks: plan.marks,
    spokenBy: passage.kind === 'card' ? null : plan.spokenBy,
  });
  const searched = plan.marks.words.size + plan.marks.phrases.length > 0;
  if (plan.spokenBy && searched && snippet.marked === 0 && hit.semantic === null) return undefined;
  return {
    snippet: snippet.html,
    speaker: passage.kind === 'card' ? null : snippet.speaker,
    start_time: snippet.start,
    end_time: passage.end,
    score: hit.score,
    match_type: passage.kind === 'card' ? 'title' : matchType(hit, snippet),
  };
};

const matchType = (hit: Fused, snippet: Snippet): Occurrence['match_type'] => {
  // The meaning leg may find a passage that holds the words too, beyond the word leg's limit.
  const words = hit.keyword !== null || snippet.marked > 0;
  if (!words) return 'semantic';
  return hit.semantic === null ? 'keyword' : 'both';
};
