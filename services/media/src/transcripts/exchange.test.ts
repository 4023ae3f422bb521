import { describe, expect, it } from '@jest/globals';
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

  it('of accepted words keeps a text that was changed since, and is not refused', () => {
    const accepted = (confidence: number | null) => ({
      ...stateOf('1', 'the'),
      words: [{ word: 'the', start: 0, end: 1, confidence }],
    });
    const plan = (current: ReturnType<typeof accepted>) =>
      planExchange([accepted(null)], [accepted(0.4)], { current: [current], speakers })?.changed;
    expect(plan(accepted(null))).toEqual([accepted(0.4)]);
    const later = { ...accepted(0.9), text: 'then' };
    expect(plan(later)).toEqual([later]);
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
