import { t } from '@lingui/core/macro';
import { Alert, Anchor, Button, Divider, Skeleton, Stack, Text } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { call } from '../api/client.ts';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon, type IconName } from '../ui/icons.tsx';
import { session } from '../state/services.ts';
import { methodsQuery, type Methods } from './methods.ts';
import { storeNext } from './next-page.ts';
import { PasswordForm } from './password-form.tsx';
import { SignInError } from './sign-in-error.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

export function SignInPage() {
  useDocumentTitle(t`Sign in · Overtone`);
  const methods = useQuery(methodsQuery);
  const { ended } = useSearch({ from: '/sign-in' });
  return (
    <SignInFrame title={t`Sign in`} text={t`Transcribe and search your recordings.`}>
      {ended && <Alert color="gray" variant="light" role="status">{t`Your session has ended. Sign in again.`}</Alert>}
      {methods.isError && (
        <ErrorNote
          error={methods.error}
          title={t`The sign-in methods couldn’t be loaded`}
          onRetry={() => void methods.refetch()}
        />
      )}
      {methods.isPending && <Pending />}
      {!methods.isPending && <SignInMethods methods={methods.data ?? fallbackMethods} />}
    </SignInFrame>
  );
}

/** Used while the methods are unknown: a password may still work. */
const fallbackMethods: Methods = {
  methods: [],
  local_enabled: true,
  allow_registration: false,
  ldap_enabled: false,
  oidc_enabled: false,
  pki_enabled: false,
  proxy_enabled: false,
  oidc_display_name: '',
  keycloak_enabled: false,
};

function Pending() {
  return (
    <Stack gap="md" role="status" aria-label={t`Loading`}>
      <Skeleton h={68} />
      <Skeleton h={68} />
      <Skeleton h={42} />
    </Stack>
  );
}

function SignInMethods({ methods }: { methods: Methods }) {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const done = (): Promise<void> => navigate({ href: next ?? '/', replace: true });
  const hasPasswords = methods.local_enabled || methods.ldap_enabled;
  // A super administrator can always sign in with a password, so that no setting locks out everyone.
  const [passwordShown, setPasswordShown] = useState(false);
  const hasButtons = methods.oidc_enabled || methods.pki_enabled || methods.proxy_enabled;
  return (
    <Stack gap="lg">
      {(hasPasswords || passwordShown) && <PasswordForm onDone={done} />}
      {hasPasswords && hasButtons && <Divider label={t`or`} />}
      {hasButtons && <OtherMethods methods={methods} next={next} onDone={done} />}
      {!hasPasswords && !hasButtons && !passwordShown && (
        <Text size="sm" role="status">
          {t`Sign-in is switched off. Contact an administrator.`}
        </Text>
      )}
      {!hasPasswords && !passwordShown && (
        <Button variant="subtle" color="gray" size="xs" onClick={() => setPasswordShown(true)}>
          {t`Administrator? Use your password`}
        </Button>
      )}
      {methods.allow_registration && (
        <Text size="sm" ta="center">
          {t`No account yet?`}{' '}
          <Anchor component={Link} to="/register" fw={600} underline="always">
            {t`Register`}
          </Anchor>
        </Text>
      )}
    </Stack>
  );
}

type OtherMethodsProps = { methods: Methods; next: string | undefined; onDone: () => Promise<void> };

function OtherMethods({ methods, next, onDone }: OtherMethodsProps) {
  const oidc = useMutation({ mutationFn: () => goToProvider(next) });
  const pki = useMutation({
    mutationFn: () => session.enter(() => call('POST /api/auth/pki/authenticate')),
    onSuccess: onDone,
  });
  const proxy = useMutation({
    mutationFn: () => session.enter(() => call('POST /api/auth/proxy/authenticate')),
    onSuccess: onDone,
  });
  return (
    <Stack gap="sm">
      <div aria-live="assertive">
        {oidc.error && <SignInError error={oidc.error} method="oidc" />}
        {pki.error && <SignInError error={pki.error} method="pki" />}
        {proxy.error && <SignInError error={proxy.error} method="proxy" />}
      </div>
      {methods.oidc_enabled && (
        <MethodButton icon="key" busy={oidc.isPending || oidc.isSuccess} onClick={() => oidc.mutate()}>
          {t`Continue with ${methods.oidc_display_name}`}
        </MethodButton>
      )}
      {methods.pki_enabled && (
        <MethodButton icon="file" busy={pki.isPending} onClick={() => pki.mutate()}>
          {t`Use a certificate`}
        </MethodButton>
      )}
      {methods.proxy_enabled && (
        <MethodButton icon="user" busy={proxy.isPending} onClick={() => proxy.mutate()}>
          {t`Continue with the current session`}
        </MethodButton>
      )}
    </Stack>
  );
}

/** Opens the page of the identity provider. */
async function goToProvider(next: string | undefined): Promise<void> {
  const { authorization_url } = await call('GET /api/auth/oidc/login');
  // A `javascript:` address from a wrong configuration must not run.
  if (!/^https?:\/\//.test(authorization_url)) throw new Error(t`The address of the identity provider is invalid.`);
  storeNext(next);
  location.assign(authorization_url);
}

type MethodButtonProps = { icon: IconName; busy: boolean; onClick: () => void; children: ReactNode };

function MethodButton({ icon, busy, onClick, children }: MethodButtonProps) {
  return (
    <Button variant="default" size="md" leftSection={<Icon name={icon} />} loading={busy} onClick={onClick}>
      {children}
    </Button>
  );
}
