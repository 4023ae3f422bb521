import type { IncomingMessage, ServerResponse } from 'node:http';

const rate = 8000;
const headerBytes = 44;

/** A WAV of any length, computed byte by byte from the position; it supports range requests. */
export const sendTone = (request: IncomingMessage, response: ServerResponse, seconds: number): void => {
  const size = headerBytes + Math.floor(seconds * rate);
  const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const start = from === undefined ? 0 : Number(from);
  const end = Math.min(size - 1, to === undefined || to === '' ? start + 2_000_000 : Number(to));
  response.writeHead(from === undefined ? 200 : 206, {
    'content-type': 'audio/wav',
    'accept-ranges': 'bytes',
    'content-length': from === undefined ? size : end - start + 1,
    ...(from === undefined ? {} : { 'content-range': `bytes ${start}-${end}/${size}` }),
  });
  const last = from === undefined ? size - 1 : end;
  const chunk = 65_536;
  let at = start;
  const more = (): void => {
    while (at <= last) {
      const part = bytesAt(at, Math.min(last + 1, at + chunk), size);
      at += part.length;
      if (!response.write(part)) return void response.once('drain', more);
    }
    response.end();
  };
  response.on('close', () => (at = last + 1));
  more();
};

const bytesAt = (from: number, to: number, size: number): Buffer => {
  const head = header(size);
  const part = Buffer.allocUnsafe(to - from);
  for (let i = from; i < to; i += 1) {
    const t = (i - headerBytes) / rate;
    part[i - from] =
      i < headerBytes
        ? (head[i] as number)
        : 128 + Math.round(18 * Math.sin(t * 2 * Math.PI * 220) * Math.abs(Math.sin(t * 3)));
  }
  return part;
};
const header = (size: number): Buffer => {
  const head = Buffer.alloc(headerBytes);
  head.write('RIFF', 0);
  head.writeUInt32LE(size - 8, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(size - headerBytes, 40);
  return head;
};
