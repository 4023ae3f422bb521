import { textOf, textsOf } from './attributes.ts';
import { searchOrFail, type Connection } from '../wire/connection.ts';
import type { Deadline } from '../wire/deadline.ts';
import { isWithin } from '../dn/dn.ts';
import { DirectoryFailure } from '../wire/failures.ts';
import { present } from '../filter/filter.ts';

/** The root DSE of a server (RFC 4512 section 5.1). */
export type RootDse = {
  readonly vendorName: string | null;
  readonly vendorVersion: string | null;
  readonly namingContexts: readonly string[];
  readonly ldapV3: boolean;
  readonly pages: boolean;
  readonly activeDirectory: boolean;
  /** The server's clock, if it reports it. */
  readonly currentTime: string | undefined;
};

const pagedResults = '1.2.840.113556.1.4.319';
const activeDirectoryOid = '1.2.840.113556.1.4.800';

/** @throws DirectoryFailure */
export async function readRootDse(connection: Connection, deadline: Deadline): Promise<RootDse> {
  const attributes = [
    'namingContexts',
    'supportedLDAPVersion',
    'supportedControl',
    'supportedCapabilities',
    'vendorName',
    'vendorVersion',
    'currentTime',
    'objectClass',
  ];
  const question = { base: '', scope: 'base', filter: present('objectClass'), attributes, maxEntries: 1 } as const;
  const [entry] = (await searchOrFail(connection, question, deadline)).entries;
  if (entry === undefined) throw new DirectoryFailure('refused', 'The server does not show its root entry');
  const activeDirectory = textsOf(entry, 'supportedCapabilities').includes(activeDirectoryOid);
  const openLdap = textsOf(entry, 'objectClass').includes('OpenLDAProotDSE');
  return {
    vendorName: textOf(entry, 'vendorName') ?? (openLdap ? 'OpenLDAP' : activeDirectory ? 'Active Directory' : null),
    vendorVersion: textOf(entry, 'vendorVersion') ?? null,
    namingContexts: textsOf(entry, 'namingContexts'),
    ldapV3: textsOf(entry, 'supportedLDAPVersion').includes('3'),
    pages: textsOf(entry, 'supportedControl').includes(pagedResults),
    activeDirectory,
    currentTime: textOf(entry, 'currentTime'),
  };
}

/** The base of group searches: the naming context of the user base. */
export function treeOf(searchBase: string, namingContexts: readonly string[]): string {
  const trees = namingContexts.filter((tree) => tree !== '' && isWithin(searchBase, tree));
  return trees.sort((left, right) => right.length - left.length)[0] ?? searchBase;
}
