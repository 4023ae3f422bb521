import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask } from '../../api/identity.ts';
import { say, sayError } from '../../app/notify.ts';
import { Confirm } from '../parts.tsx';
import { nameOf, roleNames, type Account } from '../words.ts';
import type { Reach } from './reach.ts';
import { ResetPasswordDialog } from './reset-password-dialog.tsx';

type Props = { readonly account: Account; readonly reach: Reach };

/** Role, password, lock, and whether the account may be used at all. */
export const UserAccess = ({ account, reach }: Props) => {
  const refresh = useRefresh();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'password' | 'disable' | 'delete' | null>(null);
  const params = { uuid: account.uuid };
  const close = (): void => setDialog(null);
  const update = (is_active: boolean) => ask('updateUser', { params, body: { is_active } });
  const enable = useMutation({
    mutationFn: () => update(true),
    onSuccess: () => refresh('The account is enabled.'),
    onError: (error) => sayError('The account was not enabled', error),
  });
  const unlock = useMutation({
    mutationFn: () => ask('unlockUser', { params }),
    onSuccess: ({ was_locked }) => refresh(was_locked ? 'The lock is lifted.' : 'The account was not locked.'),
    onError: (error) => sayError('The lock was not lifted', error),
  });
  const locked = account.locked_until !== null && new Date(account.locked_until) > new Date();
  if (!reach.edit) return <Text size="sm">{roleNames[account.role]}</Text>;
  return (
    <Stack gap="md">
      {reach.role && <RoleForm key={account.role} account={account} />}
      <Group gap="sm">
        {reach.resetPassword && (
          <Button variant="default" onClick={() => setDialog('password')}>
            Reset password
          </Button>
        )}
        {locked && (
          <Button variant="default" loading={unlock.isPending} onClick={() => unlock.mutate()}>
            Unlock
          </Button>
        )}
        {account.is_active ? (
          <Button variant="default" onClick={() => setDialog('disable')}>
            Disable
          </Button>
        ) : (
          <Button variant="default" loading={enable.isPending} onClick={() => enable.mutate()}>
            Enable
          </Button>
        )}
        <Button variant="light" color="red" onClick={() => setDialog('delete')}>
          Delete
        </Button>
      </Group>
      {dialog === 'password' && <ResetPasswordDialog account={account} onDone={refresh} onClose={close} />}
      {dialog === 'disable' && (
        <Confirm
          title={`Disable ${nameOf(account)}?`}
          action="Disable"
          run={() => update(false)}
          onDone={() => refresh('The account is disabled.')}
          onClose={close}
        >
          <Text>All sessions end at once, and nobody can sign in with this account. Recordings stay.</Text>
        </Confirm>
      )}
      {dialog === 'delete' && (
        <Confirm
          title={`Delete ${nameOf(account)}?`}
          action="Delete"
          keep="Keep it"
          run={() => ask('deleteUser', { params })}
          onDone={() => {
            refresh(`${nameOf(account)} is deleted.`);
            void navigate({ to: '/admin/users' });
          }}
          onClose={close}
        >
          <Text>
            The account of {account.email}, its recordings and everything made from them will be gone. This cannot be
            undone.
          </Text>
        </Confirm>
      )}
    </Stack>
  );
};

const useRefresh = (): ((words: string) => void) => {
  const client = useQueryClient();
  return (words) => {
    say(words);
    void client.invalidateQueries({ queryKey: ['user'] });
    void client.invalidateQueries({ queryKey: ['users'] });
  };
};

const RoleForm = ({ account }: { account: Account }) => {
  const refresh = useRefresh();
  const [role, setRole] = useState(account.role);
  const [sure, setSure] = useState(false);
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label="Role"
        data={Object.entries(roleNames).map(([value, label]) => ({ value, label }))}
        value={role}
        onChange={(event) => setRole(event.currentTarget.value as Account['role'])}
      />
      <Button variant="default" disabled={role === account.role} onClick={() => setSure(true)}>
        Change role
      </Button>
      {sure && (
        <Confirm
          title="Change the role?"
          action="Change role"
          harmless
          run={() => ask('changeRole', { params: { uuid: account.uuid }, query: { new_role: role } })}
          onDone={() => refresh(`${nameOf(account)} is now: ${roleNames[role]}.`)}
          onClose={() => setSure(false)}
        >
          <Text>
            {nameOf(account)} becomes “{roleNames[role]}” instead of “{roleNames[account.role]}”. All their sessions
            end, so that the change counts at once.
          </Text>
        </Confirm>
      )}
    </Group>
  );
};
