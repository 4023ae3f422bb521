import { t } from '@lingui/core/macro';
import { Checkbox, NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { codeOf, messageOf } from '../../api/problem.ts';
import { meQuery } from '../../api/queries.ts';
import { FormDialog, stillMissing } from '../../ui/form-dialog.tsx';
import { notify } from '../../ui/notify.ts';
import { useForm } from '../../state/use-form.ts';
import { NewPassword, useIsPasswordAllowed } from '../../session/new-password.tsx';
import { InvitationLink } from './invitation-link.tsx';
import { nameOf, originNames, roleNames, type Account } from '../../ui/account-labels.ts';

type Fields = Pick<Account, 'email' | 'role' | 'auth_type' | 'must_change_password'> & {
  readonly full_name: string;
  /** Whether the person sets the first password by a link. */
  readonly invite: boolean;
};
const emptyFields: Fields = {
  email: '',
  full_name: '',
  role: 'user',
  auth_type: 'local',
  invite: false,
  must_change_password: true,
};

export function CreateUserDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const me = useQuery(meQuery).data;
  const [password, setPassword] = useState('');
  const isAllowed = useIsPasswordAllowed(password);
  // Without the password, which must not be stored.
  const form = useForm({
    key: 'account:new',
    saved: emptyFields,
    send: (fields) => call('POST /api/admin/users', { body: bodyOf(fields, password) }),
    refresh: () => void client.invalidateQueries({ queryKey: ['users'] }),
    onSaved: (user) => {
      notify(t`Account created for ${nameOf(user)}.`);
      if (user.invitation === null) leaveTo(user.uuid);
    },
  });
  const { auth_type: origin, invite } = form.value;
  const local = origin === 'local';
  const hasPassword = local && !invite;
  const leaveTo = (uuid: string): void => {
    onClose();
    // The password field is still filled until the dialog has closed.
    void navigate({ to: '/admin/users/$uuid', params: { uuid }, ignoreBlocker: true });
  };
  const { data: created, error } = form.dialog.sending;
  if (created?.invitation)
    return (
      <InvitationLink name={nameOf(created)} invitation={created.invitation} onClose={() => leaveTo(created.uuid)} />
    );
  return (
    <FormDialog
      title={t`Add user`}
      action={t`Add user`}
      unready={stillMissing(form.fields.email === '' && t`E-mail address`, hasPassword && !isAllowed && t`Password`)}
      {...form.dialog}
      secretTyped={hasPassword && password !== ''}
      failure={t`The account wasn’t created`}
      fields={['email', 'full_name', 'auth_type', 'role', 'password']}
      onClose={onClose}
    >
      <TextInput
        label={t`E-mail address`}
        type="email"
        data-autofocus
        required
        maxLength={320}
        autoComplete="off"
        {...form.text('email')}
        error={form.errorOf('email') ?? (codeOf(error) === 'email_taken' ? messageOf(error) : null)}
      />
      <TextInput label={t`Name`} maxLength={200} autoComplete="off" {...form.text('full_name')} />
      <NativeSelect label={t`Signs in through`} data={options(originNames)} {...form.text('auth_type')} />
      {me?.role === 'super_admin' ? (
        <NativeSelect label={t`Role`} data={options(roleNames)} {...form.text('role')} />
      ) : (
        <Text size="sm" c="dimmed">
          {t`The account gets the role User. A super administrator can change it.`}
        </Text>
      )}
      {local && (
        <Radio.Group
          label={t`First password`}
          value={invite ? 'invite' : 'set'}
          onChange={(value) => form.change({ invite: value === 'invite' })}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="set" label={t`Set it here and hand it over`} />
            <Radio value="invite" label={t`Create an invitation link: the person sets it`} />
          </Stack>
        </Radio.Group>
      )}
      {hasPassword && (
        <>
          <NewPassword
            forOther
            label={t`Password`}
            value={password}
            error={form.errorOf('password')}
            onChange={setPassword}
          />
          <Checkbox label={t`Require a new password at first sign-in`} {...form.check('must_change_password')} />
        </>
      )}
      {!local && (
        <Text size="sm" c="dimmed">
          {t`This account has no password here. It is linked to its owner when they first sign in.`}
        </Text>
      )}
    </FormDialog>
  );
}

function bodyOf({ full_name, invite, must_change_password, ...fields }: Fields, password: string) {
  const local = fields.auth_type === 'local';
  const hasPassword = local && !invite;
  return {
    ...fields,
    must_change_password: hasPassword && must_change_password,
    ...(full_name === '' ? {} : { full_name }),
    ...(hasPassword ? { password } : {}),
    ...(local && invite ? { invite } : {}),
  };
}

function options(names: Readonly<Record<string, string>>) {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}
