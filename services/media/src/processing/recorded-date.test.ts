import { describe, expect, it } from '@jest/globals';
import { recordedDateOfName, recordedDateOfTags } from './recorded-date.ts';

const now = new Date('2026-11-28T08:00:00Z');
function local(year: number, month: number, day: number, hour = 0, minute = 0, second = 0): Date {
  return new Date(year, month - 1, day, hour, minute, second);
}

describe('the date of a recording', () => {
  const moment = local(2026, 11, 24, 10, 3, 12);
  it.each([
    ['2026-11-24 10.03.12.m4a', moment],
    ['REC20261124100312.wav', null],
    ['REC_20261124_100312.wav', moment],
    ['20261124-100312.mp3', moment],
    ['VID_20261124_100312.mp4', moment],
    ['2026-11-24T10:03:12.wav', moment],
    ['WhatsApp Audio 2026-11-24 at 10.03.12.opus', moment],
    ['Voice 261124_100312.m4a', moment],
    ['2026-11-24_10-03.mkv', local(2026, 11, 24, 10, 3)],
    ['PTT-20261124-WA0001.opus', local(2026, 11, 24)],
    ['Aufnahme 24.11.2026.mp3', local(2026, 11, 24)],
    ['Board meeting 2026-11-24.mp3', local(2026, 11, 24)],
    ['GMT20261124-100312_Recording.mp4', new Date('2026-11-24T10:03:12Z')],
    ['meeting.mp3', null],
    ['invoice 12345678.mp3', null],
    ['2026-13-24.mp3', null],
    ['2026-02-30.mp3', null],
    ['2027-11-24.mp3', null],
    ['1970-01-01.mp3', null],
  ])('is read from the name %s', (name, expected) => {
    expect(recordedDateOfName(name, now)).toEqual(expected);
  });

  it.each<[Record<string, string>, Date | null]>([
    [{ creation_time: '2026-11-24T10:03:12.000000Z' }, new Date('2026-11-24T10:03:12Z')],
    [{ 'com.apple.quicktime.creationdate': '2026-11-24T10:03:12+0100' }, new Date('2026-11-24T09:03:12Z')],
    [{ date: '2026-11-24' }, local(2026, 11, 24)],
    [{ date: '20261124' }, local(2026, 11, 24)],
    [{ date: '2026-11-24', creation_time: '10:03:12' }, moment],
    [{ date: '2026' }, null],
    [{ creation_time: '1904-01-01T00:00:00.000000Z' }, null],
    [{ creation_time: '1970-01-01T00:00:00.000000Z', date: '2026-11-24' }, local(2026, 11, 24)],
    [{}, null],
  ])('is read from the tags %j', (tags, expected) => {
    expect(recordedDateOfTags(tags, now)).toEqual(expected);
  });

  it('takes time in proportion to the length of the name', () => {
    const cpuOf = (name: string): number => {
      const began = process.cpuUsage();
      recordedDateOfName(name, now);
      return process.cpuUsage(began).user;
    };
    for (const part of ['2026', '20', '2026-11-24 ', '2026-11-2', '00']) {
      cpuOf(part.repeat(20_000));
      expect(cpuOf(part.repeat(80_000))).toBeLessThan(Math.max(cpuOf(part.repeat(20_000)), 20_000) * 16);
    }
  });
});
