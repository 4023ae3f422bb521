import { identityRoutes } from '@overtone/contracts';
import { forwardedHeader, handle, type Forwarded, type Route } from '@overtone/service-kit';
import { clientOf } from '../client.ts';
import { methodOff, type Provisioning, type Refuse } from '../provisioning/provisioning.ts';
import { secureCookies, tokenReply } from '../sessions/sessions.ts';
import type { Settings } from '../settings/settings.ts';
import { personOf } from './trusted-header.ts';

type Deps = {
  settings: Settings;
  /** Verifies the signed statement of the edge about the original request. */
  forwardedOf: (statement: string | undefined) => Forwarded;
  provisioning: Provisioning;
  refuse: Refuse;
  allowInsecureCookies: boolean;
};

export function trustedHeaderRoutes(deps: Deps): Route[] {
  return [
    handle(identityRoutes.proxyAuthenticate, async (r) => {
      const settings = deps.settings.current();
      if (!settings.proxy_enabled) throw methodOff();
      const secure = secureCookies(r.origin, deps.allowInsecureCookies);
      const forwarded = deps.forwardedOf(r.req.get(forwardedHeader));
      const client = clientOf(r);
      const named = personOf(forwarded, settings);
      if (!named.ok) {
        const { errorCode, reason, header } = named;
        const details = { peer: forwarded.peer, ...(header ? { header: header.slice(0, 100) } : {}) };
        throw await deps.refuse(client, { method: 'proxy', errorCode, reason, details });
      }
      const issued = await deps.provisioning.signIn(named.assertion, client);
      return tokenReply(issued, { secure });
    }),
  ];
}
