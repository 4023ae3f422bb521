import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { PushMessage } from '@overtone/contracts';
import { createPushSocket, type Dialled } from './push-socket.ts';

type Line = {
  readonly since: number | null;
  readonly say: (message: PushMessage) => void;
  readonly hangUp: (code: number) => void;
};
const user = '11111111-1111-4111-8111-111111111111';
const hello = (seq: number, resumed: boolean): PushMessage => ({
  type: 'connection_established',
  data: { user_id: user, seq, resumed },
});
const created = (seq: number): PushMessage => ({ type: 'file_created', seq, data: { file_id: user } });

/** A socket whose other end the test speaks. */
const start = () => {
  const lines: Line[] = [];
  const heard: PushMessage['type'][] = [];
  let wake = (): void => undefined;
  const probe = jest.fn(() => Promise.resolve());
  const dial = (since: number | null): Dialled => {
    const target = new EventTarget();
    const hangUp = (code: number): void => void target.dispatchEvent(Object.assign(new Event('close'), { code }));
    lines.push({
      since,
      hangUp,
      say: (message) => target.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) })),
    });
    queueMicrotask(() => target.dispatchEvent(new Event('open')));
    return {
      addEventListener: target.addEventListener.bind(target),
      send: () => undefined,
      close: () => hangUp(1000),
    } as Dialled;
  };
  const socket = createPushSocket({
    onMessage: (m) => heard.push(m.type),
    probe,
    dial,
    onWake: (listener) => (wake = listener),
  });
  socket.open();
  const line = (): Line => lines.at(-1) as Line;
  return { socket, lines, line, heard, probe, wake: () => wake() };
};
const pass = (ms: number) => jest.advanceTimersByTimeAsync(ms);

beforeEach(() => void jest.useFakeTimers());
afterEach(() => void jest.useRealTimers());

describe('push socket', () => {
  it('asks on its return for what came after the last message it saw', async () => {
    const { line, lines } = start();
    line().say(hello(5, false));
    line().say(created(8));
    line().hangUp(1006);
    await pass(1000);
    expect(lines.map((l) => l.since)).toEqual([null, 8]);
  });
  it('does not lose what was still to be told when it is cut off right after the greeting', async () => {
    const { line, lines } = start();
    line().say(hello(5, false));
    line().hangUp(1006);
    await pass(1000);
    line().say(hello(9, true));
    line().hangUp(1006);
    await pass(1000);
    expect(lines.map((l) => l.since)).toEqual([null, 5, 5]);
  });
  it('takes the sequence of the greeting once all that was missed has come', async () => {
    const { line } = start();
    line().say(hello(5, false));
    line().hangUp(1006);
    await pass(1000);
    line().say(hello(9, true));
    await pass(3000);
    line().hangUp(1006);
    await pass(1000);
    expect(line().since).toBe(9);
  });
  it('asks for the session when nobody greets it', async () => {
    const { probe, lines } = start();
    await pass(3001);
    expect(probe).toHaveBeenCalledTimes(1);
    await pass(1000);
    expect(lines).toHaveLength(2);
  });
  it('asks for the session when it was revoked, not when its token merely ran out', async () => {
    const { line, probe } = start();
    line().say(hello(1, false));
    line().hangUp(4001);
    await pass(1000);
    expect(probe).not.toHaveBeenCalled();
    line().say(hello(1, true));
    line().hangUp(4004);
    await pass(0);
    expect(probe).toHaveBeenCalledTimes(1);
  });
  it('tries at once when the network is back', async () => {
    const { line, lines, wake } = start();
    line().say(hello(1, false));
    line().hangUp(1006);
    await pass(0);
    wake();
    expect(lines).toHaveLength(2);
  });
  it('stays closed after sign-out and forgets where it was', async () => {
    const { socket, line, lines } = start();
    line().say(hello(5, false));
    socket.close();
    await pass(60_000);
    expect(lines).toHaveLength(1);
    socket.open();
    expect(line().since).toBeNull();
  });
  it('drops what is no message of ours', () => {
    const { line, heard } = start();
    line().say(hello(1, false));
    line().say({ type: 'something', data: {} } as unknown as PushMessage);
    expect(heard).toEqual(['connection_established']);
  });
});
