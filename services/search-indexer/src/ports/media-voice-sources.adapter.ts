import { mediaVoiceRpc, type ReplyOf } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';

/** Recordings with who speaks when in them, as media stores them. */
export type VoiceSources = {
  read: (fileId: string) => Promise<ReplyOf<typeof mediaVoiceRpc.voiceSource>['file']>;
  list: (after: string | null) => Promise<ReplyOf<typeof mediaVoiceRpc.listVoiceFiles>>;
};

const pageSize = 500;

export function createMediaVoiceSources({ bus }: { bus: Pick<Bus, 'request'> }): VoiceSources {
  return {
    read: async (fileId) => (await bus.request(mediaVoiceRpc.voiceSource, { fileId })).file,
    list: (after) => bus.request(mediaVoiceRpc.listVoiceFiles, { after, limit: pageSize }),
  };
}
