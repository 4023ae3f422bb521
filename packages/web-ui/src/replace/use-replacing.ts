import { plural, t } from '@lingui/core/macro';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { RequestBody, ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';
import { codeOf } from '../api/problem.ts';
import { notifyWithUndo } from '../ui/action-toast.tsx';
import { offerTerm } from '../vocabulary/vocabulary-queries.ts';
import { useDraft } from '../state/use-draft.ts';
import { chosenPlaces, placeKey, toChosenFiles, type Place } from './places.ts';

export type SearchFields = Required<Omit<RequestBody<'POST /api/transcripts/find'>, 'file_uuids'>>;
type Result = ResponseBody<'POST /api/transcripts/replace'>['results'][number];
type Chosen = Parameters<typeof toChosenFiles>[0];

const nothing: SearchFields = {
  find: '',
  replacement: '',
  regex: false,
  match_case: false,
  whole_word: false,
  speaker: null,
};

export type Replacing = ReturnType<typeof useReplacing>;

/**
 * Find and replace in some recordings: what is searched for, the places, which of them are excluded, and the replacement.
 * @param version changes with the transcripts
 * @param askToLeave whether leaving the page asks before it discards what was typed
 */
export function useReplacing(
  files: readonly string[],
  { version, askToLeave }: { version: number; askToLeave: boolean },
) {
  const client = useQueryClient();
  const draft = useDraft('replace', nothing, { askToLeave });
  const fields = draft.value;
  const [search] = useDebouncedValue(fields, 250);
  const [excluded, setExcluded] = useState<ReadonlySet<string>>(new Set());
  const [failed, setFailed] = useState<readonly Result[]>([]);
  const found = useQuery({
    queryKey: ['replace', files, version, search],
    queryFn: ({ signal }) =>
      call('POST /api/transcripts/find', { body: { ...search, file_uuids: [...files] }, signal }),
    enabled: search.find !== '',
    placeholderData: keepPreviousData,
    // The message of an expression that is not valid must not wait for repetitions.
    retry: (count, error) => count < 2 && !codeOf(error)?.startsWith('pattern_'),
    gcTime: 0,
  });
  useEffect(() => setFailed([]), [search]);
  const shown = search.find === '' ? [] : (found.data?.files ?? []);
  const chosen = shown.map((file) => ({ uuid: file.file_uuid, places: chosenPlaces(file, excluded) }));
  const refresh = async (): Promise<void> => {
    await Promise.all(
      ['file', 'segments', 'files', 'replace'].map((key) => client.invalidateQueries({ queryKey: [key] })),
    );
  };
  const run = useMutation({
    mutationFn: async (places: Chosen) => {
      const uuid = crypto.randomUUID();
      const body = { ...search, uuid, files: toChosenFiles(places) };
      return { uuid, results: (await call('POST /api/transcripts/replace', { body })).results };
    },
    onSuccess: ({ uuid, results }) => {
      const done = results.filter(({ error }) => error === null);
      setFailed(results.filter(({ error }) => error !== null));
      const count = done.reduce((sum, { replaced }) => sum + replaced, 0);
      if (count > 0)
        notifyWithUndo(plural(count, { one: 'Replaced # place.', other: 'Replaced # places.' }), async () => {
          await undo(
            uuid,
            done.map(({ file_uuid }) => file_uuid),
          );
          await refresh();
        });
      if (count > 0 && !search.regex)
        void offerTerm(client, search.find, search.replacement ?? '').catch(() => undefined);
    },
    onSettled: refresh,
  });
  return {
    draft,
    fields,
    change: (next: Partial<SearchFields>) => draft.set({ ...fields, ...next }),
    found,
    files: shown,
    /** False while the shown places are those of another text. */
    current: search === fields && !found.isPlaceholderData && !found.isFetching,
    excluded,
    toggle: (places: readonly Place[], isIncluded: boolean) =>
      setExcluded((before) => {
        const after = new Set(before);
        for (const key of places.map(placeKey))
          if (!isIncluded) after.add(key);
          else after.delete(key);
        return after;
      }),
    chosen,
    chosenCount: chosen.reduce((sum, { places }) => sum + places.length, 0),
    failed,
    run,
  };
}

async function undo(uuid: string, file_uuids: string[]): Promise<void> {
  const { results } = await call('POST /api/transcripts/replace/{uuid}/undo', {
    params: { uuid },
    body: { file_uuids },
  });
  const kept = results.filter(({ error }) => error !== null).length;
  if (kept > 0)
    throw new Error(
      t`${plural(kept, { one: '# recording was', other: '# recordings were' })} changed again since, and stayed as they are.`,
    );
}
