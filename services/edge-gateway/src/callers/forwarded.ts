import type { IncomingMessage } from 'node:http';
import { identityRoutes, type RouteDef } from '@overtone/contracts';
import { createForwardedSigner } from '@overtone/service-kit';

/** Sign-in by what a proxy in front of us says: only here do a client's identity headers mean anything. */
const routes: ReadonlySet<unknown> = new Set<RouteDef>([
  identityRoutes.pkiAuthenticate,
  identityRoutes.proxyAuthenticate,
]);

/**
 * What was sent, by whom, as the socket saw it: identity alone decides whether to believe a word of it.
 * @returns nothing for all routes but the two.
 */
export function createForwardedStatement(privateKeyPem: string) {
  const sign = createForwardedSigner(privateKeyPem);
  return (route: unknown, req: Pick<IncomingMessage, 'rawHeaders' | 'socket'>): string | undefined => {
    if (!routes.has(route)) return undefined;
    const raw = req.rawHeaders;
    const headers = raw.flatMap((name, i) => (i % 2 === 0 && kept(name) ? [name, raw[i + 1] as string] : []));
    return sign({ peer: req.socket.remoteAddress ?? '', headers });
  };
}

/** Secrets of the caller that say nothing about who forwards. */
function kept(name: string): boolean {
  return !['cookie', 'authorization'].includes(name.toLowerCase());
}
