const key = 'overtone-next';

/** The path to open after sign-in, if it is a path of this site; otherwise null. */
export function safeNext(value: unknown): string | null {
  return typeof value === 'string' && value !== '/' && /^\/(?![/\\])/.test(value) ? value : null;
}

/** Stores the path to open after sign-in while the browser is at the identity provider. */
export function storeNext(next: string | undefined): void {
  try {
    if (next === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, next);
  } catch {
    // Without storage the sign-in leads to the library.
  }
}

export function takeNext(): string {
  try {
    const next = safeNext(sessionStorage.getItem(key));
    sessionStorage.removeItem(key);
    return next ?? '/';
  } catch {
    return '/';
  }
}
