import { describe, expect, it } from '@jest/globals';
import { createHash } from 'node:crypto';
import { inspect } from './inspect.ts';

const wav = Buffer.concat([Buffer.from('RIFF\0\0\0\0WAVEfmt ', 'latin1'), Buffer.alloc(20_000, 3)]);
const inChunks = async function* (bytes: Buffer, size: number): AsyncIterable<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
};
const through = async (
  source: AsyncIterable<Buffer>,
  maxBytes = 1e9,
): Promise<{ out: Buffer; result: () => object }> => {
  const { stream, result } = inspect(source, { maxBytes });
  const out: Buffer[] = [];
  for await (const chunk of stream) out.push(chunk);
  return { out: Buffer.concat(out), result };
};

describe('a recording on its way in', () => {
  it.each([1, 7, 4099, 4100, 4101, 65_536])('comes out as it went in, in chunks of %d', async (size) => {
    const { out, result } = await through(inChunks(wav, size));
    expect(out.equals(wav)).toBe(true);
    expect(result()).toEqual({
      bytes: wav.length,
      sha256: createHash('sha256').update(wav).digest('hex'),
      contentType: 'audio/wav',
    });
  });

  it('is refused before more than its head has passed when it is none', async () => {
    let taken = 0;
    const endless = async function* (): AsyncIterable<Buffer> {
      for (; ; taken += 1) yield Buffer.alloc(1000, 'x');
    };
    await expect(through(endless())).rejects.toMatchObject({ code: 'upload_not_media' });
    expect(taken).toBeLessThan(6);
  });

  it('is refused with the first byte too many, and when there is none', async () => {
    await expect(through(inChunks(wav, 100), wav.length - 1)).rejects.toMatchObject({ code: 'upload_too_large' });
    await expect(through(inChunks(wav, 100), wav.length)).resolves.toBeDefined();
    await expect(through(inChunks(Buffer.alloc(0), 1))).rejects.toMatchObject({ code: 'upload_empty' });
  });
});
