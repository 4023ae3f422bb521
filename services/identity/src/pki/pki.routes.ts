import { identityRoutes } from '@overtone/contracts';
import { forwardedHeader, handle, type Forwarded, type Route } from '@overtone/service-kit';
import { clientOf } from '../client.ts';
import { methodOff, type Provisioning, type Refuse } from '../provisioning/provisioning.ts';
import { secureCookies, tokenReply } from '../sessions/sessions.ts';
import type { Settings } from '../live-settings.ts';
import type { CrlSource } from './crl.adapter.ts';
import type { Revocation } from './revocation.ts';
import { certificateOf, checkCertificate, type PkiSettings, type CertificateRefusal } from './pki.ts';

type Deps = {
  settings: Settings;
  /** Verifies the signed statement of the edge about the original request. */
  forwardedOf: (statement: string | undefined) => Forwarded;
  crls: CrlSource;
  revocation: Revocation;
  provisioning: Provisioning;
  refuse: Refuse;
  allowInsecureCookies: boolean;
};

export function pkiRoutes(deps: Deps): Route[] {
  const identify = async (forwarded: Forwarded, settings: PkiSettings) => {
    const shown = certificateOf(forwarded, settings);
    if (!shown.ok) return shown;
    const fetchLists = async () =>
      settings.pki_crl_url === '' ? [] : deps.crls.listsOf(settings.pki_crl_url, settings.pki_crl_cache_seconds);
    return checkCertificate(shown, settings, { revocation: deps.revocation, fetchLists }, new Date());
  };

  return [
    handle(identityRoutes.pkiAuthenticate, async (request) => {
      const settings = deps.settings.current();
      if (!settings.pki_enabled) throw methodOff();
      const secure = secureCookies(request.origin, deps.allowInsecureCookies);
      const forwarded = deps.forwardedOf(request.req.get(forwardedHeader));
      const client = clientOf(request);
      const identified = await identify(forwarded, settings);
      if (!identified.ok) {
        const { errorCode, reason, username, header, certificate }: CertificateRefusal = identified;
        const details = { peer: forwarded.peer, ...(header ? { header: header.slice(0, 100) } : {}), ...certificate };
        throw await deps.refuse(client, { method: 'pki', errorCode, reason, username, details });
      }
      const issued = await deps.provisioning.signIn(identified.assertion, client);
      return tokenReply(issued, { secure });
    }),
  ];
}
