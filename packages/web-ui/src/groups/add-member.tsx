import { t } from '@lingui/core/macro';
import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { nameOf } from '../ui/account-labels.ts';
import { call } from '../api/client.ts';
import { notify, notifyError } from '../ui/notify.ts';
import { useDraft } from '../state/use-draft.ts';
import type { GroupDetail } from './group-queries.ts';
import { PeopleSelect, type Option } from './people-select.tsx';

/** Adds a person to the group manually. */
export function AddMember({ group }: { group: GroupDetail }) {
  const client = useQueryClient();
  const draft = useDraft<Option | null>(`new-member:${group.uuid}`, null);
  const chosen = draft.value;
  const add = useMutation({
    mutationFn: (user_uuid: string) =>
      call('POST /api/groups/{uuid}/members', { params: { uuid: group.uuid }, body: { user_uuid, role: 'member' } }),
    onSuccess: (member) => {
      draft.drop();
      notify(t`${nameOf(member)} was added to the group.`);
      void client.invalidateQueries({ queryKey: ['groups'] });
      return client.invalidateQueries({ queryKey: ['group', group.uuid] });
    },
    onError: (error) => notifyError(t`The person wasn’t added`, error),
  });
  return (
    <Group align="flex-end" gap="sm" mb="md">
      <PeopleSelect
        label={t`Add a person`}
        value={chosen}
        onChange={draft.set}
        without={new Set(group.members.filter((member) => member.source === 'manual').map((member) => member.user_id))}
      />
      <Button
        disabled={chosen === null}
        loading={add.isPending}
        onClick={() => chosen !== null && add.mutate(chosen.value)}
      >
        {t`Add`}
      </Button>
    </Group>
  );
}
