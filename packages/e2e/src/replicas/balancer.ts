import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What stands before the replicas of a service, as a Kubernetes Service does. */
export type Balancer = {
  readonly url: string;
  /** New connections go to these API ports, in turn; those there are stay where they are. */
  readonly send: (ports: readonly number[]) => void;
  readonly close: () => Promise<void>;
};

const lookAgainMs = 50;

const reach = (port: number): Promise<Socket | undefined> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });

/** Either end that breaks takes the other with it; one that has said all lets the other finish. */
const join = (one: Socket, other: Socket): void => {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => to.destroySoon());
  }
};

/**
 * Starts one in front of nobody. Behind a Service a connection that a replica refuses is refused to the caller, who
 * connects again; here the caller is connected already, so it is this that tries the next one.
 */
export const startBalancer = async (): Promise<Balancer> => {
  let ports: readonly number[] = [];
  let turn = 0;
  const open = new Set<Socket>();

  const find = async (client: Socket): Promise<Socket | undefined> => {
    for (let tries = 1; !client.destroyed; tries += 1) {
      const port = ports[(turn += 1) % ports.length];
      const found = port === undefined ? undefined : await reach(port);
      if (found) return found;
      if (tries % Math.max(1, ports.length) === 0) await sleep(lookAgainMs);
    }
    return undefined;
  };

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (client) => {
    open.add(client);
    client.once('close', () => open.delete(client)).on('error', () => client.destroy());
    void find(client).then((upstream) => {
      if (upstream && client.destroyed) upstream.destroy();
      else if (upstream) join(client, upstream);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    send: (to) => {
      ports = to;
    },
    close: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
