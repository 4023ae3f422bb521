import { createPrivateKey, createPublicKey } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { unauthenticated } from './errors.ts';

/** Header in which the edge tells identity what it was sent and by whom. A client's own is dropped like every x-overtone-. */
export const forwardedHeader = 'x-overtone-forwarded';

// An audience of its own, so that neither statement passes for an assertion of who is calling, nor the other way round.
const audience = 'identity:forwarded';
const lifetimeSeconds = 30;

const claims = z.object({ peer: z.string(), headers: z.array(z.string()) });
/** The socket's other end and the headers as they came: names and values in turn, in order, repeated ones too. */
export type Forwarded = z.infer<typeof claims>;

/**
 * Signs what a request brought (ES256, 30 s), for the routes where the headers of a proxy say who is calling.
 * @param privateKeyPem PEM of the edge's P-256 key.
 */
export function createForwardedSigner(privateKeyPem: string) {
  const key = createPrivateKey(privateKeyPem);
  return ({ peer, headers }: Forwarded): string =>
    jwt.sign({ peer, headers }, key, { algorithm: 'ES256', audience, expiresIn: lifetimeSeconds });
}

/** @returns verifies such a statement. @throws AppError unauthenticated, code invalid_assertion. */
export function createForwardedVerifier(publicKeyPem: string) {
  const key = createPublicKey(publicKeyPem);
  return (statement: string | undefined): Forwarded => {
    try {
      return claims.parse(jwt.verify(statement ?? '', key, { algorithms: ['ES256'], audience }));
    } catch (cause) {
      throw unauthenticated('invalid_assertion', 'The request did not come through the gateway', { cause });
    }
  };
}
