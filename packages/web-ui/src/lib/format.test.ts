import { describe, expect, it } from '@jest/globals';
import { ago, bytes, clock, duration, percent, timeLeft } from './format.ts';

describe('clock', () => {
  it.each([
    [0, '0:00'],
    [7.9, '0:07'],
    [754, '12:34'],
    [3723, '1:02:03'],
    [36_000, '10:00:00'],
    [-3, '0:00'],
    [Number.NaN, '0:00'],
  ])('shows %p seconds as %p', (seconds, text) => expect(clock(seconds)).toBe(text));
});

describe('duration', () => {
  it.each([
    [0.4, '0 s'],
    [59.4, '59 s'],
    [59.6, '59 s'],
    [60, '1 min'],
    [3599, '1 h'],
    [3900, '1 h 5 min'],
    [7200, '2 h'],
  ])('shows %p seconds as %p', (seconds, text) => expect(duration(seconds)).toBe(text));
});

describe('timeLeft', () => {
  it('shows no number while the time is unknown', () => expect(timeLeft(null)).toBe('calculating time left'));
  it.each([
    [3, 'a few seconds left'],
    [31, 'about 40 seconds left'],
    [70, 'about a minute left'],
    [400, 'about 7 minutes left'],
    [3600, 'about an hour left'],
    [9000, 'about 2.5 hours left'],
  ])('shows %p seconds as %p', (seconds, text) => expect(timeLeft(seconds)).toBe(text));
});

it('shows sizes in binary units', () =>
  expect([bytes(812), bytes(3_565_158), bytes(157_286_400), bytes(17_179_869_184)]).toEqual([
    '812 B',
    '3.4 MB',
    '150 MB',
    '16 GB',
  ]));

describe('ago', () => {
  const now = new Date(2026, 10, 21, 12, 0, 0);
  const before = (ms: number) => ago(new Date(now.getTime() - ms).toISOString(), now);
  it('counts minutes and hours within the day', () =>
    expect([before(5000), before(300_000), before(2 * 3_600_000)]).toEqual(['just now', '5 min ago', '2 h ago']));
  it('counts calendar days, not spans of 24 hours', () => expect(before(13 * 3_600_000)).toBe('yesterday'));
  it('shows the date after a week', () => expect(before(30 * 86_400_000)).toContain('2026'));
});

describe('percent', () => {
  it.each([
    [0, 10, '0 %'],
    [1, 10_000, '< 0.1 %'],
    [17, 480, '3.5 %'],
    [24, 100, '24 %'],
    [9_999, 10_000, '99.9 %'],
    [3, 3, '100 %'],
    [0, 0, '0 %'],
  ])('shows %p of %p as %p', (part, whole, text) => expect(percent(part, whole)).toBe(text));
});
