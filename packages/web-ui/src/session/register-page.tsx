import { t } from '@lingui/core/macro';
import { Anchor, Button, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { fieldOf } from '../api/problem.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { guestDrafts } from '../state/services.ts';
import { useUnsaved } from '../ui/unsaved.tsx';
import { RestoredNote } from '../ui/draft.tsx';
import { useDraft } from '../state/use-draft.ts';
import { methodsQuery } from './methods.ts';
import { NewPassword, useIsPasswordAllowed } from './new-password.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

export function RegisterPage() {
  useDocumentTitle(t`Register · Overtone`);
  const methods = useQuery(methodsQuery);
  return (
    <SignInFrame title={t`Register`} text={t`Create your own account.`}>
      {methods.isError && <ErrorNote error={methods.error} onRetry={() => void methods.refetch()} />}
      {methods.isPending && <Skeleton h={220} />}
      {methods.data?.allow_registration === false && (
        <Text size="sm" role="status">
          {t`Registration is switched off. Ask an administrator for an account.`}
        </Text>
      )}
      {methods.data?.allow_registration === true && <RegisterForm />}
      <Text size="sm" ta="center">
        <Anchor component={Link} to="/sign-in" underline="always">
          {t`Back to sign-in`}
        </Anchor>
      </Text>
    </SignInFrame>
  );
}

function RegisterForm() {
  // Without the password, which must not be stored.
  const draft = useDraft('register', { email: '', name: '' }, { askToLeave: false, store: guestDrafts });
  const { email, name } = draft.value;
  const [password, setPassword] = useState('');
  const isAllowed = useIsPasswordAllowed(password);
  const register = useMutation({
    mutationFn: () =>
      call('POST /api/auth/register', {
        body: { email: email.trim(), password, ...(name.trim() === '' ? {} : { full_name: name.trim() }) },
      }),
    onSuccess: draft.drop,
  });
  useUnsaved(password !== '' && !register.isSuccess, () => setPassword(''));
  if (register.data) {
    return (
      <Text role="status" data-testid="registered">
        {register.data.message}
      </Text>
    );
  }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        register.mutate();
      }}
    >
      <Stack gap="md">
        <RestoredNote draft={draft} />
        {register.error && (
          <ErrorNote
            error={register.error}
            title={t`Registration failed`}
            fields={['email', 'full_name', 'password']}
          />
        )}
        <TextInput
          label={t`E-mail address`}
          type="email"
          autoComplete="email"
          required
          maxLength={320}
          value={email}
          error={fieldOf(register.error, 'email')}
          onChange={(event) => draft.set({ email: event.currentTarget.value, name })}
        />
        <TextInput
          label={t`Name`}
          autoComplete="name"
          maxLength={200}
          value={name}
          error={fieldOf(register.error, 'full_name')}
          onChange={(event) => draft.set({ email, name: event.currentTarget.value })}
        />
        <NewPassword
          label={t`Password`}
          value={password}
          error={fieldOf(register.error, 'password')}
          onChange={setPassword}
        />
        <Button type="submit" size="md" loading={register.isPending} disabled={!isAllowed || email.trim() === ''}>
          {t`Register`}
        </Button>
      </Stack>
    </form>
  );
}
