import { maxHeaderBytes, mayBeLong } from '@overtone/service-kit';

/** RFC 9110, 7.6.1: these belong to one connection. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
]);

/** What the edge says itself, or what would tell a service who is calling. */
const ours = new Set([
  'host',
  'expect',
  'cookie',
  'authorization',
  'forwarded',
  'via',
  'x-real-ip',
  'x-request-id',
  'traceparent',
  'tracestate',
  'x-csrf-token',
  'remote-user',
  'remote-groups',
  'remote-email',
  'remote-name',
]);
const oursBegin = ['x-overtone-', 'x-forwarded-', 'x-client-cert', 'x-ssl-', 'ssl-', 'x-auth-request-', 'x-remote-'];

/** The client's headers that a service may see: nothing that says who is calling, whatever its spelling. */
export function requestHeaders(raw: readonly string[]): string[] {
  const bound = named(raw);
  const out: string[] = [];
  for (let i = 0; i < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase();
    if (hopByHop.has(name) || isOurs(name) || bound?.has(name)) continue;
    // A trusted proxy's own, which only identity reads: see callers/forwarded.ts.
    if ((raw[i + 1] as string).length + name.length > maxHeaderBytes && !mayBeLong(name)) continue;
    out.push(name, raw[i + 1] as string);
  }
  return out;
}

/** A service's headers that the client may see; only identity sets cookies, and media those of public links. */
export function responseHeaders(raw: Record<string, string | string[] | undefined>, cookies: boolean): string[] {
  const out: string[] = [];
  for (const name in raw) {
    if (hopByHop.has(name) || name.startsWith('x-overtone-') || name === 'x-request-id') continue;
    if (name === 'set-cookie' && !cookies) continue;
    const value = raw[name];
    if (Array.isArray(value)) for (const each of value) out.push(name, each);
    else if (value !== undefined) out.push(name, value);
  }
  return out;
}

/** Names that the Connection header binds to this connection. */
function named(raw: readonly string[]): Set<string> | undefined {
  let names: Set<string> | undefined;
  for (let i = 0; i < raw.length; i += 2) {
    if ((raw[i] as string).toLowerCase() !== 'connection') continue;
    for (const name of (raw[i + 1] as string).split(',')) (names ??= new Set()).add(name.trim().toLowerCase());
  }
  return names;
}

function isOurs(name: string): boolean {
  return ours.has(name) || name.includes('_') || oursBegin.some((prefix) => name.startsWith(prefix));
}
