import { describe, expect, it } from '@jest/globals';
import { closeHistory } from 'prosemirror-history';
import { TextSelection, type Command } from 'prosemirror-state';
import { createCorrectionsServer, Outdated, type CorrectionsServer } from '../../../test/editor/corrections-server.ts';
import { segment, speakers, undoAll } from '../../../test/editor/several-editors.ts';
import { createEditor, type Editor } from '../../../test/editor/simulated-editor.ts';
import { deletePassages, joinAfter, splitPassage } from './commands.ts';
import type { Operation } from './operations.ts';

function open() {
  const server = createCorrectionsServer([segment(0), segment(1)], speakers);
  const words = { own: new Set<string>(), deleted: new Set<string>(), wronglyRemoved: new Set<string>() };
  // The connection never fails with these numbers.
  return { server, editor: createEditor(server, 'ada', (below) => (below === 2 ? 0 : 1), words) };
}

function press(editor: Editor, command: Command, at: number): void {
  const { tr, doc } = editor.state();
  editor.dispatch(tr.setSelection(TextSelection.create(doc, at)));
  command(editor.state(), (done) => editor.dispatch(done));
}

it('a saved step is undone on the server, also when it was typed together with one that is not saved', async () => {
  const { server, editor } = open();
  const [first] = server.states();
  deletePassages(editor.state(), (tr) => editor.dispatch(tr));
  await editor.autosave().flush();
  editor.dispatch(editor.state().tr.insertText('well ', 2));
  await editor.revert('undo');
  expect(server.passages()).toHaveLength(1);
  await editor.revert('undo');
  expect(server.states().at(-1)).toEqual(first);
  expect(editor.shown().map(({ text }) => text)).toEqual(server.passages().map(({ text }) => text));
  editor.close();
});

it('a step that is not saved is undone at its place also when passages of others were shown since', async () => {
  const { server, editor } = open();
  const [one, two] = [segment(0), segment(1)];
  press(editor, splitPassage, 2 + 'w0.0'.length);
  press(editor, deletePassages, 2);
  expect(editor.shown().map(({ text }) => text)[0]).toBe(one.text.slice('w0.0 '.length));
  const operation = { segments: [{ uuid: two.uuid }], replacement: [{ uuid: two.uuid, text: 'of bob' }] };
  server.apply('bob', { uuid: 'of bob', operations: [operation] });
  await editor.receive();
  await editor.revert('undo');
  const texts = editor.shown().map(({ text }) => text);
  expect(texts.join(' ')).toBe(`${one.text} of bob`);
  expect(server.passages().map(({ text }) => text)).toEqual(texts);
  editor.close();
});

it.each([0, 90, 110, 115, 120, 130])(
  'each step that is not saved is undone here after %i saved ones, also when the document has forgotten the first ones',
  async (saved) => {
    const { server, editor } = open();
    const type = (word: string): void => editor.dispatch(editor.state().tr.insertText(`${word} `, 2));
    for (let i = 0; i < saved; i += 1) {
      type('saved');
      await editor.autosave().flush();
    }
    editor.setOnline(false);
    const [texts] = [server.passages().map(({ text }) => text)];
    for (let i = 0; i < 30; i += 1) {
      type('unsaved');
      // Each is a step of its own.
      editor.dispatch(closeHistory(editor.state().tr));
    }
    for (let i = 0; i < 30; i += 1) expect(await editor.revert('undo')).toBe(true);
    expect(editor.shown().map(({ text }) => text)).toEqual(texts);
    expect(editor.autosave().canUndoHere()).toBe(false);
    editor.close();
  },
);

it('words that were undone before they were saved are not redone as another correction', async () => {
  const { server, editor } = open();
  const [one, two] = [segment(0), segment(1)];
  editor.dispatch(editor.state().tr.insertText('saved ', 2));
  await editor.autosave().flush();
  await editor.revert('undo');
  editor.dispatch(editor.state().tr.insertText('unsaved ', 2));
  await editor.revert('undo');
  const operation = { segments: [{ uuid: two.uuid }], replacement: [{ uuid: two.uuid, text: 'of bob' }] };
  server.apply('bob', { uuid: 'of bob', operations: [operation] });
  await editor.receive();
  expect(await editor.revert('redo')).toBe(false);
  expect(server.passages().map(({ text }) => text)).toEqual([one.text, 'of bob']);
  await editor.revert('redo');
  expect(server.passages().map(({ text }) => text)).toEqual([`saved ${one.text}`, 'of bob']);
  editor.close();
});

it.each<[string, Command, number]>([
  ['joined', joinAfter, 2 + segment(0).text.length],
  ['split', splitPassage, 2 + 'w0.0'.length],
])('times that were set and not saved do not move the words of a passage that was %s then', async (_, command, at) => {
  const { server, editor } = open();
  const words = server.passages().flatMap((one) => one.words);
  const { tr } = editor.state();
  editor.dispatch(tr.setNodeAttribute(1, 'times', { start: 0, end: 8.9 }));
  press(editor, command, at);
  await editor.autosave().flush();
  await editor.autosave().flush();
  expect(editor.autosave().isIdle()).toBe(true);
  expect(server.passages().flatMap((one) => one.words)).toEqual(words);
  editor.close();
});

describe('undo by several people', () => {
  const [one, two] = [segment(0), segment(1)];
  const part = '00000001-0000-4000-8000-000000000000';
  const original = one.words.map(({ word }) => word);
  /** The first passage with other words. */
  const texted = (text: string): Operation => ({
    segments: [{ uuid: one.uuid }],
    replacement: [{ uuid: one.uuid, text }],
  });
  const typed = (at: number, word: string, words = original) => texted(words.toSpliced(at, 1, word).join(' '));
  const elsewhere: Operation = { segments: [{ uuid: two.uuid }], replacement: [{ uuid: two.uuid, text: 'else' }] };
  const accept: Operation = {
    segments: [{ uuid: one.uuid }],
    replacement: [{ uuid: one.uuid, accepted_words: [0, 3, 6] }],
  };
  const split = (text: string): Operation => {
    const words = text.split(' ');
    return {
      segments: [{ uuid: one.uuid }],
      replacement: [
        { uuid: one.uuid, text: words.slice(0, 4).join(' ') },
        { uuid: part, text: words.slice(4).join(' ') },
      ],
    };
  };
  const join = (text: string): Operation => ({
    segments: [{ uuid: one.uuid }, { uuid: part }],
    replacement: [{ uuid: one.uuid, text }],
  });
  type Step = readonly [person: string, what: 'undo' | 'redo' | Operation];
  const after = (steps: readonly Step[]) => {
    const server = createCorrectionsServer([one, two], speakers);
    for (const [i, [person, what]] of steps.entries())
      if (typeof what === 'string') server.revert(person, what, `${i}`);
      else server.apply(person, { uuid: `${i}`, operations: [what] });
    return server;
  };
  const acceptedIn = (server: CorrectionsServer): string[] =>
    server
      .passages()
      .flatMap(({ words }) => words.flatMap(({ word, confidence }) => (confidence === null ? word : [])));

  const accepting: [string, Step[], string[]][] = [
    [
      'deleted when that was undone',
      [
        ['ada', accept],
        ['bob', texted('w0.0 w0.1')],
        ['ada', 'undo'],
        ['bob', 'undo'],
      ],
      [],
    ],
    [
      'split off when that was undone',
      [
        ['ada', accept],
        ['bob', split(one.text)],
        ['ada', 'undo'],
      ],
      [],
    ],
    [
      'split off when that was redone',
      [
        ['ada', accept],
        ['bob', split(one.text)],
        ['ada', 'undo'],
        ['ada', 'redo'],
      ],
      ['w0.0', 'w0.3', 'w0.6'],
    ],
    [
      'accepted in a part that was joined again when that was undone',
      [
        ['bob', split(one.text)],
        ['ada', { segments: [{ uuid: part }], replacement: [{ uuid: part, accepted_words: [6] }] }],
        ['bob', 'undo'],
        ['ada', 'undo'],
      ],
      [],
    ],
    [
      'deleted when that was redone',
      [
        ['ada', accept],
        ['ada', 'undo'],
        ['bob', texted('w0.0 w0.1')],
        ['ada', 'redo'],
        ['bob', 'undo'],
      ],
      ['w0.0', 'w0.3', 'w0.6'],
    ],
    [
      'back when that was done, and deleted since',
      [
        ['bob', texted('w0.0 w0.1')],
        ['bob', 'undo'],
        ['ada', accept],
        ['bob', 'redo'],
        ['bob', 'undo'],
      ],
      ['w0.0', 'w0.3', 'w0.6'],
    ],
  ];
  it.each(accepting)('leaves a word accepted as its person has left it, also one that was %s', (_, steps, accepted) => {
    const server = after(steps);
    expect(acceptedIn(server)).toEqual(accepted);
    expect(undoAll(server)).toEqual([]);
  });

  const changed = typed(7, 'n1').replacement[0]?.text ?? '';
  const undoneUnder: [string, Step[]][] = [
    [
      'what was typed and deleted by one other person',
      [
        ['bob', elsewhere],
        ['ada', typed(7, 'n1')],
        ['bob', typed(2, 'n2', changed.split(' '))],
        ['bob', texted(changed)],
      ],
    ],
    [
      'a split by one other person that was joined by a third one',
      [
        ['eve', elsewhere],
        ['ada', typed(7, 'n1')],
        ['bob', split(changed)],
        ['eve', join(changed)],
      ],
    ],
  ];
  it.each(undoneUnder)('passes over a step that is in the way when an earlier one was undone under %s', (_, steps) => {
    const server = after([...steps, ['ada', 'undo']]);
    expect(server.passages().map(({ text }) => text)).toEqual([one.text, 'else']);
    server.revert(steps[0]?.[0] ?? '', 'undo', 'the last one');
    expect(server.passages().map(({ text }) => text)).toEqual([one.text, two.text]);
    expect(undoAll(server)).toEqual([]);
  });

  it('is refused, and passes over nothing, while a later change of another person stands', () => {
    const server = after([
      ['ada', elsewhere],
      ['ada', typed(7, 'n1')],
      ['bob', typed(2, 'n2', changed.split(' '))],
    ]);
    expect(() => server.revert('ada', 'undo', 'refused')).toThrow(Outdated);
    server.revert('bob', 'undo', 'of bob');
    server.revert('ada', 'undo', 'of ada');
    expect(server.passages()[0]?.text).toBe(one.text);
  });
});
