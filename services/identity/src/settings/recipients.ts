import { secretRecipients, type AuthCategory, type AuthSettingKey, type AuthSettings } from '@overtone/contracts';
import { invalid } from '@overtone/service-kit';
import { issuerOf } from '../oidc/oidc.ts';

type Recipient = { secret: AuthSettingKey; of: (settings: AuthSettings) => unknown[] };
const recipients: Partial<Record<AuthCategory, Recipient>> = {
  ldap: {
    secret: 'ldap_bind_password',
    of: (settings) => secretRecipients.ldap_bind_password.map((key) => settings[key]),
  },
  // Different settings may name the same issuer.
  oidc: { secret: 'oidc_client_secret', of: (settings) => [issuerOf(settings), settings.oidc_client_id] },
};

type SettingsUpdate = {
  given: Record<string, unknown>;
  saved: AuthSettings;
  next: AuthSettings;
  /** The settings while nothing is stored. */
  unset: AuthSettings;
};

/**
 * Prevents an administrator from reading a stored secret by sending it to another server: it is valid only with the server,
 * port, encryption and name it was saved with, or with those of the environment.
 * @throws AppError invalid, code secret_required, unless the secret is entered again or cleared.
 */
export function checkRecipient(category: AuthCategory, { given, saved, next, unset }: SettingsUpdate): void {
  const recipient = recipients[category];
  if (!recipient) return;
  const { secret, of } = recipient;
  if (given[secret] || next[secret] === '') return;
  const newRecipient = JSON.stringify(of(next));
  if (
    [saved, unset].some(
      (settings) => settings[secret] === next[secret] && JSON.stringify(of(settings)) === newRecipient,
    )
  )
    return;
  throw invalid(
    'secret_required',
    `The stored secret is used with the stored address only: enter ${secret} again, or clear it.`,
    {
      errors: [{ path: secret, message: 'It must be entered again for another address or name than the stored ones.' }],
    },
  );
}
