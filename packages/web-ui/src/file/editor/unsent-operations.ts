import type { Node } from 'prosemirror-model';
import type { Segment } from '../../api/queries.ts';
import { asSaved, isPiece } from './merge.ts';
import { isOutdated, outdated, type Operation } from './operations.ts';
import { indexesOf } from './schema.ts';

/** Operations of two visits; where they are of the same passages, those of the earlier one become conflicts. */
export function together(typed: readonly Operation[], held: readonly Operation[]): Operation[] {
  return [...typed, ...held.map((one) => (isPartOf(one, typed) ? outdated(one) : one))];
}

/** Whether an operation is of a passage that one of the others reads or writes. */
export function isPartOf(operation: Operation, operations: readonly Operation[]): boolean {
  const ids = new Set(
    operations.flatMap(({ segments, replacement }) => [...segments, ...replacement].map(({ uuid }) => uuid)),
  );
  return [...operation.segments, ...operation.replacement].some(({ uuid }) => ids.has(uuid));
}

/** Whether the server has applied operations: passages that they create are stored. */
export function isApplied(operations: readonly Operation[], base: readonly Segment[]): boolean {
  return operations.some(({ segments, replacement }) =>
    replacement.some((piece) => isKnown(base, piece) && !isKnown(segments, piece)),
  );
}

function isKnown(list: readonly { readonly uuid: string }[], { uuid }: { readonly uuid: string }): boolean {
  return list.some((one) => one.uuid === uuid);
}

/**
 * The passages, with those that a request without an answer inserts and that the person has removed from the document since:
 * the text of these may be in another passage.
 */
export function withRemoved(base: readonly Segment[], sent: readonly Operation[], doc: Node): readonly Segment[] {
  const shown = indexesOf(doc);
  const insertions = sent.filter(({ segments }) => segments.length === 0);
  const isRemoved = ({ uuid }: { readonly uuid: string }): boolean => !shown.has(uuid);
  if (!insertions.some(({ replacement }) => replacement.some(isRemoved))) return base;
  const known = new Set(base);
  return asSaved(base, insertions, base).flatMap((one) =>
    known.has(one) ? [one] : isRemoved(one) ? [{ ...one, version: 1 }] : [],
  );
}

/** Operations as they are before a request has inserted its passages. */
export function beforeInsertions(operations: readonly Operation[], sent: readonly Operation[]): Operation[] {
  const places = new Map(
    sent.flatMap(({ segments, after_uuid: after = null, replacement }) =>
      segments.length > 0 ? [] : replacement.map(({ uuid }) => [uuid, after]),
    ),
  );
  return operations.flatMap((one): Operation[] => {
    const [removed] = one.segments.filter(({ uuid }) => places.has(uuid));
    if (!removed) return [one];
    const segments = one.segments.filter(({ uuid }) => !places.has(uuid));
    if (segments.length > 0) return [{ ...one, segments }];
    return one.replacement.length === 0 ? [] : [{ ...one, segments, after_uuid: places.get(removed.uuid) ?? null }];
  });
}

/** Operations after a part of them, `sent`, was saved. */
export function continuedAll(
  operations: readonly Operation[],
  sent: readonly Operation[],
  base: readonly Segment[],
): Operation[] {
  return operations.map((one) => (isPartOf(one, sent) ? continued(one, sent, base) : one));
}

/**
 * An operation that was begun on passages of which `sent` has saved a part, for the passages after that. Those that others
 * have changed since make it outdated.
 */
function continued(operation: Operation, sent: readonly Operation[], base: readonly Segment[]): Operation {
  if (isOutdated(operation)) return operation;
  const versions = new Map(operation.segments.map(({ uuid, version }) => [uuid, version]));
  const pieces = new Map(sent.flatMap(({ replacement }) => replacement.map((piece) => [piece.uuid, piece])));
  const own = new Set(operation.replacement.map(({ uuid }) => uuid));
  const sentVersions = new Map(sent.flatMap(({ segments: run }) => run.map(({ uuid, version }) => [uuid, version])));
  // Made on the same passages as the request, it lacks what the request has inserted and the person has joined since.
  const before = sent.filter(({ segments: run }) =>
    run.some(({ uuid, version }) => version !== undefined && versions.get(uuid) === version),
  );
  const changed = before.flatMap(({ segments: run, replacement }) =>
    replacement.filter((piece) => isKnown(run, piece)),
  );
  // What the request has changed, and the person has changed back since, is in the operation without its text, or not at all.
  const isTextUnknown = changed.some(({ uuid, text }) => {
    const own = operation.replacement.find((piece) => piece.uuid === uuid);
    return own ? text !== undefined && own.text === undefined : !versions.has(uuid);
  });
  if (isTextUnknown) return outdated(operation);
  const joined = new Set(before.flatMap(({ replacement }) => replacement.map(({ uuid }) => uuid)));
  const segments = base.flatMap((segment) => {
    const { uuid } = segment;
    const piece = pieces.get(uuid);
    if (piece && (own.has(uuid) || versions.has(uuid) || joined.has(uuid)))
      return [{ uuid, version: isSaved(segment, piece, sentVersions.get(uuid)) ? segment.version : -1 }];
    return versions.has(uuid) ? [{ uuid, version: versions.get(uuid) }] : [];
  });
  return operation.segments.length > 0 && segments.length === 0 ? outdated(operation) : { ...operation, segments };
}

/** Whether a passage is as a request has saved it. Where that has no text, others may have changed the text since. */
function isSaved(segment: Segment, piece: Operation['replacement'][number], version = 0): boolean {
  if (piece.text !== undefined) return isPiece(segment, piece);
  const isChanged = Object.keys(piece).length > 1;
  return segment.version === (isChanged ? version + 1 : version);
}
