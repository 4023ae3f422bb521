import { Button, Group, Modal, Stack, Textarea, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../api/identity.ts';
import { fieldOf } from '../api/problem.ts';
import { ErrorNote } from '../app/error-note.tsx';
import type { GroupDetail } from './group-queries.ts';

type Props = {
  /** Changes this one; without it a new group is made. */
  readonly group?: GroupDetail;
  readonly onClose: () => void;
  readonly onDone: (group: GroupDetail) => void;
};

export const GroupDialog = ({ group, onClose, onDone }: Props) => {
  const client = useQueryClient();
  const [name, setName] = useState(group?.name ?? '');
  const [description, setDescription] = useState(group?.description ?? '');
  const body = { name: name.trim(), description: description.trim() };
  const save = useMutation({
    mutationFn: () =>
      group ? ask('updateGroup', { params: { uuid: group.uuid }, body }) : ask('createGroup', { body }),
    onSuccess: (saved) => {
      client.setQueryData(['group', saved.uuid], saved);
      void client.invalidateQueries({ queryKey: ['groups'] });
      onClose();
      onDone(saved);
    },
  });
  return (
    <Modal opened onClose={onClose} title={<b>{group ? 'Change the group' : 'Add group'}</b>}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save.mutate();
        }}
      >
        <Stack gap="md">
          {save.error && <ErrorNote error={save.error} title="The group was not saved" />}
          <TextInput
            label="Name"
            data-autofocus
            required
            withAsterisk={false}
            maxLength={200}
            value={name}
            error={fieldOf(save.error, 'name')}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <Textarea
            label="Description"
            autosize
            minRows={2}
            maxLength={2000}
            value={description}
            error={fieldOf(save.error, 'description')}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending} disabled={name.trim() === ''}>
              {group ? 'Save' : 'Add group'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
};
