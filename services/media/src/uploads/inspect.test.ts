import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { createInspection } from './inspect.ts';

const wav = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(20_000, 3)]);

function inspected(bytes: Buffer, { size, maxBytes = 1e9 }: { size: number; maxBytes?: number }) {
  const { see, result } = createInspection({ maxBytes });
  for (let at = 0; at < bytes.length; at += size) see(bytes.subarray(at, at + size));
  return result();
}

describe('the inspection of a recording', () => {
  it.each([1, 7, 4099, 4100, 4101, 65_536])('returns size, hash and type for chunks of %d bytes', (size) => {
    expect(inspected(wav, { size })).toEqual({
      bytes: wav.length,
      sha256: createHash('sha256').update(wav).digest('hex'),
      contentType: 'audio/wav',
    });
  });

  it('rejects other data after the first bytes', () => {
    const { see } = createInspection({ maxBytes: 1e9 });
    for (let passed = 0; passed < 4; passed += 1) see(Buffer.alloc(1000, 'x'));
    expect(() => see(Buffer.alloc(1000, 'x'))).toThrow(expect.objectContaining({ code: 'upload_not_media' }));
  });

  it('rejects short other data at its end', () => {
    expect(() => inspected(Buffer.from('x'), { size: 1 })).toThrow(
      expect.objectContaining({ code: 'upload_not_media' }),
    );
  });

  it('rejects the first byte above the limit, and an empty file', () => {
    const refused = (code: string) => expect.objectContaining({ code });
    const size = 100;
    expect(() => inspected(wav, { size, maxBytes: wav.length - 1 })).toThrow(refused('upload_too_large'));
    expect(inspected(wav, { size, maxBytes: wav.length })).toMatchObject({ bytes: wav.length });
    expect(() => inspected(Buffer.alloc(0), { size })).toThrow(refused('upload_empty'));
  });
});
