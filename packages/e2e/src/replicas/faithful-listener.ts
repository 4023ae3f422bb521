import assert from 'node:assert/strict';
import type { PushMessage } from '@overtone/contracts';
import { listen, type Listener } from '../push-client.ts';
import { until } from '../runner.ts';

/** A browser's tab that comes back whenever it is told to. */
export type FaithfulListener = {
  /** How often it was told to come back; nothing else ever ended its socket. */
  readonly returns: () => number;
  /** Everything it was told, once it heard a message that fits. */
  readonly heardUntil: (fits: (message: PushMessage) => boolean) => Promise<readonly PushMessage[]>;
  readonly stop: () => Promise<void>;
};

const messagesOf = (socket: Listener | undefined): PushMessage[] => (socket?.heard ?? []).map(({ message }) => message);

export const listenFaithfully = async (url: string, token: string): Promise<FaithfulListener> => {
  let socket: Listener | undefined = await listen(url, token);
  const earlier: PushMessage[] = [];
  let returns = 0;
  let over = false;
  const heard = (): PushMessage[] => [...earlier, ...messagesOf(socket)];

  const stay = async (): Promise<void> => {
    for (let since = 0; socket;) {
      const code: number = await socket.closed;
      if (over) return;
      assert.equal(code, 1012, 'a socket was ended without being told to come back');
      since = Math.max(since, socket.lastSeq());
      earlier.push(...messagesOf(socket));
      socket = undefined;
      returns += 1;
      socket = await until('the socket is back', () => listen(url, token, since), 240_000, 250);
    }
  };
  const stayed = stay();
  let fault: unknown;
  stayed.catch((e: unknown) => (fault = e));
  return {
    returns: () => returns,
    heardUntil: async (fits) => {
      await until('the socket has heard of it', async () => {
        if (fault) throw fault;
        return heard().some(fits);
      });
      return heard();
    },
    stop: async () => {
      over = true;
      socket?.close();
      await stayed;
    },
  };
};
