import { voiceRpc, type ReplyOf, type RequestOf } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';

type Rpc = typeof voiceRpc;
type Compared = { profileId: string; speakerIds: string[] };
/** By speaker, the profiles that it is not compared with. */
type Refused = ReadonlyMap<string, ReadonlySet<string>>;
type Match = { speakerId: string; profileId: string; confidence: number };
/** Compares voices by their embeddings. @throws AppError unavailable. */
export type VoiceIndex = {
  compare: (request: { speakerIds: string[]; profiles: Compared[]; refused: Refused }) => Promise<Match[]>;
  /** The stored embeddings of at most `voiceLimits.exported` speakers. */
  read: (speakerIds: string[]) => Promise<ReplyOf<Rpc['readVoices']>['voices']>;
  similar: (request: RequestOf<Rpc['similarVoices']>) => Promise<ReplyOf<Rpc['similarVoices']>>;
};

export function createVoiceIndex({ bus }: { bus: Pick<Bus, 'request'> }): VoiceIndex {
  return {
    compare: async ({ speakerIds, profiles, refused }) => {
      const groups = profiles.map(({ profileId: groupId, ...profile }) => ({ groupId, ...profile }));
      const leftOut = speakerIds.flatMap((speakerId) => {
        const groupIds = [...(refused.get(speakerId) ?? [])];
        return groupIds.length > 0 ? [{ speakerId, groupIds }] : [];
      });
      const { matches } = await bus.request(voiceRpc.compareVoices, { speakerIds, groups, refused: leftOut });
      return matches.map(({ groupId: profileId, ...match }) => ({ profileId, ...match }));
    },
    read: async (speakerIds) => (await bus.request(voiceRpc.readVoices, { speakerIds })).voices,
    similar: (request) => bus.request(voiceRpc.similarVoices, request),
  };
}
