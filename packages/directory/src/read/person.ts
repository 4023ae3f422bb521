import { ldapClaimKey } from '../dn/claim-key.ts';
import { accountState, stateAttributes } from './account-state.ts';
import { textOf, textsOf } from './attributes.ts';
import { parseDnList } from '../dn/dn-list.ts';
import { DirectoryFailure } from '../wire/failures.ts';
import { groupAttributes, type Membership } from './groups.ts';
import { idAttributes, immutableIdOf } from './immutable-id.ts';
import type { Entry } from '../wire/entry.ts';
import type { DirectoryConfig, Person, Tristate } from '../model.ts';

/** What every search for persons requests of them, without the list of their groups. */
export function personAttributes({ usernameAttr, emailAttr }: DirectoryConfig): readonly string[] {
  return [...new Set([usernameAttr, emailAttr, ...idAttributes, ...stateAttributes, ...groupAttributes])];
}

/** Reads persons from entries with the configured attributes. */
export function createPeople(config: DirectoryConfig) {
  const required = new Set(parseDnList(config.userGroups).dns.map(ldapClaimKey));
  const administrating = new Set(parseDnList(config.adminGroups).dns.map(ldapClaimKey));
  const admins = new Set(
    config.adminUsers
      .split(/[,;\n]/)
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
  );
  // A found group is enough for yes; no requires the complete list.
  const inAnyOf = (wanted: ReadonlySet<string>, { groups, missing }: Membership): Tristate => {
    if (wanted.size === 0) return 'no';
    if (groups.some((dn) => wanted.has(ldapClaimKey(dn)))) return 'yes';
    return missing === null ? 'no' : 'unknown';
  };
  const admittedBy = (membership: Membership): Tristate =>
    required.size === 0 ? 'yes' : inAnyOf(required, membership);
  const isAdmin = (login: string): boolean => admins.has(login.toLowerCase());
  return {
    /** The group memberships of a person, with admission and admin state. */
    membershipSignals: (membership: Membership): { admitted: Tristate; admin: Tristate } => ({
      admitted: admittedBy(membership),
      admin: inAnyOf(administrating, membership),
    }),
    /** Whether the settings list this login as an administrator. */
    isAdmin,
    /** @throws DirectoryFailure for an entry without the username attribute. */
    loginOf: (entry: Entry): string => {
      const login = textOf(entry, config.usernameAttr);
      if (login !== undefined) return login;
      throw new DirectoryFailure('config', `The entry has no readable attribute ${config.usernameAttr}`);
    },
    read: (entry: Entry, login: string, membership: Membership, now: Date): Person => ({
      dn: entry.dn,
      login,
      email: emailsOf(entry, config.emailAttr)[0] ?? null,
      emails: emailsOf(entry, config.emailAttr),
      name: textOf(entry, config.nameAttr) ?? login,
      immutableId: immutableIdOf(entry),
      groups:
        membership.missing === null
          ? { known: true, values: membership.groups }
          : { known: false, reason: membership.missing },
      admitted: admittedBy(membership),
      adminSignal: isAdmin(login) ? 'yes' : inAnyOf(administrating, membership),
      state: accountState(entry, now),
    }),
  };
}

const address = /^[^\s@<>(),;:"[\]]+@[^\s@<>(),;:"[\]]+$/u;

function emailsOf(entry: Entry, attribute: string): string[] {
  return textsOf(entry, attribute)
    .map((text) => text.trim())
    .filter((text) => address.test(text));
}
