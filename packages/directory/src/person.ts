import { accountState } from './account-state.ts';
import { textOf } from './attributes.ts';
import { parseDnList } from './dn-list.ts';
import { DirectoryFailure } from './failures.ts';
import { groupKey } from './group-graph.ts';
import type { Membership } from './groups.ts';
import { immutableIdOf } from './immutable-id.ts';
import type { Entry } from './entry.ts';
import type { DirectoryConfig, Person, Tristate } from './model.ts';

/** Reads people from entries, as this configuration names their attributes. */
export function createPeople(config: DirectoryConfig) {
  const required = new Set(parseDnList(config.userGroups).dns.map(groupKey));
  const administrating = new Set(parseDnList(config.adminGroups).dns.map(groupKey));
  const admins = new Set(
    config.adminUsers
      .split(/[,;\n]/)
      .map((name) => name.trim().toLowerCase())
      .filter((name) => name !== ''),
  );
  // What was seen says yes; only all of it says no.
  const inAnyOf = (wanted: ReadonlySet<string>, { groups, missing }: Membership): Tristate => {
    if (wanted.size === 0) return 'no';
    if (groups.some((dn) => wanted.has(groupKey(dn)))) return 'yes';
    return missing === null ? 'no' : 'unknown';
  };
  const admittedBy = (membership: Membership): Tristate =>
    required.size === 0 ? 'yes' : inAnyOf(required, membership);
  const isAdmin = (login: string): boolean => admins.has(login.toLowerCase());
  return {
    /** Group membership of a person and what follows from it. */
    standing: (membership: Membership): { admitted: Tristate; admin: Tristate } => ({
      admitted: admittedBy(membership),
      admin: inAnyOf(administrating, membership),
    }),
    /** Whether the settings name this login as an administrator. */
    isAdmin,
    /** @throws DirectoryFailure for an entry without the attribute that names it */
    loginOf: (entry: Entry): string => {
      const login = textOf(entry, config.usernameAttr);
      if (login !== undefined) return login;
      throw new DirectoryFailure('config', `The entry has no readable attribute ${config.usernameAttr}`);
    },
    read: (entry: Entry, login: string, membership: Membership, now: Date): Person => ({
      dn: entry.dn,
      login,
      email: emailOf(entry, config.emailAttr),
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

function emailOf(entry: Entry, attribute: string): string | null {
  const text = textOf(entry, attribute);
  return text !== undefined && /^[^\s@<>(),;:"[\]]+@[^\s@<>(),;:"[\]]+$/u.test(text) ? text : null;
}
