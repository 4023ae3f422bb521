import { t } from '@lingui/core/macro';
import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { notify, notifyError } from '../../ui/notify.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { nameOf, roleNames, type Account } from '../../ui/account-labels.ts';
import type { AccountPermissions } from './account-permissions.ts';
import { DeleteUserDialog } from './delete-user-dialog.tsx';
import { InvitationLink } from './invitation-link.tsx';
import { ResetPasswordDialog } from './reset-password-dialog.tsx';

type Props = { readonly account: Account; readonly permissions: AccountPermissions };

/** Role, password, lock and deactivation of an account. */
export function UserAccess({ account, permissions }: Props) {
  const refresh = useRefresh();
  const navigate = useNavigate();
  const [dialog, setDialog] = useState<'password' | 'disable' | 'delete' | null>(null);
  const params = { uuid: account.uuid };
  const close = (): void => setDialog(null);
  const update = (is_active: boolean) => call('PUT /api/users/{uuid}', { params, body: { is_active } });
  const enable = useMutation({
    mutationFn: () => update(true),
    onSuccess: () => refresh(t`Account enabled.`),
    onError: (error) => notifyError(t`The account wasn’t enabled`, error),
  });
  const unlock = useMutation({
    mutationFn: () => call('POST /api/admin/users/{uuid}/unlock', { params }),
    onSuccess: ({ was_locked }) => refresh(was_locked ? t`Account unlocked.` : t`The account was not locked.`),
    onError: (error) => notifyError(t`The account wasn’t unlocked`, error),
  });
  const locked = account.locked_until !== null && new Date(account.locked_until) > new Date();
  if (!permissions.edit) return <Text size="sm">{roleNames[account.role]}</Text>;
  return (
    <Stack gap="md">
      {permissions.role && <RoleForm key={account.role} account={account} />}
      <Group gap="sm">
        {permissions.resetPassword && (
          <Button variant="default" onClick={() => setDialog('password')}>
            {t`Reset password`}
          </Button>
        )}
        {permissions.resetPassword && account.is_active && <Invitation account={account} />}
        {locked && (
          <Button variant="default" loading={unlock.isPending} onClick={() => unlock.mutate()}>
            {t`Unlock`}
          </Button>
        )}
        {account.is_active ? (
          <Button variant="default" onClick={() => setDialog('disable')}>
            {t`Disable`}
          </Button>
        ) : (
          <Button variant="default" loading={enable.isPending} onClick={() => enable.mutate()}>
            {t`Enable`}
          </Button>
        )}
        <Button variant="light" color="red" onClick={() => setDialog('delete')}>
          {t`Delete`}
        </Button>
      </Group>
      {dialog === 'password' && <ResetPasswordDialog account={account} onDone={refresh} onClose={close} />}
      {dialog === 'disable' && (
        <Confirm
          title={t`Disable ${nameOf(account)}?`}
          action={t`Disable`}
          run={() => update(false)}
          onDone={() => refresh(t`Account disabled.`)}
          onClose={close}
        >
          <Text>{t`All sessions end immediately, and this account can no longer sign in. Recordings are kept.`}</Text>
        </Confirm>
      )}
      {dialog === 'delete' && (
        <DeleteUserDialog
          account={account}
          onDone={() => {
            refresh(t`${nameOf(account)} has been deleted.`);
            void navigate({ to: '/admin/users', ignoreBlocker: true });
          }}
          onClose={close}
        />
      )}
    </Stack>
  );
}

/** Creates a link by which the person sets a password, or withdraws the one that exists. */
function Invitation({ account }: { account: Account }) {
  const refresh = useRefresh();
  const params = { uuid: account.uuid };
  const invite = useMutation({
    mutationFn: () => call('POST /api/admin/users/{uuid}/invitation', { params }),
    onSuccess: () => refresh(),
    onError: (error) => notifyError(t`The invitation wasn’t created`, error),
  });
  const withdraw = useMutation({
    mutationFn: () => call('DELETE /api/admin/users/{uuid}/invitation', { params }),
    onSuccess: () => refresh(t`Invitation withdrawn.`),
    onError: (error) => notifyError(t`The invitation wasn’t withdrawn`, error),
  });
  const isInvited = account.invited_until !== null;
  return (
    <>
      <Button variant="default" loading={invite.isPending} onClick={() => invite.mutate()}>
        {isInvited ? t`New invitation link` : t`Create invitation link`}
      </Button>
      {isInvited && (
        <Button variant="default" loading={withdraw.isPending} onClick={() => withdraw.mutate()}>
          {t`Withdraw invitation`}
        </Button>
      )}
      {invite.data && <InvitationLink name={nameOf(account)} invitation={invite.data} onClose={() => invite.reset()} />}
    </>
  );
}

function useRefresh(): (message?: string) => void {
  const client = useQueryClient();
  return (message) => {
    if (message !== undefined) notify(message);
    void client.invalidateQueries({ queryKey: ['user'] });
    void client.invalidateQueries({ queryKey: ['users'] });
  };
}

function RoleForm({ account }: { account: Account }) {
  const refresh = useRefresh();
  const [role, setRole] = useState(account.role);
  const [confirming, setConfirming] = useState(false);
  return (
    <Group align="flex-end" gap="sm">
      <NativeSelect
        label={t`Role`}
        data={Object.entries(roleNames).map(([value, label]) => ({ value, label }))}
        value={role}
        onChange={(event) => setRole(event.currentTarget.value as Account['role'])}
      />
      <Button variant="default" disabled={role === account.role} onClick={() => setConfirming(true)}>
        {t`Change role`}
      </Button>
      {confirming && (
        <Confirm
          title={t`Change the role?`}
          action={t`Change role`}
          harmless
          run={() =>
            call('PUT /api/admin/users/{uuid}/role', { params: { uuid: account.uuid }, query: { new_role: role } })
          }
          onDone={() => refresh(t`${nameOf(account)} now has the role ${roleNames[role]}.`)}
          onClose={() => setConfirming(false)}
        >
          <Text>
            {t`The role of ${nameOf(account)} changes from ${roleNames[account.role]} to ${roleNames[role]}. All their sessions end, so that the change takes effect immediately.`}
          </Text>
        </Confirm>
      )}
    </Group>
  );
}
