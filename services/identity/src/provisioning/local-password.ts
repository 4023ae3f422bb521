type Kind = { authType: string };

/**
 * Accounts whose password is kept elsewhere for good (specification, "Authentication" 3): no password here lets anybody
 * into them, `allow_local_fallback` cannot be switched on for them, and neither reset nor change gives them one.
 */
export const hasNoLocalPassword = ({ authType }: Kind): boolean => authType === 'ldap' || authType === 'proxy';

/** Whether a password kept here may let somebody into the account at all. */
export const mayUseLocalPassword = (user: Kind & { allowLocalFallback: boolean }): boolean =>
  user.authType === 'local' || (user.allowLocalFallback && !hasNoLocalPassword(user));
