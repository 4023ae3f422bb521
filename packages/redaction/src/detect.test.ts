import { describe, expect, it } from '@jest/globals';
import { growthOf, linearGrowth } from '@overtone/testkit/growth';
import { detect, detectIn } from './detect.ts';

const english = { language: 'en', knownNames: [] };

function found(text: string, options: Parameters<typeof detect>[1] = english): string[] {
  return detect(text, options).map(({ kind, start, end }) => `${kind}: ${text.slice(start, end)}`);
}

describe('the detector', () => {
  it.each([
    ['my card is 4111 1111 1111 1111.', ['card: 4111 1111 1111 1111']],
    [
      'four one one one one one one one one one one one one one one one',
      ['card: four one one one one one one one one one one one one one one one'],
    ],
    [
      'it is forty one eleven eleven eleven eleven eleven eleven eleven okay',
      ['card: forty one eleven eleven eleven eleven eleven eleven eleven'],
    ],
    ['call me at (415) 555-2671 today', ['phone: 415) 555-2671']],
    [
      'call me at four one five double five five two six seven one',
      ['phone: four one five double five five two six seven one'],
    ],
    [
      'my number is oh seven nine one one uh one two three four five six',
      ['phone: oh seven nine one one uh one two three four five six'],
    ],
    [
      'plus four four two oh seven nine four six oh nine five eight',
      ['phone: plus four four two oh seven nine four six oh nine five eight'],
    ],
    ['my email is john dot smith at example dot com thanks', ['email: john dot smith at example dot com']],
    ['write to J.Smith+x@mail.example.co.uk.', ['email: J.Smith+x@mail.example.co.uk']],
    ['j o h n at g mail dot com', ['email: j o h n at g mail dot com']],
    ['my social security number is 536-90-4399', ['id_number: 536-90-4399']],
    ['the iban is GB29 NWBK 6016 1331 9268 19', ['account: GB29 NWBK 6016 1331 9268 19']],
    ['born on the third of march nineteen eighty four', ['birth_date: the third of march nineteen eighty four']],
    ['date of birth 03/04/1984', ['birth_date: 03/04/1984']],
    ['i live at 221 Baker Street, London', ['address: 221 Baker Street, London']],
    ['I live in Hauptstraße 12', ['address: Hauptstraße 12']],
    ['the password is hunter two and that is it', ['secret: hunter two']],
    ['use ghp_abcdefghij0123456789abcd here', ['secret: ghp_abcdefghij0123456789abcd']],
  ])('finds what is personal in %j', (text, expected) => {
    expect(found(text)).toEqual(expected);
  });

  it.each([
    'your order number is 4155552671',
    'the tracking number is 4111 1111 1111 1111',
    'one two three four five six seven eight nine ten',
    'in nineteen eighty four and in two thousand nineteen',
    'we met at 10:30 and 11:45',
    'two times two is four and two times three is six',
    'the score was six four six three seven five',
    'the password is too short',
    'he was born to run',
    'look at the dot com boom',
    'version 10.15.7, build 19123456',
  ])('leaves %j alone', (text) => {
    expect(found(text)).toEqual([]);
  });

  it('finds the digits of the language of the transcript', () => {
    const text = 'meine Telefonnummer ist null eins sieben eins zwei drei vier fünf sechs sieben acht';
    expect(found(text, { language: 'de', knownNames: [] })).toEqual([`phone: ${text.slice(24)}`]);
  });

  it('finds a name that was introduced, and a known one, in every place', () => {
    expect(
      found('My name is Ada Lovelace. Thanks, Ada. Ask grace later.', { language: 'en', knownNames: ['Grace Hopper'] }),
    ).toEqual(['name: Ada Lovelace', 'name: Ada', 'name: grace']);
  });

  it('divides a span that continues in the next text', () => {
    const texts = ['the card is four one one one one one one one', 'one one one one one one one one okay'];
    const spans = detectIn(texts, english).map((list, i) => list.map(({ start, end }) => texts[i]?.slice(start, end)));
    expect(spans).toEqual([['four one one one one one one one'], ['one one one one one one one one']]);
  });

  it('does not take the words of a passage for those of the next one', () => {
    const texts = [
      'i live at 4417 Elm Street',
      'the card is 4111 1111 1111 1111',
      'my name is linus hopper',
      'Put it there',
    ];
    const kinds = detectIn(texts, english).map((list) => list.map(({ kind }) => kind));
    expect(kinds).toEqual([['address'], ['card'], ['name'], []]);
  });

  it('takes the question before a number for its cue', () => {
    const texts = ['what is your account number?', 'it is one two five five three four nine zero'];
    expect(detectIn(texts, english)[1]).toMatchObject([{ kind: 'account' }]);
  });

  it('finds nothing in an empty text', () => {
    expect(found('')).toEqual([]);
    expect(detectIn([], english)).toEqual([]);
  });

  // Each has made a pattern or a loop of the detector take quadratic or exponential time, or might.
  it.each([
    ['addresses that do not end', 'a.b_c-d@'],
    ['spoken digits', ' one two '],
    ['digits of one word', '0'],
    ['full stops', '.'],
    ['full stops within a word', 'a...'],
    ['beginnings of tokens', 'eyJ-'],
    ['beginnings of keys', 'sk-'],
    ['hyphens', '-at-'],
    ['letters of one word', 'a'],
    ['letters one by one', 'a '],
    ['names', 'Linus Hopper '],
    ['introductions', 'my name is '],
    ['streets', '12 Elm Street '],
    ['passwords', 'password is '],
    ['blanks', ' '],
    ['combining marks', '\u0301'],
  ])('takes time in proportion to the length of %s', async (_, part) => {
    const textOf = (letters: number) => `${part.repeat(letters / part.length)}!x`;
    expect(await growthOf(textOf, 16_000, (text) => detect(text, english))).toBeLessThan(linearGrowth);
  });
});
