import { createHash, randomBytes } from 'node:crypto';
import { invalid } from '@overtone/service-kit';

/** A link by which the owner of an account sets a password. Only a hash of its token is stored. */
export type Invitation = { token: string; expiresAt: Date };

const lifetimeMs = 7 * 86_400_000;

export function newInvitation(now = new Date()): Invitation {
  return { token: randomBytes(32).toString('base64url'), expiresAt: new Date(now.getTime() + lifetimeMs) };
}

/** A plain hash is enough: the token has 256 random bits. */
export function invitationHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** One answer for unknown, used, ended and withdrawn links: it does not reveal which accounts exist. */
export function invitationInvalid() {
  return invalid(
    'invitation_invalid',
    'This invitation link is not valid any more. Ask an administrator for a new one',
  );
}

export function toInvitationObject({ token, expiresAt }: Invitation) {
  return { token, expires_at: expiresAt.toISOString() };
}
