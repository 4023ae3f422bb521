import { checkedId, type IndexFilter, type IndexRow } from './search-index.ts';

/** A string literal of LanceDB's SQL: only quotes are escaped, by doubling. */
export function literal(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

function list(values: readonly string[]): string {
  return `[${values.map(literal).join(', ')}]`;
}

function number(value: number): string {
  if (!Number.isFinite(value)) throw new TypeError('not a number');
  return String(value);
}

function visibleTo(ownerId: string, sharedIds: readonly string[]): string {
  const own = `owner_id = ${literal(checkedId(ownerId))}`;
  if (sharedIds.length === 0) return own;
  return `(${own} or file_id in (${sharedIds.map((id) => literal(checkedId(id))).join(', ')}))`;
}

/** The filter as LanceDB's SQL; undefined when all rows pass. @param kind only rows of this kind. */
export function whereOf(f: IndexFilter, kind: IndexRow['kind'] | null): string | undefined {
  const parts = [
    kind !== null && `kind = ${literal(kind)}`,
    f.ownerId !== null && visibleTo(f.ownerId, f.sharedIds),
    f.speakers.length > 0 && `array_has_any(speakers, ${list(f.speakers)})`,
    f.tags.length > 0 && `array_has_any(tags, ${list(f.tags)})`,
    f.media.length > 0 && `media in (${f.media.map(literal).join(', ')})`,
    f.uploadedFrom !== null && `uploaded >= ${number(f.uploadedFrom)}`,
    f.uploadedTo !== null && `uploaded <= ${number(f.uploadedTo)}`,
    f.minDuration !== null && `duration >= ${number(f.minDuration)}`,
    f.maxDuration !== null && `duration <= ${number(f.maxDuration)}`,
  ].filter((p) => p !== false);
  return parts.length > 0 ? parts.join(' and ') : undefined;
}
