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
export function directoryConfigOf(settings: AuthSettings, extraCa: string | null): DirectoryConfig {
  return {
    server: settings.ldap_server,
    port: settings.ldap_port,
    useSsl: settings.ldap_use_ssl,
    useTls: settings.ldap_use_tls,
    bindDn: orNull(settings.ldap_bind_dn),
    bindPassword: orNull(settings.ldap_bind_password),
    searchBase: settings.ldap_search_base,
    usernameAttr: settings.ldap_username_attr,
    emailAttr: settings.ldap_email_attr,
    nameAttr: settings.ldap_name_attr,
    groupAttr: settings.ldap_group_attr,
    userSearchFilter: settings.ldap_user_search_filter,
    timeoutSeconds: settings.ldap_timeout,
    recursiveGroups: settings.ldap_recursive_groups,
    userGroups: settings.ldap_user_groups,
    adminGroups: settings.ldap_admin_groups,
    adminUsers: settings.ldap_admin_users,
    caPem: orNull([settings.ldap_tls_ca, extraCa].filter(Boolean).join('\n')),
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
