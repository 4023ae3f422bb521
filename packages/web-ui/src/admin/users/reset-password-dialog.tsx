import { plural, t } from '@lingui/core/macro';
import { Checkbox, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { fieldOf } from '../../api/problem.ts';
import { FormDialog, stillMissing } from '../../ui/form-dialog.tsx';
import { NewPassword, useIsPasswordAllowed } from '../../session/new-password.tsx';
import { nameOf, type Account } from '../../ui/account-labels.ts';

type Props = {
  readonly account: Account;
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
};

export function ResetPasswordDialog({ account, onDone, onClose }: Props) {
  const [password, setPassword] = useState('');
  const [forceChange, setForceChange] = useState(true);
  const isAllowed = useIsPasswordAllowed(password);
  const reset = useMutation({
    mutationFn: () =>
      call('POST /api/admin/users/{uuid}/reset-password', {
        params: { uuid: account.uuid },
        body: { new_password: password, force_change: forceChange },
      }),
    onSuccess: ({ sessions_terminated }) => {
      onClose();
      onDone(t`Password changed. ${plural(sessions_terminated, { one: '# session', other: '# sessions' })} ended.`);
    },
  });
  return (
    <FormDialog
      title={t`Reset the password of ${nameOf(account)}`}
      action={t`Set password`}
      unready={stillMissing(!isAllowed && t`New password`)}
      sending={reset}
      failure={t`The password wasn’t changed`}
      fields={['new_password']}
      onSubmit={() => reset.mutate()}
      onClose={onClose}
    >
      <NewPassword forOther value={password} error={fieldOf(reset.error, 'new_password')} onChange={setPassword} />
      <Checkbox
        label={t`Require a new password at next sign-in`}
        checked={forceChange}
        onChange={(event) => setForceChange(event.currentTarget.checked)}
      />
      <Text size="sm" c="dimmed">
        {t`All sessions of this account end immediately.`}
      </Text>
    </FormDialog>
  );
}
