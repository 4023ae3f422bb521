import { checkedId, type IndexFilter, type IndexRow } from './search-index.ts';

/** A string literal of LanceDB's SQL: only quotes are escaped, by doubling. */
export function literal(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function listLiteral(values: readonly string[]): string {
  return `[${values.map(literal).join(', ')}]`;
}

function numberLiteral(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError('not a number');
  return String(value);
}

function visibleTo(ownerId: string, sharedIds: readonly string[]): string {
  const own = `owner_id = ${literal(checkedId(ownerId))}`;
  if (sharedIds.length === 0) return own;
  return `(${own} or ${among(sharedIds)})`;
}

function among(fileIds: readonly string[]): string {
  // Without any, a list in parentheses would not be valid SQL.
  if (fileIds.length === 0) return 'false';
  return `file_id in (${fileIds.map((id) => literal(checkedId(id))).join(', ')})`;
}

/** The filter as LanceDB's SQL; undefined when all rows pass. @param kind only rows of this kind. */
export function whereOf(filter: IndexFilter, kind: IndexRow['kind'] | null): string | undefined {
  const parts = [
    kind !== null && `kind = ${literal(kind)}`,
    filter.ownerId !== null && visibleTo(filter.ownerId, filter.sharedIds),
    filter.fileIds !== null && among(filter.fileIds),
    filter.excludedFileIds.length > 0 && `not ${among(filter.excludedFileIds)}`,
    filter.speakers.length > 0 && `array_has_any(speakers, ${listLiteral(filter.speakers)})`,
    filter.tags.length > 0 && `array_has_any(tags, ${listLiteral(filter.tags)})`,
    filter.excludedTags.length > 0 && `not array_has_any(tags, ${listLiteral(filter.excludedTags)})`,
    filter.media.length > 0 && `media in (${filter.media.map(literal).join(', ')})`,
    filter.uploadedFrom !== null && `uploaded >= ${numberLiteral(filter.uploadedFrom)}`,
    filter.uploadedTo !== null && `uploaded <= ${numberLiteral(filter.uploadedTo)}`,
    filter.minDuration !== null && `duration >= ${numberLiteral(filter.minDuration)}`,
    filter.maxDuration !== null && `duration <= ${numberLiteral(filter.maxDuration)}`,
  ].filter((part) => part !== false);
  return parts.length > 0 ? parts.join(' and ') : undefined;
}
