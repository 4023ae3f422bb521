import { msg } from '@lingui/core/macro';
import { formatNumber } from '../../lib/format.ts';
import { translateOnRead } from '../../lib/language.ts';
import type { ErasureObject, ErasurePreview } from './erasure-queries.ts';

/** Kinds of erased data in the order in which they are listed. A kind without a label is not shown. */
export const countLabels: Readonly<Record<string, string>> = translateOnRead({
  accounts: msg`Account`,
  sessions: msg`Sessions`,
  earlier_passwords: msg`Earlier passwords`,
  memberships: msg`Group memberships`,
  files: msg`Recordings with transcripts`,
  objects: msg`Stored objects`,
  uploads: msg`Unfinished uploads`,
  shares: msg`Shares`,
  tags: msg`Tags`,
  vocabulary: msg`Vocabulary`,
  edits: msg`Edited passages of others, now without a name`,
  watched: msg`Decisions about files of watch sources`,
  indexed_files: msg`Files in the search index`,
  saved_searches: msg`Saved searches`,
  tasks: msg`Tasks`,
  directory_decisions: msg`Decisions of directory syncs`,
  mirrored_objects: msg`Objects in the media mirror`,
  audit_records: msg`Audit records, now without a name`,
});

export const serviceLabels: Record<ErasureObject['services'][number]['service'], string> = translateOnRead({
  identity: msg`Account`,
  media: msg`Recordings`,
  'search-indexer': msg`Search`,
  'transcription-dispatcher': msg`Tasks`,
  'directory-sync': msg`Directory sync`,
  operations: msg`Media mirror`,
  insights: msg`Insights`,
});

export const statusLabels: Record<ErasureObject['status'], string> = translateOnRead({
  running: msg`Running`,
  held: msg`Waiting: legal hold`,
  done: msg`Done`,
});

export const serviceStatusLabels: Record<ErasureObject['services'][number]['status'], string> = translateOnRead({
  pending: msg`not answered yet`,
  held: msg`legal hold`,
  done: msg`done`,
});

export const remainsLabels: Record<ErasurePreview['remains'][number], string> = translateOnRead({
  audit_records: msg`Audit records stay without name, network address and details: what happened and when, and the id of the account.`,
  backups: msg`Backups keep a copy until they are deleted by their own retention. After a restore the person is erased again.`,
  earlier_mirrors: msg`A media mirror that is no longer set keeps its copies. Delete them by hand.`,
  mentions: msg`What others say about the person in their recordings stays.`,
});

/** The counts of an erasure, by kind. */
export function countRows(counts: Readonly<Record<string, number>>): (readonly [label: string, count: string])[] {
  return Object.keys(countLabels).flatMap((kind) => {
    const count = counts[kind] ?? 0;
    return count > 0 ? [[countLabels[kind] ?? kind, formatNumber(count)] as const] : [];
  });
}
