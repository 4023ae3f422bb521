import { identityRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { clientOf } from '../client.ts';
import { secureCookies, tokenReply } from '../sessions/sessions.ts';
import type { Settings } from '../settings/settings.ts';
import { methodsOf } from './sign-in.ts';
import type { SignIn } from './sign-in.service.ts';

type Deps = { signIn: SignIn; settings: Settings; allowInsecureCookies: boolean };

export function signInRoutes({ signIn, settings, allowInsecureCookies }: Deps): Route[] {
  return [
    handle(identityRoutes.token, async (r) => {
      const secure = secureCookies(r.origin, allowInsecureCookies);
      const issued = await signIn.withPassword(r.body.username, r.body.password, clientOf(r));
      return tokenReply(issued, { secure });
    }),
    handle(identityRoutes.methods, async () => methodsOf(settings.current())),
  ];
}
