import type { Node } from 'prosemirror-model';
import type { TranscriptOperation } from '@overtone/contracts';
import type { Segment } from '../../api/queries.ts';
import { attrsOf, passagesOf, plainText, segmentOf, textOf } from './schema.ts';

export type Operation = TranscriptOperation;
/** An operation to repeat. What the server refused becomes a conflict instead. `version`: the one that it was made on. */
export type UnsavedOperation = Operation & { readonly isRefused?: boolean; readonly version?: number | undefined };
type Piece = Operation['replacement'][number];

/** The limits of the server for one operation and one request, whose body may have one MiB. */
const maxRun = 500;
const maxBatch = 200;
const maxLetters = 250_000;
/** New passages are scanned for personal data together. */
const maxInserted = 50;
const maxInsertedLetters = 50_000;

type Entry =
  | { readonly kind: 'same' | 'changed'; readonly segment: Segment; readonly node: Node }
  | { readonly kind: 'new'; readonly node: Node }
  | { readonly kind: 'removed'; readonly segment: Segment };

/** What has to be saved: the operations that turn the passages of the server into those of the document. */
export function operationsOf(base: readonly Segment[], doc: Node): Operation[] {
  const children = passagesOf(doc);
  const isSameAt = (segmentAt: number, nodeAt: number): boolean => {
    const [segment, node] = [base[segmentAt], children[nodeAt]];
    return segment !== undefined && node !== undefined && isSame(segment, node);
  };
  // Most of a long transcript is unchanged, and most of it was compared at the last key.
  let { start, tail } = comparedBefore(base, children);
  while (isSameAt(start, start)) start += 1;
  const most = Math.min(base.length, children.length) - start;
  while (tail < most && isSameAt(base.length - 1 - tail, children.length - 1 - tail)) tail += 1;
  compared.set(base, { children, start, tail });
  const [segmentsEnd, nodesEnd] = [base.length - tail, children.length - tail];
  const operations: Operation[] = [];
  let stretch: Entry[] = [];
  let last = base[start - 1]?.uuid ?? null;
  const close = (): void => {
    operations.push(...operationsOfStretch(stretch, last));
    for (const entry of stretch) if (entry.kind !== 'removed') last = attrsOf(entry.node).uuid;
    stretch = [];
  };
  for (const entry of entriesOf(base.slice(start, segmentsEnd), children.slice(start, nodesEnd))) {
    if (entry.kind !== 'same') {
      stretch.push(entry);
      continue;
    }
    close();
    last = entry.segment.uuid;
  }
  close();
  return operations;
}

/** How many passages at the start and at the end were the same when a document was last compared with these. */
type Compared = { readonly children: readonly Node[]; readonly start: number; readonly tail: number };
const compared = new WeakMap<readonly Segment[], Compared>();

function comparedBefore(base: readonly Segment[], children: readonly Node[]): Pick<Compared, 'start' | 'tail'> {
  const before = compared.get(base);
  if (!before) return { start: 0, tail: 0 };
  let start = 0;
  while (start < before.start && before.children[start] === children[start]) start += 1;
  const most = Math.min(before.tail, Math.min(base.length, children.length) - start);
  let tail = 0;
  const [oldEnd, end] = [before.children.length - 1, children.length - 1];
  while (tail < most && before.children[oldEnd - tail] === children[end - tail]) tail += 1;
  return { start, tail };
}

/** Both lists side by side. Passages never change their order. */
function entriesOf(base: readonly Segment[], children: readonly Node[]): Entry[] {
  const nodes = new Set(children.map((node) => attrsOf(node).uuid));
  const known = new Map(base.map(({ uuid }, i) => [uuid, i]));
  const entries: Entry[] = [];
  let at = 0;
  const removeUntil = (uuid: string | null): void => {
    for (; at < base.length && base[at]?.uuid !== uuid; at += 1) {
      const segment = base[at] as Segment;
      if (!nodes.has(segment.uuid)) entries.push({ kind: 'removed', segment });
    }
  };
  for (const node of children) {
    const { uuid } = attrsOf(node);
    // One that stood elsewhere would skip others, whose text would be lost.
    if ((known.get(uuid) ?? -1) < at) {
      // What was removed before a new passage belongs to its stretch.
      while (at < base.length && !nodes.has(base[at]?.uuid ?? '')) {
        entries.push({ kind: 'removed', segment: base[at] as Segment });
        at += 1;
      }
      entries.push({ kind: 'new', node });
      continue;
    }
    removeUntil(uuid);
    const segment = base[at];
    at += 1;
    if (segment) entries.push({ kind: isSame(segment, node) ? 'same' : 'changed', segment, node });
  }
  removeUntil(null);
  return entries;
}

function isSame(segment: Segment, node: Node): boolean {
  const { uuid, speaker, times, accepted } = attrsOf(node);
  if (uuid !== segment.uuid || speaker !== (segment.speaker?.uuid ?? null)) return false;
  if (times !== null || accepted.length > 0) return false;
  return segmentOf(node) === segment || textOf(node) === plainText(segment.text);
}

function operationsOfStretch(stretch: readonly Entry[], last: string | null): Operation[] {
  const changed = stretch.flatMap((entry) => (entry.kind === 'changed' ? [entry] : []));
  // Without new and removed passages each one is an operation of its own.
  if (changed.length === stretch.length) return changed.map(({ segment, node }) => replace([segment], [node], null));
  const run = stretch.flatMap((entry) => (entry.kind === 'new' ? [] : [entry.segment]));
  const nodes = stretch.flatMap((entry) => (entry.kind === 'removed' ? [] : [entry.node]));
  if (run.length <= maxRun && nodes.length <= maxRun)
    return run.length === 0 ? insertions(nodes, last) : [replace(run, nodes, last)];
  const rest = stretch.filter(({ kind }) => kind !== 'removed');
  return [...removals(stretch), ...operationsOfStretch(rest, last)];
}

/** Each removes passages that are next to each other. */
function removals(stretch: readonly Entry[]): Operation[] {
  const runs: Segment[][] = [];
  let run: Segment[] | null = null;
  for (const entry of stretch) {
    if (entry.kind === 'changed' || (run !== null && run.length === maxRun)) run = null;
    if (entry.kind !== 'removed') continue;
    if (run === null) runs.push((run = []));
    run.push(entry.segment);
  }
  return runs.map((segments) => replace(segments, [], null));
}

function insertions(nodes: readonly Node[], last: string | null): Operation[] {
  const groups: Node[][] = [];
  let letters = Infinity;
  for (const node of nodes) {
    if (letters + node.content.size > maxInsertedLetters || groups.at(-1)?.length === maxInserted) {
      groups.push([]);
      letters = 0;
    }
    groups.at(-1)?.push(node);
    letters += node.content.size;
  }
  let after = last;
  return groups.map((group) => {
    const operation = replace([], group, after);
    after = group.reduce<string | null>((_, node) => attrsOf(node).uuid, null);
    return operation;
  });
}

/** What one request sends of them. */
export function batchOf(operations: readonly Operation[]): Operation[] {
  let letters = 0;
  const until = operations.slice(0, maxBatch).findIndex((operation, i) => {
    letters += JSON.stringify(operation).length;
    return i > 0 && letters > maxLetters;
  });
  return operations.slice(0, until === -1 ? maxBatch : until);
}

function replace(run: readonly Segment[], nodes: readonly Node[], after: string | null): Operation {
  const byId = new Map(run.map((segment) => [segment.uuid, segment]));
  return {
    segments: run.map(({ uuid, version }) => ({ uuid, version })),
    ...(run.length === 0 && { after_uuid: after }),
    replacement: nodes.map((node): Piece => {
      const { uuid, speaker, accepted, base, ...attrs } = attrsOf(node);
      const segment = byId.get(uuid);
      const text = textOf(node);
      // A passage that is back after it was deleted is where it was.
      const old = segment === undefined && base !== null ? { start: base.start_time, end: base.end_time } : null;
      const times = attrs.times ?? old;
      return {
        uuid,
        ...((segment === undefined || plainText(segment.text) !== text) && { text }),
        ...((segment === undefined || (segment.speaker?.uuid ?? null) !== speaker) && { speaker_uuid: speaker }),
        ...(times && { start_time: times.start, end_time: times.end }),
        ...(accepted.length > 0 && { accepted_words: [...accepted] }),
      };
    }),
  };
}

/** Becomes a conflict: no passage has its version. What is inserted replaces nothing, and is compared with itself. */
export function outdated(operation: Operation): Operation {
  const { segments, replacement } = operation;
  const known = segments.length > 0 ? segments : replacement.slice(0, 1);
  return { ...operation, segments: known.map(({ uuid }) => ({ uuid, version: -1 })) };
}

export function isOutdated({ segments }: Operation): boolean {
  return segments.some(({ version }) => version === -1);
}
