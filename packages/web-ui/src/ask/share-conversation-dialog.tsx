import { t } from '@lingui/core/macro';
import { ActionIcon, Badge, Button, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResponseBody } from '@overtone/client';
import { call } from '../api/client.ts';
import { groupsQuery } from '../groups/group-queries.ts';
import { PeopleSelect, type Option } from '../groups/people-select.tsx';
import { GroupSelect } from '../library/share-form.tsx';
import { Icon } from '../ui/icons.tsx';
import { notifyError } from '../ui/notify.ts';
import { QueryStatus } from '../ui/query-status.tsx';
import { Dialog } from '../ui/dialog.tsx';

type Share = ResponseBody<'GET /api/ask/conversations/{uuid}/shares'>[number];
type Props = { readonly uuid: string; readonly onClose: () => void };

/** Adds and ends the shares of a conversation. */
export function ShareConversationDialog({ uuid, onClose }: Props) {
  const shares = useQuery({
    queryKey: ['conversation-shares', uuid],
    queryFn: ({ signal }) => call('GET /api/ask/conversations/{uuid}/shares', { params: { uuid }, signal }),
  });
  return (
    <Dialog onClose={onClose} size="lg" title={<b>{t`Share the conversation`}</b>}>
      <Stack gap="md">
        <Text size="sm">
          {t`Others can read the questions. Of the answers they see what rests on recordings that they may read themselves.`}
        </Text>
        <AddShare uuid={uuid} />
        <QueryStatus of={shares} failure={t`The shares couldn’t be loaded`} height={60} />
        {shares.data?.length === 0 && (
          <Text size="sm" c="dimmed">
            {t`Only you can see this conversation.`}
          </Text>
        )}
        {shares.data && shares.data.length > 0 && (
          <ul className="ot-list" data-testid="conversation-shares">
            {shares.data.map((share) => (
              <ShareEntry key={share.uuid} uuid={uuid} share={share} />
            ))}
          </ul>
        )}
      </Stack>
    </Dialog>
  );
}

function useRefresh(uuid: string): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['conversation-shares', uuid] });
}

function AddShare({ uuid }: { uuid: string }) {
  const refresh = useRefresh(uuid);
  const [kind, setKind] = useState<'person' | 'group'>('person');
  const [target, setTarget] = useState<Option | null>(null);
  const add = useMutation({
    mutationFn: ({ value }: Option) =>
      call('PUT /api/ask/conversations/{uuid}/shares', {
        params: { uuid },
        body: kind === 'person' ? { user_uuid: value } : { group_uuid: value },
      }),
    onSuccess: () => {
      setTarget(null);
      return refresh();
    },
    onError: (error) => notifyError(t`The conversation wasn’t shared`, error),
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (target !== null && !add.isPending) add.mutate(target);
      }}
    >
      <Stack gap="sm">
        <SegmentedControl
          aria-label={t`Share with`}
          style={{ alignSelf: 'flex-start' }}
          value={kind}
          onChange={(next) => {
            setKind(next);
            setTarget(null);
          }}
          data={[
            { value: 'person', label: t`A person` },
            { value: 'group', label: t`A group` },
          ]}
        />
        <Group align="flex-end" gap="sm">
          {kind === 'person' ? (
            <PeopleSelect label={t`Person`} value={target} onChange={setTarget} />
          ) : (
            <GroupSelect value={target} onChange={setTarget} />
          )}
          <Button type="submit" disabled={target === null} loading={add.isPending}>
            {t`Share`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function ShareEntry({ uuid, share }: { uuid: string; share: Share }) {
  const refresh = useRefresh(uuid);
  const groups = useQuery(groupsQuery(''));
  const name =
    share.group_uuid === null
      ? (share.user_name ?? t`Unknown person`)
      : (groups.data?.find((group) => group.uuid === share.group_uuid)?.name ?? t`A group you are not in`);
  const remove = useMutation({
    mutationFn: () =>
      call('DELETE /api/ask/conversations/{uuid}/shares/{share_uuid}', { params: { uuid, share_uuid: share.uuid } }),
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
      <ActionIcon aria-label={t`Stop sharing with ${name}`} loading={remove.isPending} onClick={() => remove.mutate()}>
        <Icon name="close" size={17} />
      </ActionIcon>
    </li>
  );
}
