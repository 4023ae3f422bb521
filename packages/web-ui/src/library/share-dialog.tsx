import {
  ActionIcon,
  Badge,
  Button,
  Group,
  Modal,
  NativeSelect,
  SegmentedControl,
  Select,
  Stack,
  Text,
} from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import css from '../admin/admin.module.css';
import { Waiting } from '../admin/parts.tsx';
import { call } from '../api/client.ts';
import type { FileItem } from '../api/queries.ts';
import type { Answer } from '../api/routes.ts';
import { Icon } from '../app/icons.tsx';
import { sayError } from '../app/notify.ts';
import { groupsQuery } from '../groups/group-queries.ts';
import { PeopleSelect } from '../groups/people-select.tsx';

type Share = Answer<'listShares'>[number];
type Permission = Share['permission'];
const permissions = [
  { value: 'viewer', label: 'May read' },
  { value: 'editor', label: 'May correct' },
];

/** With whom a recording is shared, and for what. */
export const ShareDialog = ({ file, onClose }: { file: FileItem; onClose: () => void }) => {
  const params = { uuid: file.uuid };
  const shares = useQuery({
    queryKey: ['shares', file.uuid],
    queryFn: ({ signal }) => call('listShares', { params, signal }),
  });
  const groups = useQuery(groupsQuery(''));
  const nameOf = (share: Share): string => {
    if (share.group_uuid === null) return share.user_name ?? 'Somebody whose name cannot be read just now';
    return groups.data?.find((group) => group.uuid === share.group_uuid)?.name ?? 'A group you are not in';
  };
  return (
    <Modal opened onClose={onClose} size="lg" title={<b>Share “{file.title}”</b>}>
      <Stack gap="lg">
        <AddShare file={file} />
        <Waiting of={shares} what="The shares" height={60} />
        {shares.data?.length === 0 && (
          <Text size="sm" c="dimmed">
            Only you can see it, and administrators.
          </Text>
        )}
        {shares.data && shares.data.length > 0 && (
          <ul className={css['list']} data-testid="shares">
            {shares.data.map((share) => (
              <ShareEntry key={share.uuid} file={file} share={share} name={nameOf(share)} />
            ))}
          </ul>
        )}
      </Stack>
    </Modal>
  );
};

const useRefresh = (file: FileItem): (() => Promise<void>) => {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ['shares', file.uuid] });
};

const AddShare = ({ file }: { file: FileItem }) => {
  const refresh = useRefresh(file);
  const groups = useQuery(groupsQuery(''));
  const [kind, setKind] = useState<'person' | 'group'>('person');
  const [chosen, setChosen] = useState<string | null>(null);
  const [permission, setPermission] = useState<Permission>('viewer');
  const add = useMutation({
    mutationFn: (uuid: string) =>
      call('share', {
        params: { uuid: file.uuid },
        body: { ...(kind === 'person' ? { user_uuid: uuid } : { group_uuid: uuid }), permission },
      }),
    onSuccess: () => {
      setChosen(null);
      return refresh();
    },
    onError: (error) => sayError('It was not shared', error),
  });
  return (
    <Stack gap="sm">
      <SegmentedControl
        aria-label="Share with"
        style={{ alignSelf: 'flex-start' }}
        value={kind}
        onChange={(next) => {
          setKind(next);
          setChosen(null);
        }}
        data={[
          { value: 'person', label: 'A person' },
          { value: 'group', label: 'A group' },
        ]}
      />
      <Group align="flex-end" gap="sm">
        {kind === 'person' ? (
          <PeopleSelect label="Person" value={chosen} onChange={setChosen} />
        ) : (
          <Select
            label="Group"
            placeholder="One of your groups"
            searchable
            style={{ flex: '1 1 14rem' }}
            data={(groups.data ?? []).map(({ uuid, name }) => ({ value: uuid, label: name }))}
            value={chosen}
            error={groups.isError ? 'The groups cannot be read just now' : null}
            nothingFoundMessage="No such group"
            onChange={setChosen}
          />
        )}
        <NativeSelect
          aria-label="What they may do"
          data={permissions}
          value={permission}
          onChange={(event) => setPermission(event.currentTarget.value as Permission)}
        />
        <Button
          disabled={chosen === null}
          loading={add.isPending}
          onClick={() => chosen !== null && add.mutate(chosen)}
        >
          Share
        </Button>
      </Group>
    </Stack>
  );
};

const ShareEntry = ({ file, share, name }: { file: FileItem; share: Share; name: string }) => {
  const refresh = useRefresh(file);
  const change = useMutation({
    mutationFn: (permission: Permission) =>
      call('share', {
        params: { uuid: file.uuid },
        body: {
          ...(share.user_uuid === null ? { group_uuid: share.group_uuid ?? '' } : { user_uuid: share.user_uuid }),
          permission,
        },
      }),
    onSettled: refresh,
    onError: (error) => sayError('That was not changed', error),
  });
  const remove = useMutation({
    mutationFn: () => call('unshare', { params: { uuid: file.uuid, share_uuid: share.uuid } }),
    onSettled: refresh,
    onError: (error) => sayError('It is still shared', error),
  });
  return (
    <li className={css['entry']}>
      <Group gap="xs">
        <Text size="sm" fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        {share.group_uuid !== null && (
          <Badge size="sm" variant="light" color="gray">
            group
          </Badge>
        )}
      </Group>
      <Group gap="xs" wrap="nowrap">
        <NativeSelect
          size="xs"
          aria-label={`What ${name} may do`}
          data={permissions}
          value={share.permission}
          disabled={change.isPending}
          onChange={(event) => change.mutate(event.currentTarget.value as Permission)}
        />
        <ActionIcon
          aria-label={`Share no longer with ${name}`}
          loading={remove.isPending}
          onClick={() => remove.mutate()}
        >
          <Icon name="close" size={17} />
        </ActionIcon>
      </Group>
    </li>
  );
};
