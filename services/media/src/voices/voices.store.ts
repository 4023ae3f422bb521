import {
  mediaVoiceEvents,
  roleAtLeast,
  voiceLimits,
  voiceSettings,
  type SettingValues,
  type VoiceOccurrence,
} from '@overtone/contracts';
import { createSettingsStore, type Outbox, type SettingsDb, type SettingsStore } from '@overtone/database';
import { conflict, type Caller } from '@overtone/service-kit';
import { groupsOf } from '../access/access.store.ts';
import { recordOperation, type Actor } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import { withMedia } from '../files/files.ts';
import { Prisma } from '../generated/client.ts';

/** The group has no secrets, so it needs no key. */
function noKey(): never {
  throw new TypeError('the settings of voices contain no secret');
}
export const voiceSettingsStore: SettingsStore = createSettingsStore({ table: 'media_settings', keyRing: noKey });

export function readVoiceSettings(db: SettingsDb): Promise<SettingValues<typeof voiceSettings>> {
  return voiceSettingsStore.values(db, voiceSettings);
}

/** @throws AppError voices_disabled */
export async function requireVoices(db: SettingsDb): Promise<void> {
  if (!(await readVoiceSettings(db)).profiles_enabled)
    throw conflict('voices_disabled', 'Speaker profiles are switched off on this instance.');
}

/**
 * A change that is refused while voices may not be stored. People make these changes one at a time, so that one lock for all
 * of them costs nothing, and none of them meets half of another. @throws AppError voices_disabled
 */
export function changeVoices<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.$transaction(async (tx) => {
    await tx.$executeRaw`select pg_advisory_xact_lock(hashtext('media voices'))`;
    await requireVoices(tx);
    return work(tx);
  });
}

/** The profiles of a person and of the person's groups. */
export async function profilesOf(db: Db | Tx, userId: string): Promise<Prisma.SpeakerProfileWhereInput> {
  return { OR: [{ ownerId: userId }, { groupId: { in: await groupsOf(db, userId) } }] };
}

/** Profiles of groups without members, which no one sees any more: an administrator decides about them. */
export async function profilesWithoutMembers(
  db: Db | Tx,
  { role }: Pick<Caller, 'role'>,
): Promise<Prisma.SpeakerProfileWhereInput> {
  if (!roleAtLeast(role, 'admin')) return { id: { in: [] } };
  const rows = await db.$queryRaw<{ id: string }[]>`
    select uuid::text as id from speaker_profile
    where group_id is not null and group_id not in (select unnest(group_ids) from media_membership)`;
  return { id: { in: rows.map(({ id }) => id) } };
}

/** The voices of these owners are compared again. */
export async function requestMatching(db: Db | Tx, ownerIds: readonly string[]): Promise<void> {
  await db.$executeRaw`
    insert into voice_match_due (owner_id) select distinct unnest(${[...ownerIds]}::uuid[])
    on conflict (owner_id) do update set requested_at = clock_timestamp()`;
}

export async function requestMatchingOfAll(db: Db | Tx): Promise<void> {
  await db.$executeRaw`
    insert into voice_match_due (owner_id) select distinct user_id from media_file where deleted_at is null
    on conflict (owner_id) do update set requested_at = clock_timestamp()`;
}

/** The owners whose recordings can contain the person of a profile: its owner, or the members of its group. */
export async function profileAudience(
  tx: Tx,
  { ownerId, groupId }: { ownerId: string | null; groupId: string | null },
) {
  if (ownerId !== null) return [ownerId];
  const members = await tx.membership.findMany({
    where: { groupIds: { has: groupId ?? '' } },
    select: { userId: true },
  });
  return members.map(({ userId }) => userId);
}

/**
 * A name that the owner of a file gives to a speaker makes the voice known under that name: the speaker belongs to the
 * profile of that name, which is created when there is none. Without a name it belongs to none. A name that another editor
 * gives ends the suggestion, too.
 */
export async function linkNamedSpeaker(
  tx: Tx,
  outbox: Outbox,
  {
    file,
    speakerId,
    name,
    actor,
  }: { file: { id: string; userId: string; title: string }; speakerId: string; name: string | null; actor: Actor },
): Promise<void> {
  const { userId } = actor;
  if (!(await readVoiceSettings(tx)).profiles_enabled) return;
  if (name !== null) await tx.speakerSuggestion.deleteMany({ where: { speakerId, state: 'open' } });
  if (file.userId !== userId) return requestMatching(tx, [file.userId]);
  const speaker = await tx.speaker.findUnique({ where: { id: speakerId }, include: { profile: true } });
  if (!speaker || speaker.voiceExcluded) return;
  const profile = name === null ? null : await findOrCreateProfile(tx, userId, name);
  const profileId = profile?.id ?? null;
  if (speaker.profileId === profileId) return;
  await tx.speaker.update({ where: { id: speakerId }, data: { profileId } });
  if (speaker.profileId) await rejectProfile(tx, { speakerId, profileId: speaker.profileId, userId });
  if (profileId) await tx.speakerSuggestion.deleteMany({ where: { speakerId, profileId } });
  const details = {
    speaker: speakerId,
    recordings: file.title,
    ...(speaker.profile ? { left: speaker.profile.id, left_name: speaker.profile.name } : {}),
    profile: profileId ?? 'none',
    ...(profile ? { name: profile.name } : {}),
  };
  const action = profile?.isNew ? 'speaker_profile_created' : 'speaker_profile_changed';
  await recordOperation(tx, outbox, actor, action, details);
  await requestMatching(tx, [userId]);
}

/** The same for all names that speakers had before voices were allowed, or for some speakers. */
export async function linkNamedSpeakers(tx: Tx, speakerIds?: readonly string[]): Promise<void> {
  const among = speakerIds ? Prisma.sql`and s.uuid = any(${[...speakerIds]}::uuid[])` : Prisma.empty;
  const named = Prisma.sql`from speaker s join media_file f on f.uuid = s.media_file_id
    where s.display_name is not null and s.profile_id is null and not s.voice_excluded and f.deleted_at is null ${among}`;
  await tx.$executeRaw`
    insert into speaker_profile (owner_id, name)
    select f.user_id, min(s.display_name) ${named} group by f.user_id, lower(s.display_name) on conflict do nothing`;
  await tx.$executeRaw`
    update speaker set profile_id = p.uuid
    from (select s.uuid, f.user_id, lower(s.display_name) as name ${named}) n
    join speaker_profile p on p.owner_id = n.user_id and lower(p.name) = n.name
    where speaker.uuid = n.uuid`;
}

async function findOrCreateProfile(
  tx: Tx,
  userId: string,
  name: string,
): Promise<{ id: string; name: string; isNew: boolean }> {
  const same = await findProfileOfName(tx, await profilesOf(tx, userId), name);
  const profile = same ?? (await tx.speakerProfile.create({ data: { ownerId: userId, name } }));
  return { id: profile.id, name: profile.name, isNew: !same };
}

/** The profile of that name among these, in capital or small letters; the own one before that of a group. */
export async function findProfileOfName(tx: Tx, among: Prisma.SpeakerProfileWhereInput, name: string) {
  const found = await tx.speakerProfile.findMany({
    where: { AND: [among, { name: { equals: name, mode: 'insensitive' } }] },
    orderBy: { ownerId: { sort: 'asc', nulls: 'last' } },
  });
  // `equals` treats % and _ as wildcards.
  return found.find((profile) => profile.name.toLowerCase() === name.toLowerCase());
}

/** Remembers that a speaker is not the person of a profile. */
export async function rejectProfile(
  tx: Tx,
  { speakerId, profileId, userId }: { speakerId: string; profileId: string; userId: string },
): Promise<void> {
  const decision = { state: 'rejected', decidedBy: userId, changedAt: new Date() };
  await tx.speakerSuggestion.upsert({
    where: { speakerId_profileId: { speakerId, profileId } },
    create: { speakerId, profileId, confidence: 0, ...decision },
    update: decision,
  });
}

/** Files whose voices are embedded. */
export const withVoices = {
  ...withMedia,
  transcriptVersion: { gt: 0 },
  transcriptProvisional: false,
  deletedAt: null,
  status: { not: 'quarantined' },
  recordingRemovedAt: null,
};

const sampleSeconds = 8;

/** Voices with the files they are in and a part to listen to, those who speak most first. */
export async function readOccurrences(
  db: Db | Tx,
  condition: Prisma.Sql,
  limit: number = voiceLimits.speakers,
): Promise<VoiceOccurrence[]> {
  const rows = await db.$queryRaw<(Omit<VoiceOccurrence, 'sample'> & { start: number | null; end: number | null })[]>`
    select s.uuid::text as speaker_uuid, s.name as label, f.uuid::text as file_uuid, f.title as file_title,
      coalesce(t.seconds, 0)::float8 as talk_time, t.start, t.end
    from speaker s join media_file f on f.uuid = s.media_file_id
    left join lateral (
      select sum(end_time - start_time) as seconds,
        (array_agg(start_time order by end_time - start_time desc, position))[1] as start,
        (array_agg(end_time order by end_time - start_time desc, position))[1] as "end"
      from transcript_segment where speaker_id = s.uuid) t on true
    where f.deleted_at is null and ${condition}
    order by talk_time desc, s.uuid limit ${limit}`;
  return rows.map(({ start, end, ...row }) => ({
    ...row,
    talk_time: Math.round(row.talk_time * 10) / 10,
    sample: start === null || end === null ? null : { start, end: Math.min(end, start + sampleSeconds) },
  }));
}

/**
 * Deletes profiles with the embeddings of their voices, which are not stored again. Names in transcripts stay.
 * @param recordingsOf only in recordings of this owner, because one person does not decide about the recordings of another;
 *   null: in all recordings.
 * @returns the deleted profiles.
 */
export async function deleteProfiles(
  tx: Tx,
  outbox: Outbox,
  { where, recordingsOf }: { where: Prisma.SpeakerProfileWhereInput; recordingsOf: string | null },
): Promise<{ id: string; name: string }[]> {
  const profiles = await tx.speakerProfile.findMany({ where, select: { id: true, name: true } });
  const ids = profiles.map(({ id }) => id);
  if (ids.length === 0) return [];
  const linked = { profileId: { in: ids }, ...(recordingsOf === null ? {} : { file: { userId: recordingsOf } }) };
  const files = await tx.mediaFile.findMany({
    where: { speakers: { some: linked } },
    select: { id: true, userId: true },
  });
  await tx.speaker.updateMany({ where: linked, data: { voiceExcluded: true } });
  await tx.speakerProfile.deleteMany({ where: { id: { in: ids } } });
  for (const { id: fileId, userId: ownerId } of files)
    await outbox.add(tx, mediaVoiceEvents.outdated, { fileId, ownerId });
  return profiles;
}

/** Removes what is stored of a person in the voices of others. @returns the number of deleted profiles. */
export async function eraseVoicesOf(tx: Tx, outbox: Outbox, userId: string): Promise<number> {
  const deleted = await deleteProfiles(tx, outbox, { where: { ownerId: userId }, recordingsOf: userId });
  await tx.speakerSuggestion.updateMany({ where: { decidedBy: userId }, data: { decidedBy: null } });
  await tx.speakerApart.updateMany({ where: { createdBy: userId }, data: { createdBy: null } });
  await tx.voiceMatchDue.deleteMany({ where: { ownerId: userId } });
  return deleted.length;
}
