import assert from 'node:assert/strict';
import type { PushMessage } from '@overtone/contracts';
import { openPushClient, type PushClient } from '../push-client.ts';
import { jobLimitMs, until } from '../until.ts';

/** A push client that reconnects when the server closes its socket with 1012 (service restart). */
export type ReconnectingClient = {
  /** The number of reconnects; a close with any other code is an error. */
  readonly reconnects: () => number;
  /** All messages received until one matches. */
  readonly receivedUntil: (matches: (message: PushMessage) => boolean) => Promise<readonly PushMessage[]>;
  readonly stop: () => Promise<void>;
};

export async function openReconnectingClient(url: string, token: string): Promise<ReconnectingClient> {
  let socket: PushClient | undefined = await openPushClient(url, token);
  const earlier: PushMessage[] = [];
  let reconnects = 0;
  let isStopped = false;
  const received = (): PushMessage[] => [...earlier, ...messagesOf(socket)];

  const keepConnected = async (): Promise<void> => {
    for (let since = 0; socket;) {
      const code: number = await socket.closed;
      if (isStopped) return;
      assert.equal(code, 1012, 'a socket was closed without a request to reconnect');
      since = Math.max(since, socket.lastSeq());
      earlier.push(...messagesOf(socket));
      socket = undefined;
      reconnects += 1;
      socket = await until('the socket is reconnected', () => openPushClient(url, token, since), 240_000, 250);
    }
  };
  const finished = keepConnected();
  let failure: unknown;
  finished.catch((error: unknown) => (failure = error));
  return {
    reconnects: () => reconnects,
    receivedUntil: async (matches) => {
      await until(
        'the socket has received the message',
        async () => {
          if (failure) throw failure;
          return received().some(matches);
        },
        jobLimitMs,
      );
      return received();
    },
    stop: async () => {
      isStopped = true;
      socket?.close();
      await finished;
    },
  };
}

function messagesOf(socket: PushClient | undefined): PushMessage[] {
  return (socket?.received ?? []).map(({ message }) => message);
}
