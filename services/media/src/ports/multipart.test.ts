import { Readable } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { isAppError } from '@overtone/service-kit';
import { readMultipart } from './multipart.ts';

const boundary = 'b0undary';

function file(disposition: string, more = ''): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\nsound\r\n--${boundary}--\r\n`;
}

/** Bodies by their defect. Each is truncated at every position. */
const bodies: Record<string, string> = {
  'nothing wrong': file('name="file"; filename="a.wav"', 'Content-Type: audio/wav\r\n'),
  'NUL in the file name': file('name="file"; filename="a\0b.wav"'),
  'NUL in the field name': file('name="fi\0le"; filename="a.wav"'),
  'NUL in another header': file('name="file"; filename="a.wav"', 'X-Other: a\0b\r\n'),
  'a line feed in the file name': file('name="file"; filename="a\nb.wav"'),
  'no end of the file name': file('name="file"; filename="a.wav'),
  'a header without a colon': file('name="file"; filename="a.wav"', 'nonsense\r\n'),
  'a header with a control character in its name': file('name="file"; filename="a.wav"', 'X\x01Y: 1\r\n'),
  'no disposition': `--${boundary}\r\nContent-Type: audio/wav\r\n\r\nsound\r\n--${boundary}--\r\n`,
  'an unknown charset': file(`name="file"; filename*=nowhere''%ff%fe.wav`),
  'a broken percent encoding': file(`name="file"; filename*=utf-8''%e0%a4%`),
  'bytes that are not UTF-8': file('name="file"; filename="\xff\xfe.wav"'),
  'lines that end in LF': file('name="file"; filename="a.wav"').replaceAll('\r\n', '\n'),
  'another field than file': file('name="other"; filename="a.wav"'),
  'no file': file('name="title"'),
  'two files': file('name="file"; filename="a.wav"').replace(/--\r\n$/, '\r\n') + file('name="file"; filename="b.wav"'),
  'a malformed part after the file':
    file('name="file"; filename="a.wav"').replace(/--\r\n$/, '\r\n') + file('name="title\0"'),
  'a malformed part before the file':
    file('name="title\0"').replace(/--\r\n$/, '\r\n') + file('name="file"; filename="a.wav"'),
  'no parts': `--${boundary}--\r\n`,
  'no boundary at all': 'sound',
};

type Request = IncomingMessage & { push: (chunk: Buffer | null) => boolean };

function requestOf(): Request {
  const stream = new Readable({ read() {} });
  return Object.assign(stream, {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    complete: false,
  }) as unknown as Request;
}

/** The ways a connection ends during a body; Node reports both with `complete` false. */
const cuts = {
  'with an error': (req: Request) => req.destroy(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })),
  'without an error': (req: Request) => req.destroy(),
};

function turn() {
  return new Promise((resolve) => setImmediate(resolve));
}

type Outcome = { status: 'taken'; bytes: number } | { status: 'refused'; code: string };

async function outcomeOf(req: Request): Promise<Outcome> {
  try {
    const bytes = await readMultipart(req, async ({ body }, ended) => {
      const { length } = await buffer(body);
      await ended();
      return length;
    });
    return { status: 'taken', bytes };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { status: 'refused', code: error.code };
  }
}

const uncaught: unknown[] = [];

function record(error: unknown): void {
  return void uncaught.push(error);
}
beforeEach(() => {
  uncaught.length = 0;
  process.on('uncaughtException', record).on('unhandledRejection', record);
});
afterEach(() => {
  process.off('uncaughtException', record).off('unhandledRejection', record);
});

describe('a multipart body', () => {
  it.each(Object.entries(bodies))('with %s is accepted or rejected when it is complete', async (name, text) => {
    const req = requestOf();
    const outcome = outcomeOf(req);
    req.push(Buffer.from(text, 'latin1'));
    req.complete = true;
    req.push(null);
    const result = await outcome;
    if (name === 'nothing wrong') expect(result).toEqual({ status: 'taken', bytes: 5 });
    else if (result.status === 'refused') expect(result.code).toMatch(/^(upload_|filename_)/);
    await turn();
    expect(uncaught).toEqual([]);
  });

  const cases = Object.keys(bodies).flatMap((name) => Object.keys(cuts).map((how) => [name, how] as const));
  it.each(cases)('with %s is rejected when it is truncated %s at any byte', async (name, how) => {
    const bytes = Buffer.from(bodies[name] ?? '', 'latin1');
    const cut = cuts[how as keyof typeof cuts];
    // Runs all requests concurrently, so that the event loop turns twice instead of a thousand times.
    const requests = Array.from({ length: bytes.length }, (_, at) => {
      const req = requestOf();
      const outcome = outcomeOf(req);
      if (at > 0) req.push(bytes.subarray(0, at));
      return { req, outcome };
    });
    await turn();
    for (const { req } of requests) cut(req);
    const outcomes = await Promise.all(requests.map(({ outcome }) => outcome));
    await turn();
    expect(uncaught).toEqual([]);
    // The form is complete after its last boundary; only line ends follow.
    for (const outcome of outcomes.slice(0, -4)) expect(outcome.status).toBe('refused');
  });

  it('is rejected when its connection has ended before it is read', async () => {
    const req = requestOf();
    req.destroy();
    await turn();
    expect(await outcomeOf(req)).toEqual({ status: 'refused', code: 'upload_incomplete' });
  });
});
