import { describe, expect, it } from '@jest/globals';
import { chunk } from '../chunking/chunking.ts';
import { stemOf } from '../tokenize/tokenize.ts';
import { escapeHtml, snippetOf } from './snippets.ts';

function passageOf(...turns: [string, string][]) {
  let at = 0;
  const segments = turns.map(([speaker, text]) => {
    const start = at;
    const words = text.split(' ').map((word, i) => ({ word, start: start + i, end: start + i + 1 }));
    at += words.length;
    return { start, end: at, speaker, text, words };
  });
  const [passage] = chunk(segments);
  if (!passage) throw new Error('no passage');
  return passage;
}

function marks(...words: string[]) {
  return { words: new Set(words.map((word) => stemOf(word, 'en'))), phrases: [] };
}

function phrase(...words: string[]) {
  return {
    words: new Set<string>(),
    phrases: [words.map((word) => new Set([stemOf(word, 'en')]))],
  };
}

function snippet(
  turns: [string, string][],
  searched: ReturnType<typeof marks> | ReturnType<typeof phrase>,
  who?: string[],
  focus: number | null = null,
) {
  return snippetOf({
    ...passageOf(...turns),
    language: 'en',
    marks: searched,
    focus,
    spokenBy: who ? (speaker) => speaker !== null && who.includes(speaker) : null,
  });
}

describe('snippets', () => {
  it('marks the inflections of a searched word and starts at the first one', () => {
    const result = snippet(
      [
        ['Ann', 'We talked about the budget.'],
        ['Bob', 'The deadlines are tight, one deadline is in March.'],
      ],
      marks('deadline'),
    );
    expect(result.html).toContain('The <mark>deadlines</mark> are tight, one <mark>deadline</mark> is');
    expect(result).toMatchObject({ start: 6, speaker: 'Bob', markedWords: ['deadlines', 'deadline'] });
  });

  it('escapes everything except its own marks', () => {
    const result = snippet(
      [['Ann', `say <script>alert("x")</script> & 'deadline' <mark>`]],
      marks('deadline', 'script'),
    );
    expect(result.html.replaceAll(/<\/?mark>/g, '')).not.toMatch(/[<>"']/);
    expect(result.html).toContain('<mark>deadline</mark>');
    expect(result.html).toContain('&lt;<mark>script</mark>&gt;');
    expect(result.html).toContain('&lt;mark&gt;');
  });

  it('returns the marked words as they are spoken, also those with an apostrophe', () => {
    const result = snippet([['Ann', "the company's plan and the companies"]], marks("company's"));
    expect(result.markedWords).toEqual(["company's", 'companies']);
  });

  it('marks a phrase only where its words are adjacent', () => {
    const result = snippet(
      [['Ann', 'the end of it and the end of the quarter']],
      phrase('end', 'of', 'the', 'quarter'),
    );
    expect(result.markedWords).toEqual(['end', 'of', 'the', 'quarter']);
    expect(result.start).toBe(6);
  });

  it('marks only words of the requested speakers', () => {
    const turns: [string, string][] = [
      ['Ann', 'the deadline moves'],
      ['Bob', 'which deadline'],
    ];
    expect(snippet(turns, marks('deadline'), ['Bob'])).toMatchObject({
      start: 4,
      speaker: 'Bob',
      markedWords: ['deadline'],
    });
    expect(snippet(turns, marks('deadline'), ['Eve'])).toMatchObject({ markedWords: [] });
  });

  it('shows the start of a passage with a semantic match only, without a mark', () => {
    const result = snippet([['Ann', 'it must be finished by spring']], marks('deadline'));
    expect(result).toMatchObject({ html: 'it must be finished by spring', start: 0, markedWords: [], speaker: 'Ann' });
  });

  it('shows the marked word, or the token in focus when none is marked', () => {
    const turns: [string, string][] = [
      ['Ann', 'first things first'],
      ['Bob', 'it must be finished by spring'],
    ];
    expect(snippet(turns, marks('deadline'), undefined, 3)).toMatchObject({ start: 3, speaker: 'Bob' });
    expect(snippet(turns, marks('things'), undefined, 3)).toMatchObject({ start: 1, speaker: 'Ann' });
  });

  it('cuts a long passage at word boundaries around the match', () => {
    const text = `${'lorem ipsum '.repeat(60)}deadline ${'dolor sit '.repeat(60)}end`;
    const result = snippet([['Ann', text]], marks('deadline'));
    expect(result.html).toMatch(/^… (lorem|ipsum) .*<mark>deadline<\/mark>.* …$/);
    expect(result.html.length).toBeLessThan(300);
  });

  it('cuts text without spaces, too', () => {
    const text = '会議'.repeat(400);
    const result = snippetOf({
      text,
      layout: { at: [0], ms: [0], turns: [[0, null]] },
      language: 'ja',
      marks: marks('x'),
      focus: null,
      spokenBy: null,
    });
    expect(result.html.length).toBeLessThan(300);
  });

  it('escapes the five special characters of HTML', () => {
    expect(escapeHtml(`<a href='x'>"&"</a>`)).toBe('&lt;a href=&#39;x&#39;&gt;&quot;&amp;&quot;&lt;/a&gt;');
  });
});
