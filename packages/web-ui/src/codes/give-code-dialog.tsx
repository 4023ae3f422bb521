import { t } from '@lingui/core/macro';
import { Button, Group, NativeSelect, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { clock } from '../lib/format.ts';
import { FormDialog } from '../ui/form-dialog.tsx';
import { QueryStatus } from '../ui/query-status.tsx';
import { CodeDialog } from './code-dialog.tsx';
import { CodeSelect } from './code-select.tsx';
import { refreshCodes, usableListsQuery, type CodeList } from './code-queries.ts';
import { shortened } from '../lib/characters.ts';

type Props = {
  readonly fileId: string;
  readonly place: { readonly start: number; readonly end: number; readonly quote: string };
  readonly onClose: () => void;
};
const maxQuote = 300;
const noLists: readonly CodeList[] = [];
/** The code that was given last, for the next passage. */
let lastCode: string | null = null;

/** Gives a code to the selected words. */
export function GiveCodeDialog({ fileId, place, onClose }: Props) {
  const client = useQueryClient();
  const query = useQuery(usableListsQuery);
  const lists = query.data ?? noLists;
  const [chosen, setChosen] = useState(lastCode);
  const [creating, setCreating] = useState(false);
  const code = lists.some(({ codes }) => codes.some(({ uuid }) => uuid === chosen)) ? chosen : null;
  const give = useMutation({
    mutationFn: (codeId: string) =>
      call('POST /api/files/{uuid}/codings', {
        params: { uuid: fileId },
        body: { code_uuid: codeId, start_time: place.start, end_time: place.end },
      }),
    onSuccess: (coding) => {
      lastCode = coding.code_uuid;
      onClose();
      void refreshCodes(client);
    },
  });
  if (creating) return <NewCode lists={lists} onDone={setChosen} onClose={() => setCreating(false)} />;
  return (
    <FormDialog
      title={t`Code for ${clock(place.start)}`}
      action={t`Give code`}
      unready={code === null ? t`Choose a code.` : null}
      sending={give}
      failure={t`The words got no code`}
      onSubmit={() => code !== null && give.mutate(code)}
      onClose={onClose}
    >
      <Text component="blockquote" dir="auto" size="sm" m={0} style={{ overflowWrap: 'anywhere' }}>
        {shortened(place.quote, maxQuote)}
      </Text>
      {query.isError && <QueryStatus of={query} failure={t`The codes couldn’t be loaded`} />}
      <Group align="end" gap="xs">
        <CodeSelect lists={lists} loading={query.isPending} value={code} onChange={setChosen} />
        <Button variant="default" onClick={() => setCreating(true)}>
          {t`New code`}
        </Button>
      </Group>
    </FormDialog>
  );
}

/** A code in one of the lists. */
function NewCode({
  lists,
  onDone,
  onClose,
}: {
  lists: readonly CodeList[];
  onDone: (uuid: string) => void;
  onClose: () => void;
}) {
  const [listId, setListId] = useState(
    () => lists.find(({ codes }) => codes.some(({ uuid }) => uuid === lastCode))?.uuid ?? lists[0]?.uuid ?? '',
  );
  const list = lists.find(({ uuid }) => uuid === listId) ?? null;
  return (
    <CodeDialog key={listId} list={list} onClose={onClose} onDone={({ uuid }) => onDone(uuid)}>
      {list && lists.length > 1 && (
        <NativeSelect
          label={t`List`}
          data={lists.map(({ uuid, name }) => ({ value: uuid, label: name }))}
          value={list.uuid}
          onChange={(event) => setListId(event.currentTarget.value)}
        />
      )}
    </CodeDialog>
  );
}
