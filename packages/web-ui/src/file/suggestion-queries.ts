import { queryOptions } from '@tanstack/react-query';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';

export type Suggestions = ResponseBody<'GET /api/files/{uuid}/suggestions'>;
export type Extraction = Suggestions['labels'];
export type SuggestionItem = Suggestions['suggested_tags'][number];

const busyMs = 5_000;

export function isBusy({ state }: Extraction): boolean {
  return state === 'waiting' || state === 'processing';
}

/** The push channel reports changes; while suggestions are being made they are also requested now and then. */
export function suggestionsQuery(uuid: string) {
  return queryOptions({
    queryKey: ['suggestions', uuid],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/suggestions', { params: { uuid }, signal }),
    refetchInterval: ({ state: { data } }) => (data && (isBusy(data.labels) || isBusy(data.speakers)) ? busyMs : false),
  });
}
