import { Button, Group } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { nameOf } from '../admin/words.ts';
import { ask } from '../api/identity.ts';
import { say, sayError } from '../app/notify.ts';
import type { GroupDetail } from './group-queries.ts';
import { PeopleSelect } from './people-select.tsx';

/** Puts somebody into the group by hand. */
export const AddMember = ({ group }: { group: GroupDetail }) => {
  const client = useQueryClient();
  const [chosen, setChosen] = useState<string | null>(null);
  const add = useMutation({
    mutationFn: (user_uuid: string) =>
      ask('addMember', { params: { uuid: group.uuid }, body: { user_uuid, role: 'member' } }),
    onSuccess: (member) => {
      setChosen(null);
      say(`${nameOf(member)} is in the group.`);
      void client.invalidateQueries({ queryKey: ['groups'] });
      return client.invalidateQueries({ queryKey: ['group', group.uuid] });
    },
    onError: (error) => sayError('Nobody was added', error),
  });
  return (
    <Group align="flex-end" gap="sm" mb="md">
      <PeopleSelect
        label="Add a person"
        value={chosen}
        onChange={setChosen}
        without={new Set(group.members.filter((m) => m.source === 'manual').map((m) => m.user_id))}
      />
      <Button disabled={chosen === null} loading={add.isPending} onClick={() => chosen !== null && add.mutate(chosen)}>
        Add
      </Button>
    </Group>
  );
};
