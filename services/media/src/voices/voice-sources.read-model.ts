import type { mediaVoiceRpc, ReplyOf, RequestOf } from '@overtone/contracts';
import type { Db } from '../database.ts';
import { fingerprintOf, selectSpans } from './voices.ts';
import { readVoiceSettings, withVoices } from './voices.store.ts';

type Rpc = typeof mediaVoiceRpc;

/** Which parts of which recording contain a speaker's voice, for search-indexer. */
export function createVoiceSources({ db }: { db: Db }) {
  return {
    read: async ({ fileId }: RequestOf<Rpc['voiceSource']>): Promise<ReplyOf<Rpc['voiceSource']>> => {
      if (!(await readVoiceSettings(db)).profiles_enabled) return { file: null };
      const file = await db.mediaFile.findFirst({ where: { id: fileId, ...withVoices } });
      if (!file) return { file: null };
      const spoken = await db.$queryRaw<Parameters<typeof selectSpans>[0]>`
        select s.uuid::text as "speakerId", t.start_time as start, t.end_time as end,
          t.words @> '[{"overlap": true}]' as "hasOverlap"
        from transcript_segment t join speaker s on s.uuid = t.speaker_id
        where t.media_file_id = ${fileId}::uuid and not s.voice_excluded and t.end_time > t.start_time
        order by s.uuid, t.position`;
      const speakers = selectSpans(spoken);
      const { objectKey: source } = file;
      return { file: { source, fingerprint: fingerprintOf(source, speakers), speakers } };
    },

    list: async ({ after, limit }: RequestOf<Rpc['listVoiceFiles']>): Promise<ReplyOf<Rpc['listVoiceFiles']>> => {
      const { profiles_enabled: enabled } = await readVoiceSettings(db);
      if (!enabled) return { enabled, files: [] };
      const files = await db.mediaFile.findMany({
        where: { ...withVoices, ...(after ? { id: { gt: after } } : {}) },
        select: { id: true, userId: true },
        orderBy: { id: 'asc' },
        take: limit,
      });
      return { enabled, files: files.map(({ id, userId }) => ({ fileId: id, ownerId: userId })) };
    },
  };
}
