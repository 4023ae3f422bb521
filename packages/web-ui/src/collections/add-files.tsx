import { plural, t } from '@lingui/core/macro';
import { Checkbox, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { filesQuery } from '../api/queries.ts';
import { FormDialog, stillMissing } from '../ui/form-dialog.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import type { Collection } from './collection-queries.ts';
import { useAddToCollection } from './use-add-to-collection.ts';

/** Chooses recordings of the library for one collection. */
export function AddFiles({ collection, onClose }: { collection: Collection; onClose: () => void }) {
  const [search, setSearch] = useState('');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const files = useQuery(
    filesQuery({ ...(search === '' ? {} : { search }), sort: 'upload_time', order: 'desc', page: 1 }),
  );
  const add = useAddToCollection(onClose);
  const toggle = (uuid: string): void => {
    const next = new Set(chosen);
    if (!next.delete(uuid)) next.add(uuid);
    setChosen(next);
  };
  return (
    <FormDialog
      title={t`Add recordings to “${collection.name}”`}
      action={
        chosen.size === 0
          ? t`Add recordings`
          : t`Add ${plural(chosen.size, { one: '# recording', other: '# recordings' })}`
      }
      unready={stillMissing(chosen.size === 0 && t`Recordings`)}
      sending={add}
      failure={t`The recordings weren’t added`}
      onSubmit={() => add.mutate({ collection: collection.uuid, files: [...chosen] })}
      onClose={onClose}
    >
      <SearchBox label={t`Search by title`} value={search} onChange={setSearch} />
      <QueryStatus of={files} failure={t`The library couldn’t be loaded`} height={120} />
      {files.data?.total === 0 && <Empty>{t`No recording matches`}</Empty>}
      <Stack
        gap="xs"
        style={{ maxHeight: '40vh', overflowY: 'auto' }}
        tabIndex={0}
        role="group"
        aria-label={t`Recordings`}
      >
        {(files.data?.items ?? []).map(({ uuid, title }) => (
          <Checkbox key={uuid} label={title} checked={chosen.has(uuid)} onChange={() => toggle(uuid)} />
        ))}
      </Stack>
      {(files.data?.total ?? 0) > (files.data?.items.length ?? 0) && (
        <Text size="xs" c="dimmed">
          {t`Only the newest are shown. Search for others.`}
        </Text>
      )}
    </FormDialog>
  );
}
