import { plural, t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { notify } from '../ui/notify.ts';
import { refreshCollections } from './collection-queries.ts';

/** Adds recordings to a collection. @param onDone at least one was added. */
export function useAddToCollection(onDone: () => void) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async ({ collection, files }: { collection: string; files: string[] }) => {
      const { results } = await call('POST /api/collections/{uuid}/media', {
        params: { uuid: collection },
        body: { media_file_ids: files },
      });
      const added = results.filter(({ error }) => error === null).length;
      if (added === 0) throw new Error(t`These recordings are no longer in the library.`);
      return { added, failed: results.length - added };
    },
    onSuccess: ({ added, failed }) => {
      const done = plural(added, { one: 'Added # recording.', other: 'Added # recordings.' });
      const rest = plural(failed, { one: '# is no longer in the library.', other: '# are no longer in the library.' });
      notify(failed === 0 ? done : `${done} ${rest}`);
      onDone();
    },
    onSettled: () => refreshCollections(client),
  });
}
