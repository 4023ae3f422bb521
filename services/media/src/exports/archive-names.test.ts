import { describe, expect, it } from '@jest/globals';
import { array, assert, property, string } from 'fast-check';
import { createArchiveNames } from './archive-names.ts';

function namesOf(titles: readonly string[]): string[] {
  const nameOf = createArchiveNames('txt', ['contents.csv']);
  return titles.map((title) => nameOf(title));
}

describe('a name in an archive', () => {
  it.each([
    ['Minutes of 3 May', 'Minutes of 3 May.txt'],
    ['../../etc/passwd', 'etc passwd.txt'],
    ['C:\\Windows\\x', 'C Windows x.txt'],
    ['/', 'Recording.txt'],
    ['..', 'Recording.txt'],
    ['.hidden', 'hidden.txt'],
    ['a\u202Egpj\u0000.exe', 'a gpj .exe.txt'],
    ['nul', '_nul.txt'],
    ['COM1.report', '_COM1.report.txt'],
    ['trailing. . ', 'trailing.txt'],
    ['😀'.repeat(100), `${'😀'.repeat(30)}.txt`],
  ])('of the title %j is %j', (title, name) => {
    expect(namesOf([title])).toEqual([name]);
  });

  it('is another one for an equal title, also in another case or form', () => {
    expect(namesOf(['Call', 'call', 'Call', 'Call (2)', 'Cafe\u0301', 'Café'])).toEqual([
      'Call.txt',
      'call (2).txt',
      'Call (3).txt',
      'Call (2) (2).txt',
      'Café.txt',
      'Café (2).txt',
    ]);
  });

  it('never leaves its folder and never collides, whatever the titles are', () => {
    const titles = array(string({ unit: 'binary', maxLength: 20 }), { maxLength: 8 });
    assert(
      property(titles, (list) => {
        const names = namesOf([...list, ...list]);
        expect(new Set(names.map((name) => name.normalize('NFKC').toLowerCase())).size).toBe(names.length);
        for (const name of names) {
          expect(name).not.toMatch(/[/\\:\p{Cc}]|^\.|[. ]$/u);
          expect(Buffer.byteLength(name)).toBeLessThan(255);
        }
      }),
    );
  });
});
