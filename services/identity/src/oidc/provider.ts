import type { AuditErrorCode } from '../audit/audit.ts';
import type { TokenClaims } from './claims.ts';
import type { Flow } from './flow.ts';
import type { OidcSettings } from './oidc.ts';

/** The parameters that the provider sent to the page /login. */
export type Callback = { code?: string | undefined; state: string; iss?: string | undefined };
/** A failed sign-in at the provider; `reason` is for the administrator. */
export type ProviderFailure = { ok: false; errorCode: AuditErrorCode; reason: string; cause?: unknown };
/** Claims of a verified ID token. */
export type VerifiedClaims = TokenClaims & { sub: string; iss: string };
export type VerifiedSignIn = { ok: true; claims: VerifiedClaims };

/** Port to the identity provider. Its failures are results, not exceptions. */
export type Provider = {
  begin: (settings: OidcSettings, flow: Flow) => Promise<{ ok: true; url: string } | ProviderFailure>;
  finish: (settings: OidcSettings, flow: Flow, callback: Callback) => Promise<VerifiedSignIn | ProviderFailure>;
};
