import { Checkbox, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/identity.ts';
import { fieldOf } from '../../api/problem.ts';
import { FormDialog } from '../../app/form-dialog.tsx';
import { plural } from '../../lib/format.ts';
import { NewPassword, usePasswordKeeps } from '../../session/new-password.tsx';
import { nameOf, type Account } from '../words.ts';

type Props = {
  readonly account: Account;
  readonly onDone: (words: string) => void;
  readonly onClose: () => void;
};

export const ResetPasswordDialog = ({ account, onDone, onClose }: Props) => {
  const [password, setPassword] = useState('');
  const [change, setChange] = useState(true);
  const keeps = usePasswordKeeps(password);
  const reset = useMutation({
    mutationFn: () =>
      ask('resetPassword', {
        params: { uuid: account.uuid },
        body: { new_password: password, force_change: change },
      }),
    onSuccess: ({ sessions_terminated }) => {
      onClose();
      onDone(`The password is set; ${plural(sessions_terminated, 'session')} ended.`);
    },
  });
  return (
    <FormDialog
      title={`Reset the password of ${nameOf(account)}`}
      action="Set password"
      ready={keeps}
      sending={reset}
      failure="The password was not set"
      onSubmit={() => reset.mutate()}
      onClose={onClose}
    >
      <NewPassword value={password} error={fieldOf(reset.error, 'new_password')} onChange={setPassword} />
      <Checkbox
        label="To be changed at the next sign-in"
        checked={change}
        onChange={(event) => setChange(event.currentTarget.checked)}
      />
      <Text size="sm" c="dimmed">
        All sessions of this account end at once.
      </Text>
    </FormDialog>
  );
};
