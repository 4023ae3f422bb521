import { createForwardedVerifier, periodic, type Log, type Slice } from '@overtone/service-kit';
import type { Pool } from '../database.ts';
import type { Settings } from '../live-settings.ts';
import type { Provisioning, Refuse } from '../provisioning/provisioning.ts';
import type { Telemetry } from '../telemetry.ts';
import { createCrlSource } from './crl.adapter.ts';
import { pkiRoutes } from './pki.routes.ts';
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
  const forwardedOf = createForwardedVerifier(env.ASSERTION_PUBLIC_KEY);
  const allowInsecureCookies = env.ALLOW_INSECURE_COOKIES;
  return {
    parts: [lists.part],
    routes: pkiRoutes({ settings, provisioning, refuse, forwardedOf, allowInsecureCookies, crls, revocation }),
    periodics: [periodic('refresh the revocation list', 5_000, lists.refresh)],
  };
}
