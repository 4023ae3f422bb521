import type { Settings } from '../settings/settings.ts';
import type { CrlSource } from './crl.adapter.ts';
import { authoritiesOf } from './pki.ts';
import type { Revocation } from './revocation.ts';

type Deps = { settings: Settings; crls: CrlSource; revocation: Revocation };

/** Fetches the revocation list before a sign-in needs it, and keeps the authentic ones as the last known. */
export const keepListsFresh =
  ({ settings, crls, revocation }: Deps) =>
  async (): Promise<void> => {
    const s = settings.current();
    if (!s.pki_enabled || !s.pki_verify_revocation || s.pki_crl_url === '') return;
    const lists = crls.refreshInBackground(s.pki_crl_url, s.pki_crl_cache_seconds);
    await revocation.remember(authoritiesOf(s.pki_ca_cert) ?? [], lists);
  };
