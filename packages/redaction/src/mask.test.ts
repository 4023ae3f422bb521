import { describe, expect, it } from '@jest/globals';
import { joinMasked, maskText, maskWords, restoreMasked } from './mask.ts';
import { mergeSpans, type Span } from './spans.ts';

const text = 'call 415 555 2671 or write a@b.co, thanks';
const spans: Span[] = [
  { kind: 'phone', start: 5, end: 17 },
  { kind: 'email', start: 27, end: 33 },
];
const masked = 'call [phone] or write [email], thanks';
const words = text.split(' ').map((word, i) => ({ word, start: i, end: i + 1, confidence: 0.5 }));

describe('masking', () => {
  it('replaces each span by its placeholder and says where it is', () => {
    const result = maskText(text, spans);
    expect(result.text).toBe(masked);
    expect(result.spans.map(({ start, end }) => masked.slice(start, end))).toEqual(['[phone]', '[email]']);
  });

  it('takes the text of masked words and leaves their times', () => {
    const result = maskWords(text, words, spans);
    expect(result.map(({ word }) => word)).toEqual(['call', '', '', '', 'or', 'write', '', 'thanks']);
    expect(result.map(({ start }) => start)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('gives the masked words of a span one time', () => {
    const result = joinMasked(maskWords(text, words, spans));
    expect(result.map(({ word, start, end }) => [word, start, end])).toEqual([
      ['call', 0, 1],
      ['', 1, 4],
      ['or', 4, 5],
      ['write', 5, 6],
      ['', 6, 7],
      ['thanks', 7, 8],
    ]);
  });

  it('estimates times again that were estimated from the length of masked words', () => {
    const shown = ['415 555 2671', '030 1'].map((number) => {
      const said = `call ${number} now`;
      const estimated = said
        .split(' ')
        .map((word, i) => ({ word, start: i, end: i + 1, confidence: null, interpolated: true }));
      const last = estimated.at(-1);
      if (last) last.end = 10;
      return joinMasked(maskWords(said, estimated, [{ kind: 'phone', start: 5, end: 5 + number.length }]));
    });
    expect(shown[0]).toEqual(shown[1]);
    expect(shown[0]?.map(({ word }) => word)).toEqual(['call', '', 'now']);
  });

  it('removes all words when they do not fit the text', () => {
    expect(maskWords(text, [{ word: 'other', start: 0, end: 1, confidence: null }], spans)).toEqual([]);
  });

  it('puts the masked parts back into an edited text', () => {
    const result = restoreMasked(text, spans, 'Please call [phone], not [email]!');
    expect(result?.text).toBe('Please call 415 555 2671, not a@b.co!');
    expect(result?.spans.map(({ start, end }) => result.text.slice(start, end))).toEqual(['415 555 2671', 'a@b.co']);
  });

  it.each(['call [email] or [phone]', 'call [phone]', '[phone] [email] [email]', 'call'])(
    'refuses %j, in which placeholders are missing, added or moved',
    (edited) => {
      expect(restoreMasked(text, spans, edited)).toBeUndefined();
    },
  );

  it('leaves a placeholder that is a word of the text itself, and needs it only beside a masked part', () => {
    const imported = 'not [phone] but 415 555 2671';
    const hidden: Span[] = [{ kind: 'phone', start: 16, end: 28 }];
    const result = restoreMasked(imported, hidden, 'never [phone] but [phone]');
    expect(result).toEqual({
      text: 'never [phone] but 415 555 2671',
      spans: [{ kind: 'phone', start: 18, end: 30 }],
    });
    expect(restoreMasked(imported, hidden, 'but [phone]')).toBeUndefined();
    expect(restoreMasked('call [phone]', [], 'call me')).toEqual({ text: 'call me', spans: [] });
  });

  it('joins overlapping spans under the more certain kind', () => {
    expect(
      mergeSpans([
        { kind: 'phone', start: 4, end: 12 },
        { kind: 'card', start: 0, end: 8 },
      ]),
    ).toEqual([{ kind: 'card', start: 0, end: 12 }]);
  });
});
