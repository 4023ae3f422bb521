import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { EditorState, type Transaction } from 'prosemirror-state';
import type { EditorView } from 'prosemirror-view';
import type { CorrectionResult } from '@overtone/contracts';
import type { Segment } from '../../api/queries.ts';
import { createAutosave, type AutosaveDeps, type Draft, type Request } from './autosave.ts';
import type { Operation } from './operations.ts';
import { attrsOf, docOf, passageOf, passagesOf, replacePassages, schema, startsOf, textOf } from './schema.ts';

function segment(uuid: string, text: string, version = 1): Segment {
  return {
    uuid,
    start_time: Number(uuid),
    end_time: Number(uuid) + 1,
    text,
    speaker: null,
    confidence: null,
    edited: false,
    edited_at: null,
    edited_by: null,
    edited_by_name: null,
    version,
    words: [],
    redactions: [],
    withheld: false,
  };
}

/** The part of an editor that saving needs, without a browser. */
function viewOf(segments: readonly Segment[]) {
  const doc = docOf(segments.map((one) => passageOf(one, false)));
  const view = {
    state: EditorState.create({ schema, doc }),
    composing: false,
    hasFocus: () => false,
    dispatch: (tr: Transaction) => void (view.state = view.state.apply(tr)),
  };
  return view;
}

const opened: { close: () => void }[] = [];
afterEach(() => {
  for (const autosave of opened.splice(0)) autosave.close();
});

function open(
  segments: readonly Segment[],
  kept: Draft | null,
  send: AutosaveDeps['send'],
  {
    revert = () => Promise.reject(new Error('no undo')),
    reload = () => Promise.resolve(segments),
  }: Partial<Pick<AutosaveDeps, 'revert' | 'reload'>> = {},
) {
  const view = viewOf(segments);
  let draft = kept;
  let loads = 0;
  const write = (next: Draft | null): void => void (draft = next);
  const autosave = createAutosave(view as unknown as EditorView, segments, {
    send,
    revert,
    reload,
    loadAgain: () => void (loads += 1),
    failureOf: (error) => (error === outdated ? 'outdated' : error === refused ? 'refused' : 'connection'),
    onRefused: () => undefined,
    onSaved: () => undefined,
    draft: { read: () => draft, write },
  });
  opened.push(autosave);
  return { view, autosave, draft: () => draft, write, loads: () => loads };
}

function textsOf({ state }: { state: EditorState }): string[] {
  return passagesOf(state.doc).map(textOf);
}

const base = [segment('1', 'good morning'), segment('2', 'let us begin')];
const outdated = new Error('outdated');
const refused = new Error('refused');
function lost(): Promise<never> {
  return Promise.reject(new Error('no connection'));
}
const typed: Draft['operations'] = [
  { segments: [{ uuid: '2', version: 1 }], replacement: [{ uuid: '2', text: 'let us begin now' }] },
];

describe('createAutosave', () => {
  it('keeps the draft of an earlier visit while parts of the transcript arrive', async () => {
    const kept: Draft = { request: null, operations: typed, conflicts: [] };
    const { view, autosave, draft } = open(base.slice(0, 1), kept, lost);
    await autosave.receivePassages(base);
    autosave.keepDraft();
    expect(draft()).toBe(kept);
    await autosave.restore();
    expect(textsOf(view)).toEqual(['good morning', 'let us begin now']);
  });

  it('keeps the draft when the page closes before it was read', () => {
    const kept: Draft = { request: null, operations: typed, conflicts: [] };
    const { autosave, draft } = open(base, kept, lost);
    autosave.close();
    expect(draft()).toBe(kept);
  });

  it('sends a request without a response again, with its id', async () => {
    const sent: Request[] = [];
    const request: Request = { uuid: 'the-request', operations: typed };
    const result: CorrectionResult = {
      revision: 1,
      transcript_version: 2,
      segments: [{ ...segment('2', 'let us begin now', 2), previous_uuid: '1' }],
      removed: [],
      can_undo: true,
      can_redo: false,
    };
    const { view, autosave, draft } = open(base, { request, operations: typed, conflicts: [] }, (one) => {
      sent.push(one);
      return Promise.resolve(result);
    });
    await autosave.restore();
    expect(sent.map(({ uuid }) => uuid)).toEqual(['the-request']);
    expect(textsOf(view)).toEqual(['good morning', 'let us begin now']);
    expect(draft()).toBeNull();
  });

  it('does not say "Saved" before the text of an earlier visit is saved', async () => {
    const request: Request = { uuid: 'the-request', operations: typed };
    const { promise, reject } = Promise.withResolvers<CorrectionResult>();
    const { autosave } = open(base, { request, operations: typed, conflicts: [] }, () => promise);
    const restored = autosave.restore();
    expect(autosave.state.get().status).toBe('saving');
    reject(new Error('no connection'));
    await restored;
    expect(autosave.state.get().status).toBe('offline');

    const unsent = open(base, { request: null, operations: typed, conflicts: [] }, lost);
    await unsent.autosave.restore();
    expect(unsent.autosave.state.get().status).toBe('saving');
  });

  it('shows the text of others, and keeps the own one as a conflict, when both changed a passage', async () => {
    const theirs = [segment('1', 'good morning'), segment('2', 'let us start', 2)];
    const { view, autosave, draft } = open(theirs, { request: null, operations: typed, conflicts: [] }, lost);
    await autosave.restore();
    expect(textsOf(view)).toEqual(['good morning', 'let us start']);
    expect(autosave.state.get().conflicts).toEqual([{ segmentUuid: '2', text: 'let us begin now', start: 2 }]);
    expect(draft()?.conflicts).toHaveLength(1);
  });

  it('keeps what was typed without a connection, and says that it is kept here', async () => {
    const { view, autosave, draft } = open(base, null, lost);
    await autosave.restore();
    view.dispatch(view.state.tr.insertText('very ', 2));
    autosave.changed();
    await autosave.flush();
    expect(autosave.state.get().status).toBe('offline');
    expect(draft()?.request?.operations).toEqual([
      { segments: [{ uuid: '1', version: 1 }], replacement: [{ uuid: '1', text: 'very good morning' }] },
    ]);
  });

  const restoredBoth: CorrectionResult = {
    revision: 3,
    transcript_version: 3,
    segments: base.map((one, i) => ({ ...one, previous_uuid: base[i - 1]?.uuid ?? null })),
    removed: [],
    can_undo: false,
    can_redo: true,
  };

  it('keeps what an undo brings back when the page passes on the passages from before it', async () => {
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const { promise: answer, resolve } = Promise.withResolvers<CorrectionResult>();
    const { view, autosave, loads } = open([], null, lost, {
      revert: () => {
        ask();
        return answer;
      },
    });
    await autosave.restore();
    const undone = autosave.revert('undo');
    await asked;
    const received = [autosave.receivePassages([]), autosave.receivePassages([segment('3', 'from afar')])];
    resolve(restoredBoth);
    await Promise.all([undone, ...received]);
    expect(textsOf(view)).toEqual(['good morning', 'let us begin']);
    // Those of others come with what is loaded now; an echo of what is known loads nothing.
    expect(loads()).toBe(1);
  });

  it('shows the passages of others that arrive while nothing is saved', async () => {
    const { view, autosave, loads } = open(base, null, lost);
    await autosave.restore();
    await autosave.receivePassages([segment('1', 'good evening', 2)]);
    expect(textsOf(view)).toEqual(['good evening']);
    expect(loads()).toBe(0);
  });

  /** What the server answers when it has saved the words 'let us begin now'. */
  const savedTyped: CorrectionResult = {
    revision: 1,
    transcript_version: 2,
    segments: [{ ...segment('2', 'let us begin now', 2), previous_uuid: '1' }],
    removed: [],
    can_undo: true,
    can_redo: false,
  };

  it('keeps what is typed while the passages are loaded again, beside what others have changed', async () => {
    const { promise: loaded, resolve: load } = Promise.withResolvers<readonly Segment[]>();
    const { promise: asked, resolve: ask } = Promise.withResolvers<void>();
    const refuseOnce = [outdated];
    const { view, autosave } = open(base, null, () => Promise.reject(refuseOnce.pop() ?? new Error('no connection')), {
      reload: () => {
        ask();
        return loaded;
      },
    });
    await autosave.restore();
    view.dispatch(view.state.tr.insertText(' all', 14));
    const flushed = autosave.flush();
    await asked;
    view.dispatch(view.state.tr.insertText(' of you', 18));
    load([segment('1', 'very good morning', 2), segment('2', 'let us begin')]);
    await flushed;
    expect(textsOf(view)).toEqual(['very good morning all of you', 'let us begin']);
  });

  it.each([
    ['is saved', (answer: PromiseWithResolvers<CorrectionResult>) => answer.resolve(savedTyped)],
    ['is lost again', (answer: PromiseWithResolvers<CorrectionResult>) => answer.reject(new Error('no connection'))],
    ['is refused', (answer: PromiseWithResolvers<CorrectionResult>) => answer.reject(outdated)],
  ])('keeps what is typed until the request of an earlier visit %s', async (_, end) => {
    const answer = Promise.withResolvers<CorrectionResult>();
    const request: Request = { uuid: 'the-request', operations: typed };
    const sends = [() => answer.promise];
    const kept = { request, operations: typed, conflicts: [] };
    const { view, autosave } = open(base, kept, () => (sends.pop() ?? lost)());
    const restored = autosave.restore();
    view.dispatch(view.state.tr.insertText(' to all', 14));
    autosave.changed();
    end(answer);
    await restored;
    expect(textsOf(view)).toEqual(['good morning to all', 'let us begin now']);
    expect(autosave.state.get().conflicts).toEqual([]);
  });

  it('keeps the draft of the next visit when a request of the closed page is answered', async () => {
    const answer = Promise.withResolvers<CorrectionResult>();
    const { view, autosave, draft, write } = open(base, null, () => answer.promise);
    await autosave.restore();
    view.dispatch(view.state.tr.insertText(' now', 15 + 'let us begin'.length));
    autosave.close();
    const next: Draft = { request: { uuid: 'of-the-next-visit', operations: typed }, operations: typed, conflicts: [] };
    write(next);
    answer.resolve(savedTyped);
    await new Promise((resolve) => setTimeout(resolve));
    expect(draft()).toBe(next);
  });

  it('keeps what was typed after a request that is answered when the page is closed', async () => {
    const answer = Promise.withResolvers<CorrectionResult>();
    const { view, autosave, draft } = open(base, null, () => answer.promise);
    await autosave.restore();
    view.dispatch(view.state.tr.insertText(' now', 16 + 'let us begin'.length));
    const flushed = autosave.flush();
    view.dispatch(view.state.tr.insertText(' all', 14));
    autosave.close();
    answer.resolve(savedTyped);
    await flushed;
    await new Promise((resolve) => setTimeout(resolve));
    expect(draft()).toEqual({
      request: null,
      operations: [{ segments: [{ uuid: '1', version: 1 }], replacement: [{ uuid: '1', text: 'good morning all' }] }],
      conflicts: [],
    });
  });

  it.each([
    ['nothing more', '', []],
    ['more', ' all', ['let us begin now all']],
  ])(
    'does not overwrite what others have made of a passage of which it has typed %s, when its request is repeated as the page is closed',
    async (_, more, conflicts) => {
      const stored = [base[0] as Segment, segment('2', 'let us start now', 3)];
      const answers = [
        () => Promise.resolve({ ...savedTyped, segments: [{ ...(stored[1] as Segment), previous_uuid: '1' }] }),
        lost,
      ];
      const first = open(base, null, () => (answers.pop() ?? lost)());
      await first.autosave.restore();
      const at = 16 + 'let us begin'.length;
      first.view.dispatch(first.view.state.tr.insertText(' now', at));
      await first.autosave.flush();
      if (more !== '') first.view.dispatch(first.view.state.tr.insertText(more, at + ' now'.length));
      first.autosave.close();
      await new Promise((resolve) => setTimeout(resolve));
      const { view, autosave } = open(stored, first.draft(), lost);
      await autosave.restore();
      expect(textsOf(view)).toEqual(['good morning', 'let us start now']);
      expect(autosave.state.get().conflicts.map(({ text }) => text)).toEqual(conflicts);
    },
  );

  it.each([
    ['is saved', (answer: PromiseWithResolvers<CorrectionResult>) => answer.resolve(savedTyped)],
    ['is lost again', (answer: PromiseWithResolvers<CorrectionResult>) => answer.reject(new Error('no connection'))],
    ['is refused', (answer: PromiseWithResolvers<CorrectionResult>) => answer.reject(outdated)],
  ])('keeps what is typed until a request on passages that others have changed %s', async (_, end) => {
    const answer = Promise.withResolvers<CorrectionResult>();
    const sends = [() => answer.promise];
    const theirs = [segment('1', 'good morning'), segment('2', 'let us start', 2)];
    const kept = { request: { uuid: 'the-request', operations: typed }, operations: typed, conflicts: [] };
    const { view, autosave, draft } = open(theirs, kept, () => (sends.pop() ?? lost)());
    const restored = autosave.restore();
    view.dispatch(view.state.tr.insertText(' to all', 14));
    autosave.changed();
    // Nothing of the earlier visit is lost when the page is closed now.
    expect(JSON.stringify(draft())).toContain('let us begin now');
    expect(JSON.stringify(draft())).toContain('good morning to all');
    end(answer);
    await restored;
    expect(textsOf(view)[0]).toBe('good morning to all');
    const texts = [...textsOf(view), ...autosave.state.get().conflicts.map(({ text }) => text)];
    expect(texts).toContain('let us begin now');
  });

  it('shows what was typed on an earlier visit when its request is refused and the passages cannot be loaded', async () => {
    const theirs = [segment('1', 'good morning'), segment('2', 'let us start', 2)];
    const kept = { request: { uuid: 'the-request', operations: typed }, operations: typed, conflicts: [] };
    const { autosave } = open(theirs, kept, () => Promise.reject(outdated), { reload: lost });
    await autosave.restore();
    expect(autosave.state.get()).toEqual({
      status: 'offline',
      conflicts: [{ segmentUuid: '2', text: 'let us begin now', start: 2 }],
    });
  });

  it.each([
    ['changed', 'good morning all'],
    ['taken back', 'good morning'],
  ])('shows what others have %s since a request whose answer was lost was saved', async (_, text) => {
    const theirs = [{ ...segment('1', text, 3), previous_uuid: null }];
    const result = { ...savedTyped, segments: theirs };
    const answers = [() => Promise.resolve(result), lost];
    const { view, autosave } = open(base, null, () => (answers.pop() ?? lost)());
    await autosave.restore();
    view.dispatch(view.state.tr.insertText('very ', 2));
    await autosave.flush();
    const end = view.state.doc.content.size - 2;
    view.dispatch(view.state.tr.insertText(' now', end));
    await autosave.flush();
    expect(textsOf(view)).toEqual([text, 'let us begin now']);
    expect(autosave.state.get().conflicts).toEqual([]);
  });

  it.each([
    ['is as it was', undefined],
    ['has another speaker', null],
  ])(
    'loses and doubles no words of a join whose answer was lost, when it was taken apart before the page was opened again and the first passage %s',
    async (_, speaker) => {
      const joined = { ...segment('1', 'good morning let us begin', 2), previous_uuid: null };
      const request: Request = {
        uuid: 'the-request',
        operations: [
          {
            segments: base.map(({ uuid, version }) => ({ uuid, version })),
            replacement: [{ uuid: '1', text: joined.text }],
          },
        ],
      };
      const last = { uuid: '3', text: 'let us begin now' };
      // The first passage has the text again that it had before the request.
      const both = base.map(({ uuid, version }) => ({ uuid, version }));
      const operations: Draft['operations'] =
        speaker === undefined
          ? [{ segments: both.slice(1), replacement: [last] }]
          : [{ segments: both, replacement: [{ uuid: '1', speaker_uuid: speaker }, last] }];
      const answers = [() => Promise.resolve({ ...savedTyped, segments: [joined], removed: ['2'] })];
      const { view, autosave } = open([joined], { request, operations, conflicts: [] }, () =>
        (answers.pop() ?? lost)(),
      );
      await autosave.restore();
      expect(textsOf(view)).toEqual([joined.text]);
      expect(autosave.state.get().conflicts.map(({ text }) => text)).toEqual(['let us begin now']);
    },
  );

  it('keeps what was typed on the second of three visits to a passage that the first one has saved', async () => {
    const sent: Draft['operations'] = [
      { segments: [{ uuid: '2', version: 1 }], replacement: [{ uuid: '2', text: 'let us begin now' }] },
    ];
    const operations: Draft['operations'] = [
      { segments: [{ uuid: '2', version: 2 }], replacement: [{ uuid: '2', text: 'let us begin now, all' }] },
      // The same as the first visit has left it, and another one that is not shown.
      { segments: [{ uuid: '2', version: -1 }], replacement: [{ uuid: '2', text: 'let us begin now' }] },
      { segments: [{ uuid: '1', version: -1 }], replacement: [{ uuid: '1', text: 'good evening' }] },
    ];
    const kept = { request: { uuid: 'the-request', operations: sent }, operations, conflicts: [] };
    const stored = [base[0] as Segment, segment('2', 'let us begin now', 2)];
    const { view, autosave } = open(stored, kept, () => Promise.resolve(savedTyped));
    await autosave.restore();
    expect(textsOf(view)).toEqual(['good morning', 'let us begin now, all']);
    expect(autosave.state.get().conflicts).toMatchObject([{ text: 'good evening' }]);
  });

  describe('does not overwrite what others have made of a passage while a request of an earlier visit was open:', () => {
    const inserted = { segments: [], after_uuid: null, replacement: [{ uuid: '3', text: '' }] };
    const changed = { segments: [{ uuid: '1', version: 1 }], replacement: [{ uuid: '1', text: 'good evening' }] };
    const other = segment('1', 'good morning all', 4);
    const moved = { segments: changed.segments, replacement: [{ uuid: '1', start_time: 1, end_time: 3 }] };
    const unchanged = {
      segments: [...changed.segments, { uuid: '3', version: 1 }],
      replacement: [{ uuid: '1' }, { uuid: '4', text: 'yes' }],
    };
    it.each<[string, Operation, Operation, Segment[], string]>([
      [
        'given other words, after the request had moved it',
        moved,
        changed,
        [{ ...segment('1', 'good morning all', 3), end_time: 3 }],
        'good evening',
      ],
      [
        'given other words, after the request had replaced one beside it',
        unchanged,
        {
          ...unchanged,
          replacement: [
            { uuid: '1', text: 'good evening' },
            { uuid: '4', text: 'yes' },
          ],
        },
        [segment('1', 'good morning all', 2), segment('4', 'yes')],
        'good evening\nyes',
      ],
      [
        'changed, beside one that the request has inserted',
        inserted,
        { ...changed, replacement: [{ uuid: '3', text: '' }, ...changed.replacement] },
        [segment('3', ''), other],
        '\ngood evening',
      ],
      [
        'changed, after the request had saved it',
        changed,
        { ...changed, replacement: [{ uuid: '1', text: 'good evening you' }] },
        [other],
        'good evening you',
      ],
      [
        'deleted, after the request had saved it',
        changed,
        { ...changed, replacement: [{ uuid: '1', text: 'good evening you' }] },
        [],
        'good evening you',
      ],
    ])('%s', async (_, sent, operation, theirs, conflict) => {
      const stored = [...theirs, base[1] as Segment];
      const kept = { request: { uuid: 'the-request', operations: [sent] }, operations: [operation], conflicts: [] };
      const segments = theirs.map((one, i) => ({ ...one, previous_uuid: theirs[i - 1]?.uuid ?? null }));
      const result = { ...savedTyped, segments, removed: theirs.length === 0 ? ['1'] : [] };
      const { view, autosave } = open(stored, kept, () => Promise.resolve(result));
      await autosave.restore();
      expect(textsOf(view)).toEqual(stored.map(({ text }) => text));
      expect(autosave.state.get().conflicts.map(({ text }) => text)).toEqual([conflict]);
    });
  });

  it('continues what was typed in a passage of which the request of an earlier visit sets only the times', async () => {
    const run = [{ uuid: '2', version: 1 }];
    const sent = { segments: run, replacement: [{ uuid: '2', start_time: 2, end_time: 3.1 }] };
    const operation = { segments: run, replacement: [{ uuid: '2', text: 'let us begin now' }] };
    const stored = { ...segment('2', 'let us begin', 2), end_time: 3.1 };
    const kept = { request: { uuid: 'the-request', operations: [sent] }, operations: [operation], conflicts: [] };
    const result = { ...savedTyped, segments: [{ ...stored, previous_uuid: '1' }] };
    const { view, autosave } = open([base[0] as Segment, stored], kept, () => Promise.resolve(result));
    await autosave.restore();
    expect(textsOf(view)).toEqual(['good morning', 'let us begin now']);
    expect(autosave.state.get().conflicts).toEqual([]);
  });

  it.each([
    ['before', true],
    ['after', false],
  ])(
    'joins what a request of an earlier visit has split that was applied %s the page was opened',
    async (_, isApplied) => {
      const run = [{ uuid: '1', version: 1 }];
      const split = [segment('1', 'good', 2), segment('3', 'morning'), segment('4', 'all')];
      const sent = { segments: run, replacement: split.map(({ uuid, text }) => ({ uuid, text })) };
      const join = {
        segments: run,
        replacement: [
          { uuid: '1', text: 'good' },
          { uuid: '3', text: 'morning all' },
        ],
      };
      const [, last] = base as [Segment, Segment];
      const before = [segment('1', 'good morning all'), last];
      const kept = { request: { uuid: 'the-request', operations: [sent] }, operations: [join], conflicts: [] };
      const segments = split.map((one, i) => ({ ...one, previous_uuid: split[i - 1]?.uuid ?? null }));
      const { view, autosave } = open(isApplied ? [...split, last] : before, kept, () =>
        Promise.resolve({ ...savedTyped, segments }),
      );
      await autosave.restore();
      expect(textsOf(view)).toEqual(['good', 'morning all', 'let us begin']);
      expect(autosave.state.get().conflicts).toEqual([]);
    },
  );

  describe.each([
    ['before', true],
    ['after', false],
  ])('of passages that a request has inserted that was applied %s the page was opened again, it', (_, isApplied) => {
    const texts = ['good morning', 'one', 'two', 'let us begin'];
    it.each<[string, number, string[]]>([
      ['joins the first one with the passage before them', 1, ['good morning one', 'two', 'let us begin']],
      ['joins the second one with the first one', 2, ['good morning', 'one two', 'let us begin']],
      ['joins the second one with the passage after them', 3, ['good morning', 'one', 'two let us begin']],
      ['removes one', -1, ['good morning', 'two', 'let us begin']],
    ])('%s', async (__, joined, expected) => {
      const inserted = [segment('3', 'one'), segment('4', 'two')];
      const stored = [base[0] as Segment, ...inserted, base[1] as Segment];
      const segments = inserted.map((one, i) => ({ ...one, previous_uuid: stored[i]?.uuid ?? null }));
      const first = open(base, null, lost);
      await first.autosave.restore();
      const { tr } = first.view.state;
      const made = inserted.map(({ uuid, text }) => schema.nodes.passage.create({ uuid }, schema.text(text)));
      first.view.dispatch(tr.insert(startsOf(tr.doc)[1] ?? 0, made));
      await first.autosave.flush();
      const { doc, tr: change } = first.view.state;
      expect(textsOf(first.view)).toEqual(texts);
      if (joined === -1) replacePassages(change, 1, 2, []);
      else {
        const end = (startsOf(doc)[joined] ?? 0) - 1;
        change.insertText(' ', end).join(end + 2);
      }
      first.view.dispatch(change);
      expect(textsOf(first.view)).toEqual(expected);
      first.autosave.keepDraft();
      const { view, autosave } = open(isApplied ? stored : base, first.draft(), () =>
        Promise.resolve({ ...savedTyped, segments }),
      );
      const restored = autosave.restore();
      expect(textsOf(view)).toEqual(expected);
      await restored;
      expect(textsOf(view)).toEqual(expected);
      expect(autosave.state.get().conflicts).toEqual([]);
    });
  });

  it('keeps a refused passage as a conflict, and does not send it again', async () => {
    let sent = 0;
    const { view, autosave } = open(base, null, () => {
      sent += 1;
      return Promise.reject(refused);
    });
    await autosave.restore();
    view.dispatch(view.state.tr.insert(1, schema.nodes.passage.create({ uuid: '3' }, schema.text('hello'))));
    await autosave.flush();
    expect(sent).toBe(1);
    expect(textsOf(view)).toEqual(['good morning', 'let us begin']);
    expect(autosave.state.get().conflicts).toMatchObject([{ text: 'hello', isRefused: true }]);
  });

  describe('a refused correction says that its passage was changed since,', () => {
    const later = [segment('1', 'good evening', 2), segment('2', 'let us begin')];
    const refuse = async () => {
      const answers: AutosaveDeps['send'][] = [() => Promise.reject(refused)];
      const answer: CorrectionResult = {
        ...savedTyped,
        segments: [{ ...segment('1', 'good evening', 2), previous_uuid: null }],
      };
      const opened = open(base, null, (request) => (answers.shift() ?? (() => Promise.resolve(answer)))(request));
      await opened.autosave.restore();
      opened.view.dispatch(opened.view.state.tr.insertText('very ', 2));
      await opened.autosave.flush();
      const [conflict] = opened.autosave.state.get().conflicts;
      expect(conflict).toMatchObject({ segmentUuid: '1', text: 'very good morning', isRefused: true });
      expect(conflict).not.toHaveProperty('isChanged');
      return opened;
    };
    const ways: [string, (opened: Awaited<ReturnType<typeof refuse>>) => Promise<ReturnType<typeof open>>][] = [
      [
        'by another person',
        async (opened) => {
          await opened.autosave.receivePassages(later);
          return opened;
        },
      ],
      [
        'by the same person',
        async (opened) => {
          const { tr } = opened.view.state;
          opened.view.dispatch(tr.insertText('evening', 2 + 'good '.length, 2 + 'good morning'.length));
          await opened.autosave.flush();
          return opened;
        },
      ],
      [
        'before the page was opened again',
        async (opened) => {
          const again = open(later, opened.draft(), lost);
          await again.autosave.restore();
          return again;
        },
      ],
    ];
    it.each(ways)('%s', async (_, change) => {
      const { view, autosave, draft } = await change(await refuse());
      expect(textsOf(view)).toEqual(['good evening', 'let us begin']);
      expect(autosave.state.get().conflicts).toMatchObject([{ text: 'very good morning', isChanged: true }]);
      expect(draft()?.conflicts).toEqual(autosave.state.get().conflicts);
    });

    it('and not when another passage was changed', async () => {
      const { autosave } = await refuse();
      await autosave.receivePassages([segment('1', 'good morning'), segment('2', 'let us start', 2)]);
      expect(autosave.state.get().conflicts[0]).not.toHaveProperty('isChanged');
    });
  });

  it.each([
    ['waits for the connection', lost, []],
    ['was refused', () => Promise.reject(refused), []],
    ['is of an earlier visit', lost, typed],
  ])('a correction that was discarded while it %s does not come back', async (_, send, operations) => {
    const { view, autosave, draft } = open(base, { request: null, operations, conflicts: [] }, send);
    await autosave.restore();
    view.dispatch(view.state.tr.insertText('very ', 2));
    await autosave.flush();
    expect(draft()).not.toBeNull();
    autosave.discard();
    expect(draft()).toBeNull();
    expect(autosave.state.get().conflicts).toEqual([]);
    expect(textsOf(view)).toEqual(base.map(({ text }) => text));
    autosave.close();
    expect(draft()).toBeNull();
  });

  it('saves the other corrections of a request of which one was refused', async () => {
    const server = [...base];
    const { view, autosave } = open(
      base,
      null,
      ({ operations }) => {
        const pieces = operations.flatMap(({ replacement }) => replacement);
        if (pieces.some(({ text }) => text?.includes('refused'))) return Promise.reject(refused);
        for (const { uuid, text = '' } of pieces) server[Number(uuid) - 1] = segment(uuid, text, 2);
        const segments = server.map((one, i) => ({ ...one, previous_uuid: server[i - 1]?.uuid ?? null }));
        return Promise.resolve({ ...savedTyped, segments });
      },
      { reload: () => Promise.resolve(server) },
    );
    await autosave.restore();
    view.dispatch(view.state.tr.insertText(' now', 16 + 'let us begin'.length).insertText('refused ', 2));
    await autosave.flush();
    expect(server.map(({ text }) => text)).toEqual(['good morning', 'let us begin now']);
    expect(textsOf(view)).toEqual(['good morning', 'let us begin now']);
    expect(autosave.state.get().conflicts).toMatchObject([{ text: 'refused good morning', isRefused: true }]);
  });

  /** The changes that have no text. */
  const changes: Record<string, (view: ReturnType<typeof viewOf>) => Transaction> = {
    speaker: ({ state }) => state.tr.setNodeAttribute(1, 'speaker', 'ada'),
    times: ({ state }) => state.tr.setNodeAttribute(1, 'times', { start: 1.1, end: 2 }),
    'existence of a passage': ({ state }) => {
      const { tr } = state;
      replacePassages(tr, 0, 1, []);
      return tr;
    },
    'speaker of a passage and the existence of the next one': ({ state }) => {
      const tr = state.tr.setNodeAttribute(1, 'speaker', 'ada');
      replacePassages(tr, 1, 2, []);
      return tr;
    },
  };
  const ada = { uuid: 'ada', name: 'SPEAKER_01', display_name: 'Ada' };
  const bob = { uuid: 'bob', name: 'SPEAKER_02', display_name: 'Bob' };
  /** What another person has made of the passages. */
  const theirs = [
    { ...segment('1', 'good evening', 2), speaker: bob, start_time: 1.2 },
    segment('2', 'let us start', 2),
  ];
  const conflicts: Record<string, object> = {
    speaker: { segmentUuid: '1', speaker: 'ada' },
    times: { segmentUuid: '1', times: { start: 1.1, end: 2 } },
    'existence of a passage': { segmentUuid: '1', isRemoval: true },
    'speaker of a passage and the existence of the next one': { segmentUuid: null, isRemoval: true, speaker: 'ada' },
  };
  describe.each(Object.entries(changes))('a change of the %s', (kind, change) => {
    it.each([
      ['was refused', refused, base, true],
      ['contradicts what another person has changed', outdated, theirs, undefined],
    ])('is kept as a conflict, with its reason, when it %s', async (_, error, stored, isRefused) => {
      const { view, autosave, draft } = open(base, null, () => Promise.reject(error), {
        reload: () => Promise.resolve(stored),
      });
      await autosave.restore();
      view.dispatch(change(view));
      await autosave.flush();
      expect(autosave.state.get().conflicts).toMatchObject([{ text: '', ...conflicts[kind] }]);
      expect(autosave.state.get().conflicts[0]?.isRefused).toBe(isRefused);
      expect(draft()?.conflicts).toHaveLength(1);
    });

    it('is no conflict when it was saved already', async () => {
      const first = open(base, null, lost);
      await first.autosave.restore();
      first.view.dispatch(change(first.view));
      const { operations = [] } = first.draft() ?? (first.autosave.keepDraft(), first.draft()) ?? {};
      const done = base.flatMap((one) => {
        const piece = operations.flatMap(({ replacement }) => replacement).find(({ uuid }) => uuid === one.uuid);
        const isReplaced = operations.some(({ segments }) => segments.some(({ uuid }) => uuid === one.uuid));
        if (!isReplaced) return [one];
        return piece
          ? [{ ...one, version: 2, speaker: ada, start_time: piece.start_time ?? 1, end_time: piece.end_time ?? 2 }]
          : [];
      });
      const { autosave } = open(done, { request: null, operations, conflicts: [] }, lost);
      await autosave.restore();
      expect(autosave.state.get().conflicts).toEqual([]);
    });
  });

  it.each([
    ['keeps', 'the', [1]],
    ['drops', 'a', []],
  ])('%s an accepted word when another person has changed the passage and the word is %s', async (_, word, kept) => {
    const [first] = base as [Segment];
    const word1 = { word: 'the', start: 1, end: 2, confidence: 0.4 };
    const own = { ...first, text: 'the end', words: [word1] };
    const other = { ...own, version: 2, text: `${word} end`, words: [{ ...word1, word }] };
    const answers = [outdated];
    const { view, autosave } = open([own], null, () => Promise.reject(answers.pop() ?? new Error('no connection')), {
      reload: () => Promise.resolve([other]),
    });
    await autosave.restore();
    view.dispatch(view.state.tr.setNodeAttribute(1, 'accepted', [1]));
    await autosave.flush();
    expect(attrsOf(passagesOf(view.state.doc)[0] as never).accepted).toEqual(kept);
    expect(autosave.state.get().conflicts).toEqual([]);
  });

  it('undoes one step after the other, however fast the key is pressed', async () => {
    const answers: (() => void)[] = [];
    let running = 0;
    let most = 0;
    const revert: AutosaveDeps['revert'] = async () => {
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((resolve) => answers.push(resolve));
      running -= 1;
      return { ...savedTyped, segments: [] };
    };
    const { autosave } = open(base, null, lost, { revert });
    await autosave.restore();
    const undone = Promise.all([autosave.revert('undo'), autosave.revert('undo'), autosave.revert('undo')]);
    for (let i = 0; i < 3; i += 1) {
      while (answers.length === 0) await new Promise((resolve) => setTimeout(resolve));
      answers.shift()?.();
    }
    await undone;
    expect(most).toBe(1);
  });

  it.each([false, true])(
    'ends every undo of those that are pressed one after the other while it saves (the page is closed: %p)',
    async (isClosed) => {
      // Waiting for one another without an end would also stop everything else, also this test.
      let begun = 0;
      const clear = jest.spyOn(globalThis, 'clearTimeout').mockImplementation(() => {
        begun += 1;
        if (begun > 1_000) throw new Error('without an end');
      });
      const answers: (() => void)[] = [];
      const answer = async (): Promise<void> => {
        answers.shift()?.();
        await new Promise(setImmediate);
      };
      let calls = 0;
      const revert: AutosaveDeps['revert'] = async () => {
        calls += 1;
        await new Promise<void>((resolve) => answers.push(resolve));
        return { ...savedTyped, segments: [] };
      };
      const { view, autosave } = open(base, null, lost, { revert });
      const undone: Promise<readonly string[]>[] = [];
      for (let pressed = 0; pressed < 8; pressed += 1) {
        undone.push(autosave.revert('undo'));
        await new Promise(setImmediate);
        if (pressed % 3 === 2 && !isClosed) await answer();
      }
      if (isClosed) {
        view.dispatch(view.state.tr.insertText('so ', 2));
        autosave.close();
      }
      while (answers.length > 0) await answer();
      await Promise.all(undone);
      expect(calls).toBe(isClosed ? 1 : 8);
      clear.mockRestore();
    },
  );

  const noConnection = new Error('no connection');
  const undoneFirst = { ...savedTyped, segments: [{ ...segment('1', 'good', 3), previous_uuid: null }] };
  async function until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await new Promise(setImmediate);
  }

  it.each(['undo', 'redo'] as const)('repeats the %s whose answer was lost, with its id', async (which) => {
    const ids: string[] = [];
    const { view, autosave } = open(base, null, lost, {
      revert: (_, uuid) => {
        ids.push(uuid);
        return ids.length < 3 ? Promise.reject(noConnection) : Promise.resolve(undoneFirst);
      },
    });
    const reverted = autosave.revert(which);
    for (const tries of [1, 2]) {
      await until(() => ids.length === tries && autosave.state.get().status === 'offline');
      await new Promise(setImmediate);
      // The browser is online again.
      void autosave.flush();
    }
    expect(await reverted).toEqual(['1']);
    expect(new Set(ids).size).toBe(1);
    expect(textsOf(view)).toEqual(['good', 'let us begin']);
    expect(autosave.state.get().status).toBe('saved');
  });

  it('keeps what is typed while an undo waits for the connection', async () => {
    const answers = [() => Promise.resolve(undoneFirst), () => Promise.reject(noConnection)];
    const { view, autosave, draft } = open(base, null, lost, { revert: () => (answers.pop() ?? lost)() });
    await autosave.restore();
    const undone = autosave.revert('undo');
    await until(() => autosave.state.get().status === 'offline');
    view.dispatch(view.state.tr.insertText(' now', 16 + 'let us begin'.length));
    autosave.changed();
    expect(JSON.stringify(draft())).toContain('let us begin now');
    void autosave.flush();
    await undone;
    expect(textsOf(view)).toEqual(['good', 'let us begin now']);
  });

  it('shows what is stored when the server fails at an undo again and again', async () => {
    let tries = 0;
    const stored = [segment('1', 'good', 3), segment('2', 'let us begin')];
    const { view, autosave } = open(base, null, lost, {
      revert: () => {
        tries += 1;
        return Promise.reject(noConnection);
      },
      reload: () => Promise.resolve(stored),
    });
    const undone = autosave.revert('undo').catch((error: unknown) => error);
    for (let known = 1; known <= 4; known += 1) {
      await until(() => tries === known);
      await new Promise(setImmediate);
      void autosave.flush();
    }
    expect(await undone).toBe(noConnection);
    expect(textsOf(view)).toEqual(['good', 'let us begin']);
    expect(autosave.isIdle()).toBe(true);
  });

  describe('an undo without a connection is refused, and undoes nothing later,', () => {
    const request: Request = { uuid: 'the-request', operations: typed };
    it.each<[string, Draft | null, (opened: ReturnType<typeof open>) => Promise<unknown>]>([
      [
        'when what was typed waits',
        null,
        async ({ view, autosave }) => {
          view.dispatch(view.state.tr.insertText('very ', 2));
          await autosave.flush();
        },
      ],
      [
        'when a request of an earlier visit waits',
        { request, operations: typed, conflicts: [] },
        async () => undefined,
      ],
      [
        'when text of an earlier visit waits',
        { request: null, operations: typed, conflicts: [] },
        async () => undefined,
      ],
    ])('%s', async (_, kept, prepare) => {
      let calls = 0;
      const opened = open(base, kept, () => Promise.reject(noConnection), {
        revert: () => {
          calls += 1;
          return Promise.resolve(undoneFirst);
        },
      });
      await opened.autosave.restore();
      await prepare(opened);
      await expect(opened.autosave.revert('undo')).rejects.toBe(noConnection);
      expect(calls).toBe(0);
    });

    it('when another undo waits, also when it was asked for before the connection was lost', async () => {
      const answers = [() => Promise.resolve(undoneFirst), () => Promise.reject(noConnection)];
      let calls = 0;
      const { view, autosave } = open(base, null, lost, {
        revert: () => {
          calls += 1;
          return (answers.pop() ?? lost)();
        },
      });
      const [first, second] = [autosave.revert('undo'), autosave.revert('undo').catch((error: unknown) => error)];
      await until(() => autosave.state.get().status === 'offline');
      await expect(autosave.revert('undo')).rejects.toBe(noConnection);
      view.dispatch(view.state.tr.insertText(' now', 16 + 'let us begin'.length));
      void autosave.flush();
      await first;
      expect(await second).toBeInstanceOf(Error);
      expect(calls).toBe(2);
      expect(textsOf(view)).toEqual(['good', 'let us begin now']);
    });
  });

  it('inserts no passage a second time that was stored before the page was opened again', async () => {
    const stored = [...base, segment('3', 'hello')];
    const operations: Draft['operations'] = [
      {
        segments: [{ uuid: '2', version: 1 }],
        replacement: [
          { uuid: '2', text: 'let us begin now' },
          { uuid: '3', text: 'hello' },
        ],
      },
    ];
    const { view, autosave } = open(stored, { request: null, operations, conflicts: [] }, lost);
    await autosave.restore();
    expect(textsOf(view)).toEqual(['good morning', 'let us begin now', 'hello']);
  });
});
