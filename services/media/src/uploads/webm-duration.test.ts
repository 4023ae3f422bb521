import { describe, expect, it } from '@jest/globals';
import { addDuration } from './webm-duration.ts';

async function collect(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function inChunks(bytes: Buffer, size: number) {
  return async function* () {
    for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
  };
}

function element(id: string, ...content: Buffer[]): Buffer {
  const data = Buffer.concat(content);
  const size = Buffer.alloc(4);
  size.writeUInt32BE((0x10000000 | data.length) >>> 0);
  return Buffer.concat([Buffer.from(id, 'hex'), size, data]);
}
const unknownSize = Buffer.from('01ffffffffffffff', 'hex');

function block(time: number, bytes = 50): Buffer {
  const data = Buffer.alloc(4 + bytes, 7);
  data[0] = 0x81;
  data.writeInt16BE(time, 1);
  return element('a3', data);
}

/** A stream as a browser records it: clusters of unknown size, each with blocks 20 ms apart. */
function liveStream(clusterTimes: number[]): Buffer {
  const clusters = clusterTimes.map((time) =>
    Buffer.concat([
      Buffer.from('1f43b675', 'hex'),
      unknownSize,
      element('e7', Buffer.from([time >> 8, time & 0xff])),
      ...Array.from({ length: 10 }, (_, i) => block(i * 20)),
    ]),
  );
  const info = element(
    '1549a966',
    element('2ad7b1', Buffer.from([0x0f, 0x42, 0x40])),
    element('4d80', Buffer.from('x')),
  );
  return Buffer.concat([
    element('1a45dfa3', element('4282', Buffer.from('webm'))),
    Buffer.from('18538067', 'hex'),
    unknownSize,
    info,
    element('1654ae6b', element('ae', Buffer.alloc(20, 1))),
    ...clusters,
  ]);
}

const clusterId = Buffer.from('1f43b675', 'hex');

describe('a recorded WebM stream', () => {
  const stream = liveStream([0, 3000, 6000, 9000]);
  const clusters = stream.subarray(stream.indexOf(clusterId));

  it.each([1, 7, 100, 100_000])(
    'gets a duration and cues in front of unchanged clusters, read in chunks of %d',
    async (size) => {
      const result = await collect(addDuration(inChunks(stream, size)));
      const duration = result.indexOf(Buffer.from('4489', 'hex'));
      // The last block begins at 9.18 s and lasts as long as the one before it.
      expect(result.readDoubleBE(duration + 6)).toBe(9200);
      const first = result.indexOf(clusterId);
      expect(result.subarray(first).equals(clusters)).toBe(true);
      const segmentData = result.indexOf(Buffer.from('18538067', 'hex')) + 12;
      const positions = [
        ...result
          .subarray(0, first)
          .toString('latin1')
          .matchAll(/\xf1[\s\S]{4}([\s\S]{8})/g),
      ].map(([, value]) => Number(Buffer.from(value ?? '', 'latin1').readBigUInt64BE()));
      expect(positions).toHaveLength(4);
      for (const position of positions)
        expect(result.subarray(segmentData + position, segmentData + position + 4)).toEqual(clusterId);
    },
  );

  it('that was cut off in a block ends at its last whole block', async () => {
    const result = await collect(addDuration(inChunks(stream.subarray(0, -30), 64)));
    const duration = result.indexOf(Buffer.from('4489', 'hex'));
    expect(result.readDoubleBE(duration + 6)).toBeGreaterThanOrEqual(9160);
    expect(result.subarray(result.indexOf(clusterId)).equals(clusters.subarray(0, -30))).toBe(true);
  });
});

describe('other data', () => {
  it.each([
    ['a finished file', Buffer.concat([element('1a45dfa3'), element('18538067', Buffer.alloc(40))])],
    ['no WebM', Buffer.from('OggS and more')],
    ['nothing', Buffer.alloc(0)],
    ['a stream without a cluster', liveStream([])],
  ])('is passed on unchanged: %s', async (_, bytes) => {
    expect((await collect(addDuration(inChunks(bytes, 5)))).equals(bytes)).toBe(true);
  });
});
