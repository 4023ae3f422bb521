import { t } from '@lingui/core/macro';
import { Button, PasswordInput, Skeleton, Stack, Text } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import type { PublicView } from '@overtone/contracts';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { codeOf } from '../api/problem.ts';
import { SignInFrame } from '../session/sign-in-frame.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { PublicRecording } from './public-recording.tsx';
import { openQuery, rememberUnlocked } from './queries.ts';

/** The page of a public link: one recording for a person without an account. The token is in the fragment. */
export function PublicPage() {
  const token = useLocation({ select: ({ hash }) => hash });
  return <Link key={token} token={token} />;
}

function Link({ token }: { token: string }) {
  useDocumentTitle(t`Shared recording · Overtone`);
  const link = useQuery(openQuery(token));
  const [unlocked, setUnlocked] = useState<PublicView | null>(null);
  const [hasEnded, setEnded] = useState(false);
  const view = unlocked ?? link.data?.view ?? null;
  if (hasEnded || token === '' || codeOf(link.error) === 'not_found') return <EndedLink />;
  if (view) return <PublicRecording opened={view} onEnd={() => setEnded(true)} />;
  return (
    <SignInFrame title={t`Shared recording`} text={t`Someone shared a recording with you.`}>
      {link.isError && <ErrorNote error={link.error} onRetry={() => void link.refetch()} />}
      {link.isPending && <Skeleton h={140} role="status" aria-label={t`Loading`} />}
      {link.data && <PasswordForm token={token} onUnlock={setUnlocked} onEnd={() => setEnded(true)} />}
    </SignInFrame>
  );
}

function EndedLink() {
  return (
    <SignInFrame title={t`Shared recording`} text={t`This recording can’t be opened.`}>
      <Text size="sm" role="alert">
        {t`This link does not exist or has ended. Ask the person who sent it to you for a new one.`}
      </Text>
    </SignInFrame>
  );
}

type FormProps = { token: string; onUnlock: (view: PublicView) => void; onEnd: () => void };

function PasswordForm({ token, onUnlock, onEnd }: FormProps) {
  const [password, setPassword] = useState('');
  const unlock = useMutation({
    mutationFn: () => call('POST /api/public/links/unlock', { body: { token, password } }),
    onSuccess: (view) => {
      rememberUnlocked(view.uuid);
      onUnlock(view);
    },
    onError: (error) => {
      if (codeOf(error) === 'not_found') onEnd();
    },
  });
  const isWrong = codeOf(unlock.error) === 'public_link_password_wrong';
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (password !== '' && !unlock.isPending) unlock.mutate();
      }}
    >
      <Stack gap="md">
        {unlock.error && !isWrong && <ErrorNote error={unlock.error} title={t`The recording wasn’t opened`} />}
        <PasswordInput
          label={t`Password`}
          description={t`The person who sent you the link knows it.`}
          autoComplete="off"
          autoFocus
          maxLength={128}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={isWrong ? t`The password is not correct.` : null}
        />
        <Button type="submit" size="md" disabled={password === ''} loading={unlock.isPending}>
          {t`Open`}
        </Button>
      </Stack>
    </form>
  );
}
