import { describe, expect, it } from '@jest/globals';
import { snippetParts } from './snippet.ts';

describe('snippetParts', () => {
  it('separates marked words from the text around them', () =>
    expect(snippetParts('the <mark>budget</mark> first')).toEqual([
      { text: 'the ', marked: false },
      { text: 'budget', marked: true },
      { text: ' first', marked: false },
    ]));
  it('turns escaped characters back into what was said', () =>
    expect(snippetParts('R&amp;D &lt;3 &quot;x&quot; it&#39;s')).toEqual([
      { text: 'R&D <3 "x" it\'s', marked: false },
    ]));
  it('unescapes once only, so that a spoken entity stays one', () =>
    expect(snippetParts('&amp;lt;')[0]?.text).toBe('&lt;'));
  it('leaves every other tag as text', () =>
    expect(snippetParts('<img src=x onerror=alert(1)><mark>a</mark><script>')).toEqual([
      { text: '<img src=x onerror=alert(1)>', marked: false },
      { text: 'a', marked: true },
      { text: '<script>', marked: false },
    ]));
  it('does not take a mark with attributes for ours', () =>
    expect(snippetParts('<mark onclick=x>a')).toEqual([{ text: '<mark onclick=x>a', marked: false }]));
  it('bears a mark that is never closed', () =>
    expect(snippetParts('a <mark>b')).toEqual([
      { text: 'a ', marked: false },
      { text: 'b', marked: true },
    ]));
  it('gives nothing for nothing', () => expect(snippetParts('')).toEqual([]));
});
