import { describe, expect, it } from '@jest/globals';
import { planExchange } from './exchange.ts';

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
