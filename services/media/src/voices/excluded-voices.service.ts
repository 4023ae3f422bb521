import { mediaVoiceEvents, type AnswerOf, type BodyOf, type mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { forbidden, type Caller } from '@overtone/service-kit';
import { recordOperation, type Actor } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import { editableSpeakers } from './speaker-links.store.ts';
import { listOf, titlesFor } from './voices.ts';
import { changeVoices, linkNamedSpeakers, readOccurrences, requestMatching, withVoices } from './voices.store.ts';

type Routes = typeof mediaRoutes;

/** Voices of deleted profiles: they are not stored until the owner of the recording allows it again. */
export function createExcludedVoices({ db, outbox }: { db: Db; outbox: Outbox }) {
  return {
    list: async ({ userId }: Caller): Promise<AnswerOf<Routes['excludedVoices']>> => {
      const excluded = await db.speaker.findMany({
        where: { voiceExcluded: true, file: { userId, ...withVoices } },
        select: { id: true, displayName: true },
      });
      const nameOf = new Map(excluded.map(({ id, displayName }) => [id, displayName]));
      const voices = await readOccurrences(db, Prisma.sql`s.uuid = any(${[...nameOf.keys()]}::uuid[])`);
      return voices.map((voice) => ({ ...voice, name: nameOf.get(voice.speaker_uuid) ?? null }));
    },

    /** Voices that are allowed already are not changed. */
    allow: (actor: Actor, { speaker_uuids: ids }: BodyOf<Routes['allowVoices']>): Promise<undefined> =>
      changeVoices(db, async (tx) => {
        const speakers = await editableSpeakers(tx, actor, ids);
        // Like a deletion, which takes voices only from recordings of the person who deletes.
        if (speakers.some(({ file }) => file.userId !== actor.userId))
          throw forbidden(
            'permission_required',
            'Only the owner of a recording may allow that its voices are stored again.',
          );
        const excluded = speakers.filter(({ voiceExcluded }) => voiceExcluded);
        if (excluded.length === 0) return undefined;
        const speakerIds = excluded.map(({ id }) => id);
        await tx.speaker.updateMany({ where: { id: { in: speakerIds } }, data: { voiceExcluded: false } });
        await linkNamedSpeakers(tx, speakerIds);
        for (const fileId of new Set(excluded.map((speaker) => speaker.fileId)))
          await outbox.add(tx, mediaVoiceEvents.outdated, { fileId, ownerId: actor.userId });
        await requestMatching(tx, [actor.userId]);
        const names = [...new Set(excluded.flatMap(({ displayName }) => displayName ?? []))];
        await recordOperation(tx, outbox, actor, 'voices_allowed', {
          speakers: listOf(speakerIds),
          ...(names.length === 0 ? {} : { names: listOf(names, ', ') }),
          ...titlesFor('recordings', excluded, actor),
        });
        return undefined;
      }),
  };
}
