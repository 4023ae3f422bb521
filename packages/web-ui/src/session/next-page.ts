const key = 'overtone-next';

/** A path of this site to go on to after sign-in; anything else is ignored. */
export const safeNext = (value: unknown): string | null =>
  typeof value === 'string' && value !== '/' && /^\/(?![/\\])/.test(value) ? value : null;

/** Keeps where to go on while the browser is away at the identity provider. */
export const keepNext = (next: string | undefined): void => {
  try {
    if (next === undefined) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, next);
  } catch {
    // Without storage one starts in the library.
  }
};
export const takeNext = (): string => {
  try {
    const next = safeNext(sessionStorage.getItem(key));
    sessionStorage.removeItem(key);
    return next ?? '/';
  } catch {
    return '/';
  }
};
