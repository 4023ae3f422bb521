import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { waitFor } from '@overtone/testkit';
import { discardUnreadBody } from './unread-body.ts';

const lingerMs = 150;
const size = 200_000;

/** What a handler may have done with the body before it responded. */
const handlers: Record<string, (req: IncomingMessage) => void> = {
  nothing: () => {},
  'a listener for data': (req) => void req.on('data', () => {}),
  'a listener for readable': (req) => void req.on('readable', () => {}),
  'a listener for readable, removed': (req) => void req.on('readable', () => {}).removeAllListeners('readable'),
  'a pause': (req) => void req.on('data', () => req.pause()),
  'a pipe into a full stream': (req) => void req.pipe(new Writable({ write: () => {} })),
  'a pipe into a destroyed stream': (req) => void req.pipe(new Writable({ write: () => {} })).destroy(),
};

let server: Server;
let socket: Socket;
// Only the time of `discardUnreadBody` is faked: what travels between client and server takes as long as it takes.
beforeEach(
  () =>
    void jest.useFakeTimers({
      doNotFake: [
        'Date',
        'performance',
        'hrtime',
        'nextTick',
        'queueMicrotask',
        'setImmediate',
        'clearImmediate',
        'setInterval',
        'clearInterval',
      ],
    }),
);
afterEach(() => {
  jest.useRealTimers();
  socket.destroy();
  server.close();
  server.closeAllConnections();
});

/**
 * A server that responds to /early before it has read the body, and to every other path with the body's length, after it
 * has announced that the request has arrived.
 */
async function start(touch: (req: IncomingMessage) => void): Promise<void> {
  server = createServer((req, res) => {
    discardUnreadBody(req, res, lingerMs);
    if (req.url === '/early') {
      touch(req);
      res.end('early');
    } else {
      res.writeContinue();
      void text(req).then((body) => res.end(`read ${body.length}`));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  // A write into a connection that the server closes may fail; what counts is that it is closed.
  socket.on('error', () => {});
  socket.setEncoding('latin1');
}

/** Sends bytes and waits until the answers contain what is expected; false when the connection was closed instead. */
function send(bytes: string, expected: string): Promise<boolean> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve(false);
    let received = '';
    const onData = (chunk: string): void => {
      received += chunk;
      if (received.includes(expected)) end(true);
    };
    const onClose = (): void => end(false);
    const end = (found: boolean): void => {
      socket.off('data', onData).off('close', onClose);
      resolve(found);
    };
    socket.on('data', onData).on('close', onClose).write(bytes);
  });
}

function head(path: string) {
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`;
}

const half = 'x'.repeat(size / 2);

/** Sends a request with half of its body, and returns once the time for the other half runs. */
async function sendEarly(): Promise<void> {
  expect(await send(head('/early') + half, 'early')).toBe(true);
  await waitFor(() => jest.getTimerCount() > 0);
}

describe('discardUnreadBody', () => {
  it.each(Object.keys(handlers))(
    'keeps the connection for the next request when the rest of the body arrives after the response (handler: %s)',
    async (name) => {
      await start(handlers[name] as (req: IncomingMessage) => void);
      await sendEarly();
      expect(await send(half + head('/next') + half, '100 Continue')).toBe(true);
      // The next request is still sending its body when the time for the first one has passed.
      jest.advanceTimersByTime(2 * lingerMs);
      expect(await send(half, `read ${size}`)).toBe(true);
    },
  );

  it.each(Object.keys(handlers))(
    'closes the connection when the body does not end in time (handler: %s)',
    async (name) => {
      await start(handlers[name] as (req: IncomingMessage) => void);
      await sendEarly();
      const found = send(half.slice(1), 'never');
      jest.advanceTimersByTime(lingerMs);
      expect(await found).toBe(false);
    },
  );
});
