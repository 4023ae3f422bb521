import { t } from '@lingui/core/macro';
import { ActionIcon, Badge, Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { queryOptions, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { QueryStatus } from '../ui/query-status.tsx';
import { Icon } from '../ui/icons.tsx';
import { notifyWithUndo } from '../ui/action-toast.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { confirmDiscard, RestoredNote, type Draft } from '../ui/draft.tsx';
import { useDraft } from '../state/use-draft.ts';
import { groupsQuery } from '../groups/group-queries.ts';
import { Dialog } from '../ui/dialog.tsx';
import { emptyShare, permissions, ShareFormFields, type Permission, type ShareFields } from './share-form.tsx';
import type { Share, Shared } from './shared.ts';

/** Adds, changes and removes the shares of anything that can be shared. */
export function ShareDialog({
  shared,
  onClose,
  children,
}: {
  shared: Shared;
  onClose: () => void;
  /** Other ways to share it. */
  children?: ReactNode;
}) {
  const shares = useQuery(sharesQuery(shared));
  const groups = useQuery(groupsQuery(''));
  const draft = useDraft(`share:${shared.key[2]}`, emptyShare);
  const close = async (): Promise<void> => {
    if (await confirmDiscard(draft)) onClose();
  };
  const nameOf = ({ kind, targetId, name }: Share): string | null => {
    if (kind === 'person') return name ?? t`Unknown person`;
    return groups.data?.find((group) => group.uuid === targetId)?.name ?? null;
  };
  return (
    <Dialog onClose={() => void close()} size="lg" title={<b>{shared.title}</b>}>
      <Stack gap="lg">
        {shared.note !== undefined && <Text size="sm">{shared.note}</Text>}
        <RestoredNote draft={draft} />
        <AddShare shared={shared} draft={draft} />
        <QueryStatus of={shares} failure={t`The shares couldn’t be loaded`} height={60} />
        {shares.data?.length === 0 && (
          <Text size="sm" c="dimmed">
            {shared.unshared}
          </Text>
        )}
        {shares.data && shares.data.length > 0 && (
          <ul className="ot-list" data-testid="shares">
            {shares.data.map((share) => (
              <ShareEntry key={share.uuid} shared={shared} share={share} name={nameOf(share)} />
            ))}
          </ul>
        )}
        {children}
      </Stack>
    </Dialog>
  );
}

function sharesQuery({ key, list }: Shared) {
  return queryOptions({ queryKey: key, queryFn: ({ signal }) => list(signal) });
}

function useRefresh({ key }: Shared): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await client.invalidateQueries({ queryKey: key });
    await client.invalidateQueries({ queryKey: [key[1]] });
  };
}

type AddShareProps = { readonly shared: Shared; readonly draft: Draft<ShareFields> };

function AddShare({ shared, draft }: AddShareProps) {
  const refresh = useRefresh(shared);
  const { kind, target, permission } = draft.value;
  const add = useMutation({
    mutationFn: (targetId: string) => shared.set({ kind, targetId, permission }),
    onSuccess: () => {
      draft.drop();
      return refresh();
    },
    onError: (error) => notifyError(shared.failure, error),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (target !== null && !add.isPending) add.mutate(target.value);
      }}
    >
      <ShareFormFields value={draft.value} onChange={draft.set} editable={shared.editable}>
        <Button type="submit" disabled={target === null} loading={add.isPending}>
          {t`Share`}
        </Button>
      </ShareFormFields>
    </form>
  );
}

type EntryProps = {
  readonly shared: Shared;
  readonly share: Share;
  /** null: a group of which the person is no member, so that the person cannot share with it again. */
  readonly name: string | null;
};

function ShareEntry({ shared, share, name: known }: EntryProps) {
  const name = known ?? t`A group you are not in`;
  const client = useQueryClient();
  const refresh = useRefresh(shared);
  const change = useMutation({
    mutationFn: (permission: Permission) => shared.set({ ...share, permission }),
    onSettled: refresh,
    onError: (error) => notifyError(t`The permission wasn’t changed`, error),
  });
  const remove = useMutation({
    mutationFn: () => shared.remove(share.uuid),
    onSuccess: () => {
      if (known === null) notify(t`No longer shared with this group.`);
      else notifyWithUndo(t`No longer shared with ${name}.`, shareAgain);
    },
    onSettled: refresh,
    onError: (error) => notifyError(t`The share wasn’t removed`, error),
  });
  const shareAgain = async (): Promise<void> => {
    const shares = await client.fetchQuery({ ...sharesQuery(shared), staleTime: 0 });
    // A share that was given since keeps its permission.
    if (!shares.some(({ kind, targetId }) => kind === share.kind && targetId === share.targetId))
      await shared.set(share);
    await refresh();
  };
  return (
    <li className="ot-entry">
      <Group gap="xs">
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        {share.kind === 'group' && (
          <Badge size="sm" variant="light" color="gray">
            {t`group`}
          </Badge>
        )}
      </Group>
      <Group gap="xs" wrap="nowrap">
        {shared.editable && (
          <NativeSelect
            size="xs"
            aria-label={t`Permission of ${name}`}
            data={permissions}
            value={share.permission}
            disabled={change.isPending}
            onChange={(event) => change.mutate(event.currentTarget.value as Permission)}
          />
        )}
        <ActionIcon
          aria-label={t`Stop sharing with ${name}`}
          loading={remove.isPending}
          disabled={change.isPending}
          onClick={() => remove.mutate()}
        >
          <Icon name="close" size={17} />
        </ActionIcon>
      </Group>
    </li>
  );
}
