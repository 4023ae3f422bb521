import type { AnswerOf, BodyOf, mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, invalid, notFound, type Caller } from '@overtone/service-kit';
import { permits } from '../access/access.ts';
import { permissionsOf } from '../access/access.store.ts';
import { recordOperation, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import {
  editableSpeakers,
  keepApart,
  linkSpeakers,
  unlinkSpeaker,
  visibleProfile,
  type EditableSpeaker,
  type Profile,
} from './speaker-links.store.ts';
import { isDecidedOtherwise, listOf, titlesFor } from './voices.ts';
import { changeVoices, readOccurrences, rejectProfile, requestMatching } from './voices.store.ts';

type Routes = typeof mediaRoutes;
type Decided = { speaker: EditableSpeaker; profile: Profile };

/** Whether a voice is the person of a profile or of other voices, and how such a decision is taken back. */
export function createDecisions({ db, outbox }: { db: Db; outbox: Outbox }) {
  const accept = async (tx: Tx, { speaker, profile }: Decided): Promise<void> => {
    if (isDecidedOtherwise(speaker, profile) || (await readRejection(tx, { speaker, profile }))) throw alreadyDecided();
    await linkSpeakers(tx, outbox, { profile, speakers: [speaker] });
  };

  /** A suggestion of a page that is older than an acceptance does not undo it. */
  const reject = async (tx: Tx, actor: Actor, { speaker, profile }: Decided): Promise<void> => {
    if (speaker.profileId === profile.id || speaker.displayName === profile.name) throw alreadyDecided();
    await rememberRejection(tx, actor, { speaker, profile });
  };

  const remove = async (tx: Tx, actor: Actor, { speaker, profile }: Decided): Promise<void> => {
    if (speaker.profileId !== profile.id) throw alreadyDecided();
    await unlinkSpeaker(tx, outbox, { speaker, profile });
    await rememberRejection(tx, actor, { speaker, profile });
  };

  const rememberRejection = async (tx: Tx, actor: Actor, { speaker, profile }: Decided): Promise<void> => {
    await rejectProfile(tx, { speakerId: speaker.id, profileId: profile.id, userId: actor.userId });
    await requestMatching(tx, [speaker.file.userId]);
  };

  /** The suggestion is open as before, until the voices are compared again. */
  const undoReject = async (tx: Tx, { speaker, profile }: Decided): Promise<void> => {
    const rejection = await readRejection(tx, { speaker, profile });
    if (!rejection || speaker.profileId !== null || speaker.displayName !== null) throw alreadyDecided();
    const { speakerId, profileId, confidence } = rejection;
    await tx.speakerSuggestion.deleteMany({ where: { speakerId, OR: [{ state: 'open' }, { profileId }] } });
    // Without a confidence the voice was not suggested but taken out of the profile.
    if (confidence > 0) await tx.speakerSuggestion.create({ data: { speakerId, profileId, confidence } });
    await requestMatching(tx, [speaker.file.userId]);
  };

  const acceptRejected = async (tx: Tx, { speaker, profile }: Decided): Promise<void> => {
    if (speaker.profileId !== null || !(await readRejection(tx, { speaker, profile }))) throw alreadyDecided();
    // A name that the rejection left in the transcript stays.
    const named = { ...profile, name: speaker.displayName ?? profile.name };
    await linkSpeakers(tx, outbox, { profile: named, speakers: [speaker] });
  };

  return {
    decide: (
      actor: Actor,
      speakerId: string,
      { action, profile_uuid: profileId }: BodyOf<Routes['decideSuggestion']>,
    ): Promise<undefined> =>
      changeVoices(db, async (tx) => {
        const profile = await visibleProfile(tx, actor, profileId);
        const [speaker] = await editableSpeakers(tx, actor, [speakerId]);
        if (!speaker) throw notFound('There is no such speaker.');
        const decided = { speaker, profile };
        switch (action) {
          case 'accept':
            await accept(tx, decided);
            break;
          case 'reject':
            await reject(tx, actor, decided);
            break;
          case 'remove':
            await remove(tx, actor, decided);
            break;
          case 'undo_reject':
            await undoReject(tx, decided);
            break;
          case 'accept_rejected':
            await acceptRejected(tx, decided);
            break;
        }
        const details = {
          decision: action,
          profile: profileId,
          name: profile.name,
          speaker: speakerId,
          ...titlesFor('recordings', [speaker], actor),
        };
        await recordOperation(tx, outbox, actor, 'speaker_verified', details);
        return undefined;
      }),

    /** Voices without a name: one that has a name by now is the person of that name. */
    rejected: async (caller: Caller, id: string): Promise<AnswerOf<Routes['rejectedVoices']>> => {
      await visibleProfile(db, caller, id);
      const voices = await readOccurrences(
        db,
        Prisma.sql`s.profile_id is null and s.display_name is null and not s.voice_excluded and s.uuid in (
          select speaker_id from speaker_suggestion where profile_id = ${id}::uuid and state = 'rejected')`,
      );
      const files = await db.mediaFile.findMany({ where: { id: { in: voices.map(({ file_uuid }) => file_uuid) } } });
      const permissions = await permissionsOf(db, caller, files);
      return voices.filter(({ file_uuid: fileId }) => permits(permissions.get(fileId), 'edit'));
    },

    /** Keeps a voice apart from others: they are not the same person. */
    separate: (
      actor: Actor,
      { speaker_uuid: id, other_uuids: others }: BodyOf<Routes['separateVoices']>,
    ): Promise<undefined> =>
      changeVoices(db, async (tx) => {
        if (others.includes(id)) throw invalid('speaker_mismatch', 'A voice cannot be kept apart from itself.');
        const speakers = await editableSpeakers(tx, actor, [id, ...others]);
        const { profileId } = speakers.find((speaker) => speaker.id === id) ?? { profileId: null };
        if (profileId !== null && speakers.some((other) => other.id !== id && other.profileId === profileId))
          throw alreadyDecided();
        await keepApart(tx, { id, others, by: actor.userId });
        await requestMatching(tx, ownersOf(speakers));
        await recordOperation(tx, outbox, actor, 'speakers_separated', {
          speaker: id,
          ...titlesFor('recordings', among(speakers, [id]), actor),
          others: listOf(others),
          ...titlesFor('other_recordings', among(speakers, others), actor),
        });
        return undefined;
      }),

    undoSeparation: (
      actor: Actor,
      { speaker_uuids: ids, other_uuids: others }: BodyOf<Routes['undoSeparation']>,
    ): Promise<undefined> =>
      changeVoices(db, async (tx) => {
        const speakers = await editableSpeakers(tx, actor, [...ids, ...others]);
        const [one, other] = [{ in: ids }, { in: others }];
        const { count } = await tx.speakerApart.deleteMany({
          where: {
            OR: [
              { firstId: one, secondId: other },
              { firstId: other, secondId: one },
            ],
          },
        });
        if (count === 0) throw alreadyDecided();
        await requestMatching(tx, ownersOf(speakers));
        await recordOperation(tx, outbox, actor, 'speakers_separation_undone', {
          speakers: listOf(ids),
          ...titlesFor('recordings', among(speakers, ids), actor),
          others: listOf(others),
          ...titlesFor('other_recordings', among(speakers, others), actor),
        });
        return undefined;
      }),
  };
}

function readRejection(tx: Tx, { speaker: { id: speakerId }, profile: { id: profileId } }: Decided) {
  return tx.speakerSuggestion.findFirst({ where: { speakerId, profileId, state: 'rejected' } });
}

function among(speakers: readonly EditableSpeaker[], ids: readonly string[]): EditableSpeaker[] {
  return speakers.filter(({ id }) => ids.includes(id));
}

function ownersOf(speakers: readonly EditableSpeaker[]): string[] {
  return speakers.map(({ file }) => file.userId);
}

function alreadyDecided() {
  return conflict(
    'voice_decided',
    'It was already decided who this voice is, after the page was loaded. Check it again.',
  );
}
