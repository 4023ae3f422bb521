import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { entry, message, pageControl, result } from '@overtone/testkit/ldap';
import { testSeed } from '@overtone/testkit/seed';
import * as fc from 'fast-check';
import { Channel } from './channel.ts';
import { createConnection, type Found } from './connection.ts';
import { deadlineIn } from './deadline.ts';
import { DirectoryFailure } from './failures.ts';
import { operations } from './messages.ts';
import { encodeBind } from './requests.ts';
import { equal } from '../filter/filter.ts';

fc.configureGlobal({ seed: testSeed });

/** A fake socket that records requests and responds from a list of chunks. */
class Answering extends Socket {
  readonly #answer: (request: Buffer) => readonly Uint8Array[];

  constructor(answer: (request: Buffer) => readonly Uint8Array[]) {
    super();
    this.#answer = answer;
  }

  override _read(): void {}

  override _write(request: Buffer, _encoding: BufferEncoding, done: () => void): void {
    done();
    for (const chunk of this.#answer(request)) if (!this.destroyed) this.emit('data', Buffer.from(chunk));
  }
}

const server = { host: 'x', port: 389, security: 'plain' } as const;
const question = { base: 'dc=x', scope: 'sub', filter: equal('uid', 'a'), attributes: ['uid'], maxEntries: 3 } as const;

async function ask(chunks: (id: number) => readonly Uint8Array[]): Promise<Found> {
  const idOf = (request: Buffer): number => request[4]!;
  const socket = new Answering((request) => chunks(idOf(request)));
  const connection = createConnection(server, { socket, encryption: null });
  try {
    return await connection.search(question, deadlineIn(20));
  } finally {
    connection.close();
  }
}

function whole(id: number): Buffer {
  return Buffer.concat([
    message(id, entry('uid=a,dc=x', { uid: ['a', 'b'], cn: 'A' })),
    message(id, result(0x65, 0, { diagnostic: 'fine' }), [pageControl('next')]),
  ]);
}

describe('responses of a server', () => {
  it('are parsed independent of their fragmentation', async () => {
    const expected = await ask((id) => [whole(id)]);
    expect(expected).toMatchObject({ code: 0, cookie: Buffer.from('next'), entries: [{ dn: 'uid=a,dc=x' }] });
    const cuts = fc.array(fc.nat({ max: whole(2).length }), { maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(cuts, async (at) => {
        const places = [0, ...at.toSorted((left, right) => left - right), whole(2).length];
        const pieces = (id: number) => places.slice(1).map((end, i) => whole(id).subarray(places[i], end));
        expect(await ask(pieces)).toEqual(expected);
      }),
      { numRuns: 200 },
    );
  });

  // Larger in long runs.
  const numRuns = Number(process.env['BROKEN_ANSWERS'] ?? 1000);

  it('are parsed or rejected with a failure when bytes are changed', async () => {
    const changes = fc.array(fc.tuple(fc.nat({ max: whole(2).length - 1 }), fc.nat({ max: 255 })), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(changes, async (changed) => {
        const broken = (id: number): Buffer => {
          const bytes = whole(id);
          for (const [at, byte] of changed) bytes[at] = byte;
          return bytes;
        };
        const outcome = await ask((id) => [broken(id)]).catch((error: unknown) => error);
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(DirectoryFailure);
        else expect((outcome as Found).entries.length).toBeLessThanOrEqual(3);
      }),
      { numRuns },
    );
  });

  it('are rejected when they are random bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 200 }), async (bytes) => {
        await expect(ask(() => [bytes])).rejects.toBeInstanceOf(DirectoryFailure);
      }),
      { numRuns: 300 },
    );
  });

  it('do not allocate memory for announced lengths', async () => {
    const before = process.memoryUsage().rss;
    const promises = [
      Buffer.from([0x30, 0x84, 0xff, 0xff, 0xff, 0xff]),
      Buffer.from([0x30, 0x84, 0x00, 0x80, 0x00, 0x01]),
    ];
    for (let i = 0; i < 2000; i += 1) {
      await expect(ask(() => [promises[i % 2]!, Buffer.alloc(65_536)])).rejects.toMatchObject({ reason: 'limit' });
    }
    expect(process.memoryUsage().rss - before).toBeLessThan(256 * 1024 * 1024);
  });
});

describe('the requests of a channel', () => {
  const expected = { operation: operations.bindResponse, maxEntries: 0, maxBytes: 1024 };
  const bind = (id: number) => encodeBind(id, 'uid=a,dc=x', 'secret');
  const bindResponse = (request: Buffer) => message(request[4]!, result(0x61, 0));
  const deadline = deadlineIn(10_000);

  it('fail with a DirectoryFailure when they cannot be encoded, and the next request succeeds', async () => {
    const channel = new Channel(new Answering((request) => [bindResponse(request)]));
    const cause = new RangeError('too large');
    const request = channel.request(
      () => {
        throw cause;
      },
      expected,
      deadline,
    );
    await expect(request).rejects.toMatchObject({ name: 'DirectoryFailure', reason: 'protocol', cause });
    await expect(channel.request(bind, expected, deadline)).resolves.toMatchObject({ result: { code: 0 } });
  });

  it('are rejected while another request is pending, which is still answered', async () => {
    const requests: Buffer[] = [];
    const socket = new Answering((request) => (requests.push(request), []));
    const channel = new Channel(socket);
    const first = channel.request(bind, expected, deadline);
    await expect(channel.request(bind, expected, deadlineIn(20))).rejects.toMatchObject({
      name: 'DirectoryFailure',
      message: 'Another request is pending',
    });
    expect(requests).toHaveLength(1);
    socket.emit('data', bindResponse(requests[0]!));
    await expect(first).resolves.toMatchObject({ result: { code: 0 } });
  });
});
