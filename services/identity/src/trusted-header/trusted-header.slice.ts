import { identityRoutes } from '@overtone/contracts';
import { clientOf, createForwardedVerifier, forwardedHeader, handle, type Slice } from '@overtone/service-kit';
import type { Settings } from '../live-settings.ts';
import { methodOff, type Provisioning, type Refuse } from '../provisioning/provisioning.ts';
import { secureCookies, tokenReply } from '../sessions/sessions.ts';
import { personOf } from './trusted-header.ts';

type Deps = {
  settings: Settings;
  provisioning: Provisioning;
  refuse: Refuse;
  env: { ASSERTION_PUBLIC_KEY: string; ALLOW_INSECURE_COOKIES: boolean };
};

/** Sign-in by the headers of a trusted proxy. */
export function createTrustedHeaderSlice({ settings, provisioning, refuse, env }: Deps): Slice {
  /** Verifies the signed statement of the edge about the original request. */
  const forwardedOf = createForwardedVerifier(env.ASSERTION_PUBLIC_KEY);
  const authenticate = handle(identityRoutes.proxyAuthenticate, async (request) => {
    const current = settings.current();
    if (!current.proxy_enabled) throw methodOff();
    const secure = secureCookies(request.origin, env.ALLOW_INSECURE_COOKIES);
    const forwarded = forwardedOf(request.req.get(forwardedHeader));
    const client = clientOf(request);
    const named = personOf(forwarded, current);
    if (!named.ok) {
      const { errorCode, reason, header } = named;
      const details = { peer: forwarded.peer, ...(header ? { header: header.slice(0, 100) } : {}) };
      throw await refuse(client, { method: 'proxy', errorCode, reason, details });
    }
    return tokenReply(await provisioning.signIn(named.assertion, client), { secure });
  });
  return { routes: [authenticate] };
}
