import { publicLinksGroup, type SettingValues } from '@overtone/contracts';
import { createSettingsStore, type SettingsDb, type SettingsStore } from '@overtone/database';
import type { Db, Tx } from '../database.ts';
import type { MediaFile, PublicLink } from '../generated/client.ts';
import { firstWaitSeconds, freeAttempts, hashOfToken, longestWaitSeconds } from './public-links.ts';

/** The group has no secrets, so it needs no key. */
function noKey(): never {
  throw new TypeError('the settings of public links contain no secret');
}
export const publicLinkSettings: SettingsStore = createSettingsStore({ table: 'media_settings', keyRing: noKey });

export function readPublicLinkSettings(db: SettingsDb): Promise<SettingValues<typeof publicLinksGroup>> {
  return publicLinkSettings.values(db, publicLinksGroup);
}

function isActive() {
  return { revokedAt: null, expiresAt: { gt: new Date() } };
}

export function selectLinks(db: Db, fileId: string): Promise<PublicLink[]> {
  return db.publicLink.findMany({ where: { fileId }, orderBy: [{ createdAt: 'desc' }, { id: 'asc' }] });
}

export function countActive(db: Db | Tx, where: { fileId?: string } = {}): Promise<number> {
  return db.publicLink.count({ where: { ...where, ...isActive() } });
}

/** @returns null when the file has no such link that is active. */
export async function revokeLink(tx: Tx, fileId: string, id: string): Promise<PublicLink | null> {
  const [link] = await tx.publicLink.updateManyAndReturn({
    where: { id, fileId, ...isActive() },
    data: { revokedAt: new Date() },
  });
  return link ?? null;
}

/** @returns how many ended. */
export async function revokeAll(tx: Tx): Promise<number> {
  const { count } = await tx.publicLink.updateMany({ where: isActive(), data: { revokedAt: new Date() } });
  return count;
}

/** Ends the links that an account has created. @returns those that were active. */
export function revokeLinksOf(tx: Tx, userId: string) {
  return tx.publicLink.updateManyAndReturn({
    where: { createdBy: userId, ...isActive() },
    data: { revokedAt: new Date() },
    include: { file: true },
  });
}

export type OpenLink = PublicLink & { file: MediaFile };

/** An active link by its token or its id, while links are switched on and its file can be read. */
export async function readActive(db: Db, by: { token: string } | { id: string }): Promise<OpenLink | null> {
  const one = 'token' in by ? { tokenHash: hashOfToken(by.token) } : by;
  const link = await db.publicLink.findFirst({
    where: { ...one, ...isActive(), file: { deletedAt: null, status: { not: 'quarantined' } } },
    include: { file: true },
  });
  return link && (await readPublicLinkSettings(db)).enabled ? link : null;
}

/**
 * Counts an attempt as wrong before its password is checked, so that concurrent ones cannot exceed the limit.
 * @returns the seconds to wait when there were too many; 0: it may be checked.
 */
export async function reserveAttempt(db: Db, id: string): Promise<number> {
  const reserved = await db.$executeRaw`
    update public_link set failed_attempts = failed_attempts + 1,
      retry_at = case when failed_attempts + 1 >= ${freeAttempts} then now() + make_interval(secs =>
        least(${longestWaitSeconds}, ${firstWaitSeconds} * power(2, least(failed_attempts + 1 - ${freeAttempts}, 10)))) end
    where uuid = ${id}::uuid and (retry_at is null or retry_at <= now())`;
  if (reserved > 0) return 0;
  const rows = await db.$queryRaw<{ wait: number }[]>`
    select ceil(extract(epoch from retry_at - now()))::int as wait from public_link where uuid = ${id}::uuid`;
  return Math.max(1, rows[0]?.wait ?? 1);
}

/** The link was opened, with the right password if it has one. */
export async function countView(db: Db, id: string): Promise<void> {
  await db.$executeRaw`
    update public_link set views = views + 1, last_viewed_at = now(), failed_attempts = 0, retry_at = null
    where uuid = ${id}::uuid`;
}

/** Links that an account has created, and those of its files. */
export async function deleteLinksOf(tx: Tx, userId: string): Promise<number> {
  const { count } = await tx.publicLink.deleteMany({ where: { OR: [{ createdBy: userId }, { file: { userId } }] } });
  return count;
}

/** The list of a file shows ended links for a while. */
const keepEndedMs = 30 * 86_400_000;

export async function deleteEnded(db: Db): Promise<void> {
  const before = { lt: new Date(Date.now() - keepEndedMs) };
  await db.publicLink.deleteMany({ where: { OR: [{ expiresAt: before }, { revokedAt: before }] } });
}
