import type { AuthCategory, AuthSettingKey, AuthSettings } from '@overtone/contracts';
import { issuerOf } from '../oidc/oidc.ts';

type Recipient = { secret: AuthSettingKey; of: (s: AuthSettings) => unknown[] };
const recipients: Partial<Record<AuthCategory, Recipient>> = {
  ldap: {
    secret: 'ldap_bind_password',
    of: (s) => [s.ldap_server, s.ldap_port, s.ldap_use_ssl, s.ldap_use_tls, s.ldap_bind_dn],
  },
  oidc: { secret: 'oidc_client_secret', of: (s) => [issuerOf(s), s.oidc_client_id] },
};

/**
 * The stored secret that would be told to somebody it was not stored for: another server, port, encryption or name.
 * @returns nothing when no secret is stored, a new one is given with the change, or it goes where it always went.
 */
export const secretForAnother = (
  category: AuthCategory,
  given: Record<string, unknown>,
  saved: AuthSettings,
  next: AuthSettings,
): AuthSettingKey | undefined => {
  const recipient = recipients[category];
  if (!recipient || given[recipient.secret] || next[recipient.secret] === '') return undefined;
  return JSON.stringify(recipient.of(saved)) === JSON.stringify(recipient.of(next)) ? undefined : recipient.secret;
};
