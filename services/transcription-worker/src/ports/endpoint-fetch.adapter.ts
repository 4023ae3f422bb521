/**
 * The only call of this service to an address that an administrator entered. Redirects are errors: they could lead to
 * another server with the key.
 */
export function fetchFromEndpoint(url: string, init: Omit<RequestInit, 'redirect'>): Promise<Response> {
  return fetch(url, { ...init, redirect: 'error' });
}
