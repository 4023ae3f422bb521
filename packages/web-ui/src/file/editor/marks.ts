import type { Node } from 'prosemirror-model';
import { Plugin, PluginKey, type EditorState, type Selection } from 'prosemirror-state';
import { Decoration, DecorationSet } from 'prosemirror-view';
import { codesAt, noteAt, type CodeMark, type Note } from '../comments/notes.ts';
import { doubtOf, tokensOf, type Match, type Token } from '../transcript.ts';
import { attrsOf, indexAt, indexesOf, passagesOf, schema, segmentOf, startsOf } from './schema.ts';

/** What is drawn on the words of passages. Only the groups of those from one index to another are in the DOM. */
export type Marks = {
  readonly from: number;
  readonly to: number;
  readonly hits: ReadonlyMap<string, readonly Match[]>;
  readonly current: { readonly uuid: string; readonly match: Match } | null;
  readonly now: { readonly uuid: string; readonly word: number } | null;
  /** Highlights and comments, of the whole transcript. */
  readonly notes: readonly Note[];
  /** Codes of passages, of the whole transcript. */
  readonly codes: readonly CodeMark[];
  /** Names of others whose caret is in a passage, by its id. */
  readonly people: ReadonlyMap<string, string>;
};
type DrawnPassage = {
  readonly node: Node;
  readonly index: number;
  readonly hits: readonly Match[] | undefined;
  readonly current: Match | null;
  readonly now: number | null;
  readonly notes: readonly Note[];
  readonly codes: readonly CodeMark[];
  readonly people: string | undefined;
};
type Drawn = {
  readonly marks: Marks;
  readonly decorations: DecorationSet;
  readonly passages: ReadonlyMap<string, DrawnPassage>;
};

const key = new PluginKey<Drawn>('marks');
const none: Marks = {
  from: 0,
  to: 30,
  hits: new Map(),
  current: null,
  now: null,
  notes: [],
  codes: [],
  people: new Map(),
};

export function marksPlugin(): Plugin<Drawn> {
  return new Plugin<Drawn>({
    key,
    state: {
      init: (_config, { doc, selection }) => draw(doc, selection, none, DecorationSet.empty, new Map()),
      apply: (tr, before) => {
        const change = tr.getMeta(key) as Partial<Marks> | undefined;
        if (!change && !tr.docChanged && !tr.selectionSet) return before;
        const moved = tr.docChanged ? windowIn(tr.doc, tr.before, before.marks) : before.marks;
        const marks = { ...moved, ...change };
        const decorations = tr.docChanged ? before.decorations.map(tr.mapping, tr.doc) : before.decorations;
        // An input method loses its text when the elements around it are replaced.
        if (tr.getMeta('composition') !== undefined) return { ...before, marks, decorations };
        return draw(tr.doc, tr.selection, marks, decorations, before.passages);
      },
    },
    props: { decorations: (state) => key.getState(state)?.decorations },
  });
}

export function marksOf(state: EditorState): Marks {
  return key.getState(state)?.marks ?? none;
}

/** The passages that have their text in the DOM, in ascending order. */
export function shownIndexes(state: EditorState): number[] {
  const passages = key.getState(state)?.passages.values() ?? [];
  return Array.from(passages, ({ index }) => index).toSorted((left, right) => left - right);
}

export function changeMarks(state: EditorState, change: Partial<Marks>) {
  return state.tr.setMeta(key, change).setMeta('addToHistory', false);
}

/** The same passages in a changed document, in which others were inserted or removed before them. */
function windowIn(doc: Node, before: Node, marks: Marks): Marks {
  const [old, now] = [passagesOf(before), passagesOf(doc)];
  for (let i = Math.max(0, marks.from); i < Math.min(marks.to, old.length); i += 1) {
    const uuid = uuidOf(old[i]);
    // The index of a whole document takes long.
    const index = uuidOf(now[i]) === uuid ? i : indexesOf(doc).get(uuid ?? '');
    const by = index === undefined ? 0 : index - i;
    if (index !== undefined) return by === 0 ? marks : { ...marks, from: marks.from + by, to: marks.to + by };
  }
  return marks;
}

function uuidOf(passage: Node | undefined): string | undefined {
  return passage && attrsOf(passage).uuid;
}

/** Draws again only what differs: the cost of a decoration grows with the number of passages. */
function draw(
  doc: Node,
  selection: Selection,
  marks: Marks,
  before: DecorationSet,
  drawn: ReadonlyMap<string, DrawnPassage>,
): Drawn {
  const [all, starts] = [passagesOf(doc), startsOf(doc)];
  const passages = new Map<string, DrawnPassage>();
  const removed: Decoration[] = [];
  const added: Decoration[] = [];
  const remove = (index: number): void => {
    const [at, size] = [starts[index] ?? 0, all[index]?.nodeSize ?? 0];
    removed.push(...before.find(at + 1, at + size - 1));
  };
  for (const [index, node] of passagesToShow(doc, selection, marks)) {
    const { uuid } = attrsOf(node);
    const passage: DrawnPassage = {
      node,
      index,
      hits: marks.hits.get(uuid),
      current: marks.current?.uuid === uuid ? marks.current.match : null,
      now: marks.now?.uuid === uuid ? marks.now.word : null,
      notes: marks.notes,
      codes: marks.codes,
      people: marks.people.get(uuid),
    };
    passages.set(uuid, passage);
    const old = drawn.get(uuid);
    if (old && isSame(old, passage)) continue;
    remove(index);
    added.push(...drawPassage(passage, starts[index] ?? 0));
  }
  for (const uuid of drawn.keys()) {
    const index = passages.has(uuid) ? undefined : indexesOf(doc).get(uuid);
    if (index !== undefined) remove(index);
  }
  return { marks, passages, decorations: before.remove(removed).add(doc, added) };
}

/** The passages of the groups in and near the window, and of the selection: the browser needs their text to show it. */
function passagesToShow(doc: Node, { $anchor, $head }: Selection, { from, to }: Marks): Map<number, Node> {
  const ends = [indexAt($anchor), indexAt($head)];
  const passages = new Map<number, Node>();
  let first = 0;
  for (const group of doc.children) {
    const [start, end] = [first, first + group.childCount];
    if ((start < to && end > from) || ends.some((index) => index >= start && index < end))
      group.children.forEach((passage, i) => passages.set(start + i, passage));
    first = end;
  }
  return passages;
}

function isSame(left: DrawnPassage, right: DrawnPassage): boolean {
  return (
    left.node === right.node &&
    left.index === right.index &&
    left.hits === right.hits &&
    left.current === right.current &&
    left.now === right.now &&
    left.notes === right.notes &&
    left.codes === right.codes &&
    left.people === right.people
  );
}

function drawPassage(passage: DrawnPassage, at: number): Decoration[] {
  const { node, index, hits = [], current, now, people } = passage;
  const attrs = {
    'data-seg': String(index),
    ...(now !== null && { 'data-current': '' }),
    ...(people !== undefined && { 'data-people': people }),
  };
  const { base } = attrsOf(node);
  const notes = base ? passage.notes : [];
  const allCodes = base ? passage.codes : [];
  const words = wordsOf(node).map(({ from, to, token }, i) => {
    const doubt = doubtOf(token.confidence);
    const note = noteAt(notes, token);
    const codes = codesAt(allCodes, token);
    const hit = hits.find(({ first, last }) => i >= first && i <= last);
    return Decoration.inline(at + 1 + from, at + 1 + to, {
      'data-w': String(i),
      ...(base && { 'data-t': String(token.start) }),
      ...(note && { 'data-note': note.look, 'data-note-id': note.id }),
      ...(codes.length > 0 && { 'data-code': codes.at(-1)?.color, title: codes.map(({ name }) => name).join(', ') }),
      ...(hit && { 'data-hit': current?.first === hit.first ? 'current' : 'yes' }),
      ...(doubt && { 'data-unsure': doubt }),
      ...(token.overlap && { 'data-overlap': '' }),
      ...(now === i && { 'data-now': '' }),
    });
  });
  return [Decoration.node(at, at + node.nodeSize, attrs), ...words];
}

export type PlacedWord = { readonly from: number; readonly to: number; readonly token: Token };
const words = new WeakMap<Node, readonly PlacedWord[]>();

/** The words of a passage with their positions in its content, where a masked part has the length one. */
export function wordsOf(node: Node): readonly PlacedWord[] {
  const known = words.get(node);
  if (known) return known;
  const segment = segmentOf(node);
  const positionOf = positionsIn(node);
  const tokens = segment.withheld ? [] : tokensOf(segment);
  const placed = [...segment.text.matchAll(/\S+/gu)].flatMap(({ 0: text, index }, i): PlacedWord[] => {
    const token = tokens[i];
    return token ? [{ from: positionOf(index), to: positionOf(index + text.length), token }] : [];
  });
  words.set(node, placed);
  return placed;
}

function positionsIn(node: Node): (offset: number) => number {
  const masked: { readonly start: number; readonly end: number }[] = [];
  let length = 0;
  node.forEach((child) => {
    const size = child.isText ? (child.text ?? '').length : String(child.attrs['text']).length;
    if (child.type === schema.nodes.masked) masked.push({ start: length, end: length + size });
    length += size;
  });
  if (masked.length === 0) return (offset) => offset;
  return (offset) => {
    let shift = 0;
    for (const { start, end } of masked) if (end <= offset) shift += end - start - 1;
    return offset - shift;
  };
}
