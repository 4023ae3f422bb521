import { randomBytes } from 'node:crypto';
import type { ConnectionStep } from '@overtone/contracts';
import * as client from 'openid-client';
import { boundedFetch, safeAddress } from './bounded-fetch.ts';
import { names } from './claims.ts';
import { createDiscovery } from './discovery.ts';
import { failureOf } from './failures.ts';
import { issuerOf, type AdminRoleFacts, type OidcSettings } from './oidc.ts';
import { configure } from './provider.adapter.ts';

type Seen = { evidence: string; advice?: string };
type Document = Readonly<Record<string, unknown>>;
type Ask = (url: string) => Promise<Document>;

/** Something that has to be mended: what was seen, and what to do. */
class Broken extends Error {
  readonly advice: string;
  constructor(evidence: string, advice: string, cause?: unknown) {
    super(evidence, { cause });
    this.advice = advice;
  }
}

const shown = (value: unknown): string =>
  (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')).slice(0, 300);
const list = (value: unknown): string[] => (Array.isArray(value) ? value.filter((v) => typeof v === 'string') : []);

const documentUrl = (issuer: string): string => {
  const url = new URL(issuer);
  url.pathname = `${url.pathname}/.well-known/openid-configuration`.replaceAll('//', '/');
  return url.href;
};

const asker =
  (signal: AbortSignal): Ask =>
  async (url) => {
    const headers = { accept: 'application/json' };
    const response = await boundedFetch(signal)(url, { method: 'GET', headers, body: null, redirect: 'manual' }).catch(
      (cause: unknown) => {
        const { reason } = failureOf(cause, false, 'PROVIDER_UNAVAILABLE');
        const { message, cause: why } = cause as { message?: unknown; cause?: { code?: unknown; message?: unknown } };
        const said = shown(why?.code ?? why?.message ?? message);
        throw new Broken(`${url}: ${said}`, `Check the address, the way there and its certificate (${reason}).`, cause);
      },
    );
    if (response.status !== 200)
      throw new Broken(
        `${url} answered ${response.status}`,
        'Check the address: the provider does not have that page.',
      );
    const body: unknown = await response.json().catch(() => null);
    if (typeof body !== 'object' || body === null)
      throw new Broken(`${url} answered no JSON object`, 'Check the address: this is not an identity provider.');
    return body as Document;
  };

const checkIssuer = (issuer: string, metadata: Document): Seen => {
  const metadataIssuer = metadata['issuer'];
  if (
    typeof metadataIssuer === 'string' &&
    URL.canParse(metadataIssuer) &&
    new URL(metadataIssuer).href === new URL(issuer).href
  )
    return { evidence: metadataIssuer };
  throw new Broken(
    `It calls itself ${shown(metadataIssuer)}, and the settings say ${issuer}`,
    'Set oidc_discovery_url to the issuer exactly as the provider spells it.',
  );
};

const checkEndpoints = (metadata: Document): Seen => {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri']) {
    const url = metadata[name];
    if (typeof url !== 'string' || !URL.canParse(url) || !safeAddress(new URL(url)))
      throw new Broken(`${name}: ${shown(url)}`, 'The provider has to offer this address, over HTTPS.');
  }
  return { evidence: `Sign-in page: ${shown(metadata['authorization_endpoint'])}` };
};

const checkFeatures = (metadata: Document): Seen => {
  const pkce = metadata['code_challenge_methods_supported'];
  const response = metadata['response_types_supported'];
  if (Array.isArray(response) && !response.includes('code'))
    throw new Broken(`Response types: ${shown(response)}`, 'Switch on the authorization code flow at the provider.');
  if (Array.isArray(pkce) && !pkce.includes('S256'))
    throw new Broken(`PKCE methods: ${shown(pkce)}`, 'Switch on PKCE with S256 at the provider.');
  return { evidence: `Authorization code flow; PKCE ${Array.isArray(pkce) ? 'S256' : 'is not announced, and used'}` };
};

const checkKeys = async (metadata: Document, ask: Ask): Promise<Seen> => {
  const url = metadata['jwks_uri'] as string;
  const keys = (await ask(url))['keys'];
  const usable = (Array.isArray(keys) ? keys : []).filter(
    (k: Document | null) => ['RSA', 'EC', 'OKP'].includes(String(k?.['kty'])) && (k?.['use'] ?? 'sig') === 'sig',
  );
  if (usable.length > 0) return { evidence: `${usable.length} signing keys at ${url}` };
  throw new Broken(`No signing key at ${url}`, 'Give the provider an RSA, EC or Ed25519 key to sign ID tokens with.');
};

const checkScopes = (metadata: Document, s: OidcSettings): Seen => {
  const wanted = s.oidc_scopes.split(/[\s,]+/).filter(Boolean);
  const offered = list(metadata['scopes_supported']);
  const missing = offered.length === 0 ? [] : wanted.filter((scope) => !offered.includes(scope));
  if (missing.length > 0)
    throw new Broken(
      `Not offered: ${missing.join(', ')}; offered: ${shown(offered.join(', '))}`,
      'Take them out of oidc_scopes or add them at the provider.',
    );
  return {
    evidence: `${wanted.join(' ')}${offered.length === 0 ? ' (the provider does not say which it offers)' : ''}`,
  };
};

const checkClaims = (metadata: Document, s: OidcSettings): Seen => {
  const offered = list(metadata['claims_supported']);
  const paths = [s.oidc_username_claim, s.oidc_email_claim, s.oidc_groups_claim].filter(Boolean);
  const missing = paths.filter((path) => !offered.includes(path) && !offered.includes(path.split('.')[0] as string));
  if (offered.length === 0 || missing.length === 0) return { evidence: paths.join(', ') };
  return {
    evidence: `Not announced: ${missing.join(', ')}`,
    advice: 'Check the names of the claims if accounts come without login name, address or groups.',
  };
};

/** Whether sign-ins carry the claim that the administrator roles are read from. */
const checkAdminRoles = (metadata: Document, s: OidcSettings, { configured, lastSignIn }: AdminRoleFacts): Seen => {
  const roles = names(s.oidc_admin_role);
  const path = s.oidc_roles_claim;
  if (!configured || roles.length === 0)
    return { evidence: 'No administrator role is set: a sign-in without the roles claim counts as one without roles.' };
  const kept = 'While the claim is missing, administrators keep their role, also after they leave the mapped groups.';
  const mend = `${kept} Add the claim ${path} to the ID token or user info at the provider, correct oidc_roles_claim, or clear oidc_admin_role.`;
  if (lastSignIn?.unusable)
    return {
      evidence: `The last sign-in (${lastSignIn.at.toISOString()}) had no usable claim ${path}: ${lastSignIn.unusable}`,
      advice: mend,
    };
  if (lastSignIn) return { evidence: `The last sign-in (${lastSignIn.at.toISOString()}) had the claim ${path}` };
  const offered = list(metadata['claims_supported']);
  if (offered.includes(path) || offered.includes(path.split('.')[0] as string))
    return { evidence: `${path} is announced; administrator roles: ${roles.join(', ')}` };
  return { evidence: `The provider does not announce the claim ${path}`, advice: mend };
};

const saidBy = (e: unknown): string => {
  if (e instanceof client.ResponseBodyError) return e.error;
  return e instanceof client.WWWAuthenticateChallengeError ? 'invalid_client' : failureOf(e, false).reason;
};

/** What a token endpoint says to a code that it never gave tells whether it knows the client. */
const checkClient = async (config: client.Configuration, s: OidcSettings): Promise<Seen> => {
  const made = randomBytes(32).toString('base64url');
  const form = { code: made, code_verifier: made, redirect_uri: s.oidc_callback_url };
  const said = await client.genericGrantRequest(config, 'authorization_code', form).then(() => 'accepted', saidBy);
  if (said === 'invalid_grant') return { evidence: 'The provider knows the client and its secret.' };
  if (['invalid_client', 'unauthorized_client', 'access_denied'].includes(said))
    throw new Broken(
      `The provider refuses the client ${s.oidc_client_id} (${said})`,
      'Check oidc_client_id and oidc_client_secret, and that the client may use the authorization code flow.',
    );
  return {
    evidence: `It could not be told whether the provider knows the client (${shown(said)}).`,
    advice: 'Sign in once to be sure.',
  };
};

type Step = { code: string; title: string; work: () => Promise<Seen> | Seen };

const runStep = async ({ code, title, work }: Step): Promise<ConnectionStep> => {
  const started = performance.now();
  const end = (ok: boolean, { evidence, advice }: Seen): ConnectionStep => ({
    code,
    title,
    ok,
    duration_ms: Math.round(performance.now() - started),
    evidence,
    advice: advice ?? '',
  });
  try {
    return end(true, await work());
  } catch (e) {
    if (e instanceof Broken) return end(false, { evidence: e.message, advice: e.advice });
    const { reason } = failureOf(e, false, 'PROVIDER_UNAVAILABLE');
    return end(false, { evidence: `It did not work: ${reason}`, advice: 'Look at the steps before.' });
  }
};

/**
 * The connection test: step by step to the first that everything after it needs. The last but one asks the way a sign-in
 * does, so that what passes here works there. Takes `oidc_timeout` at most.
 */
export const diagnoseProvider = async (s: OidcSettings, facts: AdminRoleFacts): Promise<ConnectionStep[]> => {
  const signal = AbortSignal.timeout(s.oidc_timeout * 1000);
  const ask = asker(signal);
  const issuer = issuerOf(s);
  let metadata: Document = {};
  const needed: Step[] = [
    {
      code: 'discovery',
      title: 'Fetch the discovery document',
      work: async () => {
        metadata = await ask(documentUrl(issuer));
        return { evidence: documentUrl(issuer) };
      },
    },
    { code: 'issuer', title: 'Compare the issuer', work: () => checkIssuer(issuer, metadata) },
    { code: 'endpoints', title: 'Find the addresses a sign-in needs', work: () => checkEndpoints(metadata) },
    { code: 'keys', title: 'Fetch the signing keys', work: () => checkKeys(metadata, ask) },
    {
      code: 'algorithms',
      title: 'Agree on a signature, as a sign-in does',
      work: async () => {
        const known = await createDiscovery()(issuer, 'test', signal);
        return { evidence: list(known.metadata.id_token_signing_alg_values_supported).join(', ') };
      },
    },
  ];
  const steps: ConnectionStep[] = [];
  for (const step of needed) {
    steps.push(await runStep(step));
    if (!steps.at(-1)?.ok) return steps;
  }
  const rest: Step[] = [
    { code: 'flow', title: 'Check the flow', work: () => checkFeatures(metadata) },
    { code: 'scopes', title: 'Check the scopes', work: () => checkScopes(metadata, s) },
    { code: 'claims', title: 'Check the claims', work: () => checkClaims(metadata, s) },
    {
      code: 'admin_roles',
      title: 'Check the claim of the administrator roles',
      work: () => checkAdminRoles(metadata, s, facts),
    },
    {
      code: 'client',
      title: 'Ask whether the client is known',
      work: async () =>
        checkClient(configure(await createDiscovery()(issuer, 'test', signal), s, boundedFetch(signal)), s),
    },
  ];
  for (const step of rest) steps.push(await runStep(step));
  return steps;
};
