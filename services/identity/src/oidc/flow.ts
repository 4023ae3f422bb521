import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { issuerOf, type OidcSettings } from './oidc.ts';

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
});
export type Flow = z.infer<typeof flowShape>;

export const flowSeconds = 600;
const mostFlows = 5;

/** A new flow to the provider of the settings. */
export function newFlow(settings: OidcSettings): Flow {
  return {
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
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'overtone oidc flow v1', 32));

  const open = (name: string, sealed: string): Flow | undefined => {
    try {
      const bytes = Buffer.from(sealed, 'base64url');
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 });
      decipher.setAAD(Buffer.from(name)).setAuthTag(bytes.subarray(-16));
      const text = Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString();
      return flowShape.parse(JSON.parse(text));
    } catch {
      return undefined;
    }
  };

  return {
    seal: (flow: Flow, secure: boolean): string => {
      const name = cookieName(flow.state, secure);
      const iv = randomBytes(12);
      const cipher = createCipheriv('aes-256-gcm', key, iv, { authTagLength: 16 }).setAAD(Buffer.from(name));
      const body = [cipher.update(JSON.stringify(flow)), cipher.final()];
      const sealed = Buffer.concat([iv, ...body, cipher.getAuthTag()]).toString('base64url');
      return cookie(name, sealed, flowSeconds, secure);
    },
    read: (cookies: ReadonlyMap<string, string>, state: string, secure: boolean, now: number): OpenedFlow => {
      const name = cookieName(state, secure);
      const sealed = cookies.get(name);
      if (sealed === undefined) return { ok: false, reason: 'not_this_browser' };
      const flow = open(name, sealed);
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
