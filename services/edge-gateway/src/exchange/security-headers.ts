import type { ClientView } from '../routing/routing.ts';

const everywhere = Object.entries({
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'same-origin',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
}).flat();

/** Styles may be inline: component libraries set them on elements. Scripts may not, and nothing is evaluated. */
const pagePolicy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self' blob:",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

/** A response of the API that is opened as a page runs no script. */
const apiPolicy = "default-src 'none'; img-src 'self'; media-src 'self'; base-uri 'none'; frame-ancestors 'none'";

const page = [...everywhere, 'Content-Security-Policy', pagePolicy, 'Permissions-Policy', 'camera=(), geolocation=()'];
const api = [...everywhere, 'Content-Security-Policy', apiPolicy];
// Only where the browser came over HTTPS: over plain HTTP the header is to be ignored anyway (RFC 6797, 7.2).
const hsts = ['Strict-Transport-Security', 'max-age=31536000'];
const pageOverTls = [...page, ...hsts];
const apiOverTls = [...api, ...hsts];

/** The page of public links: no other site learns of it, and no search engine keeps it. */
const publicPagePath = '/public';
const publicPage = ['Referrer-Policy', 'no-referrer', 'X-Robots-Tag', 'noindex, nofollow, noarchive'];

type Recipient = { client: Pick<ClientView, 'scheme'>; requestId: string };

export function pageHeaders({ client: { scheme }, requestId, path }: Recipient & { path: string }): string[] {
  const common = scheme === 'https' ? pageOverTls : page;
  const headers = path === publicPagePath ? withPublicPage(common) : common;
  return [...headers, 'X-Request-ID', requestId];
}

function withPublicPage(headers: readonly string[]): string[] {
  const policy = headers.indexOf('Referrer-Policy');
  return [...headers.slice(0, policy), ...headers.slice(policy + 2), ...publicPage];
}

export function apiHeaders({ client: { scheme }, requestId }: Recipient): string[] {
  return [...(scheme === 'https' ? apiOverTls : api), 'X-Request-ID', requestId];
}
