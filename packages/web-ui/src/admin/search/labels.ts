import { plural, t } from '@lingui/core/macro';
import { ago, formatNumber, timeLeft } from '../../lib/format.ts';
import type { Comparison, ReindexStart, ReindexStatus } from './reindex-queries.ts';

/** What is in progress, or how the last reindex ended. */
export function statusText(status: ReindexStatus): string {
  const { in_progress: running, outcome, finished_at: finishedAt, failed_files: failed } = status;
  if (!running && (outcome === null || finishedAt === null)) {
    const { last_completed_at: completedAt } = status;
    return completedAt === null ? t`No reindex has run yet.` : t`Last rebuilt ${ago(completedAt)}.`;
  }
  const counted = countedText(status);
  const withFailures = failed > 0 ? `${counted}, ${plural(failed, { one: '# failed', other: '# failed' })}` : counted;
  if (running) return status.stop_requested ? t`Stopping: ${withFailures}` : t`${subjectOf(status)}: ${withFailures}`;
  const when = ago(finishedAt ?? '');
  return outcome === 'stopped'
    ? t`Last reindex stopped ${when}: ${withFailures}.`
    : t`Last reindex completed ${when}: ${withFailures}.`;
}

/** What a request to start a reindex did. */
export function startText(status: ReindexStart['status']): string {
  if (status === 'running') return t`A reindex is already in progress.`;
  return status === 'nothing' ? t`There is no recording to index.` : t`The reindex has started.`;
}

/** The rate and the time left of a reindex in progress. */
export function paceText({ files_per_minute: rate, seconds_left: left }: ReindexStatus): string {
  return rate === null ? timeLeft(null) : t`${formatNumber(rate)} recordings per minute, ${timeLeft(left)}`;
}

/** The model that embeds the text. The name of a sentence model ends with a hash of its content. */
export function modelText({ model, in_progress: running }: ReindexStatus): string {
  if (model === null)
    return running
      ? t`Search by meaning, after the reindex: known when its first recording is indexed`
      : t`Search by meaning: available after the first recording`;
  const name = model.startsWith('wink-') ? t`word vectors (no sentence model is installed)` : model;
  return running ? t`Search by meaning, after the reindex: ${name}` : t`Search by meaning: ${name}`;
}

function countedText({ indexed_files: indexed, total_files: total }: ReindexStatus): string {
  return t`${indexed} of ${plural(total, { one: '# recording', other: '# recordings' })}`;
}

function subjectOf({ scope }: ReindexStatus): string {
  if (scope === 'repair') return t`Repairing`;
  return scope === 'all' || scope === null ? t`Building a new index` : t`Indexing again`;
}

/** A comparison of database and index in sentences, without what does not occur. */
export function comparisonLines({ missing, stale, extra, waiting_files, unchanged_files }: Comparison): string[] {
  const of = (count: number, text: string) => (count > 0 ? [text] : []);
  return [
    ...of(missing.count, plural(missing.count, { one: '# recording is missing', other: '# recordings are missing' })),
    ...of(stale.count, plural(stale.count, { one: '# recording is outdated', other: '# recordings are outdated' })),
    ...of(
      extra.count,
      plural(extra.count, {
        one: '# recording is in the index but has no transcript any more',
        other: '# recordings are in the index but have no transcript any more',
      }),
    ),
    ...of(
      waiting_files,
      plural(waiting_files, {
        one: '# recording has just changed or failed, and is indexed again anyway',
        other: '# recordings have just changed or failed, and are indexed again anyway',
      }),
    ),
    ...of(
      unchanged_files,
      plural(unchanged_files, { one: '# recording is up to date', other: '# recordings are up to date' }),
    ),
  ];
}

export function differenceCount({ missing, stale, extra }: Comparison): number {
  return missing.count + stale.count + extra.count;
}
