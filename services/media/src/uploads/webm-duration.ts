/*
 * A browser writes WebM as a live stream (https://www.matroska.org/technical/streaming.html): without a duration and
 * without cues, so that players cannot seek. Both can be added in front of the clusters when the recording has ended.
 */

/** Element ids of Matroska. */
const ids = {
  header: 0x1a45dfa3,
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  info: 0x1549a966,
  tracks: 0x1654ae6b,
  cluster: 0x1f43b675,
  cues: 0x1c53bb6b,
  timecodeScale: 0x2ad7b1,
  duration: 0x4489,
  timecode: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
} as const;
/** Elements before the first cluster are kept in memory: a few hundred bytes in practice. */
const maxHeadBytes = 1024 * 1024;
/** Nanoseconds per unit of time, unless the file says otherwise. */
const defaultScale = 1_000_000;
const millisecondNs = 1_000_000;
/** Seek points are at least this far apart. */
const cueIntervalMs = 2_000;

type Cluster = { offset: number; time: number };
type Layout = { head: Buffer; headEnd: number; clusters: Cluster[]; end: number; lastStep: number };
type Element = { id: number; size: number | null; dataAt: number };

/**
 * The recording with its duration and with cues. Data that is not a WebM stream of this kind is passed on unchanged.
 * @param open reads the recording from its beginning; called twice
 */
export async function* addDuration(open: () => AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const layout = await readLayout(open());
  const front = layout && writeFront(layout);
  if (!layout || !front) {
    yield* open();
    return;
  }
  yield front;
  let skip = layout.headEnd;
  for await (const chunk of open()) {
    if (skip >= chunk.length) skip -= chunk.length;
    else {
      yield chunk.subarray(skip);
      skip = 0;
    }
  }
}

/** Finds the clusters of a stream and the time of its last block. */
async function readLayout(source: AsyncIterable<Buffer>): Promise<Layout | null> {
  const reader = createReader(source);
  const header = await reader.element();
  if (header?.id !== ids.header || header.size === null || header.size > maxHeadBytes) return null;
  await reader.skip(header.size);
  const segment = await reader.element();
  // A known size is that of a finished file.
  if (segment?.id !== ids.segment || segment.size !== null) return null;
  const layout: Layout = { head: Buffer.alloc(0), headEnd: 0, clusters: [], end: 0, lastStep: 0 };
  const head: Buffer[] = [];
  for (let at = reader.position(); ; at = reader.position()) {
    const element = await reader.element();
    if (!element) return layout.clusters.length > 0 ? layout : null;
    const { id, size } = element;
    if (id === ids.cues) return null;
    if (id === ids.cluster) {
      if (layout.clusters.length === 0) Object.assign(layout, { head: Buffer.concat(head), headEnd: at });
      layout.clusters.push({ offset: at - layout.headEnd, time: 0 });
    } else if (layout.clusters.length === 0) {
      if (size === null || size > maxHeadBytes) return null;
      const data = await reader.bytes(size);
      if (!data) return null;
      head.push(writeElement(id, data));
    } else if (!(await readInCluster(reader, element, layout))) {
      return layout;
    }
  }
}

type Reader = ReturnType<typeof createReader>;

/** Reads one child of the open cluster. @returns false at the end of the data, which may be in the middle of a block. */
async function readInCluster(reader: Reader, { id, size }: Element, layout: Layout): Promise<boolean> {
  const cluster = layout.clusters.at(-1);
  // The blocks of a group follow as elements.
  if (id === ids.blockGroup) return true;
  if (size === null || !cluster) return false;
  if (id === ids.timecode) {
    const data = await reader.bytes(size);
    if (!data) return false;
    cluster.time = readUnsigned(data);
    return true;
  }
  if (id !== ids.simpleBlock && id !== ids.block) return reader.skip(size);
  const begin = await reader.bytes(Math.min(size, 11));
  if (!begin || begin.length < 4) return false;
  const time = cluster.time + begin.readInt16BE(lengthOfNumber(begin[0] ?? 0));
  if (time > layout.end) Object.assign(layout, { lastStep: time - layout.end, end: time });
  return reader.skip(size - begin.length);
}

/** EBML header, segment, information with the duration, tracks, and cues, up to the first cluster. */
function writeFront({ head, headEnd, clusters, end, lastStep }: Layout): Buffer | null {
  const info = childrenOf(head).find(({ id }) => id === ids.info);
  if (!info) return null;
  const children = childrenOf(info.data);
  const scaleOf = children.find(({ id }) => id === ids.timecodeScale);
  const scale = scaleOf ? readUnsigned(scaleOf.data) : defaultScale;
  const duration = Buffer.alloc(8);
  // The last block lasts about as long as the one before it.
  duration.writeDoubleBE(end + Math.min(lastStep, 100));
  const kept = children.filter(({ id }) => id !== ids.duration).map(({ id, data }) => writeElement(id, data));
  const newInfo = writeElement(ids.info, Buffer.concat([...kept, writeElement(ids.duration, duration)]));
  const others = childrenOf(head)
    // Positions of other elements would be wrong now.
    .filter(({ id }) => id !== ids.info && id !== ids.seekHead)
    .map(({ id, data }) => writeElement(id, data));
  const before = Buffer.concat([newInfo, ...others]);
  const points = pickPoints(clusters, (cueIntervalMs * millisecondNs) / scale);
  // The size of the cues does not depend on the positions in them.
  const cuesBytes = writeCues(points, 0).length;
  const cues = writeCues(points, before.length + cuesBytes);
  return headEnd === 0 ? null : Buffer.concat([ebmlHeader, segmentStart, before, cues]);
}

const ebmlHeader = writeElement(
  ids.header,
  Buffer.concat([
    writeElement(0x4286, Buffer.from([1])),
    writeElement(0x42f7, Buffer.from([1])),
    writeElement(0x42f2, Buffer.from([4])),
    writeElement(0x42f3, Buffer.from([8])),
    writeElement(0x4282, Buffer.from('webm')),
    writeElement(0x4287, Buffer.from([4])),
    writeElement(0x4285, Buffer.from([2])),
  ]),
);
/** A segment of unknown size: it ends with the file. */
const segmentStart = Buffer.from([0x18, 0x53, 0x80, 0x67, 0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]);

function pickPoints(clusters: readonly Cluster[], interval: number): Cluster[] {
  const points: Cluster[] = [];
  for (const cluster of clusters) {
    const last = points.at(-1);
    if (!last || cluster.time >= last.time + interval) points.push(cluster);
  }
  return points;
}

function writeCues(points: readonly Cluster[], offset: number): Buffer {
  return writeElement(
    ids.cues,
    Buffer.concat(
      points.map((point) => {
        const position = writeElement(
          0xb7,
          Buffer.concat([
            writeElement(0xf7, Buffer.from([1])),
            writeElement(0xf1, writeUnsigned(point.offset + offset)),
          ]),
        );
        return writeElement(0xbb, Buffer.concat([writeElement(0xb3, writeUnsigned(point.time)), position]));
      }),
    ),
  );
}

/** Reads elements from a stream of chunks, without keeping what was read. */
function createReader(source: AsyncIterable<Buffer>) {
  const chunks = source[Symbol.asyncIterator]();
  let rest = Buffer.alloc(0);
  let position = 0;
  const fill = async (count: number): Promise<boolean> => {
    while (rest.length < count) {
      const next = await chunks.next();
      if (next.done) return false;
      rest = Buffer.concat([rest, next.value]);
    }
    return true;
  };
  const take = (count: number): Buffer => {
    const taken = rest.subarray(0, count);
    rest = rest.subarray(count);
    position += count;
    return taken;
  };
  const bytes = async (count: number): Promise<Buffer | null> => ((await fill(count)) ? take(count) : null);
  const number = async (): Promise<Buffer | null> => {
    if (!(await fill(1))) return null;
    const length = lengthOfNumber(rest[0] ?? 0);
    return length > 8 ? null : bytes(length);
  };
  return {
    position: () => position,
    bytes,
    skip: async (count: number): Promise<boolean> => {
      let left = count;
      while (left > rest.length) {
        left -= rest.length;
        take(rest.length);
        if (!(await fill(1))) return false;
      }
      take(left);
      return true;
    },
    /** The next element's head; null at the end, or where the data is no EBML. */
    element: async (): Promise<Element | null> => {
      const id = await number();
      const size = id && (await number());
      if (!id || !size || id.length > 4) return null;
      return { id: id.readUIntBE(0, id.length), size: sizeOf(size), dataAt: position };
    },
  };
}

/** The number of bytes of a variable-length number by its first byte; 9 when that is not valid. */
function lengthOfNumber(first: number): number {
  return Math.clz32(first) - 23;
}

/** The value of a size; null: unknown, which is written as ones only. */
function sizeOf(number: Buffer): number | null {
  const marker = 1 << (8 - number.length);
  const values = Buffer.from(number);
  values[0] = (values[0] ?? 0) & (marker - 1);
  const isUnknown = values.every((value, i) => value === (i === 0 ? marker - 1 : 0xff));
  return isUnknown ? null : readUnsigned(values);
}

function readUnsigned(data: Buffer): number {
  return data.reduce((value, byte) => value * 256 + byte, 0);
}

/** Always eight bytes, so that the size of an element does not depend on the number. */
function writeUnsigned(value: number): Buffer {
  const data = Buffer.alloc(8);
  data.writeBigUInt64BE(BigInt(value));
  return data;
}

function writeElement(id: number, data: Buffer): Buffer {
  const name = Buffer.alloc(4);
  name.writeUInt32BE(id);
  const size = Buffer.alloc(4);
  size.writeUInt32BE((0x10000000 | data.length) >>> 0);
  return Buffer.concat([name.subarray(name.findIndex((byte) => byte !== 0)), size, data]);
}

function childrenOf(data: Buffer): { id: number; data: Buffer }[] {
  const children: { id: number; data: Buffer }[] = [];
  for (let at = 0; at < data.length;) {
    const idLength = lengthOfNumber(data[at] ?? 0);
    const sizeAt = at + idLength;
    const sizeLength = lengthOfNumber(data[sizeAt] ?? 0);
    if (idLength > 4 || sizeLength > 8 || sizeAt + sizeLength > data.length) return children;
    const size = sizeOf(data.subarray(sizeAt, sizeAt + sizeLength));
    const dataAt = sizeAt + sizeLength;
    if (size === null || dataAt + size > data.length) return children;
    children.push({ id: data.readUIntBE(at, idLength), data: data.subarray(dataAt, dataAt + size) });
    at = dataAt + size;
  }
  return children;
}
