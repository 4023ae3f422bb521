import { describe, expect, it } from '@jest/globals';
import { bodyOf, chunksAfter, levelOf, pickType, recordingName } from './recording.ts';

function chunk(offset: number, text: string) {
  return { offset, blob: new Blob([text]) };
}

describe('a recording', () => {
  it('uses the first container that the browser can record', () => {
    expect(pickType((type) => type.startsWith('audio/mp4'))).toBe('audio/mp4');
    expect(pickType(() => false)).toBeNull();
  });

  it('is named after its time and container', () => {
    const at = new Date(2026, 10, 3, 9, 5);
    expect(recordingName('audio/webm;codecs=opus', at)).toBe('Recording 2026-11-03 09.05.webm');
    expect(recordingName('audio/mp4', at)).toBe('Recording 2026-11-03 09.05.m4a');
  });

  it('keeps only the bytes that the server does not have', async () => {
    const chunks = [chunk(0, 'abc'), chunk(3, 'def'), chunk(6, 'ghi')];
    const rest = chunksAfter(chunks, 4);
    expect(rest.map(({ offset }) => offset)).toEqual([4, 6]);
    expect(await bodyOf(rest, 100).text()).toBe('efghi');
    expect(chunksAfter(chunks, 9)).toEqual([]);
  });

  it('is not continued after a missing chunk', () => {
    const chunks = [chunk(0, 'abc'), chunk(3, 'def'), chunk(7, 'ghi')];
    expect(chunksAfter(chunks, 0).map(({ offset }) => offset)).toEqual([0, 3]);
    expect(chunksAfter(chunks.slice(1), 0)).toEqual([]);
  });

  it('sends whole chunks up to a size, and at least one', async () => {
    const chunks = [chunk(0, 'abcd'), chunk(4, 'ef'), chunk(6, 'g')];
    expect(await bodyOf(chunks, 6).text()).toBe('abcdef');
    expect(await bodyOf(chunks, 1).text()).toBe('abcd');
  });

  it('has a level between silence and full scale', () => {
    expect(levelOf(new Float32Array(100))).toBe(0);
    expect(levelOf(new Float32Array(100).fill(1))).toBe(1);
    expect(levelOf(new Float32Array(100).fill(0.1))).toBeCloseTo(2 / 3);
  });
});
