import { keepPreviousData, queryOptions, type QueryClient } from '@tanstack/react-query';
import type { CodeColor, CodedPassage, CodeListObject, CodeObject, CodingObject } from '@overtone/contracts';
import { call } from '../api/client.ts';
import type { FileDetail } from '../api/queries.ts';

export type { CodeColor, CodedPassage, CodeListObject as CodeList, CodeObject as Code, CodingObject as Coding };
export const codeColors: readonly CodeColor[] = [
  'red',
  'orange',
  'yellow',
  'green',
  'teal',
  'blue',
  'violet',
  'pink',
  'gray',
];
export const codeListsPageSize = 20;
export const passagesPageSize = 20;
/** What the choice of a code offers. */
const maxOffered = 100;

export function codeListsQuery(page: number, size: number = codeListsPageSize) {
  return queryOptions({
    queryKey: ['code-lists', { page, size }],
    queryFn: ({ signal }) => call('GET /api/code-lists', { signal, query: { page, page_size: size } }),
    placeholderData: keepPreviousData,
  });
}

/** The lists whose codes the person may give to passages. Of an administrator only own and shared ones. */
export const usableListsQuery = queryOptions({
  queryKey: ['code-lists', 'usable'],
  queryFn: async ({ signal }) => {
    const ownerships = ['mine', 'shared'] as const;
    const pages = await Promise.all(
      ownerships.map((ownership) =>
        call('GET /api/code-lists', { signal, query: { ownership, page_size: maxOffered } }),
      ),
    );
    const lists = new Map(pages.flatMap(({ items }) => items).map((list) => [list.uuid, list]));
    return [...lists.values()].filter((list) => list.my_permission !== 'viewer');
  },
});

export function codeListQuery(uuid: string) {
  return queryOptions({
    queryKey: ['code-lists', 'one', uuid],
    queryFn: ({ signal }) => call('GET /api/code-lists/{uuid}', { params: { uuid }, signal }),
  });
}

export function passagesQuery(uuid: string, code: string, page: number) {
  return queryOptions({
    queryKey: ['coded-passages', uuid, code, page],
    queryFn: ({ signal }) =>
      call('GET /api/code-lists/{uuid}/passages', {
        params: { uuid },
        query: { page, page_size: passagesPageSize, code_uuid: code || undefined },
        signal,
      }),
    placeholderData: keepPreviousData,
  });
}

/** The quotes are those of one version of the transcript. The push channel reports changes. */
export function codingsQuery({ uuid, transcript_version }: Pick<FileDetail, 'uuid' | 'transcript_version'>) {
  return queryOptions({
    queryKey: ['codings', uuid, transcript_version],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/codings', { params: { uuid }, signal }),
    placeholderData: keepPreviousData,
  });
}

/** After a change of lists, codes or codings. */
export async function refreshCodes(client: QueryClient): Promise<void> {
  const keys = ['code-lists', 'codings', 'coded-passages'];
  await Promise.all(keys.map((key) => client.invalidateQueries({ queryKey: [key] })));
}
