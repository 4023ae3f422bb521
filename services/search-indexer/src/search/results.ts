import type { SearchAnswer } from '@overtone/contracts';
import { isCard, type Shown } from '../ports/search-index.ts';
import { relevance, type FileHit, type FusedHit } from './ranking.ts';
import type { Legs } from './legs.service.ts';
import { occurrenceOf } from './occurrences.ts';
import type { SearchPlan, SearchQuery } from './search.ts';
import type { FileFacts } from './search.store.ts';

type Result = SearchAnswer['results'][number];

const occurrencesShown = 5;

/** The displayed passages of a file; speech comes before the title, which has no time to jump to. */
export function shownOf(file: FileHit): FusedHit[] {
  return file.passages.toSorted((x, y) => Number(isCard(x.id)) - Number(isCard(y.id))).slice(0, occurrencesShown);
}

export type Material = { facts: ReadonlyMap<string, FileFacts>; stored: ReadonlyMap<string, Shown>; legs: Legs };

/** A found file as an API object; empty when it was deleted since. */
export function resultOf(file: FileHit, plan: SearchPlan, { facts, stored, legs }: Material): Result[] {
  const fact = facts.get(file.fileId);
  if (!fact) return [];
  const occurrences = shownOf(file).flatMap((hit) => {
    const passage = stored.get(hit.id);
    const occurrence = passage && occurrenceOf(passage, hit, plan, fact.language);
    return occurrence ? [occurrence] : [];
  });
  const ran = Object.values(legs).filter((status) => status === 'ok').length;
  return [
    {
      file_uuid: file.fileId,
      title: fact.title,
      speakers: fact.speakers,
      tags: fact.tags,
      upload_time: (fact.uploadTime ?? new Date(0)).toISOString(),
      duration: fact.duration,
      language: fact.language,
      content_type: fact.contentType,
      relevance_score: Math.round(relevance(file.score, ran) * 1e4) / 1e4,
      occurrences,
      total_occurrences: file.passages.length,
      semantic_only: file.semanticOnly,
    },
  ];
}

/** Sorts files as requested; all orders except relevance need `facts`. */
export function sortFiles(
  files: readonly FileHit[],
  query: Pick<SearchQuery, 'sort_by' | 'sort_order'>,
  facts: ReadonlyMap<string, FileFacts>,
): FileHit[] {
  if (query.sort_by === 'relevance') return query.sort_order === 'asc' ? files.toReversed() : [...files];
  const key = (file: FileHit): number | string => {
    const fact = facts.get(file.fileId);
    if (query.sort_by === 'title') return fact?.title.toLowerCase() ?? '';
    return (query.sort_by === 'duration' ? fact?.duration : fact?.uploadTime?.getTime()) ?? 0;
  };
  const direction = query.sort_order === 'asc' ? 1 : -1;
  return files.toSorted((x, y) => {
    const [ka, kb] = [key(x), key(y)];
    return ka === kb ? (x.fileId < y.fileId ? -1 : 1) : direction * (ka < kb ? -1 : 1);
  });
}
