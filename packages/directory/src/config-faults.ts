import { X509Certificate } from 'node:crypto';
import { canonicalDn, NoDn } from './dn/dn.ts';
import { parseDnList } from './dn/dn-list.ts';
import { isAttributeDescription, NoFilter, userFilterOf } from './filter/filter-template.ts';
import type { ConfigFault, DirectoryConfig } from './model.ts';
import { DirectoryFailure } from './wire/failures.ts';
import { NoServer, parseServers } from './wire/servers.ts';

/** The faults of a configuration that can be found without a connection; empty when there are none. */
export function configFaults(config: DirectoryConfig): ConfigFault[] {
  const attributes = [
    ['ldap_username_attr', config.usernameAttr],
    ['ldap_email_attr', config.emailAttr],
    ['ldap_name_attr', config.nameAttr],
    ['ldap_group_attr', config.groupAttr],
  ] as const;
  const attributeFaults = attributes.flatMap(([key, name]) =>
    isAttributeDescription(name) ? [] : [{ key, message: `"${name}" is no attribute name.` }],
  );
  return [
    ...faultsOf('ldap_server', () => parseServers(config)),
    ...(config.bindDn === null || config.bindDn.trim() === '' ? [] : bindFaults(config.bindDn, config.bindPassword)),
    ...faultsOf('ldap_search_base', () => canonicalDn(config.searchBase)),
    ...attributeFaults,
    ...(attributeFaults.length > 0 ? [] : faultsOf('ldap_user_search_filter', () => userFilterOf(config))),
    ...(config.timeoutSeconds > 0 ? [] : [{ key: 'ldap_timeout', message: 'The timeout must be at least a second.' }]),
    ...parseDnList(config.userGroups).faults.map((message) => ({ key: 'ldap_user_groups', message })),
    ...parseDnList(config.adminGroups).faults.map((message) => ({ key: 'ldap_admin_groups', message })),
    ...faultsOf('ldap_tls_ca', () => readCertificates(config.caPem ?? '')),
  ];
}

/** The first fault as the failure of an operation. */
export function configFailure(config: DirectoryConfig): DirectoryFailure | undefined {
  const [fault] = configFaults(config);
  return fault && new DirectoryFailure('config', `${fault.key}: ${fault.message}`);
}

// A service account need not be a DN: Active Directory also accepts `name@domain` and `DOMAIN\name`.
function bindFaults(bindDn: string, password: string | null): ConfigFault[] {
  if (password === null || password.trim() === '') {
    return [{ key: 'ldap_bind_password', message: 'The service account needs a password.' }];
  }
  return bindDn.includes('=') ? faultsOf('ldap_bind_dn', () => canonicalDn(bindDn)) : [];
}

class NoCertificate extends Error {}

function readCertificates(pem: string): void {
  if (pem.trim() === '') return;
  const begin = '-----BEGIN CERTIFICATE-----';
  const blocks = pem
    .split(begin)
    .slice(1)
    .map((rest) => begin + rest);
  if (blocks.length === 0) throw new NoCertificate('There is no certificate (PEM) in it.');
  for (const block of blocks) {
    try {
      void new X509Certificate(block);
    } catch {
      throw new NoCertificate('A certificate in it cannot be read.');
    }
  }
}

function faultsOf(key: string, read: () => unknown): ConfigFault[] {
  try {
    read();
    return [];
  } catch (error) {
    const known = [NoServer, NoDn, NoFilter, NoCertificate].some((Kind) => error instanceof Kind);
    if (!known) throw error;
    return [{ key, message: (error as Error).message }];
  }
}
