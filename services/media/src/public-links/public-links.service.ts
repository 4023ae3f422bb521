import {
  publicLinksGroup,
  type AnswerOf,
  type BodyOf,
  type mediaRoutes,
  type PublicLink,
  type PublicPart,
} from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, invalid, notFound, type AppError, type Caller } from '@overtone/service-kit';
import type { PasswordHasher } from '@overtone/service-kit/argon2';
import { lockedFile, usableFile } from '../access/access.store.ts';
import { auditAction, recordOperation, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { hasMedia, type FileRow } from '../files/files.ts';
import type { People } from '../ports/people.adapter.ts';
import { hashOfToken, newToken, toPublicLink } from './public-links.ts';
import {
  countActive,
  publicLinkSettings,
  readPublicLinkSettings,
  revokeAll,
  revokeLink,
  revokeLinksOf,
  selectLinks,
} from './public-links.store.ts';

type Routes = typeof mediaRoutes;
type LinkRequest = BodyOf<Routes['createPublicLink']>;
export type PublicLinksDeps = {
  db: Db;
  outbox: Outbox;
  people: Pick<People, 'names'>;
  hasher: Pick<PasswordHasher, 'hash' | 'verify'>;
};

const dayMs = 86_400_000;
/** A browser's clock may be a little ahead. */
const clockMs = 60_000;
const maxActiveOfFile = 50;

/** Links are created and revoked by those who may share the file. */
export function createPublicLinks({ db, outbox, people, hasher }: PublicLinksDeps) {
  const showSettings = async (): Promise<AnswerOf<Routes['publicLinkSettings']>> => ({
    settings: await publicLinkSettings.items(db, publicLinksGroup),
    active_links: await countActive(db),
  });

  return {
    showSettings,

    changeSettings: async (actor: Actor, changes: BodyOf<Routes['updatePublicLinkSettings']>) => {
      await db.$transaction(async (tx) => {
        const by = actor.userId;
        const { before, after, details } = await publicLinkSettings.change(tx, publicLinksGroup, { changes, by });
        const isSwitchedOff = before.enabled && !after.enabled;
        const ended = isSwitchedOff ? { ended_links: await revokeAll(tx) } : {};
        await recordOperation(tx, outbox, actor, 'public_link_settings_changed', { ...details, ...ended });
      });
      return showSettings();
    },

    list: async (caller: Caller, fileId: string): Promise<AnswerOf<Routes['listPublicLinks']>> => {
      await usableFile(db, caller, fileId, 'own');
      const links = await selectLinks(db, fileId);
      const names = await people.names(links.map(({ createdBy }) => createdBy));
      return { ...(await readPublicLinkSettings(db)), links: links.map((link) => toPublicLink(link, names)) };
    },

    create: async (
      actor: Actor,
      fileId: string,
      request: LinkRequest,
    ): Promise<AnswerOf<Routes['createPublicLink']>> => {
      await usableFile(db, actor, fileId, 'own');
      const token = newToken();
      await checkRequest(db, request);
      const passwordHash = request.password === undefined ? null : await hasher.hash(request.password);
      const link = await db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, fileId, 'own');
        // Excludes that links are switched off before this one is stored.
        await publicLinkSettings.lock(tx);
        await checkRequest(tx, request);
        checkParts(file, request.parts);
        if ((await countActive(tx, { fileId })) >= maxActiveOfFile)
          throw conflict('too_many_public_links', `A file may have at most ${maxActiveOfFile} active links.`);
        const parts = [...new Set(request.parts)];
        const expiresAt = new Date(request.expires_at);
        const data = { fileId, createdBy: actor.userId, tokenHash: hashOfToken(token), passwordHash, parts, expiresAt };
        const created = await tx.publicLink.create({ data });
        const details = {
          link: created.id,
          parts: parts.join(', '),
          expires_at: expiresAt.toISOString(),
          password: passwordHash === null ? 'no' : 'yes',
        };
        await auditAction(tx, outbox, 'public_link_created', { file, actor, details });
        return created;
      });
      return { ...toPublicLink(link, await people.names([actor.userId])), token };
    },

    revoke: async (actor: Actor, fileId: string, linkId: string): Promise<PublicLink> => {
      const link = await db.$transaction(async (tx) => {
        const file = await lockedFile(tx, actor, fileId, 'own');
        const revoked = await revokeLink(tx, fileId, linkId);
        if (!revoked) throw notFound('The file has no such active link.');
        const details = { link: linkId, views: revoked.views };
        await auditAction(tx, outbox, 'public_link_revoked', { file, actor, details });
        return revoked;
      });
      return toPublicLink(link, await people.names([link.createdBy]));
    },

    /** An account that was disabled shows nothing to others any more. Its links stay ended when it is enabled again. */
    endLinksOf: (userId: string): Promise<void> =>
      db.$transaction(async (tx) => {
        for (const { id, views, file } of await revokeLinksOf(tx, userId))
          await auditAction(tx, outbox, 'public_link_revoked', { file, actor: null, details: { link: id, views } });
      }),
  };
}

/** @throws AppError public_links_disabled, or invalid_body beyond the limits. */
async function checkRequest(db: Db | Tx, { expires_at, password }: LinkRequest): Promise<void> {
  const settings = await readPublicLinkSettings(db);
  if (!settings.enabled) throw conflict('public_links_disabled', 'Public links are switched off on this instance.');
  const duration = Date.parse(expires_at) - Date.now();
  if (duration <= 0) throw invalidLink('expires_at', 'must be in the future');
  if (duration > settings.max_days * dayMs + clockMs)
    throw invalidLink('expires_at', `may be at most ${settings.max_days} days from now`);
  if (settings.password_required && password === undefined) throw invalidLink('password', 'is required');
}

function invalidLink(path: string, message: string): AppError {
  return invalid('invalid_body', 'The link cannot be created like this.', { errors: [{ path, message }] });
}

function checkParts(file: FileRow, parts: readonly PublicPart[]): void {
  const hasRecording = hasMedia(file) && file.objectKey !== '' && file.recordingRemovedAt === null;
  if (parts.includes('recording') && !hasRecording) throw conflict('no_recording', 'This file has no recording.');
}
