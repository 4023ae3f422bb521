import { Checkbox, NativeSelect, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api/identity.ts';
import { fieldOf } from '../../api/problem.ts';
import { meQuery } from '../../api/queries.ts';
import { FormDialog } from '../../app/form-dialog.tsx';
import { say } from '../../app/notify.ts';
import { useDraft } from '../../app/use-draft.tsx';
import { NewPassword, usePasswordKeeps } from '../../session/new-password.tsx';
import { nameOf, originNames, roleNames, type Account } from '../words.ts';

const options = (names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([value, label]) => ({ value, label }));

export const CreateUserDialog = ({ onClose }: { onClose: () => void }) => {
  const client = useQueryClient();
  const navigate = useNavigate();
  const me = useQuery(meQuery).data;
  // Without the password, which must not be stored.
  const draft = useDraft('new-user', { email: '', name: '' });
  const { email, name } = draft.value;
  const [role, setRole] = useState<Account['role']>('user');
  const [origin, setOrigin] = useState<Account['auth_type']>('local');
  const [password, setPassword] = useState('');
  const [change, setChange] = useState(true);
  const local = origin === 'local';
  const keeps = usePasswordKeeps(password);
  const create = useMutation({
    mutationFn: () =>
      ask('createUser', {
        body: {
          email: email.trim(),
          role,
          auth_type: origin,
          must_change_password: local && change,
          ...(name.trim() === '' ? {} : { full_name: name.trim() }),
          ...(local ? { password } : {}),
        },
      }),
    onSuccess: (user) => {
      void client.invalidateQueries({ queryKey: ['users'] });
      say(`Account created for ${nameOf(user)}.`);
      draft.drop();
      onClose();
      void navigate({ to: '/admin/users/$uuid', params: { uuid: user.uuid } });
    },
  });
  const problem = (field: string): string | null => fieldOf(create.error, field);
  return (
    <FormDialog
      title="Add user"
      action="Add user"
      ready={email.trim() !== '' && (!local || keeps)}
      sending={create}
      draft={draft}
      failure="The account was not made"
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextInput
        label="E-mail address"
        type="email"
        data-autofocus
        required
        withAsterisk={false}
        maxLength={320}
        autoComplete="off"
        value={email}
        error={problem('email')}
        onChange={(event) => draft.set({ email: event.currentTarget.value, name })}
      />
      <TextInput
        label="Name"
        maxLength={200}
        autoComplete="off"
        value={name}
        error={problem('full_name')}
        onChange={(event) => draft.set({ email, name: event.currentTarget.value })}
      />
      <NativeSelect
        label="Signs in through"
        data={options(originNames)}
        value={origin}
        error={problem('auth_type')}
        onChange={(event) => setOrigin(event.currentTarget.value as Account['auth_type'])}
      />
      {me?.role === 'super_admin' ? (
        <NativeSelect
          label="Role"
          data={options(roleNames)}
          value={role}
          error={problem('role')}
          onChange={(event) => setRole(event.currentTarget.value as Account['role'])}
        />
      ) : (
        <Text size="sm" c="dimmed">
          The account gets the role User. A super administrator can give it more.
        </Text>
      )}
      {local ? (
        <>
          <NewPassword label="First password" value={password} error={problem('password')} onChange={setPassword} />
          <Checkbox
            label="To be changed at the first sign-in"
            checked={change}
            onChange={(event) => setChange(event.currentTarget.checked)}
          />
        </>
      ) : (
        <Text size="sm" c="dimmed">
          This account has no password here; it is bound to its owner at their first sign-in.
        </Text>
      )}
    </FormDialog>
  );
};
