import { identityRoutes } from '@overtone/contracts';
import {
  clientOf,
  createForwardedVerifier,
  forwardedHeader,
  handle,
  periodic,
  type Forwarded,
  type Log,
  type Slice,
} from '@overtone/service-kit';
import type { Pool } from '../database.ts';
import type { Settings } from '../live-settings.ts';
import { methodOff, type Provisioning, type Refuse } from '../provisioning/provisioning.ts';
import { secureCookies, tokenReply } from '../sessions/sessions.ts';
import type { Telemetry } from '../telemetry.ts';
import { createCrlSource } from './crl.adapter.ts';
import { certificateOf, checkCertificate, type PkiSettings } from './pki.ts';
import { createRevocationLists } from './revocation-lists.service.ts';
import { createRevocation } from './revocation.ts';

type Deps = {
  pool: Pool;
  log: Log;
  telemetry: Telemetry;
  settings: Settings;
  provisioning: Provisioning;
  refuse: Refuse;
  env: { ASSERTION_PUBLIC_KEY: string; ALLOW_INSECURE_COOKIES: boolean };
};

/** Sign-in with a client certificate, and the revocation lists that it needs. */
export function createPkiSlice({ pool, log, telemetry, settings, provisioning, refuse, env }: Deps): Slice {
  const crls = createCrlSource({ log, telemetry });
  const revocation = createRevocation();
  const lists = createRevocationLists({ pool, settings, crls, revocation });
  /** Verifies the signed statement of the edge about the original request. */
  const forwardedOf = createForwardedVerifier(env.ASSERTION_PUBLIC_KEY);

  const identify = async (forwarded: Forwarded, current: PkiSettings) => {
    const shown = certificateOf(forwarded, current);
    if (!shown.ok) return shown;
    const { pki_crl_url: url, pki_crl_cache_seconds: cacheSeconds } = current;
    const fetchLists = async () => (url === '' ? [] : crls.listsOf(url, cacheSeconds));
    return checkCertificate(shown, current, { revocation, fetchLists }, new Date());
  };
  const authenticate = handle(identityRoutes.pkiAuthenticate, async (request) => {
    const current = settings.current();
    if (!current.pki_enabled) throw methodOff();
    const secure = secureCookies(request.origin, env.ALLOW_INSECURE_COOKIES);
    const forwarded = forwardedOf(request.req.get(forwardedHeader));
    const client = clientOf(request);
    const identified = await identify(forwarded, current);
    if (!identified.ok) {
      const { errorCode, reason, username, header, certificate } = identified;
      const details = { peer: forwarded.peer, ...(header ? { header: header.slice(0, 100) } : {}), ...certificate };
      throw await refuse(client, { method: 'pki', errorCode, reason, username, details });
    }
    return tokenReply(await provisioning.signIn(identified.assertion, client), { secure });
  });

  return {
    parts: [lists.part],
    routes: [authenticate],
    periodics: [periodic('refresh the revocation list', 5_000, lists.refresh)],
  };
}
