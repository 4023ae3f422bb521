import { secretRecipients, type AuthCategory, type AuthSettingKey, type AuthSettings } from '@overtone/contracts';
import { invalid } from '@overtone/service-kit';
import { issuerOf } from '../oidc/oidc.ts';

type Recipient = { secret: AuthSettingKey; of: (s: AuthSettings) => unknown[] };
const recipients: Partial<Record<AuthCategory, Recipient>> = {
  ldap: {
    secret: 'ldap_bind_password',
    of: (s) => secretRecipients.ldap_bind_password.map((key) => s[key]),
  },
  // Two spellings may be one issuer.
  oidc: { secret: 'oidc_client_secret', of: (s) => [issuerOf(s), s.oidc_client_id] },
};

type Step = {
  given: Record<string, unknown>;
  saved: AuthSettings;
  next: AuthSettings;
  /** What counts while nothing is stored. */
  unset: AuthSettings;
};

/**
 * An administrator of settings could have a stored secret sent to a server of their own and read it there: it goes with
 * the server, port, encryption and name that it was given for (or that the environment names beside it), and with no others.
 * @throws AppError invalid, code secret_required, unless it is given once more or forgotten.
 */
export const checkRecipient = (category: AuthCategory, { given, saved, next, unset }: Step): void => {
  const recipient = recipients[category];
  if (!recipient) return;
  const { secret, of } = recipient;
  if (given[secret] || next[secret] === '') return;
  const there = JSON.stringify(of(next));
  if ([saved, unset].some((s) => s[secret] === next[secret] && JSON.stringify(of(s)) === there)) return;
  throw invalid(
    'secret_required',
    `The stored secret is used with the stored address only: give ${secret} once more, or have it forgotten.`,
    { errors: [{ path: secret, message: 'It is needed once more for another address or name than the stored ones.' }] },
  );
};
