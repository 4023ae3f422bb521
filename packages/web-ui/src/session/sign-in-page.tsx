import { Anchor, Button, Divider, Skeleton, Stack, Text } from '@mantine/core';
import { useDocumentTitle } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { ask } from '../api/identity.ts';
import { ErrorNote } from '../app/error-note.tsx';
import { Icon, type IconName } from '../app/icons.tsx';
import { session } from '../app/services.ts';
import { methodsQuery, type Methods } from './methods.ts';
import { keepNext } from './next-page.ts';
import { PasswordForm } from './password-form.tsx';
import { SignInError } from './sign-in-error.tsx';
import { SignInFrame } from './sign-in-frame.tsx';

export const SignInPage = () => {
  useDocumentTitle('Sign in · Overtone');
  const methods = useQuery(methodsQuery);
  return (
    <SignInFrame title="Sign in" text="Your recordings, read and found again.">
      {methods.isError && (
        <ErrorNote
          error={methods.error}
          title="The ways to sign in cannot be read just now"
          onRetry={() => void methods.refetch()}
        />
      )}
      {methods.isPending && <Pending />}
      {!methods.isPending && <WaysIn methods={methods.data ?? unknown} />}
    </SignInFrame>
  );
};

/** While nobody can tell, a password may still work. */
const unknown: Methods = {
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

const Pending = () => (
  <Stack gap="md" role="status" aria-label="Loading">
    <Skeleton h={68} />
    <Skeleton h={68} />
    <Skeleton h={42} />
  </Stack>
);

const WaysIn = ({ methods }: { methods: Methods }) => {
  const { next } = useSearch({ from: '/sign-in' });
  const navigate = useNavigate();
  const done = (): Promise<void> => navigate({ href: next ?? '/', replace: true });
  const passwords = methods.local_enabled || methods.ldap_enabled;
  // A super administrator's own password works even when passwords are switched off: no setting locks everybody out.
  const [asked, setAsked] = useState(false);
  const buttons = methods.oidc_enabled || methods.pki_enabled || methods.proxy_enabled;
  return (
    <Stack gap="lg">
      {(passwords || asked) && <PasswordForm onDone={done} />}
      {passwords && buttons && <Divider label="or" />}
      {buttons && <OtherWays methods={methods} next={next} onDone={done} />}
      {!passwords && !buttons && !asked && (
        <Text size="sm" role="status">
          Sign-in is switched off. Ask an administrator.
        </Text>
      )}
      {!passwords && !asked && (
        <Button variant="subtle" color="gray" size="xs" onClick={() => setAsked(true)}>
          Administrator? Use your password
        </Button>
      )}
      {methods.allow_registration && (
        <Text size="sm" ta="center">
          No account yet?{' '}
          <Anchor component={Link} to="/register" fw={600} underline="always">
            Register
          </Anchor>
        </Text>
      )}
    </Stack>
  );
};

type OtherProps = { methods: Methods; next: string | undefined; onDone: () => Promise<void> };

const OtherWays = ({ methods, next, onDone }: OtherProps) => {
  const oidc = useMutation({ mutationFn: () => toProvider(next) });
  const pki = useMutation({ mutationFn: () => session.enter(() => ask('pkiAuthenticate')), onSuccess: onDone });
  const proxy = useMutation({ mutationFn: () => session.enter(() => ask('proxyAuthenticate')), onSuccess: onDone });
  return (
    <Stack gap="sm">
      <div aria-live="assertive">
        {oidc.error && <SignInError error={oidc.error} way="oidc" />}
        {pki.error && <SignInError error={pki.error} way="pki" />}
        {proxy.error && <SignInError error={proxy.error} way="proxy" />}
      </div>
      {methods.oidc_enabled && (
        <Way icon="key" busy={oidc.isPending || oidc.isSuccess} onGo={() => oidc.mutate()}>
          Continue with {methods.oidc_display_name}
        </Way>
      )}
      {methods.pki_enabled && (
        <Way icon="file" busy={pki.isPending} onGo={() => pki.mutate()}>
          Use a certificate
        </Way>
      )}
      {methods.proxy_enabled && (
        <Way icon="user" busy={proxy.isPending} onGo={() => proxy.mutate()}>
          Continue as already signed in
        </Way>
      )}
    </Stack>
  );
};

/** Leaves the page for the identity provider. */
const toProvider = async (next: string | undefined): Promise<void> => {
  const { authorization_url } = await ask('oidcLogin');
  // An address is data, too: only one that leads to a page.
  if (!/^https?:\/\//.test(authorization_url)) throw new Error('The identity provider has no usable address.');
  keepNext(next);
  location.assign(authorization_url);
};

type WayProps = { icon: IconName; busy: boolean; onGo: () => void; children: ReactNode };
const Way = ({ icon, busy, onGo, children }: WayProps) => (
  <Button variant="default" size="md" leftSection={<Icon name={icon} />} loading={busy} onClick={onGo}>
    {children}
  </Button>
);
