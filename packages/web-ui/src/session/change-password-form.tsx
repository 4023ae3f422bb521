import { t } from '@lingui/core/macro';
import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { fieldOf } from '../api/problem.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { useUnsaved } from '../ui/unsaved.tsx';
import { NewPassword, useIsPasswordAllowed } from './new-password.tsx';

/** Changes the password of the signed-in person, who has to know the current one. */
export function ChangePasswordForm({ onDone }: { onDone: () => void }) {
  const client = useQueryClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [repeated, setRepeated] = useState('');
  const isDifferent = repeated !== '' && next !== repeated;
  const ready = useIsPasswordAllowed(next) && current !== '' && !isDifferent;
  const clear = (): void => {
    setCurrent('');
    setNext('');
    setRepeated('');
  };
  // Passwords are never stored: the question before leaving is all that protects them.
  useUnsaved(current !== '' || next !== '' || repeated !== '', clear);
  const change = useMutation({
    mutationFn: () => call('PUT /api/users/me', { body: { current_password: current, password: next } }),
    onSuccess: (me) => {
      client.setQueryData(['me'], me);
      clear();
      onDone();
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) change.mutate();
      }}
    >
      <Stack gap="md" maw={420}>
        {change.error && (
          <ErrorNote
            error={change.error}
            fields={['password', 'current_password']}
            title={t`The password wasn’t changed`}
          />
        )}
        {change.isSuccess && (
          <Alert color="petrol" variant="light" role="status">
            <Text size="sm">{t`Password changed.`}</Text>
          </Alert>
        )}
        <PasswordInput
          label={t`Current password`}
          autoComplete="current-password"
          required
          value={current}
          error={fieldOf(change.error, 'current_password')}
          onChange={(event) => setCurrent(event.currentTarget.value)}
        />
        <NewPassword value={next} error={fieldOf(change.error, 'password')} onChange={setNext} />
        <PasswordInput
          label={t`Repeat new password`}
          autoComplete="new-password"
          required
          value={repeated}
          error={isDifferent ? t`The passwords don’t match` : null}
          onChange={(event) => setRepeated(event.currentTarget.value)}
        />
        <Button type="submit" loading={change.isPending} disabled={!ready} style={{ alignSelf: 'flex-start' }}>
          {t`Change password`}
        </Button>
      </Stack>
    </form>
  );
}
