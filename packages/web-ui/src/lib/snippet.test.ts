import { describe, expect, it } from '@jest/globals';
import { snippetParts } from './snippet.ts';

describe('snippetParts', () => {
  it('separates marked words from the text around them', () =>
    expect(snippetParts('the <mark>budget</mark> first')).toEqual([
      { text: 'the ', marked: false },
      { text: 'budget', marked: true },
      { text: ' first', marked: false },
    ]));
  it('unescapes characters', () =>
    expect(snippetParts('R&amp;D &lt;3 &quot;x&quot; it&#39;s')).toEqual([
      { text: 'R&D <3 "x" it\'s', marked: false },
    ]));
  it('unescapes only once, so that a spoken entity stays text', () =>
    expect(snippetParts('&amp;lt;')[0]?.text).toBe('&lt;'));
  it('leaves every other tag as text', () =>
    expect(snippetParts('<img src=x onerror=alert(1)><mark>a</mark><script>')).toEqual([
      { text: '<img src=x onerror=alert(1)>', marked: false },
      { text: 'a', marked: true },
      { text: '<script>', marked: false },
    ]));
  it('treats a mark with attributes as text', () =>
    expect(snippetParts('<mark onclick=x>a')).toEqual([{ text: '<mark onclick=x>a', marked: false }]));
  it('accepts an unclosed mark', () =>
    expect(snippetParts('a <mark>b')).toEqual([
      { text: 'a ', marked: false },
      { text: 'b', marked: true },
    ]));
  it('returns no parts for an empty snippet', () => expect(snippetParts('')).toEqual([]));
});
