import { identityRoutes } from '@overtone/contracts';
import { clientOf, handle, type Slice } from '@overtone/service-kit';
import { secureCookies, tokenReply } from '../sessions/sessions.ts';
import { createPace } from './pace.ts';
import { createSignIn, type SignInDeps } from './sign-in.service.ts';
import { methodsOf } from './sign-in.ts';

type Deps = Omit<SignInDeps, 'pace'> & { env: { ALLOW_INSECURE_COOKIES: boolean; SIGN_IN_REFUSAL_MS: number } };

/** Sign-in with a name and a password, checked here or by the directory; and the list of sign-in methods. */
export function createSignInSlice(deps: Deps): Slice {
  const { env, settings } = deps;
  const signIn = createSignIn({ ...deps, pace: createPace({ floorMs: env.SIGN_IN_REFUSAL_MS }) });
  return {
    routes: [
      handle(identityRoutes.token, async (request) => {
        const secure = secureCookies(request.origin, env.ALLOW_INSECURE_COOKIES);
        const issued = await signIn.withPassword(request.body.username, request.body.password, clientOf(request));
        return tokenReply(issued, { secure });
      }),
      handle(identityRoutes.methods, async () => methodsOf(settings.current())),
    ],
  };
}
