import type { AuditErrorCode } from '../audit/audit.ts';
import type { TokenClaims } from './claims.ts';
import type { Flow } from './flow.ts';
import type { OidcSettings } from './oidc.ts';

/** What the provider sent to the page /login. */
export type Callback = { code?: string | undefined; state: string; iss?: string | undefined };
/** Why an answer of the provider counts for nothing; `reason` is for the administrator. */
export type Failed = { ok: false; errorCode: AuditErrorCode; reason: string; cause?: unknown };
/** Claims of an ID token that stood up to every rule. */
export type ProvedClaims = TokenClaims & { sub: string; iss: string };
export type Identified = { ok: true; claims: ProvedClaims };

/** The identity provider in our words. Nothing here throws for what the provider does. */
export type Provider = {
  begin: (s: OidcSettings, flow: Flow) => Promise<{ ok: true; url: string } | Failed>;
  finish: (s: OidcSettings, flow: Flow, callback: Callback) => Promise<Identified | Failed>;
};
