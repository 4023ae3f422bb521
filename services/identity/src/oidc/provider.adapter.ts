import { createHash } from 'node:crypto';
import * as client from 'openid-client';
import { boundedFetch } from './bounded-fetch.ts';
import { claimAt, type TokenClaims } from './claims.ts';
import { createDiscovery, type Issuer } from './discovery.ts';
import { failureOf } from './failures.ts';
import type { Flow } from './flow.ts';
import { faultOfIdToken } from './id-token.ts';
import { issuerOf, type OidcSettings } from './oidc.ts';
import type { Callback, ProviderFailure, VerifiedSignIn, VerifiedClaims, Provider } from './provider.ts';

export function configure(issuer: Issuer, settings: OidcSettings, fetch: client.CustomFetch): client.Configuration {
  const audience = settings.oidc_audience === '' ? settings.oidc_client_id : settings.oidc_audience;
  const metadata = { [client.clockTolerance]: 60 };
  const config = new client.Configuration(issuer.metadata, audience, metadata, authOf(issuer, settings));
  config[client.customFetch] = fetch;
  config.timeout = 300;
  client.allowInsecureRequests(config);
  client.enableNonRepudiationChecks(config);
  if (issuer.jwks) client.setJwksCache(config, issuer.jwks);
  return config;
}

function json(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function headerOf(token: string): Record<string, unknown> {
  return json(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());
}

/** The callback address with its parameters, for the library. */
function callbackUrlOf(flow: Flow, callback: Callback): URL {
  const url = new URL(flow.redirectUri);
  for (const [name, value] of Object.entries(callback)) if (value) url.searchParams.set(name, value);
  return url;
}

function wanted(settings: OidcSettings): string[] {
  return [settings.oidc_email_claim, settings.oidc_groups_claim, settings.oidc_roles_claim];
}

/** Claims of the ID token take precedence; the address and `email_verified` are from the same document. */
function mergeClaims(token: TokenClaims, info: TokenClaims, settings: OidcSettings): TokenClaims {
  const all = { ...info, ...token };
  const tokenHasAddress = claimAt(token, settings.oidc_email_claim) !== undefined;
  const { email_verified: _verified, ...rest } = all;
  const verified = (tokenHasAddress ? token : info)['email_verified'];
  return verified === undefined ? rest : { ...rest, email_verified: verified };
}

/** Every change of a setting triggers a new discovery. */
function keyOf(settings: OidcSettings): string {
  const ours = Object.entries(settings).filter(([name]) => name.startsWith('oidc_'));
  return createHash('sha256').update(JSON.stringify(ours)).digest('base64url');
}

export function createProvider(clock: () => number = Date.now): Provider {
  const discover = createDiscovery(clock);
  const findIssuer = (settings: OidcSettings, signal: AbortSignal): Promise<Issuer> =>
    discover(issuerOf(settings), keyOf(settings), signal);
  const deadline = (settings: OidcSettings): AbortSignal => AbortSignal.timeout(settings.oidc_timeout * 1000);

  return {
    begin: async (settings, flow) => {
      try {
        const issuer = await findIssuer(settings, deadline(settings));
        const config = configure(issuer, settings, boundedFetch(deadline(settings)));
        const scopes = new Set(['openid', ...settings.oidc_scopes.split(/[\s,]+/).filter(Boolean)]);
        const url = client.buildAuthorizationUrl(config, {
          client_id: settings.oidc_client_id,
          redirect_uri: flow.redirectUri,
          scope: [...scopes].join(' '),
          state: flow.state,
          nonce: flow.nonce,
          code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
          code_challenge_method: 'S256',
        });
        return { ok: true, url: url.href };
      } catch (cause) {
        return failureOf(cause, false, 'PROVIDER_UNAVAILABLE');
      }
    },
    finish: async (settings, flow, callback) => {
      const signal = deadline(settings);
      let issuer: Issuer;
      try {
        issuer = await findIssuer(settings, signal);
      } catch (cause) {
        return failureOf(cause, false, 'PROVIDER_UNAVAILABLE');
      }
      const { metadata } = issuer;
      const isRequired = metadata.authorization_response_iss_parameter_supported === true;
      // RFC 9207: rejects responses of another provider (mix-up attack).
      if (callback.iss === undefined ? isRequired : callback.iss !== metadata.issuer)
        return { ok: false, errorCode: 'INVALID_STATE', reason: 'iss' };
      return exchangeCode(issuer, { settings: settings, flow, callback, now: clock }, signal);
    },
  };
}

type Exchange = { settings: OidcSettings; flow: Flow; callback: Callback; now: () => number };

/** Adds claims of the user info that the ID token does not contain; claims that neither has stay unknown. */
async function addUserInfo(
  config: client.Configuration,
  settings: OidcSettings,
  accessToken: string,
  claims: VerifiedClaims,
): Promise<VerifiedClaims> {
  const complete = wanted(settings).every((path) => path === '' || claimAt(claims, path) !== undefined);
  if (complete || config.serverMetadata().userinfo_endpoint === undefined) return claims;
  const info = await client.fetchUserInfo(config, accessToken, claims.sub).catch(() => ({}));
  return { ...mergeClaims(claims, info, settings), sub: claims.sub, iss: claims.iss };
}

/** Redeems the code and verifies the ID token. */
async function redeemCode(
  config: client.Configuration,
  { settings, flow, callback, now }: Exchange,
): Promise<VerifiedSignIn | ProviderFailure> {
  const tokens = await client.authorizationCodeGrant(config, callbackUrlOf(flow, callback), {
    pkceCodeVerifier: flow.verifier,
    expectedState: flow.state,
    expectedNonce: flow.nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims() as VerifiedClaims;
  const fault = faultOfIdToken({
    header: headerOf(tokens.id_token as string),
    claims,
    accessToken: tokens.access_token,
    clientId: settings.oidc_client_id,
    now: now() / 1000,
    startedAt: flow.startedAt / 1000,
  });
  if (fault) return { ok: false, errorCode: 'INVALID_TOKEN', reason: fault };
  return { ok: true, claims: await addUserInfo(config, settings, tokens.access_token, claims) };
}

/** Exchanges the code of a callback for the claims of the person. */
async function exchangeCode(issuer: Issuer, exchange: Exchange, signal: AbortSignal) {
  // For the audit record: distinguishes an invalid token from a missing one.
  let hasToken = false;
  const fetch = boundedFetch(signal, ({ url, status, text }) => {
    const { id_token: idToken, access_token: accessToken } = json(text);
    if (url === issuer.metadata.token_endpoint && status === 200)
      hasToken = typeof idToken === 'string' && typeof accessToken === 'string';
  });
  let config: client.Configuration | undefined;
  try {
    config = configure(issuer, exchange.settings, fetch);
    return await redeemCode(config, exchange);
  } catch (cause) {
    return failureOf(cause, hasToken);
  } finally {
    issuer.jwks = (config && client.getJwksCache(config)) ?? issuer.jwks;
  }
}

/**
 * Client authentication at the token endpoint: always with the client id, also when the audience differs, and with the
 * redirect address exactly as configured, because the library would normalise it.
 */
function authOf({ metadata }: Issuer, settings: OidcSettings): client.ClientAuth {
  const methods: unknown = metadata.token_endpoint_auth_methods_supported;
  const postOnly =
    Array.isArray(methods) && methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
  const withSecret = postOnly ? client.ClientSecretPost : client.ClientSecretBasic;
  const auth = settings.oidc_client_secret === '' ? client.None() : withSecret(settings.oidc_client_secret);
  return (as, claims, body, headers) => {
    if (body.has('redirect_uri')) body.set('redirect_uri', settings.oidc_callback_url);
    return auth(as, { ...claims, client_id: settings.oidc_client_id }, body, headers);
  };
}
