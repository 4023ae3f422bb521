import { voiceLimits, voiceVersions, type AnswerOf, type EmbeddedVoice, type mediaRoutes } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { decodeVector } from '@overtone/service-kit/vectors';
import { recordOperation, type Actor } from '../audit/audit.ts';
import type { Db } from '../database.ts';
import { Prisma } from '../generated/client.ts';
import type { VoiceIndex } from '../ports/voice-index.adapter.ts';
import { readProfiles } from './profiles.service.ts';
import { profilesOf, readOccurrences, requireVoices } from './voices.store.ts';

type Export = AnswerOf<(typeof mediaRoutes)['exportVoices']>;

const maxVoices = 100_000;

/** What is stored of voices in a person's recordings and profiles. */
export function createVoiceExport({ db, outbox, voices }: { db: Db; outbox: Outbox; voices: VoiceIndex }) {
  return async (actor: Actor): Promise<Export> => {
    const { userId } = actor;
    await requireVoices(db);
    const visible = await db.speakerProfile.findMany({ where: await profilesOf(db, userId), select: { id: true } });
    const isVisible = new Set(visible.map(({ id }) => id));
    const found = await readOccurrences(db, Prisma.sql`f.user_id = ${userId}::uuid`, maxVoices);
    const ids = found.map(({ speaker_uuid: id }) => id);
    const speakers = await db.speaker.findMany({ where: { id: { in: ids } }, select: { id: true, profileId: true } });
    const profileOf = new Map(speakers.map(({ id, profileId }) => [id, profileId]));
    const rejected = await db.speakerSuggestion.findMany({ where: { speakerId: { in: ids }, state: 'rejected' } });
    const apart = await db.speakerApart.findMany({
      where: { OR: [{ firstId: { in: ids } }, { secondId: { in: ids } }] },
    });
    const stored = new Map<string, EmbeddedVoice>();
    for (let from = 0; from < ids.length; from += voiceLimits.exported)
      for (const voice of await voices.read(ids.slice(from, from + voiceLimits.exported)))
        stored.set(voice.speakerId, voice);
    const visibleOf = (profileId: string | null | undefined): string | null =>
      profileId && isVisible.has(profileId) ? profileId : null;
    const exported: Export = {
      exported_at: new Date().toISOString(),
      profiles: await readProfiles(db, actor, { ownerId: userId }),
      voices: found.map((voice) => {
        const id = voice.speaker_uuid;
        return {
          ...voice,
          // Profiles of other people are not data of this person.
          profile_uuid: visibleOf(profileOf.get(id)),
          rejected_profile_uuids: rejected
            .filter((row) => row.speakerId === id && isVisible.has(row.profileId))
            .map(({ profileId }) => profileId),
          not_same_person_as: apart.flatMap(({ firstId, secondId }) =>
            firstId === id ? [secondId] : secondId === id ? [firstId] : [],
          ),
          embeddings: embeddingsOf(stored.get(id)),
        };
      }),
    };
    const details = { profiles: exported.profiles.length, voices: found.length, embeddings: stored.size };
    await db.$transaction((tx) => recordOperation(tx, outbox, actor, 'voices_exported', details));
    return exported;
  };
}

function embeddingsOf(voice: EmbeddedVoice | undefined): Export['voices'][number]['embeddings'] {
  return voiceVersions.flatMap(({ name, model }) => {
    const encoded = voice?.vectors[name];
    if (encoded === undefined) return [];
    return [{ version: name, model, vector: Array.from(decodeVector(encoded)) }];
  });
}
