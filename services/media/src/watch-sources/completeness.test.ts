import { describe, expect, it } from '@jest/globals';
import { wavHeader } from '@overtone/testkit';
import { declaredBytes } from './completeness.ts';

function box(type: string, length: number, content = 0): Buffer {
  const bytes = Buffer.alloc(8 + content);
  bytes.writeUInt32BE(length, 0);
  bytes.write(type, 4, 'latin1');
  return bytes;
}

describe('the length that a header declares', () => {
  it('is that of the whole file for WAV', () => {
    expect(declaredBytes(wavHeader(1_000, { rate: 16_000, channels: 1 }))).toBe(1_044);
  });

  it.each([0, 0x7fff_ffff, 0xffff_ffff])('is unknown for a WAV that was written without knowing it: %d', (length) => {
    const header = wavHeader(1_000, { rate: 16_000, channels: 1 });
    header.writeUInt32LE(length, 4);
    expect(declaredBytes(header)).toBe(0);
  });

  it('is more than the data of an MP4 whose index has to follow', () => {
    const file = Buffer.concat([box('ftyp', 24, 16), box('mdat', 5_000, 100)]);
    expect(declaredBytes(file)).toBe(5_025);
  });

  it('is the end of the data of an MP4 whose index comes first', () => {
    const file = Buffer.concat([box('ftyp', 24, 16), box('moov', 40, 32), box('mdat', 5_000, 100)]);
    expect(declaredBytes(file)).toBe(5_064);
  });

  it('is unknown for the data of an MP4 that reaches to its end, and for other files', () => {
    expect(declaredBytes(Buffer.concat([box('ftyp', 24, 16), box('mdat', 0, 100)]))).toBe(24);
    expect(declaredBytes(Buffer.from('fLaC and more bytes'))).toBe(0);
    expect(declaredBytes(Buffer.from('RIFF'))).toBe(0);
  });
});
