import { voiceRpc, type ReplyOf, type RequestOf } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';

type Rpc = typeof voiceRpc;
/** Compares voices by their embeddings. @throws AppError unavailable. */
export type VoiceIndex = {
  compare: (request: RequestOf<Rpc['compareVoices']>) => Promise<ReplyOf<Rpc['compareVoices']>['matches']>;
  /** The stored embeddings of at most `voiceLimits.exported` speakers. */
  read: (speakerIds: string[]) => Promise<ReplyOf<Rpc['readVoices']>['voices']>;
  similar: (request: RequestOf<Rpc['similarVoices']>) => Promise<ReplyOf<Rpc['similarVoices']>>;
};

export function createVoiceIndex({ bus }: { bus: Pick<Bus, 'request'> }): VoiceIndex {
  return {
    compare: async (request) => (await bus.request(voiceRpc.compareVoices, request)).matches,
    read: async (speakerIds) => (await bus.request(voiceRpc.readVoices, { speakerIds })).voices,
    similar: (request) => bus.request(voiceRpc.similarVoices, request),
  };
}
