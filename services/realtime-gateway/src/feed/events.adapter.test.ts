import { expect, it } from '@jest/globals';
import type { Bus } from '@overtone/service-kit';
import { waitFor } from '@overtone/testkit';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import type { Msg } from 'nats';
import { createEventsTail } from './events.adapter.ts';

/** A stream whose last message can be lost, and what the tail read of it. */
async function follow(lastSeq: number) {
  let renew = (): void => {};
  let deliver = (_msg: Msg): void => {};
  const state = { first_seq: 1, last_seq: lastSeq };
  const streams = {
    info: () => Promise.resolve({ created: 'once', state }),
    getMessage: (_stream: string, { seq }: { seq: number }) =>
      Promise.resolve({ subject: 'evt.x', seq, time: new Date(), header: new Map(), json: () => ({ seq }) }),
  };
  const begins: number[] = [];
  const seen: number[] = [];
  const tail = createEventsTail({
    bus: {
      log: { debug: () => {} },
      jetstreamManager: () => Promise.resolve({ streams }),
      onRenewal: (listener: () => void) => (renew = listener),
      subscribe: (_subject: string, onMessage: (msg: Msg) => void) => (deliver = onMessage),
    } as unknown as Bus,
    lookBackMs: 60_000,
    onBegin: (afterSeq) => begins.push(afterSeq),
    onEvent: ({ seq }) => seen.push(seq),
  });
  await tail.start();
  cleanUpAfterTest(() => tail.stop());
  return {
    begins,
    seen,
    comesBackWith: (seq: number, { first = 1 } = {}) => {
      Object.assign(state, { first_seq: first, last_seq: seq });
      renew();
    },
    delivers: (seq: number) => {
      state.last_seq = seq;
      const msg = { subject: 'evt.x', reply: `$JS.ACK.EVENTS.event-feed.1.${seq}.1.0.0`, json: () => ({ seq }) };
      deliver(msg as unknown as Msg);
    },
  };
}

it('begins again when the broker has lost its last events, and accepts new ones with their sequences', async () => {
  const stream = await follow(5);
  expect([stream.begins, stream.seen]).toEqual([[0], [1, 2, 3, 4, 5]]);
  stream.comesBackWith(3);
  await waitFor(() => stream.begins.length === 2);
  stream.seen.length = 0;
  await waitFor(() => {
    stream.delivers(4);
    return stream.seen.includes(4);
  });
  expect(stream.seen).toEqual([4]);
});

it('does not begin again when the broker comes back with all events', async () => {
  const stream = await follow(5);
  stream.comesBackWith(5);
  stream.delivers(6);
  await waitFor(() => stream.seen.includes(6));
  expect([stream.begins, stream.seen]).toEqual([[0], [1, 2, 3, 4, 5, 6]]);
});

it('begins again when the stream has removed events that were missed', async () => {
  const stream = await follow(5);
  stream.comesBackWith(9, { first: 8 });
  await waitFor(() => stream.seen.includes(9));
  expect([stream.begins, stream.seen]).toEqual([
    [0, 7],
    [1, 2, 3, 4, 5, 8, 9],
  ]);
});
