import type { AnswerOf, BodyOf, mediaRoutes, SpeakerProfile } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { conflict, invalid, notFound, type Caller } from '@overtone/service-kit';
import { permits } from '../access/access.ts';
import { editableBy, groupsOf, permissionsOf } from '../access/access.store.ts';
import { recordOperation, type Actor } from '../audit/audit.ts';
import { isUniqueViolation, type Db, type Tx } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import { maskFor } from '../redaction/redaction.store.ts';
import {
  editableSpeakers,
  keepApart,
  linkSpeakers,
  noSuchProfile,
  publishNames,
  removeContradictions,
  visibleProfile,
  type EditableSpeaker,
  type Profile,
} from './speaker-links.store.ts';
import { isDecidedOtherwise, titlesFor } from './voices.ts';
import {
  changeVoices,
  deleteProfiles,
  findProfileOfName,
  profileAudience,
  profilesOf,
  profilesWithoutMembers,
  readOccurrences,
  readVoiceSettings,
  rejectProfile,
  requestMatching,
} from './voices.store.ts';

type Routes = typeof mediaRoutes;
type Occurrences = AnswerOf<Routes['profileOccurrences']>;
/** Voices of a profile that a split keeps apart from its other voices, the newest first. */
const maxApart = 20;

/** People whose voice is known: created from voices, merged, split and deleted by their owner or the members of their group. */
export function createProfiles({ db, outbox }: { db: Db; outbox: Outbox }) {
  const change = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => changeVoices(db, work);

  return {
    list: async (caller: Caller): Promise<AnswerOf<Routes['listProfiles']>> => {
      const { profiles_enabled: enabled } = await readVoiceSettings(db);
      return {
        enabled,
        profiles: await readProfiles(db, caller, await profilesOf(db, caller.userId)),
        without_members: await readProfiles(db, caller, await profilesWithoutMembers(db, caller)),
      };
    },

    create: (actor: Actor, { name, group_uuid: groupId = null, speaker_uuids: ids }: BodyOf<Routes['createProfile']>) =>
      change(async (tx) => {
        const profile = await insertProfile(tx, { ...(await profileOwner(tx, actor, groupId)), name });
        const speakers = await editableSpeakers(tx, actor, ids);
        await requireUndecided(tx, { profile, speakers });
        await linkSpeakers(tx, outbox, { profile, speakers });
        await recordOperation(tx, outbox, actor, 'speaker_profile_created', {
          profile: profile.id,
          name,
          speakers: ids.length,
          ...titlesFor('recordings', speakers, actor),
        });
        return readProfile(tx, actor, profile.id);
      }),

    update: (
      actor: Actor,
      id: string,
      { name, group_uuid: groupId, auto_apply: autoApply, speaker_uuids: ids }: BodyOf<Routes['updateProfile']>,
    ) =>
      change(async (tx) => {
        const profile = await visibleProfile(tx, actor, id);
        if ([name, groupId, autoApply, ids].every((value) => value === undefined))
          throw invalid('invalid_request', 'There is nothing to change.');
        const speakers = ids && (await editableSpeakers(tx, actor, ids));
        if (speakers) await requireUndecided(tx, { profile, speakers });
        const isMoved = groupId !== undefined && groupId !== profile.groupId;
        const isOfGroup = (isMoved ? groupId : profile.groupId) !== null;
        // A member would name speakers in recordings of the others, which the member may not even read.
        if (autoApply && isOfGroup)
          throw invalid('invalid_request', 'A profile of a group cannot name speakers without a question.');
        const applies = isOfGroup ? false : autoApply;
        const data = {
          ...(name === undefined ? {} : { name }),
          ...(applies === undefined ? {} : { autoApply: applies }),
          ...(isMoved ? await profileOwner(tx, actor, groupId) : {}),
        };
        const changed = await unlessNameTaken(tx.speakerProfile.update({ where: { id }, data }));
        if (isMoved) await unlinkUnseen(tx, actor, changed);
        if (name !== undefined && name !== profile.name) await renameSpeakers(tx, outbox, { actor, profile, to: name });
        if (speakers) await linkSpeakers(tx, outbox, { profile: changed, speakers });
        const details = {
          profile: id,
          name: changed.name,
          ...(changed.name === profile.name ? {} : { previous_name: profile.name }),
          ...(isMoved ? { group: groupId ?? 'none' } : {}),
          ...(autoApply === undefined ? {} : { auto_apply: autoApply ? 'yes' : 'no' }),
          ...(speakers ? { speakers: speakers.length, ...titlesFor('recordings', speakers, actor) } : {}),
        };
        await recordOperation(tx, outbox, actor, 'speaker_profile_changed', details);
        await requestMatching(tx, await profileAudience(tx, profile));
        if (isMoved) await requestMatching(tx, await profileAudience(tx, changed));
        return readProfile(tx, actor, id);
      }),

    remove: (actor: Actor, id: string): Promise<undefined> =>
      change(async (tx) => {
        const abandoned = await tx.speakerProfile.findFirst({
          where: { AND: [{ id }, await profilesWithoutMembers(tx, actor)] },
        });
        const profile = abandoned ?? (await visibleProfile(tx, actor, id));
        await deleteProfiles(tx, outbox, { where: { id }, recordingsOf: abandoned ? null : actor.userId });
        await recordOperation(tx, outbox, actor, 'speaker_profile_deleted', {
          profile: id,
          name: profile.name,
          ...(profile.groupId === null ? {} : { group: profile.groupId }),
        });
        return undefined;
      }),

    merge: (actor: Actor, id: string, targetId: string) =>
      change(async (tx) => {
        const source = await visibleProfile(tx, actor, id);
        const target = await visibleProfile(tx, actor, targetId);
        if (id === targetId) throw invalid('speaker_mismatch', 'Only two different profiles can be merged.');
        if (source.groupId !== target.groupId) await unlinkUnseen(tx, actor, { ...target, id });
        await renameSpeakers(tx, outbox, { actor, profile: source, to: target.name });
        await tx.speaker.updateMany({ where: { profileId: id }, data: { profileId: targetId } });
        await copyRejections(tx, { from: id, to: targetId });
        await removeContradictions(tx, targetId);
        await tx.speakerProfile.delete({ where: { id } });
        const details = { profile: targetId, name: target.name, merged: id, merged_name: source.name };
        await recordOperation(tx, outbox, actor, 'speaker_profile_changed', details);
        await requestMatching(tx, [...(await profileAudience(tx, source)), ...(await profileAudience(tx, target))]);
        return readProfile(tx, actor, targetId);
      }),

    /** The name may be that of another profile of the same owner: the voices move there. */
    split: (actor: Actor, id: string, { name, speaker_uuids: ids }: BodyOf<Routes['splitProfile']>) =>
      change(async (tx) => {
        const source = await visibleProfile(tx, actor, id);
        if ((await tx.speaker.count({ where: { id: { in: ids }, profileId: id } })) !== new Set(ids).size)
          throw invalid('speaker_mismatch', 'These voices do not belong to the profile.');
        const speakers = await editableSpeakers(tx, actor, ids);
        const { ownerId, groupId } = source;
        const existing = await findProfileOfName(tx, { ownerId, groupId, id: { not: id } }, name);
        const profile = existing ?? (await insertProfile(tx, { ownerId, groupId, name }));
        const others = await tx.speaker.findMany({
          where: { profileId: id, id: { notIn: ids }, file: await editableBy(tx, actor) },
          orderBy: { createdAt: 'desc' },
          take: maxApart,
          select: { id: true },
        });
        for (const other of others)
          await keepApart(tx, { id: other.id, others: ids.slice(0, maxApart), by: actor.userId });
        for (const speakerId of ids) await rejectProfile(tx, { speakerId, profileId: id, userId: actor.userId });
        await linkSpeakers(tx, outbox, { profile, speakers });
        await recordOperation(tx, outbox, actor, existing ? 'speaker_profile_changed' : 'speaker_profile_created', {
          profile: profile.id,
          name: profile.name,
          split_from: id,
          split_from_name: source.name,
          speakers: ids.length,
          ...titlesFor('recordings', speakers, actor),
        });
        return readProfile(tx, actor, profile.id);
      }),

    /** In recordings that the caller may read, with their names: a masked one would tell whose voice it is. */
    occurrences: async (caller: Caller, id: string): Promise<Occurrences> => {
      await visibleProfile(db, caller, id);
      const voices = await readOccurrences(db, Prisma.sql`s.profile_id = ${id}::uuid`);
      const files = await db.mediaFile.findMany({ where: { id: { in: voices.map(({ file_uuid }) => file_uuid) } } });
      const permissions = await permissionsOf(db, caller, files);
      const readable = new Set<string>();
      for (const file of files) {
        const permission = permissions.get(file.id);
        if (permission && !(await maskFor(db, caller, { ...file, permission })).kinds.has('name'))
          readable.add(file.id);
      }
      return voices.filter(({ file_uuid }) => readable.has(file_uuid));
    },
  };
}

/** The columns of a profile of the actor, or of one of the actor's groups. @throws AppError not_found */
async function profileOwner(tx: Tx, { userId }: Actor, groupId: string | null) {
  if (groupId === null) return { ownerId: userId, groupId: null };
  if (!(await groupsOf(tx, userId)).includes(groupId)) throw notFound('There is no such group.');
  return { ownerId: null, groupId };
}

/**
 * When a profile changes its owner or is merged into one of another owner, only voices of recordings are concerned whose
 * owners see it then or that the actor may edit. The others leave it before: a person does not take away the voices of a
 * group. Their names in the transcripts stay.
 */
async function unlinkUnseen(tx: Tx, actor: Actor, profile: Profile): Promise<void> {
  const owners = new Set(await profileAudience(tx, profile));
  const files = await tx.mediaFile.findMany({ where: { speakers: { some: { profileId: profile.id } } } });
  const others = files.filter(({ userId }) => !owners.has(userId));
  const permissions = await permissionsOf(tx, actor, others);
  const fileIds = others.filter(({ id }) => !permits(permissions.get(id), 'edit')).map(({ id }) => id);
  await tx.speaker.updateMany({ where: { profileId: profile.id, fileId: { in: fileIds } }, data: { profileId: null } });
}

async function insertProfile(tx: Tx, data: { ownerId?: string | null; groupId?: string | null; name: string }) {
  return unlessNameTaken(tx.speakerProfile.create({ data }));
}

function unlessNameTaken<T>(write: Promise<T>): Promise<T> {
  return write.catch((cause: unknown) => {
    if (isUniqueViolation(cause))
      throw conflict('profile_exists', 'There is a speaker profile of that name already.', { cause });
    throw cause;
  });
}

/**
 * The page of a person may be older than another decision: voices that are kept apart by now, or that got another name, do
 * not become one. @throws AppError voice_decided
 */
async function requireUndecided(
  tx: Tx,
  { profile, speakers }: { profile: Profile; speakers: readonly EditableSpeaker[] },
): Promise<void> {
  const given = { in: speakers.map(({ id }) => id) };
  const apart = await tx.speakerApart.count({ where: { firstId: given, secondId: given } });
  if (apart > 0 || speakers.some((speaker) => isDecidedOtherwise(speaker, profile)))
    throw conflict(
      'voice_decided',
      'One of these voices was changed after the page was loaded. Check the voices again.',
    );
}

/** Speakers that have the name of their profile follow its new name, in the recordings that the actor may edit. */
async function renameSpeakers(
  tx: Tx,
  outbox: Outbox,
  { actor, profile, to }: { actor: Actor; profile: Profile; to: string },
): Promise<void> {
  const where = { profileId: profile.id, displayName: profile.name };
  const files = await tx.mediaFile.findMany({ where: { speakers: { some: where } } });
  const permissions = await permissionsOf(tx, actor, files);
  const fileIds = files.filter(({ id }) => permits(permissions.get(id), 'edit')).map(({ id }) => id);
  await tx.speaker.updateMany({ where: { ...where, fileId: { in: fileIds } }, data: { displayName: to } });
  await publishNames(tx, outbox, fileIds);
}

/** Who is not the person of one profile is not that of the other either. */
async function copyRejections(tx: Tx, { from, to }: { from: string; to: string }): Promise<void> {
  await tx.$executeRaw`
    insert into speaker_suggestion (speaker_id, profile_id, confidence, state, decided_by, changed_at)
    select speaker_id, ${to}::uuid, confidence, state, decided_by, changed_at
    from speaker_suggestion where profile_id = ${from}::uuid and state = 'rejected'
    on conflict (speaker_id, profile_id) do update
      set state = excluded.state, decided_by = excluded.decided_by, changed_at = excluded.changed_at`;
}

async function readProfile(tx: Tx, caller: Caller, id: string): Promise<SpeakerProfile> {
  const [profile] = await readProfiles(tx, caller, { id });
  if (!profile) throw noSuchProfile();
  return profile;
}

/** Profiles by name; their counts are those of the recordings that the caller may read. */
export async function readProfiles(
  db: Db | Tx,
  caller: Caller,
  where: Prisma.SpeakerProfileWhereInput,
): Promise<SpeakerProfile[]> {
  const ids = (await db.speakerProfile.findMany({ where, select: { id: true } })).map(({ id }) => id);
  const files = await db.mediaFile.findMany({
    where: { speakers: { some: { profileId: { in: ids } } } },
    select: { id: true, userId: true, status: true, deletedAt: true },
  });
  const readable = [...(await permissionsOf(db, caller, files)).keys()];
  const rows = await db.$queryRaw<(Omit<SpeakerProfile, 'created_at'> & { created_at: Date })[]>`
    select p.uuid::text as uuid, p.name, p.group_id::text as group_uuid, p.auto_apply, p.created_at,
      count(s.uuid)::int as speakers, count(distinct s.media_file_id)::int as files,
      coalesce(sum(t.seconds), 0)::float8 as seconds
    from speaker_profile p
    left join speaker s on s.profile_id = p.uuid and s.media_file_id = any(${readable}::uuid[])
    left join lateral (
      select sum(end_time - start_time) as seconds from transcript_segment where speaker_id = s.uuid) t on true
    where p.uuid = any(${ids}::uuid[]) group by p.uuid order by lower(p.name), p.uuid`;
  return rows.map(({ created_at: createdAt, ...row }) => ({ ...row, created_at: createdAt.toISOString() }));
}
