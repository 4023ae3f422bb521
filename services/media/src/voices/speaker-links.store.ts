import type { Outbox } from '@overtone/database';
import { invalid, isAppError, notFound, type Caller } from '@overtone/service-kit';
import { lockedFile } from '../access/access.store.ts';
import type { Db, Tx } from '../database.ts';
import { markNamesChanged } from '../redaction/redaction.store.ts';
import { markEdited } from '../transcripts/transcripts.store.ts';
import { orderedPair } from './voices.ts';
import { profileAudience, profilesOf, requestMatching } from './voices.store.ts';

export type Profile = { id: string; name: string; ownerId: string | null; groupId: string | null };
export type EditableSpeaker = Awaited<ReturnType<typeof editableSpeakers>>[number];

/** @throws AppError not_found also for a profile of other people. */
export async function visibleProfile(db: Db | Tx, { userId }: Pick<Caller, 'userId'>, id: string) {
  const profile = await db.speakerProfile.findFirst({ where: { AND: [{ id }, await profilesOf(db, userId)] } });
  if (!profile) throw noSuchProfile();
  return profile;
}

function noSuchSpeaker() {
  return notFound('There is no such speaker.');
}

export function noSuchProfile() {
  return notFound('There is no such speaker profile.');
}

/** The speakers with their files locked, in order of id, so that two requests do not wait for each other. */
export async function editableSpeakers(tx: Tx, caller: Caller, ids: readonly string[]) {
  const wanted = [...new Set(ids)];
  const found = await tx.speaker.findMany({ where: { id: { in: wanted } }, select: { fileId: true } });
  for (const fileId of [...new Set(found.map((speaker) => speaker.fileId))].toSorted())
    await lockedFile(tx, caller, fileId, 'edit').catch((cause: unknown) => {
      // Whether a speaker exists is not for everybody to know.
      throw isAppError(cause) && cause.kind === 'not_found' ? noSuchSpeaker() : cause;
    });
  const speakers = await tx.speaker.findMany({ where: { id: { in: wanted } }, include: { file: true } });
  if (speakers.length !== wanted.length) throw noSuchSpeaker();
  return speakers;
}

/** Makes speakers the person of a profile and gives them its name. @throws AppError speaker_mismatch */
export async function linkSpeakers(
  tx: Tx,
  outbox: Outbox,
  { profile, speakers }: { profile: Profile; speakers: readonly EditableSpeaker[] },
): Promise<void> {
  if (speakers.some(({ voiceExcluded }) => voiceExcluded))
    throw invalid(
      'speaker_mismatch',
      'The voice of a deleted profile is not stored until the owner of the recording allows it again.',
    );
  const where = { id: { in: speakers.map(({ id }) => id) } };
  await tx.speaker.updateMany({ where, data: { profileId: profile.id, displayName: profile.name } });
  await tx.speakerSuggestion.deleteMany({ where: { speakerId: where.id, state: 'open' } });
  await removeContradictions(tx, profile.id);
  await publishNames(
    tx,
    outbox,
    speakers.map(({ fileId }) => fileId),
  );
  const owners = await profileAudience(tx, profile);
  await requestMatching(tx, [...owners, ...speakers.map(({ file }) => file.userId)]);
}

/** The voices of a profile are one person: removes rejections and pairs that said otherwise. */
export async function removeContradictions(tx: Tx, profileId: string): Promise<void> {
  await tx.speakerSuggestion.deleteMany({ where: { profileId, speaker: { profileId } } });
  await tx.$executeRaw`
    delete from speaker_apart using speaker one, speaker other
    where one.uuid = first_id and other.uuid = second_id
      and one.profile_id = ${profileId}::uuid and other.profile_id = ${profileId}::uuid`;
}

export async function unlinkSpeaker(
  tx: Tx,
  outbox: Outbox,
  { speaker, profile }: { speaker: EditableSpeaker; profile: Profile },
): Promise<void> {
  const displayName = speaker.displayName === profile.name ? null : speaker.displayName;
  await tx.speaker.update({ where: { id: speaker.id }, data: { profileId: null, displayName } });
  await publishNames(tx, outbox, [speaker.fileId]);
}

export async function publishNames(tx: Tx, outbox: Outbox, fileIds: readonly string[]): Promise<void> {
  for (const fileId of new Set(fileIds)) {
    const file = await tx.mediaFile.findUniqueOrThrow({ where: { id: fileId } });
    await markNamesChanged(tx, fileId);
    await markEdited(tx, outbox, file, null);
  }
}

export async function keepApart(
  tx: Tx,
  { id, others, by }: { id: string; others: readonly string[]; by: string },
): Promise<void> {
  const data = others.map((other) => {
    const [firstId, secondId] = orderedPair(id, other);
    return { firstId, secondId, createdBy: by };
  });
  await tx.speakerApart.createMany({ data, skipDuplicates: true });
}
