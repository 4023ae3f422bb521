import type { DirectoryRules } from '../src/snapshot/snapshot.ts';

/** Rules for a local directory with default values for the fields that are not given. */
export function rulesFor(
  config: Partial<DirectoryRules['config']>,
  more: Partial<Omit<DirectoryRules, 'config'>> = {},
): DirectoryRules {
  return {
    enabled: true,
    config: {
      server: '127.0.0.1',
      port: 389,
      useSsl: false,
      useTls: false,
      bindDn: null,
      searchBase: 'dc=example,dc=org',
      usernameAttr: 'uid',
      emailAttr: 'mail',
      nameAttr: 'cn',
      groupAttr: 'memberOf',
      userSearchFilter: '(uid={username})',
      timeoutSeconds: 10,
      recursiveGroups: false,
      userGroups: '',
      adminGroups: '',
      adminUsers: '',
      caPem: null,
      ...config,
    },
    bindPassword: null,
    anyMapping: false,
    mappings: [],
    groups: [],
    ...more,
  };
}
