import { describe, expect, it } from '@jest/globals';
import { chosenPlaces, placeKey, toChosenFiles, type FoundFile, type Place } from './places.ts';

function place(segment: string, start: number): Place {
  const shown = { start_time: 0, speaker: null, text: 'x', from: 0, to: 1, replacement: 'y' };
  return { segment_uuid: segment, version: 3, start, ...shown };
}

function fileWith(my_permission: FoundFile['my_permission'], places: Place[]): FoundFile {
  return { file_uuid: 'file', title: 'Minutes', my_permission, places, error: null };
}

describe('the places of a replacement', () => {
  it('are all places except the excluded ones', () => {
    const [first, second] = [place('a', 0), place('a', 5)];
    expect(chosenPlaces(fileWith('editor', [first, second]), new Set([placeKey(first)]))).toEqual([second]);
  });

  it('are none in a recording that was shared for reading', () => {
    expect(chosenPlaces(fileWith('viewer', [place('a', 0)]), new Set())).toEqual([]);
  });

  it('are sent by recording and passage, without recordings that have none', () => {
    const chosen = [
      { uuid: 'one', places: [place('a', 0), place('b', 2), place('a', 5)] },
      { uuid: 'two', places: [] },
    ];
    expect(toChosenFiles(chosen)).toEqual([
      {
        file_uuid: 'one',
        segments: [
          { uuid: 'a', version: 3, starts: [0, 5] },
          { uuid: 'b', version: 3, starts: [2] },
        ],
      },
    ]);
  });
});
