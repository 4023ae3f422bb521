import { textOf } from './attributes.ts';
import type { Connection } from '../wire/connection.ts';
import type { Deadline } from '../wire/deadline.ts';
import { failureOf, resultCodes } from '../wire/failures.ts';
import { personAttributes } from './person.ts';
import { anyOf, type Filter } from '../filter/filter.ts';
import { userFilterOf } from '../filter/filter-template.ts';
import type { Entry } from '../wire/entry.ts';
import type { DirectoryConfig } from '../model.ts';

/** The entry of a login. */
export type Finding =
  { readonly outcome: 'one'; readonly entry: Entry } | { readonly outcome: 'none' } | { readonly outcome: 'several' };

const maxLogin = 256;
const overlooked = /\p{Cc}|\p{Zl}|\p{Zp}|\p{Default_Ignorable_Code_Point}/u;

/** A usable login name: not empty, not too long, without characters that a directory ignores. */
export function isLogin(login: string): boolean {
  return login.trim() !== '' && login.length <= maxLogin && login.isWellFormed() && !overlooked.test(login);
}

/** `EXAMPLE\name`, as Windows writes a login; undefined: no such login. */
function domainLogin(login: string): { domain: string; name: string } | undefined {
  const [domain = '', name = '', ...rest] = login.split('\\');
  return domain !== '' && name !== '' && rest.length === 0 ? { domain, name } : undefined;
}

/** Active Directory knows the name of the domain; elsewhere it is the first component `dc` of the entry. */
function isInDomain(entry: Entry, login: string, domain: string): boolean {
  const principal = textOf(entry, 'msDS-PrincipalName');
  if (principal !== undefined) return principal.toLowerCase() === login.toLowerCase();
  return /(?:^|,) ?dc=([^,+]+)/i.exec(entry.dn)?.[1]?.toLowerCase() === domain.toLowerCase();
}

/** Finds the single entry of a login: by username, also after the name of the domain, by e-mail address or by principal name. */
export function createFinder(config: DirectoryConfig) {
  const template = userFilterOf(config);
  const attributes = [...new Set([...personAttributes(config), config.nameAttr, 'msDS-PrincipalName'])];
  const filterFor = (login: string): Filter => {
    if (login.includes('@'))
      return anyOf([template.forLogin(login), template.forEmail(login), template.forPrincipalName(login)]);
    const named = domainLogin(login);
    return named ? anyOf([template.forLogin(login), template.forLogin(named.name)]) : template.forLogin(login);
  };
  const isNamed = (entry: Entry, login: string): boolean => {
    const named = domainLogin(login);
    const isWholeName = textOf(entry, config.usernameAttr)?.toLowerCase() === login.toLowerCase();
    return named === undefined || isWholeName || isInDomain(entry, login, named.domain);
  };

  /** @throws DirectoryFailure */
  return async (connection: Connection, login: string, deadline: Deadline): Promise<Finding> => {
    const ask = async (wanted: string[]) =>
      await connection.search(
        // Two entries are enough to detect an ambiguity.
        { base: config.searchBase, scope: 'sub', filter: filterFor(login), attributes: wanted, maxEntries: 2 },
        deadline,
      );
    let found = await ask([...attributes, config.groupAttr]);
    // Some servers reject a request for a group attribute that they do not maintain.
    if (rejectsAttribute.has(found.code)) found = await ask(attributes);
    const [entry, ...others] = found.entries;
    if (others.length > 0) return { outcome: 'several' };
    if (found.code !== resultCodes.success) throw failureOf(found.code, found.diagnostic);
    if (entry === undefined || !isNamed(entry, login)) return { outcome: 'none' };
    return { outcome: 'one', entry };
  };
}

const rejectsAttribute: ReadonlySet<number> = new Set([16, 17]);
