import type { AnswerOf, mediaRoutes, PublicPart, PublicView, QueryOf } from '@overtone/contracts';
import { forbidden, isAppError, rateLimited, type KeyRing } from '@overtone/service-kit';
import type { PasswordHasher } from '@overtone/service-kit/argon2';
import type { Db } from '../database.ts';
import { hasMedia, type FileRow } from '../files/files.ts';
import { recordUse } from '../files/files.store.ts';
import type { Summaries } from '../ports/summaries.adapter.ts';
import { toFileMasks, type Playable } from '../redaction/redaction.ts';
import { maskForIndex } from '../redaction/redaction.store.ts';
import { listSpeakers, readSegments } from '../transcripts/transcripts.store.ts';
import { isGranted, noSuchLink, toPublicSegment, toPublicSummary } from './public-links.ts';
import { countView, readActive, reserveAttempt, type OpenLink } from './public-links.store.ts';

type Routes = typeof mediaRoutes;
export type PublicViewDeps = {
  db: Db;
  summaries: Summaries;
  hasher: Pick<PasswordHasher, 'verify'>;
  keyRing: () => KeyRing;
  copies: { playableForPublic: (file: FileRow) => Promise<Playable> };
};
/** What a request brings to prove that the link was opened. */
export type Visit = { linkId: string; cookies: string | undefined };

/**
 * What people without an account see of a recording. It is masked as for the reader who sees least: also what the policy
 * would reveal or does not mask for some readers.
 */
export function createPublicView({ db, summaries, hasher, keyRing, copies }: PublicViewDeps) {
  /** @throws AppError not_found */
  const byToken = async (token: string): Promise<OpenLink> => {
    const link = await readActive(db, { token });
    if (!link) throw noSuchLink();
    return link;
  };

  /** The link of a visit, if it shows the part. @throws AppError not_found */
  const visited = async ({ linkId, cookies }: Visit, part?: PublicPart): Promise<OpenLink> => {
    if (!isGranted(keyRing(), linkId, cookies, Date.now())) throw noSuchLink();
    const link = await readActive(db, { id: linkId });
    if (!link || (part !== undefined && !partsOf(link).includes(part))) throw noSuchLink();
    return link;
  };

  const begin = async (link: OpenLink): Promise<PublicView> => {
    await countView(db, link.id);
    await recordUse(db, link.file);
    return describe(link);
  };

  const describe = async (link: OpenLink): Promise<PublicView> => {
    const { file } = link;
    const parts = partsOf(link);
    const mask = await maskForIndex(db, file);
    const speakers = parts.includes('text') ? await listSpeakers(db, file.id, mask) : [];
    return {
      uuid: link.id,
      title: file.title,
      duration: file.duration,
      language: file.language,
      recorded_date: file.recordedDate?.toISOString() ?? null,
      expires_at: link.expiresAt.toISOString(),
      parts,
      has_video: parts.includes('recording') && file.contentType.startsWith('video/'),
      recording: parts.includes('recording') ? await recordingState(file) : null,
      speakers: speakers.map(({ uuid: _, ...speaker }) => speaker),
    };
  };

  /** Also requests the copy without the masked parts. */
  const recordingState = async (file: FileRow): Promise<'ready' | 'pending' | 'failed'> => {
    try {
      await copies.playableForPublic(file);
      return 'ready';
    } catch (error) {
      if (isAppError(error) && error.code === 'audio_masking_pending') return 'pending';
      if (isAppError(error) && error.code === 'audio_masking_failed') return 'failed';
      throw error;
    }
  };

  return {
    /** Without a password a link is open at once. */
    open: async (token: string): Promise<AnswerOf<Routes['openPublicLink']>> => {
      const link = await byToken(token);
      const { id: uuid } = link;
      if (link.passwordHash !== null) return { uuid, password_required: true, view: null };
      return { uuid, password_required: false, view: await begin(link) };
    },

    /** @throws AppError public_link_password_wrong, or rate_limited after several wrong ones in a row. */
    unlock: async (token: string, password: string): Promise<PublicView> => {
      const link = await byToken(token);
      if (link.passwordHash === null) return begin(link);
      const wait = await reserveAttempt(db, link.id);
      if (wait > 0)
        throw rateLimited('rate_limited', 'Too many wrong passwords. Please try again later.', {
          retryAfterSeconds: wait,
        });
      if (!(await hasher.verify(link.passwordHash, password)))
        throw forbidden('public_link_password_wrong', 'The password is not correct.');
      return begin(link);
    },

    view: async (visit: Visit): Promise<PublicView> => describe(await visited(visit)),

    segments: async (
      visit: Visit,
      { segment_limit: limit, segment_offset: offset }: QueryOf<Routes['publicSegments']>,
    ): Promise<AnswerOf<Routes['publicSegments']>> => {
      const { file } = await visited(visit, 'text');
      const mask = await maskForIndex(db, file);
      const { segments, total } = await readSegments(db, file.id, { limit, offset, words: true, mask });
      return { segments: segments.map(toPublicSegment), total_segments: total };
    },

    summary: async (visit: Visit): Promise<AnswerOf<Routes['publicSummary']>> => {
      const { file } = await visited(visit, 'summary');
      const shown = await summaries.shown(file.id, toFileMasks(await maskForIndex(db, file)));
      return { summary: shown && toPublicSummary(shown) };
    },

    /** @throws AppError conflict while its masked parts are being removed. */
    recording: async (visit: Visit): Promise<Playable> => {
      const { file } = await visited(visit, 'recording');
      return copies.playableForPublic(file);
    },
  };
}

/** A recording may have been removed after the link was created. */
function partsOf({ parts, file }: OpenLink): PublicPart[] {
  const hasRecording = hasMedia(file) && file.objectKey !== '' && file.recordingRemovedAt === null;
  return (parts as PublicPart[]).filter((part) => part !== 'recording' || hasRecording);
}
