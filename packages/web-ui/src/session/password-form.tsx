import { t } from '@lingui/core/macro';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { session } from '../state/services.ts';
import { SignInError } from './sign-in-error.tsx';

/** Sign-in with a local password or the password of the directory. */
export function PasswordForm({ onDone }: { onDone: () => Promise<void> }) {
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const signIn = useMutation({ mutationFn: () => session.signIn(username.trim(), password), onSuccess: onDone });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        signIn.mutate();
      }}
    >
      <Stack gap="md">
        <div aria-live="assertive">{signIn.error && <SignInError error={signIn.error} method="password" />}</div>
        <TextInput
          label={t`User name or e-mail address`}
          name="username"
          autoComplete="username"
          autoCapitalize="none"
          spellCheck={false}
          required
          autoFocus
          size="md"
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <PasswordInput
          label={t`Password`}
          name="password"
          autoComplete="current-password"
          required
          size="md"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        <Button type="submit" size="md" loading={signIn.isPending} fullWidth>
          {t`Sign in`}
        </Button>
      </Stack>
    </form>
  );
}
