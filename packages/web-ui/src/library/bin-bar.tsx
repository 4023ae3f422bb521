import { plural, t } from '@lingui/core/macro';
import { Button, Group, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Confirm } from '../ui/confirm.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { call } from '../api/client.ts';
import type { BinnedFile } from '../api/queries.ts';

/** The most files of one request. */
const filesPerRequest = 200;
const pageSize = 100;
type BinAction = 'restore' | 'delete_permanently';
type BinResult = { readonly done: number; readonly failed: number; readonly reason: string | null };

/** All files of the bin, read before any of them leaves it. */
async function idsInBin(ownership: 'mine' | 'all'): Promise<string[]> {
  const ids: string[] = [];
  for (let page = 1; ; page += 1) {
    const query = { ownership, page, page_size: pageSize };
    const { items, total }: { items: BinnedFile[]; total: number } = await call('GET /api/files/bin', { query });
    ids.push(...items.map(({ uuid }) => uuid));
    if (items.length === 0 || ids.length >= total) return ids;
  }
}

/** Restores or deletes files, some at a time; one that fails stops no other. */
async function changeBinned(action: BinAction, ids: readonly string[]): Promise<BinResult> {
  let failed = 0;
  let reason: string | null = null;
  for (let start = 0; start < ids.length; start += filesPerRequest) {
    const file_uuids = ids.slice(start, start + filesPerRequest);
    const { results } = await call('POST /api/files/bulk', { body: { action, file_uuids } });
    const errors = results.flatMap(({ error }) => error ?? []);
    failed += errors.length;
    reason ??= errors[0]?.message ?? null;
  }
  return { done: ids.length - failed, failed, reason };
}

type Props = {
  readonly ownership: 'mine' | 'all';
  readonly total: number;
  readonly selected: ReadonlySet<string>;
  readonly onDone: () => void;
};

/** Restores or permanently deletes the selected recordings, or all of the bin. */
export function BinBar({ ownership, total, selected, onDone }: Props) {
  const client = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const run = async (action: BinAction): Promise<BinResult> =>
    changeBinned(action, selected.size > 0 ? [...selected] : await idsInBin(ownership));
  const finish = (action: BinAction, result: BinResult): void => {
    if (result.done > 0) notify(doneText(action, result.done));
    if (result.failed > 0) notifyError(failedText(action, result.failed), new Error(result.reason ?? ''));
    void client.invalidateQueries({ queryKey: ['files'] });
    onDone();
  };
  const restore = useMutation({
    mutationFn: () => run('restore'),
    onSuccess: (result) => finish('restore', result),
    onError: (error) => notifyError(t`The recordings couldn’t be restored`, error),
  });
  const count = selected.size > 0 ? selected.size : total;
  return (
    <Group gap="xs" mb="md" data-testid="bin-bar">
      <Button variant="light" size="compact-sm" loading={restore.isPending} onClick={() => restore.mutate()}>
        {selected.size > 0 ? t`Restore ${selected.size} selected` : t`Restore all`}
      </Button>
      <Button variant="subtle" color="red" size="compact-sm" onClick={() => setAsking(true)}>
        {selected.size > 0 ? t`Delete ${selected.size} selected permanently` : t`Empty the bin`}
      </Button>
      {isAsking && (
        <EmptyDialog
          count={count}
          ofOthers={ownership === 'all'}
          run={async () => finish('delete_permanently', await run('delete_permanently'))}
          onClose={() => setAsking(false)}
        />
      )}
    </Group>
  );
}

type EmptyProps = { count: number; ofOthers: boolean; run: () => Promise<void>; onClose: () => void };

function EmptyDialog({ count, ofOthers, run, onClose }: EmptyProps) {
  return (
    <Confirm
      title={plural(count, { one: 'Delete # recording permanently?', other: 'Delete # recordings permanently?' })}
      action={t`Delete permanently`}
      run={run}
      onDone={() => undefined}
      onClose={onClose}
    >
      <Text>
        {t`They will be deleted with their transcripts. This can’t be undone.`}{' '}
        {ofOthers && t`Recordings of other people are among them.`}
      </Text>
    </Confirm>
  );
}

function doneText(action: BinAction, count: number): string {
  return action === 'restore'
    ? plural(count, { one: 'Restored # recording.', other: 'Restored # recordings.' })
    : plural(count, { one: 'Deleted # recording permanently.', other: 'Deleted # recordings permanently.' });
}

function failedText(action: BinAction, count: number): string {
  return action === 'restore'
    ? plural(count, { one: '# recording was not restored', other: '# recordings were not restored' })
    : plural(count, { one: '# recording was not deleted', other: '# recordings were not deleted' });
}
