import type { SegmentObject } from '@overtone/contracts';
import { createHistory } from '@overtone/media/transcripts/history';
import type { Random } from '@overtone/testkit/seed';
import { createCorrectionsServer, type CorrectionsServer, type Speaker } from './corrections-server.ts';
import { change, wordChanges } from './random-changes.ts';
import { createEditor, wordsIn, type Editor, type Shown, type Words } from './simulated-editor.ts';

export type Outcome = {
  readonly stored: Shown[];
  readonly documents: Shown[][];
  readonly lost: string[];
  readonly doubled: string[];
  /** Words that an undo or a redo has removed although the person had neither typed nor deleted them. */
  readonly wronglyRemoved: string[];
  /** Unedited words whose times were changed by something else than a change of times. */
  readonly moved: string[];
  readonly disordered: string[];
  /** Revisions to which the history does not return. */
  readonly unreached: number[];
  /** What undoing everything, the last correction first, does not restore. */
  readonly notUndone: string[];
  readonly errors: string[];
  readonly counts: Record<string, number>;
};

/** What an outcome must be, besides that all documents are what is stored. */
export const nothingWrong = {
  lost: [],
  doubled: [],
  wronglyRemoved: [],
  moved: [],
  disordered: [],
  unreached: [],
  notUndone: [],
  errors: [],
};

type Options = {
  readonly editors: number;
  readonly changes: number;
  readonly passages: number;
  readonly random: Random;
  /** Lets time pass for the timers of the pages. */
  readonly advance: (ms: number) => void;
};

export const speakers = ['Ada', 'Bob', 'Eve'].map((name, i): Speaker => ({
  uuid: uuidOf(9, i),
  name: `SPEAKER_0${i + 1}`,
  display_name: name,
}));
const speakerIds = speakers.map(({ uuid }) => uuid);

/** Random changes by several editors whose connections fail; then all are connected again and save. */
export async function simulate({ advance, random, ...options }: Options): Promise<Outcome> {
  const server = createCorrectionsServer(
    Array.from({ length: options.passages }, (_, i) => segment(i)),
    speakers,
  );
  const known = new Set(wordsIn(server.passages()));
  const deleted = new Set<string>();
  const wronglyRemoved = new Set<string>();
  const people = Array.from({ length: options.editors }, (_, i) => {
    const words: Words = { own: new Set(), deleted, wronglyRemoved };
    return { words, editor: createEditor(server, `person ${i}`, random, words) };
  });
  const editors = people.map(({ editor }) => editor);
  const counts: Record<string, number> = {};
  const count = (kind: string): void => void (counts[kind] = (counts[kind] ?? 0) + 1);
  const errors: string[] = [];
  let names = 0;
  const pass = async (ms: number): Promise<void> => {
    advance(ms);
    for (let i = 0; i < 6; i += 1) await Promise.resolve();
  };
  for (let i = 0; i < options.changes; i += 1) {
    const { editor, words } = people[random(people.length)] as (typeof people)[number];
    if (random(8) === 0) {
      const which = random(3) === 0 ? 'redo' : 'undo';
      editor.revert(which).then(
        (isDone) => count(isDone ? which : `no ${which}`),
        (error: unknown) => void errors.push(String((error as Error).stack)),
      );
    } else {
      const before = editor.state();
      const kind = change(editor, { random, name: () => `n${(names += 1)}`, speakers: speakerIds });
      count(kind ?? 'nothing');
      const { added, removed } = wordChanges(before, editor.state());
      for (const word of [...added, ...removed]) words.own.add(word);
      for (const word of added) known.add(word);
      for (const word of removed) deleted.add(word);
    }
    if (random(4) === 0) void (editors[random(editors.length)] as Editor).receive();
    if (random(50) === 0) editor.setOnline(random(2) === 0);
    if (random(100) === 0) void editor.reopen();
    await pass(random(3) === 0 ? random(2_000) : 10);
  }
  await settle(editors, pass);
  const stored = shownOf(server.passages());
  const texts = wordsIn(stored);
  const conflicts = editors.flatMap((editor) => editor.autosave().state.get().conflicts);
  const kept = new Set([...texts, ...wordsIn(conflicts)]);
  const documents = editors.map((editor) => editor.shown());
  for (const editor of editors) editor.close();
  const moved = movedWords(server);
  const disordered = disorderedPassages(server);
  const unreached = unreachedRevisions(server);
  return {
    stored,
    documents,
    lost: [...known].filter((word) => !kept.has(word) && !deleted.has(word)),
    doubled: texts.filter((word, i) => texts.indexOf(word) !== i),
    wronglyRemoved: [...wronglyRemoved],
    moved,
    disordered,
    unreached,
    notUndone: undoAll(server),
    errors,
    counts,
  };
}

/** All are connected, save and receive what the others have saved. */
async function settle(editors: readonly Editor[], pass: (ms: number) => Promise<void>): Promise<void> {
  for (const editor of editors) editor.setOnline(true);
  // An undo that waits for another one begins after a moment without work.
  for (let round = 0, quiet = 0; round < 500 && quiet < 4; round += 1) {
    for (const editor of editors) void editor.autosave().flush();
    for (let i = 0; i < 4; i += 1) await pass(3_000);
    quiet = editors.every((editor) => editor.autosave().isIdle()) ? quiet + 1 : 0;
  }
  for (const editor of editors) {
    void editor.receive();
    for (let i = 0; i < 4; i += 1) await pass(3_000);
  }
}

/** Words that two revisions have in common, and whose passage was not moved in between. */
function movedWords(server: CorrectionsServer): string[] {
  const moved: string[] = [];
  const states = server.states();
  for (const [i, { before, after }] of server.corrections().entries()) {
    const retimed = server.retimed(i + 1);
    // A passage that was moved and is taken apart by an undo brings its words back.
    const notMoved = before.filter(({ id }) => !retimed.has(id));
    const old = new Map(notMoved.flatMap(({ words }) => words.map((word) => [word.word, word])));
    for (const { id, words } of after)
      for (const { word, start, end } of words) {
        const earlier = old.get(word);
        if (!earlier || retimed.has(id) || (earlier.start === start && earlier.end === end)) continue;
        moved.push(`${word} in revision ${i + 1} of ${states.length - 1}: ${earlier.start} -> ${start}`);
      }
  }
  return moved;
}

function disorderedPassages(server: CorrectionsServer): string[] {
  return server.states().flatMap((states, revision) =>
    states.flatMap(({ id, startTime, endTime, text, words }) => {
      const isInOrder = startTime <= endTime;
      const hasAllWords = words.length === wordsIn([{ text }]).length;
      const areWordsInside = words.every(({ start, end }) => start >= startTime && start <= end && end <= endTime);
      if (isInOrder && hasAllWords && areWordsInside) return [];
      return [`${id} in revision ${revision}: ${JSON.stringify({ startTime, endTime, words })}`];
    }),
  );
}

/** The history takes back one correction after the other: each revision must be what it was. */
function unreachedRevisions(server: CorrectionsServer): number[] {
  const states = server.states();
  const history = createHistory(states.at(-1) ?? []);
  const unreached: number[] = [];
  for (let revision = states.length - 2; revision >= 0; revision -= 1) {
    const correction = server.corrections()[revision];
    if (correction) history.takeBack(correction);
    if (JSON.stringify(history.states()) !== JSON.stringify(states[revision])) unreached.push(revision);
  }
  return unreached;
}

/**
 * Everybody undoes everything, the last correction first. Each is also redone once. One that the service passes over stays,
 * and with it those that it is in the way of: what these have changed, and nothing else, may be another text then.
 */
export function undoAll(server: CorrectionsServer): string[] {
  const failures: string[] = [];
  const kept = new Set<Correction>();
  const touched = (): Set<string> => new Set([...kept].flatMap(idsOf));
  let uuids = 0;
  const revert = (person: string, which: 'undo' | 'redo'): string => {
    server.revert(person, which, `unwind ${(uuids += 1)}`);
    return JSON.stringify(server.states().at(-1));
  };
  for (;;) {
    const standing = standingCorrections(server).filter((one) => !kept.has(one));
    const [last] = standing;
    if (!last) break;
    const { person, revision } = last;
    if (server.isPassedOver(last)) {
      kept.add(last);
      continue;
    }
    const before = JSON.stringify(server.states().at(-1));
    try {
      const undone = revert(person, 'undo');
      if (server.corrections().at(-1)?.reverts !== revision) {
        failures.push(`revision ${revision} is not what ${person} undoes next`);
        break;
      }
      if (revert(person, 'redo') !== before) failures.push(`revision ${revision} is another one when it is redone`);
      if (revert(person, 'undo') !== undone) failures.push(`revision ${revision} is undone in two ways`);
    } catch (error) {
      const ids = touched();
      if (!idsOf(last).some((id) => ids.has(id))) {
        failures.push(`revision ${revision} cannot be undone: ${String(error)}`);
        break;
      }
      for (const one of standing) if (one.person === person) kept.add(one);
    }
  }
  const ids = touched();
  const untouched = (states: readonly State[] = []) =>
    ids.size === 0 ? states : states.filter(({ id }) => !ids.has(id)).map(withoutPlace);
  const [first, last] = [server.states()[0], server.states().at(-1)].map(untouched);
  const isFirst = JSON.stringify(last) === JSON.stringify(first);
  return isFirst ? failures : [...failures, 'the automatic transcript is not restored'];
}

type Correction = ReturnType<CorrectionsServer['corrections']>[number];
type State = Correction['before'][number];

function idsOf({ before, after }: Correction): string[] {
  return [...before, ...after].map(({ id }) => id);
}

function withoutPlace(state: State): State {
  return { ...state, previousId: null, nextId: null };
}

/** The corrections that are not undone, the one that was applied or redone last first. */
function standingCorrections(server: CorrectionsServer): Correction[] {
  const corrections = server.corrections();
  const applied = new Map(corrections.map(({ reverts, revision }) => [reverts ?? revision, revision]));
  return corrections
    .filter(({ reverts, undoneIn }) => reverts === null && undoneIn === null)
    .toSorted((x, y) => (applied.get(y.revision) ?? 0) - (applied.get(x.revision) ?? 0));
}

function shownOf(passages: readonly SegmentObject[]): Shown[] {
  return passages.map(({ text, speaker, start_time: start, end_time: end }) => ({
    text,
    speaker: speaker?.uuid ?? null,
    times: [start, end],
  }));
}

function uuidOf(group: number, index: number): string {
  return `0000000${group}-0000-4000-8000-${String(index).padStart(12, '0')}`;
}

export function segment(index: number): SegmentObject {
  const words = Array.from({ length: 8 }, (_, i) => ({
    word: `w${index}.${i}`,
    start: index * 10 + i,
    end: index * 10 + i + 0.8,
    confidence: i % 3 === 0 ? 0.4 : 0.9,
  }));
  return {
    uuid: uuidOf(0, index),
    start_time: index * 10,
    end_time: index * 10 + 9,
    text: words.map(({ word }) => word).join(' '),
    speaker: speakers[index % 2] ?? null,
    confidence: null,
    edited: false,
    edited_at: null,
    edited_by: null,
    edited_by_name: null,
    version: 1,
    words,
    redactions: [],
    withheld: false,
  };
}
