import * as client from 'openid-client';
import { boundedFetch, safeAddress } from './bounded-fetch.ts';

const maxAgeMs = 15 * 60_000;
/** A provider that is down is not asked again by everybody who tries. */
const failedMs = 2_000;
const mostKept = 8;

/** Algorithms by which an ID token may be signed: none that needs a shared key, and not `none`. */
const allowed = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/;

/** What is known of one issuer; its signing keys are kept beside it. */
export type Known = { metadata: client.ServerMetadata; jwks: client.ExportedJWKSCache | undefined };

const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

const isSafe = (url: unknown): boolean => typeof url === 'string' && URL.canParse(url) && safeAddress(new URL(url));

/** @throws Error naming what this provider cannot be used without. */
const checked = (metadata: client.ServerMetadata): client.ServerMetadata => {
  for (const name of endpoints) if (!isSafe(metadata[name])) throw new Error(`unusable_${name}`);
  const advertised: unknown = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
  const algorithms = Array.isArray(advertised)
    ? advertised.filter((a) => typeof a === 'string' && allowed.test(a))
    : [];
  if (algorithms.length === 0) throw new Error('no_signing_algorithm');
  const { userinfo_endpoint: userinfo, ...rest } = metadata;
  return {
    ...rest,
    ...(isSafe(userinfo) ? { userinfo_endpoint: userinfo as string } : {}),
    id_token_signing_alg_values_supported: algorithms,
  };
};

/** Discovery documents, asked for once in a quarter of an hour; other settings are another document. */
export const createDiscovery = (clock: () => number = Date.now) => {
  const kept = new Map<string, { at: number; known: Promise<Known> }>();

  const ask = async (issuer: string, signal: AbortSignal): Promise<Known> => {
    const found = await client.discovery(new URL(issuer), 'discovery', undefined, undefined, {
      execute: [client.allowInsecureRequests],
      [client.customFetch]: boundedFetch(signal),
      timeout: 300,
    });
    return { metadata: checked(structuredClone(found.serverMetadata()) as client.ServerMetadata), jwks: undefined };
  };

  return async (issuer: string, key: string, signal: AbortSignal): Promise<Known> => {
    const hit = kept.get(key);
    if (hit && clock() - hit.at < maxAgeMs) return hit.known;
    if (kept.size >= mostKept) kept.clear();
    const known = ask(issuer, signal);
    kept.set(key, { at: clock(), known });
    known.catch(() => kept.set(key, { at: clock() - maxAgeMs + failedMs, known }));
    return known;
  };
};
