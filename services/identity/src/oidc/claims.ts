import type { Claims, LegacyAdmin } from '../mappings/mappings.ts';

/** Claims of an ID token, whose types are not checked yet. */
export type TokenClaims = Readonly<Record<string, unknown>>;

/** The claim at a path: `realm_access.roles`, or a name that itself contains dots, such as an address. */
export function claimAt(claims: TokenClaims, path: string): unknown {
  if (path === '') return undefined;
  const direct = own(claims, path);
  if (direct !== undefined) return direct;
  let at: unknown = claims;
  for (const key of path.split('.')) at = own(at, key);
  return at;
}

/** A text claim of limited length without control characters. */
export function textAt(claims: TokenClaims, path: string, max: number): string | undefined {
  const value = claimAt(claims, path);
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  return text !== '' && text.length <= max && !/\p{Cc}/u.test(text) ? text : undefined;
}

const mostValues = 20_000;

/** Whether the provider omitted the claim because it is too long, and refers to another endpoint (overage). */
function isOmitted(claims: TokenClaims, path: string): boolean {
  const names = claimAt(claims, '_claim_names');
  const first = path.split('.')[0] as string;
  return own(names, path) !== undefined || own(names, first) !== undefined || claims['hasgroups'] === true;
}

/**
 * The values of a list claim. An absent, truncated or malformed claim is *unknown*, which differs from empty: an empty list
 * removes groups, an unknown one changes nothing.
 */
export function listAt(claims: TokenClaims, path: string): Claims {
  if (path === '') return { known: false, reason: 'no_claim_configured' };
  if (isOmitted(claims, path)) return { known: false, reason: 'overage' };
  const value = claimAt(claims, path);
  if (value === undefined || value === null) return { known: false, reason: 'absent' };
  const list: unknown[] = typeof value === 'string' ? [value] : Array.isArray(value) ? value : [undefined];
  if (list.length > mostValues || !list.every((value) => typeof value === 'string'))
    return { known: false, reason: 'malformed' };
  return { known: true, values: [...new Set(list.filter((value) => value !== ''))] };
}

/** Entries of a setting that lists names. */
export function names(setting: string): string[] {
  return setting
    .split(/[,;\n\r]+/)
    .map((entry) => entry.trim())
    .filter(Boolean);
}

/** Groups, and roles where the claim is present: both can be mapped. Roles alone do not make the groups known. */
export function mappedClaims(groups: Claims, roles: Claims, groupsPath: string): Claims {
  if (groupsPath === '') return roles;
  if (!groups.known || !roles.known) return groups;
  return { known: true, values: [...new Set([...groups.values, ...roles.values])] };
}

/** The roles that make an administrator; `configured`: an administrator or the environment has set them. */
export type AdminRoles = { roles: readonly string[]; configured: boolean };

/**
 * The admin signal of the roles claim. It exists only where admin roles are configured: without them an unusable claim
 * means *no*, so that a person who leaves the mapped group is demoted; with them it is *unknown*, and the role is kept.
 */
export function adminByRole(claim: Claims, { roles, configured }: AdminRoles): LegacyAdmin {
  if (claim.known) return claim.values.some((role) => roles.includes(role)) ? 'yes' : 'no';
  return configured && roles.length > 0 ? 'unknown' : 'no';
}

function own(of: unknown, key: string): unknown {
  return isObject(of) && Object.hasOwn(of, key) ? of[key] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
