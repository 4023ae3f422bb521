import { voiceLimits, type AnswerOf, type mediaRoutes } from '@overtone/contracts';
import type { Caller } from '@overtone/service-kit';
import { may, usableFile } from '../access/access.store.ts';
import type { Db } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import type { VoiceIndex } from '../ports/voice-index.adapter.ts';
import { clusterSpeakers, keptApartOf, pairKey } from './voices.ts';
import { profilesOf, readOccurrences, readVoiceSettings, requireVoices, withVoices } from './voices.store.ts';

type Routes = typeof mediaRoutes;
type Suggestions = AnswerOf<Routes['listVoiceSuggestions']>;

/** Two voices of a cluster are one person with at least this confidence. */
const clusterConfidence = 0.75;
const maxSuggestions = 200;

/** What a person can decide: open suggestions, and voices without a name. */
export function createVoiceSuggestions({ db, voices }: { db: Db; voices: VoiceIndex }) {
  return {
    /** Suggestions for one recording that the caller may edit, or for all of the caller's own, with profiles that the caller sees. */
    list: async (caller: Caller, fileId: string | undefined): Promise<Suggestions> => {
      const { profiles_enabled: enabled } = await readVoiceSettings(db);
      if (fileId !== undefined) {
        const file = await usableFile(db, caller, fileId, 'read');
        if (!(await may(db, caller, file, 'edit'))) return { enabled, suggestions: [] };
      }
      const open = await db.speakerSuggestion.findMany({
        where: {
          state: 'open',
          profile: await profilesOf(db, caller.userId),
          speaker:
            fileId === undefined
              ? { file: { deletedAt: null, userId: caller.userId } }
              : { fileId, file: { deletedAt: null } },
        },
        include: { profile: true },
        orderBy: { confidence: 'desc' },
        take: maxSuggestions,
      });
      const ids = open.map(({ speakerId }) => speakerId);
      const found = await readOccurrences(db, Prisma.sql`s.uuid = any(${ids}::uuid[])`);
      const byId = new Map(found.map((voice) => [voice.speaker_uuid, voice]));
      const suggestions = open.flatMap(({ speakerId, profile: { id: uuid, name }, confidence }) => {
        const voice = byId.get(speakerId);
        return voice ? [{ voice, profile: { uuid, name }, confidence }] : [];
      });
      return { enabled, suggestions };
    },

    clusters: async ({ userId }: Caller): Promise<AnswerOf<Routes['listClusters']>> => {
      await requireVoices(db);
      const files = await db.mediaFile.findMany({ where: { userId, ...withVoices }, select: { id: true } });
      const unnamed = await readOccurrences(
        db,
        Prisma.sql`f.uuid = any(${files.map(({ id }) => id)}::uuid[])
          and s.profile_id is null and s.display_name is null and not s.voice_excluded`,
        voiceLimits.speakers,
      );
      const ids = unnamed.map(({ speaker_uuid: id }) => id);
      const { speakerIds, pairs, waitingFileIds, failedFileIds } = await voices.similar({
        speakerIds: ids,
        fileIds: [...new Set(unnamed.map(({ file_uuid: id }) => id))],
        minConfidence: clusterConfidence,
      });
      const apart = await db.speakerApart.findMany({
        where: { OR: [{ firstId: { in: ids } }, { secondId: { in: ids } }] },
      });
      const keptApart = keptApartOf(apart);
      const others = await readOccurrences(
        db,
        Prisma.sql`f.user_id = ${userId}::uuid and s.uuid = any(${[...keptApart.keys()]}::uuid[])`,
      );
      const byId = new Map(unnamed.map((voice) => [voice.speaker_uuid, voice]));
      const known = speakerIds.flatMap((id) => {
        const voice = byId.get(id);
        return voice ? [{ id, fileId: voice.file_uuid }] : [];
      });
      const clusters = clusterSpeakers(
        known,
        pairs,
        new Set(apart.map(({ firstId, secondId }) => pairKey(firstId, secondId))),
      ).map((members) => ({
        voices: members.flatMap((id) => byId.get(id) ?? []),
        kept_apart: others.filter(({ speaker_uuid: id }) =>
          keptApart.get(id)?.some((other) => members.includes(other)),
        ),
      }));
      const isKnown = new Set(speakerIds);
      const unknown = unnamed.filter(({ speaker_uuid: id }) => !isKnown.has(id));
      const countIn = (fileIds: readonly string[]): number =>
        unknown.filter(({ file_uuid: id }) => fileIds.includes(id)).length;
      const [waiting, failed] = [countIn(waitingFileIds), countIn(failedFileIds)];
      return { clusters, waiting, failed, too_short: unknown.length - waiting - failed };
    },
  };
}
