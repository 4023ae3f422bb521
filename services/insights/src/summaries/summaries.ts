import { createHash } from 'node:crypto';
import type {
  InsightSegment,
  SummaryContent,
  SummaryGap,
  SummaryObject,
  SummaryRunState,
  SummaryStatus,
  SummaryVersion,
} from '@overtone/contracts';
import type { InsightSummary } from '../generated/client.ts';
import { remedyOf } from '../ports/model-failures.ts';

export const openStates: readonly SummaryRunState[] = ['waiting', 'processing'];

export function isOpen({ state }: Pick<InsightSummary, 'state'>): boolean {
  return openStates.some((open) => open === state);
}

/** A finished version, also an incomplete one. */
export function isShown({ state }: Pick<InsightSummary, 'state'>): boolean {
  return state === 'completed' || state === 'partial';
}

/**
 * The version that is shown: the latest complete one, until a newer one is complete. Without one that may be shown, the latest
 * incomplete one.
 */
export function findShown(rows: readonly InsightSummary[]): InsightSummary | undefined {
  return rows.find(({ state, withheld }) => state === 'completed' && !withheld) ?? rows.find(isShown);
}

type Spoken = Pick<InsightSegment, 'text' | 'speakerName' | 'speakerUuid'>;

/**
 * Identifies the text with the names of its speakers and, after a colon, the text with who speaks, whatever the name. The text
 * itself is not stored.
 */
export function fingerprintOf(segments: readonly Spoken[]): string {
  const spoken = segments.filter(({ text }) => text.trim() !== '');
  const named = spoken.map(({ text, speakerName }) => [speakerName, text]);
  const voices = new Map<string | null, number>();
  const unnamed = spoken.map(({ text, speakerUuid }) => {
    if (!voices.has(speakerUuid)) voices.set(speakerUuid, voices.size);
    return [voices.get(speakerUuid), text];
  });
  return [named, unnamed].map((list) => createHash('sha256').update(JSON.stringify(list)).digest('hex')).join(':');
}

/** A statement that was made without a model and one that was written by one have the same form. */
export type SummaryResult = {
  content: SummaryContent;
  gaps: SummaryGap[];
  segments: number;
  /** Parts of the work, all of which are done. */
  sections: number;
  /** The sections could not be combined by the model; the content is theirs, one after the other. */
  errorCode: string | null;
  provider: string | null;
  model: string | null;
};

/** Other failures that pass. */
const temporary = new Set(['service_unavailable', 'timeout']);
const maxFailures = 6;

/** Seconds until a failed summary is attempted again; null: not automatically. */
export function retrySeconds(code: string, failures: number, retryAfterSeconds = 0): number | null {
  const isTemporary = remedyOf(code) === 'wait' || temporary.has(code);
  if (!isTemporary || failures >= maxFailures) return null;
  return Math.max(retryAfterSeconds, Math.min(900, 5 * 4 ** Math.max(0, failures - 1)));
}

function adviceOf(row: InsightSummary | undefined, shown: InsightSummary | undefined): SummaryStatus['advice'] {
  if (!row) return 'create';
  if (isOpen(row)) return 'wait';
  if (row.state === 'failed') {
    const remedy = remedyOf(row.errorCode ?? '');
    if (remedy === 'larger_model' || row.errorCode === 'summary_prompt_too_long') return 'choose_larger_model';
    return remedy === 'administrator' ? 'check_provider' : 'retry';
  }
  if (shown?.withheld || shown?.outOfDate) return 'create_again';
  return row.state === 'partial' ? 'retry' : 'nothing';
}

/** @param rows all versions, the latest first */
export function toStatus(
  fileId: string,
  rows: readonly InsightSummary[],
  { hasModel, mayOrder }: { hasModel: boolean; mayOrder: boolean },
): SummaryStatus {
  const [latest] = rows;
  const shown = findShown(rows);
  const isRunning = latest !== undefined && isOpen(latest);
  return {
    file_id: fileId,
    status: (latest?.state as SummaryRunState | undefined) ?? 'none',
    version: latest?.version ?? null,
    shown_version: shown?.version ?? null,
    out_of_date: shown?.outOfDate ?? false,
    withheld: shown?.withheld ?? false,
    sections_done: latest?.sectionsDone ?? 0,
    sections_total: latest?.sectionsTotal ?? 0,
    reason: latest?.errorCode ?? null,
    advice: adviceOf(latest, shown),
    retry_at: latest?.state === 'waiting' && latest.failures > 0 ? latest.dueAt.toISOString() : null,
    llm_available: hasModel,
    can_generate: mayOrder && !isRunning,
    can_retry: mayOrder && (latest?.state === 'failed' || latest?.state === 'partial'),
  };
}

export function toVersion(row: InsightSummary): SummaryVersion {
  return {
    version: row.version,
    state: row.state as SummaryRunState,
    automatic: row.eventId !== null,
    made_without_model: row.withoutModel,
    provider: row.provider,
    model: row.model,
    prompt_uuid: row.promptId,
    prompt_name: row.promptName,
    language: row.language,
    out_of_date: row.outOfDate,
    withheld: row.withheld,
    error_code: row.errorCode,
    created_at: row.createdAt.toISOString(),
    finished_at: row.finishedAt?.toISOString() ?? null,
  };
}

export function toSummaryObject(row: InsightSummary, title: string): SummaryObject {
  const gaps = row.gaps as SummaryGap[];
  return {
    file_id: row.fileId,
    title,
    ...toVersion(row),
    summary: row.content as SummaryContent,
    coverage: {
      segments: row.segments,
      covered_segments: row.segments - gaps.reduce((sum, { segments }) => sum + segments, 0),
      gaps,
    },
    usage: { input_tokens: row.inputTokens, output_tokens: row.outputTokens, duration_ms: row.durationMs },
  };
}
