import { describe, expect, it } from '@jest/globals';
import { nothingSelected, toggle } from './selection.ts';

const order = ['a', 'b', 'c', 'd'];

function clicks(...uuids: string[]): string[] {
  let selection = nothingSelected;
  for (const uuid of uuids)
    selection = toggle(selection, uuid.replace('+', ''), { order, range: uuid.startsWith('+') });
  return [...selection.selected].sort();
}

describe('toggle', () => {
  it.each([
    [['a'], 'a'],
    [['a', 'a'], ''],
    [['a', 'c'], 'ac'],
    [['a', '+c'], 'abc'],
    [['d', '+b'], 'bcd'],
    [['a', '+d', 'b'], 'acd'],
    [['a', '+d', 'b', '+c'], 'ad'],
    [['+b'], 'b'],
  ])('selects after the clicks %j (+ is Shift): %s', (uuids, expected) =>
    expect(clicks(...uuids).join('')).toBe(expected),
  );
  it('selects only the clicked file when the start of the range is on another page', () =>
    expect([...toggle({ selected: new Set(), anchor: 'z' }, 'b', { order, range: true }).selected]).toEqual(['b']));
});
