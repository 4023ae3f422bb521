import { t } from '@lingui/core/macro';
import { Button, Group, Loader, Text } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { call } from '../api/client.ts';
import { keepIssuerCallback } from '../state/issuer-test.ts';
import { session } from '../state/services.ts';
import { takeNext } from './next-page.ts';
import { SignInError } from './sign-in-error.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

/** The callback page of the identity provider: it completes the sign-in. */
export function LoginPage() {
  useDocumentTitle(t`Signing in · Overtone`);
  const query = useSearch({ from: '/login' });
  const navigate = useNavigate();
  const isStarted = useRef(false);
  const finish = useMutation({
    mutationFn: () => session.enter(() => call('GET /api/auth/oidc/callback', { query })),
    onSuccess: () => navigate({ href: takeNext(), replace: true }),
  });
  const { mutate } = finish;
  const isCallback = 'code' in query || 'error' in query || 'state' in query;
  useEffect(() => {
    // A code works once, but React may run an effect twice.
    if (isStarted.current) return;
    isStarted.current = true;
    if (keepIssuerCallback(query))
      void navigate({ to: '/admin/authentication/$category', params: { category: 'oidc' }, replace: true });
    else if (isCallback) mutate();
    else void navigate({ to: '/sign-in', replace: true });
  }, [isCallback, mutate, navigate, query]);
  return (
    <SignInFrame
      title={finish.isError ? t`Sign-in failed` : t`Signing in`}
      text={finish.isError ? t`You are not signed in.` : t`Completing the sign-in.`}
    >
      {finish.isError ? (
        <>
          <div aria-live="assertive">
            <SignInError error={finish.error} method="oidc" />
          </div>
          <Button component={Link} to="/sign-in" replace>
            {t`Back to sign-in`}
          </Button>
        </>
      ) : (
        <Group gap="sm" role="status">
          <Loader size="sm" type="bars" />
          <Text size="sm">{t`One moment`}</Text>
        </Group>
      )}
    </SignInFrame>
  );
}
