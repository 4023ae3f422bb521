import { Alert, Button, PasswordInput, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { NewPassword, usePasswordKeeps } from './new-password.tsx';

/** Own password, with the current one. */
export const ChangePasswordForm = ({ onDone }: { onDone: () => void }) => {
  const client = useQueryClient();
  const [current, setCurrent] = useState('');
  const [next, setNext] = useState('');
  const [again, setAgain] = useState('');
  const differ = again !== '' && next !== again;
  const ready = usePasswordKeeps(next) && current !== '' && !differ;
  const change = useMutation({
    mutationFn: () => call('updateMe', { body: { current_password: current, password: next } }),
    onSuccess: (me) => {
      client.setQueryData(['me'], me);
      setCurrent('');
      setNext('');
      setAgain('');
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
        {change.error && <ErrorNote error={change.error} title="The password was not changed" />}
        {change.isSuccess && (
          <Alert color="petrol" variant="light" role="status">
            <Text size="sm">Your password is changed.</Text>
          </Alert>
        )}
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={current}
          onChange={(e) => setCurrent(e.currentTarget.value)}
        />
        <NewPassword value={next} onChange={setNext} />
        <PasswordInput
          label="New password again"
          autoComplete="new-password"
          required
          withAsterisk={false}
          value={again}
          error={differ ? 'The two differ' : null}
          onChange={(e) => setAgain(e.currentTarget.value)}
        />
        <Button type="submit" loading={change.isPending} disabled={!ready} style={{ alignSelf: 'flex-start' }}>
          Change password
        </Button>
      </Stack>
    </form>
  );
};
