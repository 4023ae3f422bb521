import { t } from '@lingui/core/macro';
import { Checkbox, NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../../api/client.ts';
import { codeOf, fieldOf, messageOf } from '../../api/problem.ts';
import { meQuery } from '../../api/queries.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { notify } from '../../ui/notify.ts';
import { useDraft } from '../../state/use-draft.ts';
import { NewPassword, useIsPasswordAllowed } from '../../session/new-password.tsx';
import { InvitationLink } from './invitation-link.tsx';
import { nameOf, originNames, roleNames, type Account } from '../../ui/account-labels.ts';

type Fields = {
  readonly email: string;
  readonly name: string;
  readonly role: Account['role'];
  readonly origin: Account['auth_type'];
  /** Whether the person sets the first password by a link. */
  readonly invite: boolean;
  readonly mustChangePassword: boolean;
};
const emptyFields: Fields = {
  email: '',
  name: '',
  role: 'user',
  origin: 'local',
  invite: false,
  mustChangePassword: true,
};

export function CreateUserDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  const me = useQuery(meQuery).data;
  // Without the password, which must not be stored.
  const draft = useDraft('new-account', emptyFields);
  const { email, name, role, origin, invite, mustChangePassword } = draft.value;
  const [password, setPassword] = useState('');
  const change = (fields: Partial<Fields>): void => draft.set({ ...draft.value, ...fields });
  const local = origin === 'local';
  const invited = local && invite;
  const hasPassword = local && !invited;
  const isAllowed = useIsPasswordAllowed(password);
  const create = useMutation({
    mutationFn: () =>
      call('POST /api/admin/users', {
        body: {
          email: email.trim(),
          role,
          auth_type: origin,
          must_change_password: hasPassword && mustChangePassword,
          ...(name.trim() === '' ? {} : { full_name: name.trim() }),
          ...(hasPassword ? { password } : {}),
          ...(invited ? { invite } : {}),
        },
      }),
    onSuccess: (user) => {
      void client.invalidateQueries({ queryKey: ['users'] });
      notify(t`Account created for ${nameOf(user)}.`);
      draft.drop();
      if (user.invitation === null) leaveTo(user.uuid);
    },
  });
  const leaveTo = (uuid: string): void => {
    onClose();
    // The password field is still filled until the dialog has closed.
    void navigate({ to: '/admin/users/$uuid', params: { uuid }, ignoreBlocker: true });
  };
  const problem = (field: string): string | null => fieldOf(create.error, field);
  const created = create.data;
  if (created?.invitation)
    return (
      <InvitationLink name={nameOf(created)} invitation={created.invitation} onClose={() => leaveTo(created.uuid)} />
    );
  return (
    <FormDialog
      title={t`Add user`}
      action={t`Add user`}
      ready={email.trim() !== '' && (!hasPassword || isAllowed)}
      sending={create}
      draft={draft}
      secretTyped={hasPassword && password !== ''}
      failure={t`The account wasn’t created`}
      fields={['email', 'full_name', 'auth_type', 'role', 'password']}
      onSubmit={() => create.mutate()}
      onClose={onClose}
    >
      <TextInput
        label={t`E-mail address`}
        type="email"
        data-autofocus
        required
        maxLength={320}
        autoComplete="off"
        value={email}
        error={problem('email') ?? (codeOf(create.error) === 'email_taken' ? messageOf(create.error) : null)}
        onChange={(event) => change({ email: event.currentTarget.value })}
      />
      <TextInput
        label={t`Name`}
        maxLength={200}
        autoComplete="off"
        value={name}
        error={problem('full_name')}
        onChange={(event) => change({ name: event.currentTarget.value })}
      />
      <NativeSelect
        label={t`Signs in through`}
        data={options(originNames)}
        value={origin}
        error={problem('auth_type')}
        onChange={(event) => change({ origin: event.currentTarget.value as Account['auth_type'] })}
      />
      {me?.role === 'super_admin' ? (
        <NativeSelect
          label={t`Role`}
          data={options(roleNames)}
          value={role}
          error={problem('role')}
          onChange={(event) => change({ role: event.currentTarget.value as Account['role'] })}
        />
      ) : (
        <Text size="sm" c="dimmed">
          {t`The account gets the role User. A super administrator can change it.`}
        </Text>
      )}
      {local && (
        <Radio.Group
          label={t`First password`}
          value={invite ? 'invite' : 'set'}
          onChange={(value) => change({ invite: value === 'invite' })}
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
            error={problem('password')}
            onChange={setPassword}
          />
          <Checkbox
            label={t`Require a new password at first sign-in`}
            checked={mustChangePassword}
            onChange={(event) => change({ mustChangePassword: event.currentTarget.checked })}
          />
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

function options(names: Readonly<Record<string, string>>) {
  return Object.entries(names).map(([value, label]) => ({ value, label }));
}
