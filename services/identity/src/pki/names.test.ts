import { describe, expect, it } from '@jest/globals';
import { nameDer } from '../../test/chain-maker.ts';
import { nameKeyOf, readName } from './names.ts';

function keyOf(...attributes: [string, string][]): string {
  return nameKeyOf(readName(nameDer(attributes)));
}

describe('the key of a name', () => {
  it('is equal for names that differ in letter case and spaces only', () => {
    expect(keyOf(['O', 'Example'], ['CN', '  issuing   CA '])).toBe(keyOf(['O', 'EXAMPLE'], ['CN', 'Issuing CA']));
  });

  it.each<[string, [string, string][]]>([
    [
      'another order',
      [
        ['CN', 'y'],
        ['O', 'x'],
      ],
    ],
    ['a prefix', [['O', 'x']]],
    ['a value that contains the text of a second attribute', [['O', 'x,2.5.4.3=y']]],
    ['a value that contains a line break', [['O', 'x\n\n2.5.4.3=y']]],
  ])('differs for %s', (_case, attributes) => {
    expect(keyOf(...attributes)).not.toBe(keyOf(['O', 'x'], ['CN', 'y']));
  });
});
