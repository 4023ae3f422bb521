import { identityRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { clientOf } from '../client.ts';
import { newCsrfToken, secureCookies, tokenReply } from '../sessions/sessions.ts';
import type { SignIn } from './sign-in.service.ts';

type Deps = { signIn: SignIn; allowInsecureCookies: boolean };

export const signInRoutes = ({ signIn, allowInsecureCookies }: Deps): Route[] => [
  handle(identityRoutes.token, async (r) => {
    const secure = secureCookies(r.origin, allowInsecureCookies);
    const issued = await signIn.withPassword(r.body.username, r.body.password, clientOf(r));
    return tokenReply(issued, { csrfToken: newCsrfToken(), secure });
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
