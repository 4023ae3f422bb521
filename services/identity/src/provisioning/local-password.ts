type Kind = { authType: string };

/**
 * Accounts that never have a local password (specification, "Authentication" 3): they cannot sign in with one,
 * `allow_local_fallback` cannot be switched on for them, and their password can be neither reset nor changed.
 */
export function hasNoLocalPassword({ authType }: Kind): boolean {
  return authType === 'ldap' || authType === 'proxy';
}

/** Whether the account may sign in with a local password. */
export function mayUseLocalPassword(user: Kind & { allowLocalFallback: boolean }): boolean {
  return user.authType === 'local' || (user.allowLocalFallback && !hasNoLocalPassword(user));
}
