import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import {
  publicLinkCookie,
  publicLinkPath,
  type PublicLink,
  type PublicPart,
  type PublicSegment,
  type PublicSummary,
  type SegmentObject,
  type SummaryObject,
} from '@overtone/contracts';
import { keyedHashes, notFound, type AppError, type KeyRing } from '@overtone/service-kit';
import type { PublicLink as LinkRow } from '../generated/client.ts';
import type { Names } from '../sharing/sharing.ts';

/** The same error for links that are unknown, ended or switched off, and for files that cannot be read. */
export function noSuchLink(): AppError {
  return notFound('This link does not exist or has ended.');
}

const tokenBytes = 32;

export function newToken(): string {
  return randomBytes(tokenBytes).toString('base64url');
}

/** A plain hash is enough for 256 random bits. A search by it reveals nothing by its time: a client cannot choose the hash. */
export function hashOfToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** How long an opened link gives access without another request for its description. */
const grantMs = 3_600_000;
const grantPurpose = 'public link grant';

/** A cookie that gives access to what one link shows. The link itself is checked at every request. */
export function grantCookie(ring: KeyRing, linkId: string, { now, secure }: { now: number; secure: boolean }): string {
  const expires = now + grantMs;
  const [signature] = signaturesOf(ring, linkId, expires);
  return [
    `${publicLinkCookie}=${expires}.${signature}`,
    `Path=${publicLinkPath}${linkId}`,
    `Max-Age=${grantMs / 1000}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(secure ? ['Secure'] : []),
  ].join('; ');
}

const grantPattern = /^(\d{1,16})\.([\da-f]{64})$/;

export function isGranted(ring: KeyRing, linkId: string, header: string | undefined, now: number): boolean {
  return grantsIn(header).some((grant) => {
    const [, expires = '', signature = ''] = grantPattern.exec(grant) ?? [];
    if (!(Number(expires) > now)) return false;
    const given = Buffer.from(signature, 'hex');
    return signaturesOf(ring, linkId, Number(expires)).some((own) => timingSafeEqual(Buffer.from(own, 'hex'), given));
  });
}

function signaturesOf(ring: KeyRing, linkId: string, expires: number): string[] {
  return keyedHashes(ring, grantPurpose, `${linkId} ${expires}`).map(({ hash }) => hash);
}

const maxGrants = 8;

function grantsIn(header: string | undefined): string[] {
  const start = `${publicLinkCookie}=`;
  const parts = (header ?? '').split(';').map((part) => part.trim());
  return parts
    .filter((part) => part.startsWith(start))
    .map((part) => part.slice(start.length))
    .slice(0, maxGrants);
}

/** Wrong passwords in a row that are free; each further one doubles the wait. */
export const freeAttempts = 5;
export const firstWaitSeconds = 30;
export const longestWaitSeconds = 900;

export function stateOf({ revokedAt, expiresAt }: Pick<LinkRow, 'revokedAt' | 'expiresAt'>): PublicLink['state'] {
  if (revokedAt) return 'revoked';
  return expiresAt.getTime() <= Date.now() ? 'expired' : 'active';
}

export function toPublicLink(link: LinkRow, names: Names): PublicLink {
  return {
    uuid: link.id,
    parts: link.parts as PublicPart[],
    has_password: link.passwordHash !== null,
    state: stateOf(link),
    created_by: link.createdBy,
    created_by_name: names.get(link.createdBy) ?? null,
    created_at: link.createdAt.toISOString(),
    expires_at: link.expiresAt.toISOString(),
    revoked_at: link.revokedAt?.toISOString() ?? null,
    views: link.views,
    last_viewed_at: link.lastViewedAt?.toISOString() ?? null,
  };
}

/** A passage that was masked already, without who edited it and without ids. */
export function toPublicSegment(segment: SegmentObject): PublicSegment {
  return {
    start_time: segment.start_time,
    end_time: segment.end_time,
    text: segment.text,
    withheld: segment.withheld,
    speaker: segment.speaker?.name ?? null,
    words: segment.words.map(({ word, start, end }) => ({ word, start, end })),
    redactions: segment.redactions.map(({ kind, start, end }) => ({ kind, start, end })),
  };
}

type Sourced = { segments: readonly { start: number }[] };

/** The summary without its sources' ids, its model and its prompt. */
export function toPublicSummary({ summary, language, made_without_model, out_of_date }: SummaryObject): PublicSummary {
  const startsOf = ({ segments }: Sourced) => [...new Set(segments.map(({ start }) => start))];
  const statements = (list: readonly (Sourced & { text: string })[]) =>
    list.map((one) => ({ text: one.text, starts: startsOf(one) }));
  return {
    language,
    made_without_model,
    out_of_date,
    brief: statements(summary.brief),
    key_decisions: statements(summary.key_decisions),
    action_items: summary.action_items.map((item) => ({
      text: item.text,
      owner: item.owner,
      due_date: item.due_date,
      starts: startsOf(item),
    })),
    topics: summary.topics.map(({ title, start, end }) => ({ title, start, end })),
    follow_ups: statements(summary.follow_ups),
  };
}
