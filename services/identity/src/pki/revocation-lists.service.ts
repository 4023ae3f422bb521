import type { Part } from '@overtone/service-kit';
import type { Pool } from '../database.ts';
import type { Settings } from '../live-settings.ts';
import type { CrlSource } from './crl.adapter.ts';
import { authoritiesOf } from './pki.ts';
import type { RevocationList } from './revocation-list.ts';
import { revocationListsStore as store, type AuthenticList } from './revocation-lists.store.ts';
import { verifiedIssuerOf, type Revocation } from './revocation.ts';

type Deps = { pool: Pool; settings: Settings; crls: CrlSource; revocation: Revocation };
type RevocationLists = {
  /** Loads the stored lists before the first sign-in. */
  part: Part;
  /** Fetches the list when it is due, and stores a new one once its signature is verified. */
  refresh: () => Promise<void>;
};

/** Keeps revocation lists up to date and across restarts: a revoked certificate stays refused while the server is down. */
export function createRevocationLists({ pool, settings, crls, revocation }: Deps): RevocationLists {
  /** Keys of the lists that need not be written again. */
  let stored = new Set<string>();

  async function load(): Promise<void> {
    const lists = await store.load(pool);
    stored = new Set(lists.map(storageKeyOf));
    revocation.restore(lists);
    const { pki_crl_url } = settings.current();
    const current = lists.filter(({ url }) => url === pki_crl_url).map(({ list }) => list);
    if (current.length > 0) crls.restore(pki_crl_url, current);
  }

  async function saveNew(url: string, lists: readonly RevocationList[]): Promise<void> {
    const authentic = lists.flatMap((list) => {
      const issuerId = verifiedIssuerOf(list);
      return issuerId === undefined ? [] : [{ url, issuerId, list }];
    });
    const added = authentic.filter((list) => !stored.has(storageKeyOf(list)));
    if (added.length === 0) return;
    await store.save(pool, added, authentic);
    stored = new Set(authentic.map(storageKeyOf));
  }

  return {
    part: { name: 'stored revocation lists', start: load, stop: async () => {} },
    refresh: async () => {
      const { pki_enabled, pki_verify_revocation, pki_crl_url, pki_crl_cache_seconds, pki_ca_cert } =
        settings.current();
      if (!pki_enabled || !pki_verify_revocation || pki_crl_url === '') return;
      const lists = crls.refreshInBackground(pki_crl_url, pki_crl_cache_seconds);
      await revocation.remember(authoritiesOf(pki_ca_cert) ?? [], lists);
      await saveNew(pki_crl_url, lists);
    },
  };
}

/** The signature identifies the content of an authentic list. */
function storageKeyOf({ url, issuerId, list }: AuthenticList): string {
  return `${url} ${issuerId} ${Buffer.from(list.signature).toString('base64')}`;
}
