import { TextSelection, type Command, type EditorState } from 'prosemirror-state';
import type { Random } from '@overtone/testkit/seed';
import {
  assignSpeaker,
  deletePassages,
  joinAfter,
  joinBefore,
  nudge,
  splitPassage,
} from '../../src/file/editor/commands.ts';
import { passagesOf, replacePassages, schema, startsOf } from '../../src/file/editor/schema.ts';
import { acceptWords } from '../../src/file/editor/uncertain.ts';
import { wordsOf, type Editor } from './simulated-editor.ts';

type Kind = (typeof kinds)[number];
const kinds = [
  'type',
  'delete word',
  'replace word',
  'delete selection',
  'split',
  'join before',
  'join after',
  'delete passages',
  'insert passages',
  'speaker of passage',
  'speaker of selection',
  'nudge',
  'accept',
] as const;
/** People mostly type. */
const weights: Record<Kind, number> = {
  type: 10,
  'delete word': 4,
  'replace word': 4,
  'delete selection': 1,
  split: 3,
  'join before': 2,
  'join after': 1,
  'delete passages': 1,
  'insert passages': 1,
  'speaker of passage': 2,
  'speaker of selection': 2,
  nudge: 2,
  accept: 1,
};
const drawn = kinds.flatMap((kind) => Array.from({ length: weights[kind] }, () => kind));
/** Fewer passages are not deleted, so that there is something to edit. */
const fewest = 4;

type Context = { readonly random: Random; readonly name: () => string; readonly speakers: readonly string[] };
type Place = { readonly index: number; readonly start: number; readonly text: string };

/** One step of a person at a document, through the commands of the editor. @returns what it was; null when nothing changed */
export function change(editor: Editor, context: Context): Kind | null {
  const { random } = context;
  const before = editor.state().doc;
  const passages = passagesOf(before);
  if (passages.length === 0) {
    const { tr } = editor.state();
    replacePassages(tr, 0, 0, pastedPassages(context, 1));
    editor.dispatch(tr);
    return 'insert passages';
  }
  const kind = drawn[random(drawn.length)] ?? 'type';
  const index = random(passages.length);
  const start = (startsOf(before)[index] ?? 0) + 1;
  changes[kind](editor, { index, start, text: passages[index]?.textContent ?? '' }, context);
  return editor.state().doc === before ? null : kind;
}

type Change = (editor: Editor, place: Place, context: Context) => void;

const changes: Record<Kind, Change> = {
  type: (editor, { start, text }, { random, name }) =>
    editor.dispatch(editor.state().tr.insertText(` ${name()} `, start + gapIn(text, random))),
  'delete word': (editor, { start, text }, { random }) => {
    const word = wordIn(text, random);
    if (word) editor.dispatch(editor.state().tr.delete(start + word.from, start + word.to));
  },
  'replace word': (editor, { start, text }, { random, name }) => {
    const word = wordIn(text, random);
    if (word) editor.dispatch(editor.state().tr.insertText(name(), start + word.from, start + word.to));
  },
  'delete selection': (editor, place, { random }) => {
    if (passagesOf(editor.state().doc).length <= fewest) return;
    select(editor, ...rangeFrom(editor.state(), place, random));
    editor.dispatch(editor.state().tr.deleteSelection());
  },
  split: (editor, { start, text }, { random }) => run(editor, splitPassage, start + gapIn(text, random)),
  'join before': (editor, { start }) => run(editor, joinBefore, start),
  'join after': (editor, { start, text }) => run(editor, joinAfter, start + text.length),
  'delete passages': (editor, place, { random }) => {
    if (passagesOf(editor.state().doc).length <= fewest + 1) return;
    const [from, to] = rangeFrom(editor.state(), place, random);
    run(editor, deletePassages, from, random(2) === 0 ? from : to);
  },
  'insert passages': (editor, { start }, context) =>
    editor.dispatch(editor.state().tr.insert(start - 1, pastedPassages(context, 1 + context.random(2)))),
  'speaker of passage': (editor, { start }, { random, speakers }) => {
    select(editor, start, start);
    editor.dispatch(assignSpeaker(editor.state(), speakers[random(speakers.length + 1)] ?? null));
  },
  'speaker of selection': (editor, place, { random, speakers }) => {
    select(editor, ...rangeFrom(editor.state(), place, random));
    editor.dispatch(assignSpeaker(editor.state(), speakers[random(speakers.length + 1)] ?? null));
  },
  nudge: (editor, { start }, { random }) => {
    select(editor, start, start);
    const moved = nudge(editor.state(), random(2) === 0 ? 'start' : 'end', random(2) === 0 ? 0.1 : -0.1);
    if (moved) editor.dispatch(moved.tr);
  },
  accept: (editor, { start, text }) => {
    select(editor, start, start + text.length);
    const accepted = acceptWords(editor.state());
    if (accepted) editor.dispatch(accepted);
  },
};

function select(editor: Editor, from: number, to: number): void {
  const { tr, doc } = editor.state();
  editor.dispatch(tr.setSelection(TextSelection.create(doc, from, to)));
}

function run(editor: Editor, command: Command, from: number, to = from): void {
  select(editor, from, to);
  command(editor.state(), (tr) => editor.dispatch(tr));
}

/** Pasted: the editor gives them ids and a speaker. */
function pastedPassages({ name }: Context, count: number) {
  return Array.from({ length: count }, () =>
    schema.nodes.passage.create({ uuid: '' }, schema.text(`${name()} ${name()}`)),
  );
}

/** The end of a word, or the start of the text. */
function gapIn(text: string, random: Random): number {
  const gaps = [0, ...Array.from(text.matchAll(/(?<=\S)(?= |$)/gu), ({ index }) => index)];
  return gaps[random(gaps.length)] ?? 0;
}

/** One of at least two words. */
function wordIn(text: string, random: Random): { from: number; to: number } | null {
  const words = [...text.matchAll(/\S+/gu)];
  const word = words[random(Math.max(1, words.length))];
  return !word || words.length < 2 ? null : { from: word.index, to: word.index + word[0].length };
}

/** From a place in a passage to one in the same or in the next. */
function rangeFrom({ doc }: EditorState, { index, start, text }: Place, random: Random): [number, number] {
  const from = start + gapIn(text, random);
  const passages = passagesOf(doc);
  const last = Math.min(passages.length - 1, index + random(2));
  const to = (startsOf(doc)[last] ?? 0) + 1 + gapIn(passages[last]?.textContent ?? '', random);
  return from < to ? [from, to] : [to, from];
}

/** The words that a step has added and removed. */
export function wordChanges(
  before: EditorState,
  after: EditorState,
): { readonly added: readonly string[]; readonly removed: readonly string[] } {
  const [left, right] = [new Set(wordsOf(before)), new Set(wordsOf(after))];
  return { added: [...right].filter((word) => !left.has(word)), removed: [...left].filter((word) => !right.has(word)) };
}
