import type { AuthCategory, AuthSettings } from '@overtone/contracts';
import type { Fault } from './change-plan.ts';

/** A rule over the settings as they would be: what contradicts itself, and at which key to look. */
type Rule = (s: AuthSettings) => Fault[];

const when = (wrong: boolean, path: string, message: string): Fault[] => (wrong ? [{ path, message }] : []);

const rules: Record<AuthCategory, Rule[]> = {
  local: [(s) => when(s.allow_registration && !s.local_enabled, 'allow_registration', 'It needs local_enabled.')],
  ldap: [
    (s) => when(s.ldap_use_ssl && s.ldap_use_tls, 'ldap_use_tls', 'LDAPS and StartTLS exclude each other: choose one.'),
  ],
  oidc: [],
  pki: [],
  proxy: [],
  session: [],
  password_policy: [],
  lockout: [],
};

/** Everything that contradicts itself in a category; empty when it can be put in force. */
export const faultsOf = (category: AuthCategory, settings: AuthSettings): Fault[] =>
  rules[category].flatMap((rule) => rule(settings));

/** What works but is probably not meant. */
export const warningsOf = (_category: AuthCategory, _settings: AuthSettings): string[] => [];
