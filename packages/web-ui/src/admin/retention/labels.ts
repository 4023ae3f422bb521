import { msg, plural, t } from '@lingui/core/macro';
import { bytes, formatNumber } from '../../lib/format.ts';
import { translateOnRead } from '../../lib/language.ts';
import type { RetentionItem, RetentionPreview, RetentionRule, RetentionRun } from './retention-queries.ts';

type RunRule = RetentionRun['rules'][number];

export const removalLabels: Record<RetentionRule['removes'], string> = translateOnRead({
  recording: msg`Removes the recording, keeps the transcript`,
  everything: msg`Moves the file to the bin`,
});

export const reasonLabels: Record<RetentionPreview['items'][number]['reasons'][number], string> = translateOnRead({
  age: msg`age`,
  unused: msg`not used`,
  size: msg`size`,
  tag: msg`tag`,
  collection: msg`collection`,
});

export const skipLabels: Record<NonNullable<RetentionItem['skip_reason']>, string> = translateOnRead({
  legal_hold: msg`Kept: legal hold`,
  no_longer_applies: msg`Kept: the rule no longer applies`,
  rule_changed: msg`Kept: the rule was changed`,
  gone: msg`Was deleted already`,
});

export const runStatusLabels: Record<RetentionRun['status'], string> = translateOnRead({
  queued: msg`Queued`,
  running: msg`Running`,
  success: msg`Finished`,
  failed: msg`Failed`,
});

/** The conditions of a rule in words, all of which must hold. */
export function conditionsText(conditions: RetentionRule['conditions']): string {
  const { older_than_days: age, unused_for_days: unused, larger_than_bytes: size, any_tag: tags } = conditions;
  const { any_collection: collections } = conditions;
  return [
    age === undefined ? null : plural(age, { one: 'older than # day', other: 'older than # days' }),
    unused === undefined ? null : plural(unused, { one: 'not used for # day', other: 'not used for # days' }),
    size === undefined ? null : t`larger than ${bytes(size)}`,
    tags === undefined ? null : t`tagged ${tags.join(t` or `)}`,
    collections === undefined
      ? null
      : plural(collections.length, { one: 'in a chosen collection', other: 'in one of # collections' }),
  ]
    .filter((condition) => condition !== null)
    .join(', ');
}

/** What happened to the files of a rule in a run. */
export function resultText(rule: RunRule): string {
  const files = plural(rule.planned, { one: '# file', other: '# files' });
  if (rule.planned === 0) return t`No file`;
  if (rule.status === 'held') return t`${files}, ${bytes(rule.planned_bytes)}: waiting for approval`;
  if (rule.status === 'superseded' && rule.removed === 0) return t`${files}: not approved`;
  const removed = t`${formatNumber(rule.removed)} of ${files} removed, ${bytes(rule.removed_bytes)}`;
  return rule.skipped === 0 ? removed : t`${removed}, ${formatNumber(rule.skipped)} kept`;
}
