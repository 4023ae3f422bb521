import { voiceLimits } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import type { Log } from '@overtone/service-kit';
import { groupsOf } from '../access/access.store.ts';
import { auditAction } from '../audit/audit.ts';
import type { Db, Tx } from '../database.ts';
import type { Prisma } from '../generated/client.ts';
import type { VoiceIndex } from '../ports/voice-index.adapter.ts';
import { publishNames } from './speaker-links.store.ts';
import { readVoiceSettings, requestMatching } from './voices.store.ts';

type Deps = { db: Db; outbox: Outbox; voices: VoiceIndex; log: Log };
type Profile = { id: string; name: string; autoApply: boolean; ownerId: string | null; speakers: { id: string }[] };
type Suggested = { speakerId: string; profileId: string; confidence: number };

/** Compares the unnamed voices of an owner with the profiles that the owner sees, and suggests who they are. */
export function createMatching({ db, outbox, voices, log }: Deps) {
  const matchOwner = async (ownerId: string): Promise<void> => {
    const { profiles_enabled: enabled, suggestion_threshold: threshold } = await readVoiceSettings(db);
    if (!enabled) return;
    const profiles = distinctNames(await readComparedProfiles(ownerId));
    const unnamed = await db.speaker.findMany({
      where: { profileId: null, displayName: null, voiceExcluded: false, file: { userId: ownerId, deletedAt: null } },
      select: { id: true },
    });
    const suggested = await suggest(
      unnamed.map(({ id }) => id),
      profiles,
      threshold,
    );
    await db.$transaction((tx) => store(tx, { ownerId, profiles, suggested }));
  };

  /** The newest voices of each profile. A recording that is no longer shared with a person does not help that person. */
  const readComparedProfiles = async (ownerId: string): Promise<Profile[]> => {
    const read = (where: Prisma.SpeakerProfileWhereInput, file: Prisma.MediaFileWhereInput) =>
      db.speakerProfile.findMany({
        where,
        include: { speakers: { where: { file }, orderBy: { createdAt: 'desc' }, take: voiceLimits.voicesPerProfile } },
        take: voiceLimits.profiles,
      });
    const groupIds = await groupsOf(db, ownerId);
    const granted = { grants: { some: { OR: [{ userId: ownerId }, { groupId: { in: groupIds } }] } } };
    return [
      ...(await read({ ownerId }, { deletedAt: null, OR: [{ userId: ownerId }, granted] })),
      ...(await read({ groupId: { in: groupIds } }, { deletedAt: null })),
    ].slice(0, voiceLimits.profiles);
  };

  const suggest = async (speakerIds: string[], profiles: Profile[], threshold: number): Promise<Suggested[]> => {
    const compared = profiles.map(({ id, speakers }) => ({
      profileId: id,
      speakerIds: speakers.map((speaker) => speaker.id),
    }));
    if (compared.length === 0) return [];
    const refused = await readRefused(
      db,
      speakerIds,
      profiles.map(({ id }) => id),
    );
    const suggested: Suggested[] = [];
    for (let from = 0; from < speakerIds.length; from += voiceLimits.speakers) {
      const page = speakerIds.slice(from, from + voiceLimits.speakers);
      const matches = await voices.compare({ speakerIds: page, profiles: compared, refused });
      const taken = new Set<string>();
      for (const { speakerId, profileId, confidence } of matches) {
        // A search-indexer that is older than `refused` compares these, too.
        if (refused.get(speakerId)?.has(profileId)) continue;
        if (confidence < threshold || taken.has(speakerId)) continue;
        taken.add(speakerId);
        suggested.push({ speakerId, profileId, confidence });
      }
    }
    return suggested;
  };

  const store = async (
    tx: Tx,
    { ownerId, profiles, suggested }: { ownerId: string; profiles: Profile[]; suggested: Suggested[] },
  ): Promise<void> => {
    await tx.speakerSuggestion.deleteMany({ where: { state: 'open', speaker: { file: { userId: ownerId } } } });
    const byId = new Map(profiles.map((profile) => [profile.id, profile]));
    for (const { speakerId, profileId, confidence } of suggested) {
      const profile = byId.get(profileId);
      // Named or deleted since it was read.
      const where = { id: speakerId, profileId: null, displayName: null };
      const current = await tx.speaker.findFirst({ where, include: { file: true } });
      if (!profile || !current || !(await tx.speakerProfile.count({ where: { id: profileId } }))) continue;
      // A member of a group does not decide about the recordings of the others.
      if (profile.autoApply && profile.ownerId !== null) {
        const { count } = await tx.speaker.updateMany({ where, data: { profileId, displayName: profile.name } });
        if (count === 0) continue;
        await publishNames(tx, outbox, [current.fileId]);
        const details = { speakers: 1, confidence: Math.round(confidence * 100) };
        await auditAction(tx, outbox, 'speakers_named', { file: current.file, actor: null, details });
        continue;
      }
      // A rejected suggestion is not changed.
      await tx.speakerSuggestion.createMany({ data: [{ speakerId, profileId, confidence }], skipDuplicates: true });
    }
  };

  return {
    /** Works on the owners whose voices have changed, one after the other. A change while it works is not lost. */
    matchDue: async (signal: AbortSignal): Promise<void> => {
      const due = await db.voiceMatchDue.findMany({ orderBy: { requestedAt: 'asc' }, take: 50 });
      for (const { ownerId } of due) {
        if (signal.aborted) return;
        const [seen] = await db.$queryRaw<{ at: string }[]>`
          select requested_at::text as at from voice_match_due where owner_id = ${ownerId}::uuid`;
        try {
          await matchOwner(ownerId);
        } catch (err) {
          log.info(
            { err: err as Error, owner_id: ownerId },
            'voices not compared: retried after those of other owners',
          );
          await requestMatching(db, [ownerId]);
          return;
        }
        await db.$executeRaw`
          delete from voice_match_due where owner_id = ${ownerId}::uuid and requested_at::text = ${seen?.at ?? ''}`;
      }
    },
  };
}

/** Of a person's own profile and a group's profile with the same name, the own one counts. */
function distinctNames(profiles: readonly Profile[]): Profile[] {
  const own = new Set(profiles.flatMap(({ ownerId, name }) => (ownerId === null ? [] : [name.toLowerCase()])));
  return profiles.filter(({ ownerId, name }) => ownerId !== null || !own.has(name.toLowerCase()));
}

/** The profiles that must not be suggested: rejected ones, and those with a voice that the speaker was kept apart from. */
async function readRefused(db: Db, speakerIds: string[], profileIds: string[]): Promise<Map<string, Set<string>>> {
  const rows = await db.$queryRaw<{ speakerId: string; profileId: string }[]>`
    select speaker_id::text as "speakerId", profile_id::text as "profileId" from speaker_suggestion
    where state = 'rejected' and speaker_id = any(${speakerIds}::uuid[]) and profile_id = any(${profileIds}::uuid[])
    union
    select apart.one::text, speaker.profile_id::text
    from (select first_id as one, second_id as other from speaker_apart
      union all select second_id, first_id from speaker_apart) apart
    join speaker on speaker.uuid = apart.other
    where apart.one = any(${speakerIds}::uuid[]) and speaker.profile_id = any(${profileIds}::uuid[])`;
  const refused = Map.groupBy(rows, ({ speakerId }) => speakerId);
  return new Map([...refused].map(([id, of]) => [id, new Set(of.map(({ profileId }) => profileId))]));
}
