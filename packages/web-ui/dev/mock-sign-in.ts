import { Refusal, type MockRoute } from './mock-kit.ts';
import { settingsNow } from './mock-auth-config.ts';

/** The sign-in methods of the settings; only the password works. */
export const signInMock: readonly MockRoute[] = [
  ['GET', /^\/api\/auth\/methods$/, () => methodsNow()],
  ['GET', /^\/api\/auth\/oidc\/login$/, () => ({ authorization_url: 'http://127.0.0.1:8080/login?code=c&state=s' })],
  [
    'GET',
    /^\/api\/auth\/oidc\/callback$/,
    () => {
      throw new Refusal(400, 'invalid_state', 'This sign-in was not begun in this browser, or it took too long.');
    },
  ],
  [
    'POST',
    /^\/api\/auth\/(pki|proxy)\/authenticate$/,
    () => {
      throw new Refusal(401, 'invalid_credentials', 'Could not validate credentials');
    },
  ],
  ['POST', /^\/api\/auth\/register$/, () => ({ message: 'If the address is new, the account waits for approval.' })],
  [
    'GET',
    /^\/api\/auth\/password-policy$/,
    () => ({
      enabled: true,
      min_length: 12,
      require_uppercase: true,
      require_lowercase: true,
      require_digit: true,
      require_special: true,
      history_count: 24,
      max_age_days: 0,
    }),
  ],
];

const methodsNow = () => {
  const now = settingsNow();
  const on = (['local', 'ldap', 'oidc', 'pki', 'proxy'] as const).filter((m) => now[`${m}_enabled`] === true);
  return {
    methods: on,
    ...Object.fromEntries(
      ['local', 'ldap', 'oidc', 'pki', 'proxy'].map((m) => [`${m}_enabled`, now[`${m}_enabled`] === true]),
    ),
    allow_registration: now['allow_registration'] === true,
    oidc_display_name: now['oidc_display_name'],
    keycloak_enabled: now['oidc_enabled'] === true,
  };
};
