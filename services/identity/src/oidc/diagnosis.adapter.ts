import { randomBytes } from 'node:crypto';
import type { ConnectionStep } from '@overtone/contracts';
import * as client from 'openid-client';
import { boundedFetch, safeAddress } from './bounded-fetch.ts';
import { names } from './claims.ts';
import { createDiscovery } from './discovery.ts';
import { failureOf } from './failures.ts';
import { issuerOf, type AdminRoleFacts, type OidcSettings } from './oidc.ts';
import { configure } from './provider.adapter.ts';

type StepResult = { evidence: string; advice?: string };
type Document = Readonly<Record<string, unknown>>;
type Request = (url: string) => Promise<Document>;

/** Ends a step of the test: the message is the evidence, `advice` says what to do. */
class FailedStep extends Error {
  readonly advice: string;
  constructor(evidence: string, advice: string, cause?: unknown) {
    super(evidence, { cause });
    this.advice = advice;
  }
}

type Step = { code: string; title: string; work: () => Promise<StepResult> | StepResult };

/**
 * The connection test. It ends at the first failed step that later steps need. Discovery and the client are tested with the
 * code of a sign-in. Takes at most `oidc_timeout`.
 */
export async function diagnoseProvider(settings: OidcSettings, facts: AdminRoleFacts): Promise<ConnectionStep[]> {
  const signal = AbortSignal.timeout(settings.oidc_timeout * 1000);
  const request = createRequest(signal);
  const issuer = issuerOf(settings);
  let metadata: Document = {};
  const needed: Step[] = [
    {
      code: 'discovery',
      title: 'Fetch the discovery document',
      work: async () => {
        metadata = await request(documentUrl(issuer));
        return { evidence: documentUrl(issuer) };
      },
    },
    { code: 'issuer', title: 'Compare the issuer', work: () => checkIssuer(issuer, metadata) },
    { code: 'endpoints', title: 'Find the addresses a sign-in needs', work: () => checkEndpoints(metadata) },
    { code: 'keys', title: 'Fetch the signing keys', work: () => checkKeys(metadata, request) },
    {
      code: 'algorithms',
      title: 'Agree on a signature, as a sign-in does',
      work: async () => {
        const discovered = await createDiscovery()(issuer, 'test', signal);
        return { evidence: list(discovered.metadata.id_token_signing_alg_values_supported).join(', ') };
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
    { code: 'scopes', title: 'Check the scopes', work: () => checkScopes(metadata, settings) },
    { code: 'claims', title: 'Check the claims', work: () => checkClaims(metadata, settings) },
    {
      code: 'admin_roles',
      title: 'Check the claim of the administrator roles',
      work: () => checkAdminRoles(metadata, settings, facts),
    },
    {
      code: 'client',
      title: 'Ask whether the client is known',
      work: async () =>
        checkClient(
          configure(await createDiscovery()(issuer, 'test', signal), settings, boundedFetch(signal)),
          settings,
        ),
    },
  ];
  for (const step of rest) steps.push(await runStep(step));
  return steps;
}

function createRequest(signal: AbortSignal): Request {
  return async (url) => {
    const headers = { accept: 'application/json' };
    const response = await boundedFetch(signal)(url, { method: 'GET', headers, body: null, redirect: 'manual' }).catch(
      (cause: unknown) => {
        const { reason } = failureOf(cause, false, 'PROVIDER_UNAVAILABLE');
        const { message, cause: why } = cause as { message?: unknown; cause?: { code?: unknown; message?: unknown } };
        const detail = shown(why?.code ?? why?.message ?? message);
        throw new FailedStep(
          `${url}: ${detail}`,
          `Check the address, the way there and its certificate (${reason}).`,
          cause,
        );
      },
    );
    if (response.status !== 200)
      throw new FailedStep(
        `${url} answered ${response.status}`,
        'Check the address: the provider does not have that page.',
      );
    const body: unknown = await response.json().catch(() => null);
    if (typeof body !== 'object' || body === null)
      throw new FailedStep(`${url} answered no JSON object`, 'Check the address: this is not an identity provider.');
    return body as Document;
  };
}

function documentUrl(issuer: string): string {
  const url = new URL(issuer);
  url.pathname = `${url.pathname}/.well-known/openid-configuration`.replaceAll('//', '/');
  return url.href;
}

function checkIssuer(issuer: string, metadata: Document): StepResult {
  const metadataIssuer = metadata['issuer'];
  if (
    typeof metadataIssuer === 'string' &&
    URL.canParse(metadataIssuer) &&
    new URL(metadataIssuer).href === new URL(issuer).href
  )
    return { evidence: metadataIssuer };
  throw new FailedStep(
    `It calls itself ${shown(metadataIssuer)}, and the settings say ${issuer}`,
    'Set oidc_discovery_url to the issuer exactly as the provider spells it.',
  );
}

function checkEndpoints(metadata: Document): StepResult {
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri']) {
    const url = metadata[name];
    if (typeof url !== 'string' || !URL.canParse(url) || !safeAddress(new URL(url)))
      throw new FailedStep(`${name}: ${shown(url)}`, 'The provider has to offer this address, over HTTPS.');
  }
  return { evidence: `Sign-in page: ${shown(metadata['authorization_endpoint'])}` };
}

async function checkKeys(metadata: Document, request: Request): Promise<StepResult> {
  const url = metadata['jwks_uri'] as string;
  const keys = (await request(url))['keys'];
  const usable = (Array.isArray(keys) ? keys : []).filter(
    (key: Document | null) => ['RSA', 'EC', 'OKP'].includes(String(key?.['kty'])) && (key?.['use'] ?? 'sig') === 'sig',
  );
  if (usable.length > 0) return { evidence: `${usable.length} signing keys at ${url}` };
  throw new FailedStep(
    `No signing key at ${url}`,
    'Give the provider an RSA, EC or Ed25519 key to sign ID tokens with.',
  );
}

function list(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((value) => typeof value === 'string') : [];
}

async function runStep({ code, title, work }: Step): Promise<ConnectionStep> {
  const started = performance.now();
  const end = (ok: boolean, { evidence, advice }: StepResult): ConnectionStep => ({
    code,
    title,
    ok,
    duration_ms: Math.round(performance.now() - started),
    evidence,
    advice: advice ?? '',
  });
  try {
    return end(true, await work());
  } catch (error) {
    if (error instanceof FailedStep) return end(false, { evidence: error.message, advice: error.advice });
    const { reason } = failureOf(error, false, 'PROVIDER_UNAVAILABLE');
    return end(false, { evidence: `It did not work: ${reason}`, advice: 'Look at the steps before.' });
  }
}

function checkFeatures(metadata: Document): StepResult {
  const pkce = metadata['code_challenge_methods_supported'];
  const response = metadata['response_types_supported'];
  if (Array.isArray(response) && !response.includes('code'))
    throw new FailedStep(
      `Response types: ${shown(response)}`,
      'Switch on the authorization code flow at the provider.',
    );
  if (Array.isArray(pkce) && !pkce.includes('S256'))
    throw new FailedStep(`PKCE methods: ${shown(pkce)}`, 'Switch on PKCE with S256 at the provider.');
  return { evidence: `Authorization code flow; PKCE ${Array.isArray(pkce) ? 'S256' : 'is not announced, and used'}` };
}

function checkScopes(metadata: Document, settings: OidcSettings): StepResult {
  const wanted = settings.oidc_scopes.split(/[\s,]+/).filter(Boolean);
  const offered = list(metadata['scopes_supported']);
  const missing = offered.length === 0 ? [] : wanted.filter((scope) => !offered.includes(scope));
  if (missing.length > 0)
    throw new FailedStep(
      `Not offered: ${missing.join(', ')}; offered: ${shown(offered.join(', '))}`,
      'Take them out of oidc_scopes or add them at the provider.',
    );
  return {
    evidence: `${wanted.join(' ')}${offered.length === 0 ? ' (the provider does not say which it offers)' : ''}`,
  };
}

function checkClaims(metadata: Document, settings: OidcSettings): StepResult {
  const offered = list(metadata['claims_supported']);
  const paths = [settings.oidc_username_claim, settings.oidc_email_claim, settings.oidc_groups_claim].filter(Boolean);
  const missing = paths.filter((path) => !offered.includes(path) && !offered.includes(path.split('.')[0] as string));
  if (offered.length === 0 || missing.length === 0) return { evidence: paths.join(', ') };
  return {
    evidence: `Not announced: ${missing.join(', ')}`,
    advice: 'Check the names of the claims if accounts come without login name, address or groups.',
  };
}

/** Whether sign-ins contain the claim that the administrator roles are read from. */
function checkAdminRoles(
  metadata: Document,
  settings: OidcSettings,
  { configured, lastSignIn }: AdminRoleFacts,
): StepResult {
  const roles = names(settings.oidc_admin_role);
  const path = settings.oidc_roles_claim;
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
}

/** Redeems an invalid code: the error of the token endpoint shows whether it knows the client. */
async function checkClient(config: client.Configuration, settings: OidcSettings): Promise<StepResult> {
  const invalidCode = randomBytes(32).toString('base64url');
  const form = { code: invalidCode, code_verifier: invalidCode, redirect_uri: settings.oidc_callback_url };
  const code = await client.genericGrantRequest(config, 'authorization_code', form).then(() => 'accepted', errorCodeOf);
  if (code === 'invalid_grant') return { evidence: 'The provider knows the client and its secret.' };
  if (['invalid_client', 'unauthorized_client', 'access_denied'].includes(code))
    throw new FailedStep(
      `The provider refuses the client ${settings.oidc_client_id} (${code})`,
      'Check oidc_client_id and oidc_client_secret, and that the client may use the authorization code flow.',
    );
  return {
    evidence: `The response of the provider does not show whether it knows the client (${shown(code)}).`,
    advice: 'Sign in once to be sure.',
  };
}

function shown(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'nothing')).slice(0, 300);
}

function errorCodeOf(value: unknown): string {
  if (value instanceof client.ResponseBodyError) return value.error;
  return value instanceof client.WWWAuthenticateChallengeError ? 'invalid_client' : failureOf(value, false).reason;
}
