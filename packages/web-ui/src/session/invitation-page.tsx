import { t } from '@lingui/core/macro';
import { Anchor, Button, Skeleton, Stack, Text, TextInput } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { codeOf, fieldOf } from '../api/problem.ts';
import { moment } from '../lib/format.ts';
import { session } from '../state/services.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { useUnsaved } from '../ui/unsaved.tsx';
import { NewPassword, useIsPasswordAllowed } from './new-password.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

function invitationQuery(token: string) {
  return queryOptions({
    queryKey: ['public', 'invitation', token],
    queryFn: ({ signal }) => call('POST /api/auth/invitation', { body: { token }, signal }),
    enabled: token !== '',
    // Each request counts as an attempt.
    retry: false,
    staleTime: Infinity,
  });
}

/** The page of an invitation link: the invited person sets a password and is signed in. */
export function InvitationPage() {
  useDocumentTitle(t`Invitation · Overtone`);
  const token = useLocation({ select: ({ hash }) => hash });
  const invitation = useQuery(invitationQuery(token));
  const isInvalid = token === '' || codeOf(invitation.error) === 'invitation_invalid';
  return (
    <SignInFrame title={t`Set your password`} text={t`You have been invited to Overtone.`}>
      {isInvalid && (
        <Text size="sm" role="alert">
          {t`This link is not valid any more. It may have been used or replaced. Ask your administrator for a new one.`}
        </Text>
      )}
      {!isInvalid && invitation.isError && (
        <ErrorNote error={invitation.error} onRetry={() => void invitation.refetch()} />
      )}
      {!isInvalid && invitation.isPending && <Skeleton h={220} />}
      {invitation.data && (
        <InvitationForm token={token} email={invitation.data.email} validUntil={invitation.data.expires_at} />
      )}
      <Text size="sm" ta="center">
        <Anchor component={Link} to="/sign-in" underline="always">
          {t`Back to sign-in`}
        </Anchor>
      </Text>
    </SignInFrame>
  );
}

type FormProps = { readonly token: string; readonly email: string; readonly validUntil: string };

function InvitationForm({ token, email, validUntil }: FormProps) {
  const navigate = useNavigate();
  const [password, setPassword] = useState('');
  const isAllowed = useIsPasswordAllowed(password);
  const accept = useMutation({
    mutationFn: () => call('POST /api/auth/invitation/accept', { body: { token, password } }),
    onSuccess: async () => {
      // The password is set. Where it does not sign in (too many sessions, for example), the sign-in page says why.
      const isSignedIn = await session.signIn(email, password).then(
        () => true,
        () => false,
      );
      await navigate({ to: isSignedIn ? '/' : '/sign-in', replace: true, ignoreBlocker: true });
    },
  });
  useUnsaved(password !== '' && !accept.isSuccess, () => setPassword(''));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isAllowed) accept.mutate();
      }}
    >
      <Stack gap="md">
        {accept.error && <ErrorNote error={accept.error} title={t`The password wasn’t set`} fields={['password']} />}
        <TextInput
          label={t`E-mail address`}
          description={t`You sign in with it.`}
          autoComplete="username"
          readOnly
          value={email}
        />
        <NewPassword value={password} error={fieldOf(accept.error, 'password')} onChange={setPassword} />
        <Button type="submit" size="md" loading={accept.isPending || accept.isSuccess} disabled={!isAllowed}>
          {t`Set password`}
        </Button>
        <Text size="xs" c="dimmed">
          {t`This link works once, until ${moment(validUntil)}.`}
        </Text>
      </Stack>
    </form>
  );
}
