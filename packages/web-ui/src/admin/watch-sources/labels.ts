import { msg, plural, t } from '@lingui/core/macro';
import { translateOnRead } from '../../lib/language.ts';
import type { WatchDecision, WatchFields, WatchSource, WatchTest } from './watch-queries.ts';

export const decisionLabels: Record<WatchDecision['decision'], string> = translateOnRead({
  imported: msg`Imported`,
  duplicate: msg`Duplicate`,
  waiting: msg`Waiting`,
  excluded: msg`Excluded`,
  too_small: msg`Too small`,
  too_large: msg`Too large`,
  too_old: msg`Too old`,
  not_media: msg`Not a recording`,
  owner_unknown: msg`Owner unknown`,
  link_refused: msg`Not followed`,
  failed: msg`Failed`,
});

export const afterLabels: Record<WatchSource['after'], string> = translateOnRead({
  keep: msg`Keep the file where it is`,
  move: msg`Move the file to another folder`,
  delete: msg`Delete the file`,
});

export const ownerRuleLabels: Record<WatchSource['owner_rule'], string> = translateOnRead({
  fixed: msg`One account`,
  first_folder: msg`The account that the first folder is named after`,
});

/** The state of a source in one word, and its colour. */
export function stateOf({ enabled, status }: Pick<WatchSource, 'enabled' | 'status'>): { text: string; color: string } {
  if (!enabled) return { text: t`Off`, color: 'gray' };
  if (status === 'unavailable') return { text: t`Unavailable`, color: 'red' };
  return status === 'available' ? { text: t`Watching`, color: 'petrol' } : { text: t`Checking`, color: 'gray' };
}

export function placeOf({ kind, path, s3_bucket: bucket, s3_prefix: prefix }: Omit<WatchFields, 'name'>): string {
  return kind === 'folder' ? path : `s3://${bucket}/${prefix}`;
}

/** How many files were imported, wait or need a look. */
export function countsText({ counts }: Pick<WatchSource, 'counts'>): string {
  const { imported = 0, waiting = 0, duplicate = 0, failed = 0, owner_unknown: unknown = 0 } = counts;
  const others = Object.values(counts).reduce<number>((sum, count = 0) => sum + count, 0);
  if (others === 0) return t`No files yet`;
  const rest = others - imported - waiting - failed - unknown - duplicate;
  return [
    plural(imported, { one: '# imported', other: '# imported' }),
    waiting > 0 ? plural(waiting, { one: '# waiting', other: '# waiting' }) : null,
    duplicate > 0 ? plural(duplicate, { one: '# duplicate', other: '# duplicates' }) : null,
    unknown > 0 ? plural(unknown, { one: '# without an owner', other: '# without an owner' }) : null,
    failed > 0 ? plural(failed, { one: '# failed', other: '# failed' }) : null,
    rest > 0 ? plural(rest, { one: '# not taken', other: '# not taken' }) : null,
  ]
    .filter((part) => part !== null)
    .join(', ');
}

/** What a test of a source has found. */
export function testText({ ok, error, files, matching, examples }: WatchTest): string {
  if (!ok) return error ?? t`The source cannot be read.`;
  const found = plural(files, { one: '# file found', other: '# files found' });
  const taken = plural(matching, { one: '# of them fits the filters', other: '# of them fit the filters' });
  return examples.length === 0 ? t`${found}, ${taken}.` : t`${found}, ${taken}: ${examples.join(', ')}.`;
}

/** The reason of a decision, with what happened to the source file. */
export function reasonText({ decision, reason, after_state: after, gone_at: gone }: WatchDecision): string {
  const afterText =
    after === 'done' ? t`Moved or deleted as set.` : after === 'pending' ? t`Not moved or deleted yet.` : '';
  const goneText = gone !== null && after !== 'done' ? t`The file is no longer in the source.` : '';
  const own = reason === '' && decision === 'imported' ? t`The recording is in the library.` : reason;
  return [own, afterText, goneText].filter((part) => part !== '').join(' ');
}
