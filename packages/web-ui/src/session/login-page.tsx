import { Button, Group, Loader, Text } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { ask } from '../api/identity.ts';
import { session } from '../app/services.ts';
import { takeNext } from './next-page.ts';
import { SignInError } from './sign-in-error.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

/** Where the identity provider sends people back to: finishes the sign-in that began on the sign-in page. */
export const LoginPage = () => {
  useDocumentTitle('Signing in · Overtone');
  const answer = useSearch({ from: '/login' });
  const navigate = useNavigate();
  const begun = useRef(false);
  const finish = useMutation({
    mutationFn: () => session.enter(() => ask('oidcCallback', { query: answer })),
    onSuccess: () => navigate({ href: takeNext(), replace: true }),
  });
  const { mutate } = finish;
  const back = 'code' in answer || 'error' in answer || 'state' in answer;
  useEffect(() => {
    // A code works once: not a second time because the effect runs again.
    if (begun.current) return;
    begun.current = true;
    if (back) mutate();
    else void navigate({ to: '/sign-in', replace: true });
  }, [back, mutate, navigate]);
  return (
    <SignInFrame
      title={finish.isError ? 'Not signed in' : 'Signing in'}
      text={finish.isError ? 'Nothing has been changed.' : 'Your identity provider has answered.'}
    >
      {finish.isError ? (
        <>
          <div aria-live="assertive">
            <SignInError error={finish.error} way="oidc" />
          </div>
          <Button component={Link} to="/sign-in" replace>
            Back to sign-in
          </Button>
        </>
      ) : (
        <Group gap="sm" role="status">
          <Loader size="sm" type="bars" />
          <Text size="sm">One moment</Text>
        </Group>
      )}
    </SignInFrame>
  );
};
