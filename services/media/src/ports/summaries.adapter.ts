import { insightsRpc, type SummaryObject } from '@overtone/contracts';
import type { Bus } from '@overtone/service-kit';

export type Summaries = {
  /** The summary of a file whose reader was checked; null: there is none. @throws AppError while insights does not respond. */
  shown: (fileId: string) => Promise<SummaryObject | null>;
};

export function createSummaries({ bus }: { bus: Pick<Bus, 'request'> }): Summaries {
  return { shown: async (fileId) => (await bus.request(insightsRpc.summary, { fileId })).summary };
}
