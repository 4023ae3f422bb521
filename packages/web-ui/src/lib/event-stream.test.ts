import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { createEventParser, LostStream, readEvents, type StreamEvent } from './event-stream.ts';

const text = ': waiting\n\nevent: stage\ndata: {"a":1}\n\nevent: text\ndata: one\ndata: two\n\n';
const events = [
  { event: 'stage', data: '{"a":1}' },
  { event: 'text', data: 'one\ntwo' },
];

describe('events of a stream', () => {
  it.each([1, 2, 5, 1_000])('are parsed from pieces of %d characters', (length) => {
    const parse = createEventParser();
    const pieces = text.match(new RegExp(`[^]{1,${length}}`, 'g')) ?? [];
    expect(pieces.flatMap((piece) => parse(piece))).toEqual(events);
  });

  it('wait for their end', () => {
    const parse = createEventParser();
    expect(parse('data: x\n')).toEqual([]);
    expect(parse('\n')).toEqual([{ event: 'message', data: 'x' }]);
  });
});

describe('reading a stream', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  function start() {
    const { readable, writable } = new TransformStream<string, string>();
    const received: StreamEvent[] = [];
    let end: unknown = 'reading';
    readEvents(readable, (event) => received.push(event)).then(
      () => (end = 'ended'),
      (error: unknown) => (end = error),
    );
    return { server: writable.getWriter(), received, end: () => end };
  }

  it('ends with the stream', async () => {
    const { server, received, end } = start();
    await server.write(text);
    await server.close();
    await jest.advanceTimersByTimeAsync(0);
    expect([received, end()]).toEqual([events, 'ended']);
  });

  it('continues while the server sends comments', async () => {
    const { server, end } = start();
    for (let comments = 0; comments < 60; comments++) {
      await server.write(': waiting\n\n');
      await jest.advanceTimersByTimeAsync(10_000);
    }
    expect(end()).toBe('reading');
  });

  it.each([
    { loss: 'nothing more arrives', lose: () => jest.advanceTimersByTimeAsync(30_001) },
    { loss: 'the connection breaks', lose: (server: WritableStreamDefaultWriter) => server.abort(new TypeError()) },
  ])('fails when $loss', async ({ lose }) => {
    const { server, received, end } = start();
    await server.write(text);
    await jest.advanceTimersByTimeAsync(0);
    await lose(server);
    await jest.advanceTimersByTimeAsync(0);
    expect([received, end()]).toEqual([events, expect.any(LostStream)]);
  });
});
