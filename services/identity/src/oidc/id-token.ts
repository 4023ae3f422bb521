import { createHash, timingSafeEqual } from 'node:crypto';
import type { TokenClaims } from './claims.ts';

const toleranceSeconds = 60;
/** The largest time of a JavaScript date, in seconds. */
const lastInstant = 8_640_000_000_000;

type IdTokenCheck = {
  header: Readonly<Record<string, unknown>>;
  claims: TokenClaims;
  accessToken: string;
  clientId: string;
  /** Epoch seconds. */
  now: number;
  startedAt: number;
};

/**
 * Checks that the client library leaves to its caller or makes in some cases only. The library has checked signature,
 * issuer, audience, expiry and nonce. @returns the invalid claim.
 */
export function faultOfIdToken(check: IdTokenCheck): string | undefined {
  const { sub, iat, exp, azp } = check.claims;
  if (typeof sub !== 'string' || sub === '' || sub.length > 255 || /\p{Cc}/u.test(sub)) return 'sub';
  // A token with several audiences must name the authorized party.
  if (azp !== undefined && azp !== check.clientId) return 'azp';
  if (typeof iat !== 'number' || iat > check.now + toleranceSeconds || iat < check.startedAt - toleranceSeconds)
    return 'iat';
  if (typeof exp !== 'number' || exp > lastInstant) return 'exp';
  return accessTokenFits(check) ? undefined : 'at_hash';
}

function accessTokenFits({ header, claims, accessToken }: IdTokenCheck): boolean {
  const accessTokenHash = claims['at_hash'];
  if (accessTokenHash === undefined) return true;
  if (typeof accessTokenHash !== 'string') return false;
  const digest = createHash(digestOf(header['alg'])).update(accessToken, 'ascii').digest();
  const expected = Buffer.from(digest.subarray(0, digest.length / 2).toString('base64url'));
  const given = Buffer.from(accessTokenHash);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/** The digest of a signature algorithm (OpenID Connect Core 3.1.3.6). */
function digestOf(alg: unknown): string {
  const bits = typeof alg === 'string' ? /(256|384|512)$/.exec(alg)?.[1] : undefined;
  return bits === undefined || alg === 'Ed25519' ? 'sha512' : `sha${bits}`;
}
