import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { issuerOf, type OidcSettings } from './oidc.ts';
import { createSealer } from './sealed.ts';

/** A sign-in that was started and whose callback has not arrived yet. */
const flowShape = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  issuer: z.string(),
  clientId: z.string(),
  redirectUri: z.string(),
  /** Epoch milliseconds. */
  startedAt: z.int(),
  /** A test sign-in before accounts are moved from this issuer: only the administrator who started it completes it. */
  test: z.object({ from: z.string(), userId: z.uuid() }).optional(),
});
export type Flow = z.infer<typeof flowShape>;

export const flowSeconds = 600;
const mostFlows = 5;

/** A new flow to the provider of the settings. */
export function newFlow(settings: OidcSettings, test?: Flow['test']): Flow {
  return {
    ...(test ? { test } : {}),
    state: newSecret(),
    nonce: newSecret(),
    verifier: newSecret(),
    ...providerOf(settings),
    startedAt: Date.now(),
  };
}

/** Whether the flow was started with the same provider, client and callback address. */
export function wasStartedWith(flow: Flow, settings: OidcSettings): boolean {
  const { issuer, clientId, redirectUri } = providerOf(settings);
  return flow.issuer === issuer && flow.clientId === clientId && flow.redirectUri === redirectUri;
}

function providerOf(settings: OidcSettings): Pick<Flow, 'issuer' | 'clientId' | 'redirectUri'> {
  const { oidc_client_id: clientId, oidc_callback_url: redirectUri } = settings;
  return { issuer: issuerOf(settings), clientId, redirectUri };
}

function newSecret(): string {
  return randomBytes(32).toString('base64url');
}

export function stateHash(state: string): string {
  return createHash('sha256').update(state).digest('base64url');
}

/** Each sign-in has its own cookie, so that several tabs can sign in concurrently. */
function cookieName(state: string, secure: boolean): string {
  return `${secure ? '__Host-' : ''}oidc_flow_${stateHash(state).slice(0, 16)}`;
}

function cookie(name: string, value: string, maxAge: number, secure: boolean): string {
  return `${name}=${value}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure ? '; Secure' : ''}`;
}

function same(left: string, right: string): boolean {
  const [x, y] = [Buffer.from(left), Buffer.from(right)];
  return x.length === y.length && timingSafeEqual(x, y);
}

type OpenedFlow = { ok: true; flow: Flow } | { ok: false; reason: 'not_this_browser' | 'forged' | 'expired' };

/**
 * Stores the state of a started sign-in in a sealed cookie of the browser: any replica can finish it, abandoned sign-ins
 * use no storage, and another browser cannot finish it.
 */
export function createFlowCookies(secret: string) {
  const sealer = createSealer(secret, 'overtone oidc flow v1', flowShape);

  return {
    seal: (flow: Flow, secure: boolean): string => {
      const name = cookieName(flow.state, secure);
      return cookie(name, sealer.seal(name, flow), flowSeconds, secure);
    },
    read: (cookies: ReadonlyMap<string, string>, state: string, secure: boolean, now: number): OpenedFlow => {
      const name = cookieName(state, secure);
      const sealed = cookies.get(name);
      if (sealed === undefined) return { ok: false, reason: 'not_this_browser' };
      const flow = sealer.open(name, sealed);
      if (!flow || !same(flow.state, state)) return { ok: false, reason: 'forged' };
      return now - flow.startedAt > flowSeconds * 1000 ? { ok: false, reason: 'expired' } : { ok: true, flow };
    },
    clear: (state: string, secure: boolean): string => cookie(cookieName(state, secure), '', 0, secure),
    /** Deletes the oldest cookies of abandoned sign-ins when there are too many. */
    clearOld: (cookies: ReadonlyMap<string, string>, secure: boolean): string[] =>
      [...cookies.keys()].slice(0, -(mostFlows - 1)).map((name) => cookie(name, '', 0, secure)),
  };
}

export type FlowCookies = ReturnType<typeof createFlowCookies>;

const ours = /^(__Host-)?oidc_flow_[\w-]{16}$/;
/** The sign-in cookies of a Cookie header in its order; the first one of a name applies. */
export function flowCookiesOf(header: string | undefined): Map<string, string> {
  const found = new Map<string, string>();
  for (const part of (header ?? '').split(';')) {
    const at = part.indexOf('=');
    const name = part.slice(0, Math.max(0, at)).trim();
    if (ours.test(name) && !found.has(name)) found.set(name, part.slice(at + 1).trim());
  }
  return found;
}
