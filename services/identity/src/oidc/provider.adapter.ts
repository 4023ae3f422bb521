import { createHash } from 'node:crypto';
import * as client from 'openid-client';
import { boundedFetch } from './bounded-fetch.ts';
import { claimAt, type TokenClaims } from './claims.ts';
import { createDiscovery, type Known } from './discovery.ts';
import { failureOf } from './failures.ts';
import type { Flow } from './flow.ts';
import { faultOfIdToken } from './id-token.ts';
import { issuerOf, type OidcSettings } from './oidc.ts';
import type { Callback, Failed, Identified, ProvedClaims, Provider } from './provider.ts';

/**
 * How the client names itself to the token endpoint: always under its own id, also where the audience is another one,
 * and with the redirect address to the letter, which the library would write in its own spelling.
 */
const authOf = ({ metadata }: Known, s: OidcSettings): client.ClientAuth => {
  const methods: unknown = metadata.token_endpoint_auth_methods_supported;
  const postOnly =
    Array.isArray(methods) && methods.includes('client_secret_post') && !methods.includes('client_secret_basic');
  const withSecret = postOnly ? client.ClientSecretPost : client.ClientSecretBasic;
  const auth = s.oidc_client_secret === '' ? client.None() : withSecret(s.oidc_client_secret);
  return (as, c, body, headers) => {
    if (body.has('redirect_uri')) body.set('redirect_uri', s.oidc_callback_url);
    return auth(as, { ...c, client_id: s.oidc_client_id }, body, headers);
  };
};

export const configure = (known: Known, s: OidcSettings, fetch: client.CustomFetch): client.Configuration => {
  const audience = s.oidc_audience === '' ? s.oidc_client_id : s.oidc_audience;
  const metadata = { [client.clockTolerance]: 60 };
  const config = new client.Configuration(known.metadata, audience, metadata, authOf(known, s));
  config[client.customFetch] = fetch;
  config.timeout = 300;
  client.allowInsecureRequests(config);
  client.enableNonRepudiationChecks(config);
  if (known.jwks) client.setJwksCache(config, known.jwks);
  return config;
};

const json = (text: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
};
const headerOf = (token: string): Record<string, unknown> =>
  json(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString());

/** The address that the provider sent the browser to. */
const answerUrl = (flow: Flow, callback: Callback): URL => {
  const url = new URL(flow.redirectUri);
  for (const [name, value] of Object.entries(callback)) if (value) url.searchParams.set(name, value);
  return url;
};

const wanted = (s: OidcSettings): string[] => [s.oidc_email_claim, s.oidc_groups_claim, s.oidc_roles_claim];

/** The ID token's own word counts; an address and whether it is verified come from the same document. */
const merged = (token: TokenClaims, info: TokenClaims, s: OidcSettings): TokenClaims => {
  const all = { ...info, ...token };
  const tokenHasAddress = claimAt(token, s.oidc_email_claim) !== undefined;
  const { email_verified: _verified, ...rest } = all;
  const verified = (tokenHasAddress ? token : info)['email_verified'];
  return verified === undefined ? rest : { ...rest, email_verified: verified };
};

/** Every change of a setting triggers a new discovery. */
const keyOf = (s: OidcSettings): string => {
  const ours = Object.entries(s).filter(([name]) => name.startsWith('oidc_'));
  return createHash('sha256').update(JSON.stringify(ours)).digest('base64url');
};

export const createProvider = (clock: () => number = Date.now): Provider => {
  const discover = createDiscovery(clock);
  const knownFor = (s: OidcSettings, signal: AbortSignal): Promise<Known> => discover(issuerOf(s), keyOf(s), signal);
  const deadline = (s: OidcSettings): AbortSignal => AbortSignal.timeout(s.oidc_timeout * 1000);

  /** Claims that the ID token does not carry; a provider that does not tell them either leaves them unknown. */
  const completed = async (
    config: client.Configuration,
    s: OidcSettings,
    accessToken: string,
    claims: ProvedClaims,
  ): Promise<ProvedClaims> => {
    const complete = wanted(s).every((path) => path === '' || claimAt(claims, path) !== undefined);
    if (complete || config.serverMetadata().userinfo_endpoint === undefined) return claims;
    const info = await client.fetchUserInfo(config, accessToken, claims.sub).catch(() => ({}));
    return { ...merged(claims, info, s), sub: claims.sub, iss: claims.iss };
  };

  /** Claims of a token that stands up to every rule. */
  const identified = async (
    config: client.Configuration,
    s: OidcSettings,
    flow: Flow,
    callback: Callback,
  ): Promise<Identified | Failed> => {
    const tokens = await client.authorizationCodeGrant(config, answerUrl(flow, callback), {
      pkceCodeVerifier: flow.verifier,
      expectedState: flow.state,
      expectedNonce: flow.nonce,
      idTokenExpected: true,
    });
    const claims = tokens.claims() as ProvedClaims;
    const fault = faultOfIdToken({
      header: headerOf(tokens.id_token as string),
      claims,
      accessToken: tokens.access_token,
      clientId: s.oidc_client_id,
      now: clock() / 1000,
      startedAt: flow.startedAt / 1000,
    });
    if (fault) return { ok: false, errorCode: 'INVALID_TOKEN', reason: fault };
    return { ok: true, claims: await completed(config, s, tokens.access_token, claims) };
  };

  const exchange = async (known: Known, s: OidcSettings, flow: Flow, callback: Callback, signal: AbortSignal) => {
    // Tells a bad token from no token at all, for the record.
    let tokenCame = false;
    const fetch = boundedFetch(signal, ({ url, status, text }) => {
      const { id_token: idToken, access_token: accessToken } = json(text);
      if (url === known.metadata.token_endpoint && status === 200)
        tokenCame = typeof idToken === 'string' && typeof accessToken === 'string';
    });
    let config: client.Configuration | undefined;
    try {
      config = configure(known, s, fetch);
      return await identified(config, s, flow, callback);
    } catch (cause) {
      return failureOf(cause, tokenCame);
    } finally {
      known.jwks = (config && client.getJwksCache(config)) ?? known.jwks;
    }
  };

  return {
    begin: async (s, flow) => {
      try {
        const known = await knownFor(s, deadline(s));
        const config = configure(known, s, boundedFetch(deadline(s)));
        const scopes = new Set(['openid', ...s.oidc_scopes.split(/[\s,]+/).filter(Boolean)]);
        const url = client.buildAuthorizationUrl(config, {
          client_id: s.oidc_client_id,
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
    finish: async (s, flow, callback) => {
      const signal = deadline(s);
      let known: Known;
      try {
        known = await knownFor(s, signal);
      } catch (cause) {
        return failureOf(cause, false, 'PROVIDER_UNAVAILABLE');
      }
      const { issuer, authorization_response_iss_parameter_supported: issuerRequired } = known.metadata;
      // RFC 9207: an answer of another provider, led here to be taken for this one's.
      if (callback.iss === undefined ? issuerRequired === true : callback.iss !== issuer)
        return { ok: false, errorCode: 'INVALID_STATE', reason: 'iss' };
      return exchange(known, s, flow, callback, signal);
    },
  };
};
