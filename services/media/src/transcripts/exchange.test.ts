import { describe, expect, it } from '@jest/globals';
import { growthOf, linearGrowth } from '@overtone/testkit/growth';
import { placedAs, planExchange } from './exchange.ts';

function stateOf(id: string, text: string, speakerId: string | null = 'ada') {
  return { id, text, speakerId, startTime: 0, endTime: 1, words: [], previousId: null };
}

const speakers = new Set(['ada', 'bob']);

describe('the exchange of segments', () => {
  it('of another speaker keeps a text that was changed since', () => {
    const [from, to] = [[stateOf('1', 'the', 'bob')], [stateOf('1', 'the', 'ada')]];
    const current = [stateOf('1', 'then', 'bob')];
    expect(planExchange(from, to, { current, speakers })?.changed).toEqual([stateOf('1', 'then', 'ada')]);
  });

  describe('of words', () => {
    const wordsOf = (text: string, confidences: readonly (number | null)[], from = 0) =>
      text
        .split(' ')
        .map((word, i) => ({ word, start: from + i, end: from + i + 1, confidence: confidences[i] ?? null }));
    const spoken = (id: string, text: string, confidences: readonly (number | null)[], from = 0) => ({
      ...stateOf(id, text),
      startTime: from,
      endTime: from + confidences.length,
      words: wordsOf(text, confidences, from),
    });
    type Spoken = ReturnType<typeof spoken>[];
    const exchanged = (from: Spoken, to: Spoken, current: Spoken) => {
      const plan = planExchange(from, to, { current, speakers });
      return [...(plan?.changed ?? []), ...(plan?.inserted.flat() ?? [])];
    };

    it('is planned in time in proportion to their number', async () => {
      const statesOf = (count: number) => {
        const text = Array.from({ length: count }, (_, i) => `word${i}`).join(' ');
        const confidences = Array.from({ length: count }, () => 0.5);
        return [spoken('1', text, confidences, 3), spoken('1', text, confidences), spoken('1', text, confidences, 3)];
      };
      const plan = ([from, to, current]: Spoken) => exchanged([from!], [to!], [current!]);
      expect(await growthOf(statesOf, 4_000, plan)).toBeLessThan(linearGrowth);
    });

    const whole = (...confidences: (number | null)[]) => [spoken('1', 'the end', confidences)];
    const halves = (first: number | null, second: number | null) => [
      spoken('1', 'the', [first]),
      spoken('2', 'end', [second], 1),
    ];

    it('takes back what was accepted, also in a text that was changed since', () => {
      const [accepted, unsure] = [whole(null, 0.4), whole(0.4, 0.4)];
      expect(exchanged(accepted, unsure, accepted)).toEqual(unsure);
      const later = [spoken('1', 'the very end', [null, null, 0.4])];
      expect(exchanged(accepted, unsure, later)).toEqual([spoken('1', 'the very end', [0.4, null, 0.4])]);
      expect(exchanged(unsure, accepted, whole(0.4, null))).toEqual(whole(null, null));
    });

    it('takes back what was accepted, also in a part that was split off since', () => {
      const [one, two] = halves(null, null);
      expect(exchanged(whole(null, null), whole(0.4, 0.4), [one!, two!])).toContainEqual(halves(0.4, 0.4)[1]);
    });

    it('restores a word that was accepted or not as another correction has left it since', () => {
      const [from, to] = [[spoken('1', 'the', [null])], whole(null, null)];
      const since = [{ from: whole(0.4, null), to: whole(0.4, 0.4) }];
      expect(planExchange(from, to, { current: from, speakers, since })?.changed).toEqual(whole(null, 0.4));
    });

    it.each([
      ['a split', halves(0.4, 0.4), whole(0.4, 0.4), halves(null, 0.4), whole(null, 0.4)],
      ['a join', whole(0.4, 0.4), halves(0.4, 0.4), whole(0.4, null), halves(0.4, null)],
      [
        'another time',
        whole(0.4, 0.4),
        [spoken('1', 'the end', [0.4, 0.4], 5)],
        whole(0.4, null),
        [spoken('1', 'the end', [0.4, null], 5)],
      ],
      [
        'another text',
        [spoken('1', 'the END', [0.4, null])],
        whole(0.4, 0.4),
        [spoken('1', 'the END', [null, null])],
        whole(null, 0.4),
      ],
    ])(
      'keeps what was accepted since when %s is undone, and again when it is redone',
      (_, from, to, current, expected) => {
        expect(exchanged(from, to, current)).toEqual(expected);
        expect(exchanged(to, from, expected)).toEqual(current);
      },
    );
  });

  it('of another text keeps a speaker that was changed since', () => {
    const [from, to] = [[stateOf('1', 'the')], [stateOf('1', 'teh')]];
    const current = [stateOf('1', 'the', 'bob')];
    expect(planExchange(from, to, { current, speakers })?.changed).toEqual([stateOf('1', 'teh', 'bob')]);
  });

  it.each([
    ['text', stateOf('1', 'then')],
    ['times', { ...stateOf('1', 'the'), endTime: 2 }],
  ])('of another text is refused when the %s was changed since', (_, current) => {
    const [from, to] = [[stateOf('1', 'the')], [stateOf('1', 'teh')]];
    expect(planExchange(from, to, { current: [current], speakers })).toBeNull();
  });

  it('is refused when a segment that it removes was changed since', () => {
    expect(planExchange([stateOf('1', 'the')], [], { current: [stateOf('1', 'the', 'bob')], speakers })).toBeNull();
    expect(planExchange([stateOf('1', 'the')], [], { current: [], speakers })).toBeNull();
  });
});

it('what is redone gets the place that it had when it was undone', () => {
  const placed = (id: string, previousId: string | null, nextId: string | null) => ({ id, previousId, nextId });
  const first = [placed('1', null, '2'), placed('2', '1', 'gone')];
  expect(placedAs(first, [placed('2', '1', '3')])).toEqual([placed('1', null, '2'), placed('2', '1', '3')]);
  expect(placedAs(first, [])).toEqual(first);
});
