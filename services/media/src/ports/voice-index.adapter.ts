import { voiceRpc, type ReplyOf, type RequestOf } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';

type Rpc = typeof voiceRpc;
type Compared = { profileId: string; speakerIds: string[] };
type Match = { speakerId: string; profileId: string; confidence: number };
/** Compares voices by their embeddings. @throws AppError unavailable. */
export type VoiceIndex = {
  compare: (request: { speakerIds: string[]; profiles: Compared[] }) => Promise<Match[]>;
  /** The stored embeddings of at most `voiceLimits.exported` speakers. */
  read: (speakerIds: string[]) => Promise<ReplyOf<Rpc['readVoices']>['voices']>;
  similar: (request: RequestOf<Rpc['similarVoices']>) => Promise<ReplyOf<Rpc['similarVoices']>>;
};

export function createVoiceIndex({ bus }: { bus: Pick<Bus, 'request'> }): VoiceIndex {
  return {
    compare: async ({ speakerIds, profiles }) => {
      const groups = profiles.map(({ profileId: groupId, ...profile }) => ({ groupId, ...profile }));
      const { matches } = await bus.request(voiceRpc.compareVoices, { speakerIds, groups });
      return matches.map(({ groupId: profileId, ...match }) => ({ profileId, ...match }));
    },
    read: async (speakerIds) => (await bus.request(voiceRpc.readVoices, { speakerIds })).voices,
    similar: (request) => bus.request(voiceRpc.similarVoices, request),
  };
}
