import * as client from 'openid-client';
import { boundedFetch, safeAddress } from './bounded-fetch.ts';

const maxAgeMs = 15 * 60_000;
/** A failed discovery is not repeated within this time. */
const failureCacheMs = 2_000;
const maxEntries = 8;

/** Signature algorithms that are accepted for ID tokens: asymmetric ones only. */
const allowed = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/;

/** Metadata of an issuer with its cached signing keys. */
export type Issuer = { metadata: client.ServerMetadata; jwks: client.ExportedJWKSCache | undefined };

const endpoints = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;

/** Fetches discovery documents and caches them for 15 minutes; `key` identifies the settings. */
export function createDiscovery(clock: () => number = Date.now) {
  const cache = new Map<string, { at: number; issuer: Promise<Issuer> }>();

  const fetchMetadata = async (issuer: string, signal: AbortSignal): Promise<Issuer> => {
    const found = await client.discovery(new URL(issuer), 'discovery', undefined, undefined, {
      execute: [client.allowInsecureRequests],
      [client.customFetch]: boundedFetch(signal),
      timeout: 300,
    });
    return {
      metadata: checkMetadata(structuredClone(found.serverMetadata()) as client.ServerMetadata),
      jwks: undefined,
    };
  };

  return async (issuer: string, key: string, signal: AbortSignal): Promise<Issuer> => {
    const hit = cache.get(key);
    if (hit && clock() - hit.at < maxAgeMs) return hit.issuer;
    if (cache.size >= maxEntries) cache.clear();
    const fetched = fetchMetadata(issuer, signal);
    cache.set(key, { at: clock(), issuer: fetched });
    fetched.catch(() => cache.set(key, { at: clock() - maxAgeMs + failureCacheMs, issuer: fetched }));
    return fetched;
  };
}

/** @throws Error naming the first required value that is missing or unusable. */
function checkMetadata(metadata: client.ServerMetadata): client.ServerMetadata {
  for (const name of endpoints) if (!isSafe(metadata[name])) throw new Error(`unusable_${name}`);
  const advertised: unknown = metadata.id_token_signing_alg_values_supported ?? ['RS256'];
  const algorithms = Array.isArray(advertised)
    ? advertised.filter((account) => typeof account === 'string' && allowed.test(account))
    : [];
  if (algorithms.length === 0) throw new Error('no_signing_algorithm');
  const { userinfo_endpoint: userinfo, ...rest } = metadata;
  return {
    ...rest,
    ...(isSafe(userinfo) ? { userinfo_endpoint: userinfo as string } : {}),
    id_token_signing_alg_values_supported: algorithms,
  };
}

function isSafe(url: unknown): boolean {
  return typeof url === 'string' && URL.canParse(url) && safeAddress(new URL(url));
}
