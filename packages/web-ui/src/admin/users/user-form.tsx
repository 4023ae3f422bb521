import { t } from '@lingui/core/macro';
import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../../api/client.ts';
import { fieldOf } from '../../api/problem.ts';
import { ErrorNote } from '../../ui/error-note.tsx';
import { notify } from '../../ui/notify.ts';
import { RestoredNote } from '../../ui/draft.tsx';
import { useDraft } from '../../state/use-draft.ts';
import type { Account } from '../../ui/account-labels.ts';
import { userQuery } from './user-queries.ts';

/** Name, address and expiry of an account. */
export function UserForm({ account }: { account: Account }) {
  const client = useQueryClient();
  const draft = useDraft(`user:${account.uuid}`, {
    email: account.email,
    name: account.full_name,
    expires: dayOf(account.account_expires_at),
    fallback: account.allow_local_fallback,
    mustChange: account.must_change_password,
  });
  const { email, name, expires, fallback, mustChange } = draft.value;
  const local = account.auth_type === 'local';
  const canFallBack = account.auth_type === 'oidc' || account.auth_type === 'pki';
  const changes = {
    ...(email.trim() === account.email ? {} : { email: email.trim() }),
    ...(name.trim() === account.full_name ? {} : { full_name: name.trim() }),
    ...(expires === dayOf(account.account_expires_at)
      ? {}
      : { account_expires_at: expires === '' ? null : new Date(`${expires}T23:59:59`).toISOString() }),
    ...(fallback === account.allow_local_fallback ? {} : { allow_local_fallback: fallback }),
    ...(mustChange === account.must_change_password ? {} : { must_change_password: mustChange }),
  };
  const save = useMutation({
    mutationFn: (_entered: typeof draft.value) =>
      call('PUT /api/users/{uuid}', { params: { uuid: account.uuid }, body: changes }),
    onSuccess: (next, entered) => {
      draft.dropSaved(entered);
      client.setQueryData(userQuery(account.uuid).queryKey, next);
      void client.invalidateQueries({ queryKey: ['users'] });
      notify(t`Account saved.`);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate(draft.value);
      }}
    >
      <Stack gap="md" maw={480}>
        <RestoredNote draft={draft} />
        {save.error && <ErrorNote error={save.error} title={t`The account wasn’t saved`} />}
        <TextInput
          label={t`Name`}
          maxLength={200}
          value={name}
          error={fieldOf(save.error, 'full_name')}
          onChange={(event) => draft.set({ ...draft.value, name: event.currentTarget.value })}
        />
        <TextInput
          label={t`E-mail address`}
          type="email"
          maxLength={320}
          value={email}
          error={fieldOf(save.error, 'email')}
          {...(local ? {} : { description: t`The next sign-in may replace it with the address from the directory.` })}
          onChange={(event) => draft.set({ ...draft.value, email: event.currentTarget.value })}
        />
        <TextInput
          label={t`Expires at the end of`}
          type="date"
          description={t`Leave blank for never`}
          value={expires}
          error={fieldOf(save.error, 'account_expires_at')}
          onChange={(event) => draft.set({ ...draft.value, expires: event.currentTarget.value })}
        />
        {local && (
          <Checkbox
            label={t`Require a new password at next sign-in`}
            checked={mustChange}
            onChange={(event) => draft.set({ ...draft.value, mustChange: event.currentTarget.checked })}
          />
        )}
        {canFallBack && (
          <Checkbox
            label={t`Can also sign in with a local password`}
            checked={fallback}
            error={fieldOf(save.error, 'allow_local_fallback')}
            onChange={(event) => draft.set({ ...draft.value, fallback: event.currentTarget.checked })}
          />
        )}
        <Group>
          <Button type="submit" loading={save.isPending} disabled={Object.keys(changes).length === 0}>
            {t`Save`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function dayOf(at: string | null): string {
  return at === null ? '' : new Date(at).toLocaleDateString('sv-SE');
}
