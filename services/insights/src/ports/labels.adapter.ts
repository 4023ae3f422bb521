import { labelRpc, type ReplyOf, type RequestOf } from '@overtone/contracts';
import type { Bus, Caller } from '@overtone/service-kit';

/** Labels, speaker names and permissions of files, as media serves them. @throws AppError while media does not respond. */
export function createLabelsPort({ bus }: { bus: Pick<Bus, 'request'> }) {
  return {
    /** The reader's permission on each file that the reader may read. */
    access: async (fileIds: readonly string[], { userId, role }: Pick<Caller, 'userId' | 'role'>) =>
      (await bus.request(labelRpc.labelAccess, { fileIds: [...fileIds], reader: { userId, role } })).files,
    /** @returns null for a file that does not exist. */
    context: async (fileId: string) => (await bus.request(labelRpc.labelContext, { fileId })).context,
    apply: async (request: RequestOf<typeof labelRpc.applyLabels>) =>
      (await bus.request(labelRpc.applyLabels, request)).outcomes,
    remove: async (request: RequestOf<typeof labelRpc.removeLabels>) =>
      (await bus.request(labelRpc.removeLabels, request)).outcomes,
    /** @returns the speakers whose name was changed. */
    nameSpeakers: async (request: RequestOf<typeof labelRpc.nameSpeakers>) =>
      (await bus.request(labelRpc.nameSpeakers, request)).changed,
    owned: async (request: RequestOf<typeof labelRpc.listOwned>) =>
      (await bus.request(labelRpc.listOwned, request)).fileIds,
  };
}

export type LabelsPort = ReturnType<typeof createLabelsPort>;
export type FileAccess = ReplyOf<typeof labelRpc.labelAccess>['files'][number];
