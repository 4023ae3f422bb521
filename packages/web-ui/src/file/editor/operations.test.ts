import { describe, expect, it } from '@jest/globals';
import type { Node } from 'prosemirror-model';
import { EditorState, TextSelection } from 'prosemirror-state';
import type { Segment } from '../../api/queries.ts';
import { assignSpeaker, joinBefore, splitPassage } from './commands.ts';
import { applyResult, asSaved, repeatOperations, showPassages } from './merge.ts';
import { batchOf, operationsOf, type Operation } from './operations.ts';
import { attrsOf, docOf, passageOf, passagesOf, schema, textOf } from './schema.ts';

function segment(uuid: string, text: string, change: Partial<Segment> = {}): Segment {
  return {
    uuid,
    start_time: Number(uuid),
    end_time: Number(uuid) + 1,
    text,
    speaker: { uuid: 'ada', name: 'SPEAKER_01', display_name: 'Ada' },
    confidence: null,
    edited: false,
    edited_at: null,
    edited_by: null,
    edited_by_name: null,
    version: 1,
    words: [],
    redactions: [],
    withheld: false,
    ...change,
  };
}

const base = [segment('1', 'good morning everybody'), segment('2', 'hello'), segment('3', 'let us begin')];

function stateOf(segments: readonly Segment[]): EditorState {
  const nodes = segments.map((one) => passageOf(one, false));
  // Each in a group of its own, so that what is done with several is done over the borders of groups.
  return EditorState.create({ schema, doc: docOf(nodes, 1) });
}

/** The position of a text in the document. */
function at(state: EditorState, text: string): number {
  let found = -1;
  state.doc.descendants((node, position) => {
    const index = node.isText ? (node.text ?? '').indexOf(text) : -1;
    if (index >= 0) found = position + index;
  });
  return found;
}

function select(state: EditorState, from: number, to = from): EditorState {
  return state.apply(state.tr.setSelection(TextSelection.create(state.doc, from, to)));
}

function passageAt({ doc }: EditorState, index: number): Node {
  return passagesOf(doc)[index] as Node;
}

function textsOf(state: EditorState): string[] {
  return passagesOf(state.doc).map(textOf);
}

function after(state: EditorState, command: typeof splitPassage): EditorState {
  let next = state;
  expect(command(state, (tr) => (next = state.apply(tr)))).toBe(true);
  return next;
}

describe('the operations of a document', () => {
  it('are none for the passages of the server', () => {
    expect(operationsOf(base, stateOf(base).doc)).toEqual([]);
  });

  it('have every text also where the passages stand in another order than those of the server', () => {
    const [one, two, three] = base as [Segment, Segment, Segment];
    const state = stateOf([two, one, three]);
    const typed = state.apply(state.tr.insertText('oh ', at(state, 'let')).insertText('oh ', at(state, 'good')));
    const texts = operationsOf(base, typed.doc).flatMap(({ replacement }) => replacement.map(({ text }) => text));
    expect(texts).toEqual(expect.arrayContaining(['oh good morning everybody', 'oh let us begin']));
  });

  it('that replaced passages together leave what others have inserted between them at its place', () => {
    const [one, two, three] = base as [Segment, Segment, Segment];
    const between = segment('9', 'by the way');
    const operation: Operation = {
      segments: [{ uuid: '1' }, { uuid: '2' }],
      replacement: [
        { uuid: '1', text: 'good' },
        { uuid: '2', text: 'morning' },
      ],
    };
    const stored = [one, between, two, three];
    const saved = asSaved(stored, [operation], stored);
    expect(saved.map(({ uuid, text }) => [uuid, text])).toEqual([
      ['1', 'good'],
      ['9', 'by the way'],
      ['2', 'morning'],
      ['3', 'let us begin'],
    ]);
  });

  it('that were loaded with what others have changed since are not repeated on it', () => {
    const loaded = [segment('1', 'good evening everybody there', { version: 3 })];
    const sent: Operation = {
      segments: [{ uuid: '1', version: 1 }],
      replacement: [{ uuid: '1', text: 'good morning everybody there' }],
    };
    expect(asSaved(loaded, [sent], loaded)).toEqual(loaded);
  });

  it('that were loaded are not repeated where they insert, with what others have typed there since', () => {
    const typed = segment('9', 'by the way', { version: 2 });
    const sent: Operation = { segments: [], after_uuid: '1', replacement: [{ uuid: '9', text: '' }] };
    const loaded = [...base.slice(0, 1), typed, ...base.slice(1)];
    expect(asSaved(loaded, [sent], loaded)).toEqual(loaded);
  });

  it('have inserted also what others have removed since', () => {
    const sent: Operation = {
      segments: [],
      after_uuid: '1',
      replacement: [
        { uuid: '8', text: 'by the way' },
        { uuid: '9', text: 'hello' },
      ],
    };
    const [first, ...others] = base;
    const next = [first as Segment, segment('9', 'hello'), ...others];
    expect(asSaved(base, [sent], next).map(({ uuid, text, version }) => [uuid, text, version])).toEqual([
      ['1', first?.text, 1],
      ['8', 'by the way', -1],
      ['9', 'hello', 1],
      ...others.map(({ uuid, text }) => [uuid, text, 1]),
    ]);
  });

  it('are one for each passage whose text was changed', () => {
    const state = stateOf(base);
    const next = state.apply(state.tr.insertText('!', at(state, 'begin')).insertText('?', at(state, 'morning')));
    expect(operationsOf(base, next.doc)).toEqual([
      { segments: [{ uuid: '1', version: 1 }], replacement: [{ uuid: '1', text: 'good ?morning everybody' }] },
      { segments: [{ uuid: '3', version: 1 }], replacement: [{ uuid: '3', text: 'let us !begin' }] },
    ]);
  });

  it('do not count spaces at the ends of a passage', () => {
    const state = stateOf(base);
    expect(operationsOf(base, state.apply(state.tr.insertText(' ', at(state, 'hello') + 5)).doc)).toEqual([]);
  });

  it('replace a passage by the two of a split, and two by the one of a merge', () => {
    const state = stateOf(base);
    const split = after(select(state, at(state, ' everybody')), splitPassage);
    const uuid = attrsOf(passageAt(split, 1)).uuid;
    expect(operationsOf(base, split.doc)).toEqual([
      {
        segments: [{ uuid: '1', version: 1 }],
        replacement: [
          { uuid: '1', text: 'good morning' },
          { uuid, text: 'everybody', speaker_uuid: 'ada' },
        ],
      },
    ]);
    const merged = after(select(state, at(state, 'hello')), joinBefore);
    expect(operationsOf(base, merged.doc)).toEqual([
      {
        segments: [
          { uuid: '1', version: 1 },
          { uuid: '2', version: 1 },
        ],
        replacement: [{ uuid: '1', text: 'good morning everybody hello' }],
      },
    ]);
  });

  it('give exactly the selected words another speaker', () => {
    const state = stateOf(base);
    const selected = select(state, at(state, 'morning'), at(state, 'let') + 3);
    const next = selected.apply(assignSpeaker(selected, 'bob'));
    const said: unknown[] = [];
    passagesOf(next.doc).forEach((node) => said.push([textOf(node), attrsOf(node).speaker]));
    expect(said).toEqual([
      ['good', 'ada'],
      ['morning everybody', 'bob'],
      ['hello', 'bob'],
      ['let', 'bob'],
      ['us begin', 'ada'],
    ]);
  });

  it('insert and delete passages', () => {
    const state = stateOf(base);
    const empty = after(select(state, at(state, 'hello') + 5), splitPassage);
    const uuid = attrsOf(passageAt(empty, 2)).uuid;
    expect(operationsOf(base, empty.doc)).toEqual([
      { segments: [], after_uuid: '2', replacement: [{ uuid, text: '', speaker_uuid: 'ada' }] },
    ]);
    const shorter = showPassages(state, [base[0]!, base[2]!]);
    expect(operationsOf(base, state.apply(shorter).doc)).toEqual([
      { segments: [{ uuid: '2', version: 1 }], replacement: [] },
    ]);
  });
});

describe('a change of many passages', () => {
  const many = Array.from({ length: 1_200 }, (_, i) => segment(String(i), `passage ${i}`));

  it('is a few operations, which one request sends: one undo takes all of it back', () => {
    const removed = operationsOf(many, stateOf([many[0]!]).doc);
    expect(removed.map(({ segments }) => segments.length)).toEqual([500, 500, 199]);
    expect(batchOf(removed)).toEqual(removed);
  });

  it('inserts passages in groups, in their order', () => {
    const operations = operationsOf([many[0]!], stateOf(many.slice(0, 121)).doc);
    expect(operations.map(({ after_uuid: after, replacement }) => [after, replacement.length])).toEqual([
      ['0', 50],
      ['50', 50],
      ['100', 20],
    ]);
  });

  it('is sent in parts where a request would be too large', () => {
    const long = Array.from({ length: 60 }, (_, i) => segment(String(i), 'x'.repeat(19_000)));
    const operations = operationsOf([], stateOf(long).doc);
    const first = batchOf(operations);
    expect(JSON.stringify(first).length).toBeLessThan(500_000);
    expect(first.length).toBeGreaterThan(0);
    expect(first.length).toBeLessThan(operations.length);
  });

  it('leaves passages where they were that are back after they were deleted', () => {
    expect(operationsOf([base[0]!, base[2]!], stateOf(base).doc)).toEqual([
      {
        segments: [],
        after_uuid: '1',
        replacement: [{ uuid: '2', text: 'hello', speaker_uuid: 'ada', start_time: 2, end_time: 3 }],
      },
    ]);
  });
});

describe('unsaved operations', () => {
  const mine: Operation[] = [
    { segments: [{ uuid: '1', version: 1 }], replacement: [{ uuid: '1', text: 'good evening' }] },
    { segments: [{ uuid: '3', version: 1 }], replacement: [{ uuid: '3', text: 'mine' }] },
  ];

  it('are repeated beside the changes of others, and those of a changed passage become conflicts', () => {
    const theirs = [base[0]!, segment('4', 'new'), base[1]!, segment('3', 'theirs', { version: 2 })];
    const state = stateOf(base);
    const { tr, conflicts } = repeatOperations(state, theirs, mine);
    expect(textsOf(state.apply(tr))).toEqual(['good evening', 'new', 'hello', 'theirs']);
    expect(conflicts).toEqual([{ segmentUuid: '3', text: 'mine', start: 3 }]);
  });

  it('and the changes of others are both kept where they are of different words, with the caret at its word', () => {
    const typed = stateOf(base);
    const next = typed.apply(typed.tr.insertText(' in Oslo', at(typed, 'everybody') + 9));
    const state = select(next, at(next, 'Oslo') + 2);
    const theirs = [segment('1', 'a very good morning everybody', { version: 2 }), ...base.slice(1)];
    const { tr, conflicts } = repeatOperations(state, theirs, operationsOf(base, state.doc), base);
    const merged = state.apply(tr);
    expect(conflicts).toEqual([]);
    expect(textsOf(merged)[0]).toBe('a very good morning everybody in Oslo');
    expect(merged.selection.head).toBe(at(merged, 'Oslo') + 2);
    expect(operationsOf(theirs, merged.doc)).toEqual([
      {
        segments: [{ uuid: '1', version: 2 }],
        replacement: [{ uuid: '1', text: 'a very good morning everybody in Oslo' }],
      },
    ]);
  });

  it('keep the space after which the next word is typed', () => {
    const state = stateOf(base);
    for (const [typed, theirs] of [
      [' there ', base[1]!],
      [' there ', segment('2', 'well hello', { version: 2 })],
    ] as const) {
      const next = state.apply(state.tr.insertText(typed, at(state, 'hello') + 5));
      const now = [base[0]!, theirs, segment('3', 'changed', { version: 2 })];
      const { tr } = repeatOperations(next, now, operationsOf(base, next.doc), base);
      expect(passageAt(next.apply(tr), 1).textContent).toBe(`${theirs.text}${typed}`);
    }
  });

  it('keep a new speaker beside the words of others, and are a conflict beside their speaker', () => {
    const mine: Operation[] = [
      { segments: [{ uuid: '2', version: 1 }], replacement: [{ uuid: '2', speaker_uuid: 'grace' }] },
    ];
    const [first, second, third] = base as [Segment, Segment, Segment];
    const speakersOf = (theirs: Segment) => {
      const state = stateOf(base);
      const { tr, conflicts } = repeatOperations(state, [first, theirs, third], mine, base);
      return [conflicts.length, attrsOf(passageAt(state.apply(tr), 1)).speaker];
    };
    expect(speakersOf({ ...second, version: 2, text: 'hello there' })).toEqual([0, 'grace']);
    const bob = { uuid: 'bob', name: 'SPEAKER_03', display_name: 'Bob' };
    expect(speakersOf({ ...second, version: 2, speaker: bob })).toEqual([1, 'bob']);
  });

  it.each([
    ['changed', [segment('3', 'bye then', { version: 2 })]],
    ['inserted another one before', [segment('8', 'well'), segment('3', 'bye')]],
  ])(
    'of a join with a passage that is stored already are made as a whole or not at all: others have %s the other',
    (_, third) => {
      const split = [segment('2', 'hel', { version: 2 }), segment('9', 'lo')];
      const join: Operation[] = [
        {
          segments: ['2', '3'].map((uuid) => ({ uuid, version: 1 })),
          replacement: [
            { uuid: '2', text: 'hel' },
            { uuid: '9', text: 'lo bye' },
          ],
        },
      ];
      const state = stateOf(base);
      const theirs = [base[0]!, ...split, ...third];
      const { tr, conflicts } = repeatOperations(state, theirs, join, base);
      expect(textsOf(state.apply(tr))).toEqual(theirs.map(({ text }) => text));
      expect(conflicts).toMatchObject([{ text: 'hel\nlo bye' }]);
    },
  );

  it('of a passage with masked parts are conflicts when others have changed it', () => {
    const mask = { uuid: 'm', kind: 'name', start: 0, end: 4 } as unknown as Segment['redactions'][number];
    const old = [segment('1', 'good morning', { redactions: [mask] })];
    const theirs = [segment('1', 'good morning all', { redactions: [mask], version: 2 })];
    const mine: Operation[] = [
      { segments: [{ uuid: '1', version: 1 }], replacement: [{ uuid: '1', text: 'good old morning' }] },
    ];
    expect(repeatOperations(stateOf(old), theirs, mine, old).conflicts).toHaveLength(1);
  });

  it('are no conflicts when the server has their result already', () => {
    const saved = [segment('1', 'good evening', { version: 2 }), base[1]!, segment('3', 'mine', { version: 2 })];
    expect(repeatOperations(stateOf(base), saved, mine).conflicts).toEqual([]);
  });
});

describe('the result of a request', () => {
  it('replaces, removes and inserts passages in their places', () => {
    const result = {
      revision: 1,
      transcript_version: 2,
      segments: [
        { ...segment('1', 'good', { version: 2 }), previous_uuid: null },
        { ...segment('9', 'morning'), previous_uuid: '1' },
      ],
      removed: ['2'],
      can_undo: true,
      can_redo: false,
    };
    expect(applyResult(base, result)).toEqual([segment('1', 'good', { version: 2 }), segment('9', 'morning'), base[2]]);
  });
});

describe('a passage that is withheld until it was scanned', () => {
  it('keeps showing what was typed, so that it is not saved again', () => {
    const state = stateOf(base);
    const typed = state.apply(state.tr.insertText('oh ', at(state, 'hello')));
    const operations = operationsOf(base, typed.doc);
    const withheld = segment('2', '[withheld]', { version: 2, withheld: true });
    const result = {
      revision: 1,
      transcript_version: 2,
      segments: [{ ...withheld, previous_uuid: '1' }],
      removed: [],
      can_undo: true,
      can_redo: false,
    };
    const saved = applyResult(base, result, operations);
    expect(saved[1]).toMatchObject({ text: 'oh hello', version: 2, withheld: false });
    expect(operationsOf(saved, typed.doc)).toEqual([]);
  });
});

describe('a masked part', () => {
  it('is part of the text and keeps its place in a split', () => {
    const masked = segment('1', 'call [phone] now', {
      redactions: [{ uuid: 'r', kind: 'phone', start: 5, end: 12 }],
    });
    const state = stateOf([masked]);
    expect(textsOf(state)).toEqual(['call [phone] now']);
    const split = after(select(state, at(state, ' now')), splitPassage);
    expect(textsOf(split)).toEqual(['call [phone]', 'now']);
  });
});
