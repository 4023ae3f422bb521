import { identityRoutes } from '@overtone/contracts';
import { handle, reply, type Route } from '@overtone/service-kit';
import { clientOf } from '../client.ts';
import { newCsrfToken, secureCookies, sessionCookies } from '../sessions/sessions.ts';
import type { SignIn } from './sign-in.service.ts';

type Deps = { signIn: SignIn; allowInsecureCookies: boolean };

export const signInRoutes = ({ signIn, allowInsecureCookies }: Deps): Route[] => [
  handle(identityRoutes.token, async (r) => {
    const secure = secureCookies(r.origin, allowInsecureCookies);
    const issued = await signIn.withPassword(r.body.username, r.body.password, clientOf(r));
    return reply(
      {
        access_token: issued.accessToken,
        token_type: 'bearer' as const,
        refresh_token: issued.refreshToken,
        expires_in: issued.accessSeconds,
      },
      { headers: { 'Set-Cookie': sessionCookies(issued, newCsrfToken(), secure), 'Cache-Control': 'no-store' } },
    );
  }),
  handle(identityRoutes.methods, async () => ({
    methods: ['local' as const],
    local_enabled: true,
    allow_registration: false,
    ldap_enabled: false,
    oidc_enabled: false,
    pki_enabled: false,
    proxy_enabled: false,
    oidc_display_name: '',
    keycloak_enabled: false,
  })),
];
