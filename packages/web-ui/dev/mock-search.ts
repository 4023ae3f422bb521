import type { AnswerOf, searchRoutes } from '@overtone/contracts';
import type { Context, MockRoute } from './mock-kit.ts';
import { files } from './mock-library.ts';

const search = ({ url }: Context): AnswerOf<typeof searchRoutes.search> => {
  const query = url.searchParams.get('q') ?? '';
  const results = files.flatMap((file) => {
    const hits = file.transcript_segments.filter((s) => s.text.toLowerCase().includes(query.toLowerCase()));
    if (hits.length === 0) return [];
    return [
      {
        file_uuid: file.uuid,
        title: file.title,
        speakers: [],
        tags: file.tags.map((t) => t.name),
        upload_time: file.upload_time,
        duration: file.duration,
        language: 'en',
        content_type: file.content_type,
        relevance_score: 1,
        occurrences: hits.slice(0, 3).map((s) => ({
          snippet: s.text.replaceAll('&', '&amp;').replaceAll(new RegExp(query, 'gi'), (m) => `<mark>${m}</mark>`),
          speaker: s.speaker?.display_name ?? s.speaker?.name ?? null,
          start_time: s.start_time,
          end_time: s.end_time,
          score: 1,
          match_type: 'keyword' as const,
        })),
        total_occurrences: hits.length,
        semantic_only: false,
      },
    ];
  });
  const total_results = results.reduce((n, r) => n + r.total_occurrences, 0);
  return {
    query,
    results,
    total_results,
    total_files: results.length,
    page: 1,
    page_size: 10,
    search_time_ms: 4.2,
    search_mode: 'hybrid',
    legs: { keyword: 'ok', semantic: 'unavailable' },
  };
};

/** Search for exact words only, and the state of the index. */
export const searchMock: readonly MockRoute[] = [
  ['GET', /^\/api\/search$/, search],
  [
    'GET',
    /^\/api\/search\/index-health$/,
    () => ({ status: 'green', backend: 'lancedb', chunks: 812, files: 3, keyword_only_files: 0, error: null }),
  ],
  [
    'GET',
    /^\/api\/search\/reindex\/status$/,
    () => ({
      in_progress: false,
      total_files: 3,
      indexed_files: 3,
      failed_files: 0,
      model: 'wink',
      last_completed_at: null,
    }),
  ],
];
