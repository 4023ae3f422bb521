import { describe, expect, it } from '@jest/globals';
import { randomFrom, testSeed, type Random } from '@overtone/testkit/seed';
import type { SegmentState } from './operations.store.ts';
import { createHistory } from './history.ts';

function stateOf(id: string, text: string, startTime: number, speakerId: string | null = 'ada'): SegmentState {
  return {
    id,
    text,
    startTime,
    endTime: startTime + 1,
    speakerId,
    words: [],
    redactions: [],
    redactionKey: null,
    confidence: null,
    edited: false,
    previousId: null,
    nextId: null,
  };
}

function linked(states: readonly SegmentState[]): SegmentState[] {
  return states.map((state, i) => ({
    ...state,
    previousId: states[i - 1]?.id ?? null,
    nextId: states[i + 1]?.id ?? null,
  }));
}

type Step = { states: SegmentState[]; correction: { before: SegmentState[]; after: SegmentState[] } };

/** Replaces a random run of adjacent segments by a random number of others, which keep some of their ids. */
function correct(states: readonly SegmentState[], random: Random, step: number): Step {
  const from = random(states.length + 1);
  const run = states.slice(from, from + random(3));
  const next = Array.from({ length: random(4) }, (_, i) =>
    stateOf(run[i]?.id ?? `${step}-${i}`, `text ${step}-${i}`, run[0]?.startTime ?? from, ['ada', 'bob'][random(2)]),
  );
  const result = linked([...states.slice(0, from), ...next, ...states.slice(from + run.length)]);
  const ids = new Set([...run, ...next].map(({ id }) => id));
  const touched = (list: readonly SegmentState[]): SegmentState[] => list.filter(({ id }) => ids.has(id));
  return { states: result, correction: { before: touched(states), after: touched(result) } };
}

describe('the history of a transcript', () => {
  it(`returns to every earlier state, whatever was split, merged, inserted and deleted (seed ${testSeed})`, () => {
    const random = randomFrom(testSeed);
    let states = linked(Array.from({ length: 20 }, (_, i) => stateOf(`${i}`, `first ${i}`, i)));
    const earlier: SegmentState[][] = [];
    const corrections: Step['correction'][] = [];
    for (let step = 0; step < 500; step += 1) {
      earlier.push(states);
      const done = correct(states, random, step);
      corrections.push(done.correction);
      ({ states } = done);
    }
    const history = createHistory(states);
    while (corrections.length > 0) {
      history.takeBack(corrections.pop() as Step['correction']);
      expect(history.states()).toEqual(earlier.pop());
    }
  });

  it('keeps the speaker that a merge of speakers has given to a passage since', () => {
    const [before, after] = [stateOf('1', 'teh', 0, 'ada'), stateOf('1', 'the', 0, 'ada')];
    const history = createHistory([stateOf('1', 'the', 0, 'bob')]);
    history.takeBack({ before: [before], after: [after] });
    expect(history.states()).toEqual([stateOf('1', 'teh', 0, 'bob')]);
  });

  it('inserts a passage by its time when the one before it was deleted', () => {
    const [one, two, three] = linked([stateOf('1', 'one', 0), stateOf('2', 'two', 1), stateOf('3', 'three', 2)]);
    const history = createHistory(linked([stateOf('1', 'one', 0), stateOf('4', 'four', 5)]));
    history.takeBack({ before: [{ ...(three as SegmentState), previousId: two?.id ?? null }], after: [] });
    expect(history.states().map(({ id }) => id)).toEqual([one?.id, '3', '4']);
  });
});
