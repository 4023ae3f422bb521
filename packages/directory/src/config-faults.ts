import type { ConfigFault, DirectoryConfig } from './model.ts';
import { parseDnList } from './dn-list.ts';

/** What cannot work in a configuration, before anything is contacted; empty when nothing. */
export function configFaults(config: DirectoryConfig): ConfigFault[] {
  return [
    ...parseDnList(config.userGroups).faults.map((message) => ({ key: 'ldap_user_groups', message })),
    ...parseDnList(config.adminGroups).faults.map((message) => ({ key: 'ldap_admin_groups', message })),
  ];
}
