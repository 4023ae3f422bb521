import { plural, t } from '@lingui/core/macro';
import type { FileItem } from '../api/queries.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { PlaceList } from './place-list.tsx';
import { SearchFields } from './search-fields.tsx';
import { useReplacing } from './use-replacing.ts';

type Props = { readonly files: readonly Pick<FileItem, 'uuid'>[]; readonly onClose: () => void };

/** Find and replace over a selection of recordings. */
export function ReplaceDialog({ files, onClose }: Props) {
  const replacing = useReplacing(
    files.map(({ uuid }) => uuid),
    { version: 0, askToLeave: true },
  );
  const { draft, run, chosen, chosenCount, current } = replacing;
  const replaceAll = (): void =>
    run.mutate(chosen, {
      onSuccess: ({ results }) => {
        if (results.some(({ error }) => error !== null)) return;
        draft.drop();
        onClose();
      },
    });
  return (
    <FormDialog
      size="60rem"
      title={t`Find and replace in ${plural(files.length, { one: '# recording', other: '# recordings' })}`}
      action={chosenCount > 0 ? plural(chosenCount, { one: 'Replace # place', other: 'Replace # places' }) : t`Replace`}
      unready={chosenCount > 0 && current ? null : t`Find and choose the places first.`}
      sending={run}
      failure={t`Nothing was replaced`}
      draft={draft}
      onSubmit={replaceAll}
      onClose={onClose}
    >
      <SearchFields replacing={replacing} speakers={null} />
      <PlaceList replacing={replacing} />
    </FormDialog>
  );
}
