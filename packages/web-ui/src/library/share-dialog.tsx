import { t } from '@lingui/core/macro';
import { ActionIcon, Badge, Button, Group, Modal, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { QueryStatus } from '../ui/query-status.tsx';
import { call } from '../api/client.ts';
import type { ResponseBody } from '../api/routes.ts';
import type { FileItem } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { notifyError } from '../ui/notify.ts';
import { confirmDiscard, RestoredNote, type Draft } from '../ui/draft.tsx';
import { useDraft } from '../state/use-draft.ts';
import { groupsQuery } from '../groups/group-queries.ts';
import {
  emptyShare,
  permissions,
  shareBody,
  ShareFormFields,
  type Permission,
  type ShareFields,
} from './share-form.tsx';

type Share = ResponseBody<'GET /api/files/{uuid}/shares'>[number];

/** Adds, changes and removes the shares of one recording. */
export function ShareDialog({ file, onClose }: { file: FileItem; onClose: () => void }) {
  const params = { uuid: file.uuid };
  const shares = useQuery({
    queryKey: ['shares', file.uuid],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/shares', { params, signal }),
  });
  const groups = useQuery(groupsQuery(''));
  const draft = useDraft(`share:${file.uuid}`, emptyShare);
  const close = async (): Promise<void> => {
    if (await confirmDiscard(draft)) onClose();
  };
  const nameOf = (share: Share): string => {
    if (share.group_uuid === null) return share.user_name ?? t`Unknown person`;
    return groups.data?.find((group) => group.uuid === share.group_uuid)?.name ?? t`A group you are not in`;
  };
  return (
    <Modal opened onClose={() => void close()} size="lg" title={<b>{t`Share “${file.title}”`}</b>}>
      <Stack gap="lg">
        <RestoredNote draft={draft} />
        <AddShare file={file} draft={draft} />
        <QueryStatus of={shares} failure={t`The shares couldn’t be loaded`} height={60} />
        {shares.data?.length === 0 && (
          <Text size="sm" c="dimmed">
            {t`Only you and administrators can see this.`}
          </Text>
        )}
        {shares.data && shares.data.length > 0 && (
          <ul className="ot-list" data-testid="shares">
            {shares.data.map((share) => (
              <ShareEntry key={share.uuid} file={file} share={share} name={nameOf(share)} />
            ))}
          </ul>
        )}
      </Stack>
    </Modal>
  );
}

function useRefresh(file: FileItem): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['shares', file.uuid] });
}

type AddShareProps = { readonly file: FileItem; readonly draft: Draft<ShareFields> };

function AddShare({ file, draft }: AddShareProps) {
  const refresh = useRefresh(file);
  const body = shareBody(draft.value);
  const add = useMutation({
    mutationFn: (share: NonNullable<typeof body>) =>
      call('PUT /api/files/{uuid}/shares', { params: { uuid: file.uuid }, body: share }),
    onSuccess: () => {
      draft.drop();
      return refresh();
    },
    onError: (error) => notifyError(t`The recording wasn’t shared`, error),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (body !== null && !add.isPending) add.mutate(body);
      }}
    >
      <ShareFormFields value={draft.value} onChange={draft.set}>
        <Button type="submit" disabled={body === null} loading={add.isPending}>
          {t`Share`}
        </Button>
      </ShareFormFields>
    </form>
  );
}

function ShareEntry({ file, share, name }: { file: FileItem; share: Share; name: string }) {
  const refresh = useRefresh(file);
  const change = useMutation({
    mutationFn: (permission: Permission) =>
      call('PUT /api/files/{uuid}/shares', {
        params: { uuid: file.uuid },
        body: {
          ...(share.user_uuid === null ? { group_uuid: share.group_uuid ?? '' } : { user_uuid: share.user_uuid }),
          permission,
        },
      }),
    onSettled: refresh,
    onError: (error) => notifyError(t`The permission wasn’t changed`, error),
  });
  const remove = useMutation({
    mutationFn: () =>
      call('DELETE /api/files/{uuid}/shares/{share_uuid}', { params: { uuid: file.uuid, share_uuid: share.uuid } }),
    onSettled: refresh,
    onError: (error) => notifyError(t`The share wasn’t removed`, error),
  });
  return (
    <li className="ot-entry">
      <Group gap="xs">
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        {share.group_uuid !== null && (
          <Badge size="sm" variant="light" color="gray">
            {t`group`}
          </Badge>
        )}
      </Group>
      <Group gap="xs" wrap="nowrap">
        <NativeSelect
          size="xs"
          aria-label={t`Permission of ${name}`}
          data={permissions}
          value={share.permission}
          disabled={change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.value as Permission)}
        />
        <ActionIcon
          aria-label={t`Stop sharing with ${name}`}
          loading={remove.isPending}
          onClick={() => remove.mutate()}
        >
          <Icon name="close" size={17} />
        </ActionIcon>
      </Group>
    </li>
  );
}
