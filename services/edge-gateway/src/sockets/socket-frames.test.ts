import { describe, expect, it } from '@jest/globals';
import { createFrameEnds, restartFrame } from './socket-frames.ts';

const handshake = Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n');

function frame(size: number): Buffer {
  const body = Buffer.alloc(size, 0x81);
  if (size < 126) return Buffer.concat([Buffer.from([0x81, size]), body]);
  const long = size > 0xffff;
  const head = Buffer.alloc(long ? 10 : 4);
  head[0] = 0x81;
  head[1] = long ? 127 : 126;
  if (long) head.writeBigUInt64BE(BigInt(size), 2);
  else head.writeUInt16BE(size, 2);
  return Buffer.concat([head, body]);
}

describe('the ends of frames', () => {
  it('are not in the handshake', () => {
    const ends = createFrameEnds();
    ends.push(handshake.subarray(0, -1));
    expect(ends.between()).toBe(false);
    ends.push(handshake.subarray(-1));
    expect(ends.between()).toBe(true);
  });

  it.each([0, 1, 125, 126, 65_535, 65_536, 100_000])(
    'are known after a frame of %d bytes, in one piece or in many',
    (size) => {
      for (const piece of [1, 7, 4096, 1_000_000]) {
        const ends = createFrameEnds();
        const bytes = Buffer.concat([handshake, frame(3), frame(size)]);
        for (let at = 0; at < bytes.length - 1; at += piece)
          ends.push(bytes.subarray(at, Math.min(at + piece, bytes.length - 1)));
        expect(ends.between()).toBe(false);
        ends.push(bytes.subarray(-1));
        expect(ends.between()).toBe(true);
      }
    },
  );

  it('are where a close frame for a restart may be inserted', () => {
    expect(restartFrame.readUInt16BE(2)).toBe(1012);
  });
});
