import type { AuthSettings } from '@overtone/contracts';
import type { Answer, DirectoryConfig, Person } from '@overtone/directory';

export type { Answer, Person } from '@overtone/directory';

/** The directory of the effective settings. Every request ends in bounded time; a failed one has the outcome unknown. */
export type CurrentDirectory = {
  authenticate: (login: string, password: string) => Promise<Answer<Person>>;
  lookUp: (login: string) => Promise<Answer<Person>>;
  /** The effective configuration. */
  config: () => DirectoryConfig;
};

/** The `ldap_*` settings as the directory package reads them; `extraCa` (PEM) is trusted besides the setting's own. */
export function directoryConfigOf(s: AuthSettings, extraCa: string | null): DirectoryConfig {
  return {
    server: s.ldap_server,
    port: s.ldap_port,
    useSsl: s.ldap_use_ssl,
    useTls: s.ldap_use_tls,
    bindDn: orNull(s.ldap_bind_dn),
    bindPassword: orNull(s.ldap_bind_password),
    searchBase: s.ldap_search_base,
    usernameAttr: s.ldap_username_attr,
    emailAttr: s.ldap_email_attr,
    nameAttr: s.ldap_name_attr,
    groupAttr: s.ldap_group_attr,
    userSearchFilter: s.ldap_user_search_filter,
    timeoutSeconds: s.ldap_timeout,
    recursiveGroups: s.ldap_recursive_groups,
    userGroups: s.ldap_user_groups,
    adminGroups: s.ldap_admin_groups,
    adminUsers: s.ldap_admin_users,
    caPem: orNull([s.ldap_tls_ca, extraCa].filter(Boolean).join('\n')),
  };
}

/** Whether the password never reached the directory: then the attempt does not count as a failure. */
export function wasNotQueried(answer: Answer<Person>): boolean {
  return (
    answer.outcome === 'unknown' &&
    ['config', 'unreachable', 'tls_failed', 'bind_failed', 'busy'].includes(answer.reason)
  );
}

function orNull(text: string): string | null {
  return text || null;
}
