import { insightsRpc, type FileMasks, type SummaryObject } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';

export type Summaries = {
  /** The summary of a file whose reader was checked, and whose present masks these are; null: there is none. @throws AppError while insights does not respond. */
  shown: (fileId: string, masks: FileMasks) => Promise<SummaryObject | null>;
};

export function createSummaries({ bus }: { bus: Pick<Bus, 'request'> }): Summaries {
  return { shown: async (fileId, masks) => (await bus.request(insightsRpc.summary, { fileId, masks })).summary };
}
