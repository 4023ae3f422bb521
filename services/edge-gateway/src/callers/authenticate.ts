import type { ResolvedSession } from '@overtone/contracts';
import type { Credentials } from './credentials.ts';

/** A caller with a session, and the token that it sent. */
export type SignedIn = { token: string; session: ResolvedSession };
export type Authenticate = (credentials: Credentials) => Promise<SignedIn | null>;

const maxTokenLength = 4096;

type Deps = { resolve: (token: string) => Promise<ResolvedSession | null> | ResolvedSession };

/** Resolves the session of the caller; null: not signed in. An Authorization header takes precedence over cookies. */
export function createAuthenticate({ resolve }: Deps): Authenticate {
  return async ({ bearer, cookies }) => {
    const token = bearer === undefined ? cookies.access : bearer;
    if (!token || token.length > maxTokenLength) return null;
    const session = await resolve(token);
    return session && { token, session };
  };
}
