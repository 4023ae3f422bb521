import type { SearchAnswer } from '@overtone/contracts';
import type { Layout } from '../chunking/chunking.ts';
import { isCard, type Shown } from '../ports/search-index.ts';
import type { FusedHit } from './ranking.ts';
import { snippetOf, type Marks, type Snippet } from './snippets.ts';
import type { SearchPlan } from './search.ts';

type Occurrence = SearchAnswer['results'][number]['occurrences'][number];

/** Layout of cards, which have no speech. */
const noLayout: Layout = { at: [0], ms: [0], turns: [[0, null]] };
const noMarks: Marks = { words: new Set(), phrases: [] };

/** A passage as an API object; undefined when none of the requested speakers says a match. */
export function occurrenceOf(
  passage: Shown,
  hit: FusedHit,
  plan: SearchPlan,
  language: string | null,
): Occurrence | undefined {
  // A passage that the keyword leg did not return contains none of the words.
  const marks = plan.keyword !== null && hit.keyword === null ? noMarks : plan.marks;
  const snippet = snippetOf({
    text: passage.text,
    layout: passage.layout ?? noLayout,
    language,
    marks,
    focus: hit.token,
    spokenBy: isCard(passage.id) ? null : plan.spokenBy,
  });
  const searched = plan.marks.words.size + plan.marks.phrases.length > 0;
  if (plan.spokenBy && searched && snippet.marked === 0 && hit.semantic === null) return undefined;
  return {
    snippet: snippet.html,
    speaker: isCard(passage.id) ? null : snippet.speaker,
    start_time: snippet.start,
    end_time: passage.end,
    score: hit.score,
    match_type: isCard(passage.id) ? 'title' : matchType(hit, snippet),
  };
}

function matchType(hit: FusedHit, snippet: Snippet): Occurrence['match_type'] {
  // A purely semantic search may return a passage that contains the words, too.
  const words = hit.keyword !== null || snippet.marked > 0;
  if (!words) return 'semantic';
  return hit.semantic === null ? 'keyword' : 'both';
}
