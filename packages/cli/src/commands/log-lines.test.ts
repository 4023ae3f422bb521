import { describe, expect, it } from '@jest/globals';
import { mergeEntries, parseSince, readEntries } from './log-lines.ts';

function at(text: string): number {
  return Date.parse(text);
}

describe('readEntries', () => {
  it.each([
    ['2026-11-28T03:41:37.953Z warn  media disk nearly full', '2026-11-28T03:41:37.953Z', 'warn'],
    ['2026-11-28T03:41:37.953Z supervisor started, pid 15545', '2026-11-28T03:41:37.953Z', 'info'],
    ['{"level":"error","time":"2026-11-28T03:41:37.953Z","service":"media"}', '2026-11-28T03:41:37.953Z', 'error'],
    ['2026-11-28 03:41:47.889 UTC [15835] LOG:  starting PostgreSQL', '2026-11-28T03:41:47.889Z', 'info'],
    ['2026-11-28 03:41:47.889 UTC [15835] a@b FATAL:  no role', '2026-11-28T03:41:47.889Z', 'fatal'],
    ['[15650] 2026/11/28 03:41:38.151067 [ERR] no disk', '2026-11-28T03:41:38.151', 'error'],
    ['15655:C 28 Nov 2026 03:41:38.171 # Redis is starting', '2026-11-28T03:41:38.171', 'warn'],
  ])('reads time and level of %s', (line, time, level) => {
    expect(readEntries('any', line)).toEqual([{ name: 'any', time: at(time), level, lines: [line] }]);
  });

  it('adds lines without a time to the entry before them', () => {
    const first = '2026-11-28T03:41:37.953Z error media failed';
    const entries = readEntries('media', `${first}\n  at one\n  at two\n2026-11-28T03:41:38.000Z info  media next\n`);
    expect(entries.map(({ lines }) => lines.length)).toEqual([3, 1]);
  });

  it('keeps lines before the first time', () => {
    expect(readEntries('media', 'half of a line')).toMatchObject([{ time: 0, lines: ['half of a line'] }]);
  });
});

describe('mergeEntries', () => {
  it('orders the entries of several logs by time, and keeps the order within one', () => {
    const line = (time: string, text: string) => `2026-11-28T03:41:${time}Z info  ${text}`;
    const merged = mergeEntries([
      readEntries('a', [line('01.000', 'a one'), line('03.000', 'a two'), line('03.000', 'a three')].join('\n')),
      readEntries('b', line('02.000', 'b one')),
    ]);
    expect(merged.map(({ lines }) => lines[0]?.slice(31))).toEqual(['a one', 'b one', 'a two', 'a three']);
  });
});

describe('parseSince', () => {
  it.each([
    ['10s', 990_000],
    ['2m', 880_000],
    ['1970-01-01T00:00:01Z', 1000],
  ])('reads %s', (text, expected) => expect(parseSince(text, 1_000_000)).toBe(expected));

  it.each(['yesterday', '10', '5w', ''])('refuses %j', (text) => expect(parseSince(text, 0)).toBeUndefined());
});
