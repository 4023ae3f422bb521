import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A TCP load balancer in front of the replicas of a service, like a Kubernetes Service. */
export type Balancer = {
  readonly url: string;
  /** Distributes new connections over these API ports, round robin. Existing connections stay. */
  readonly send: (ports: readonly number[]) => void;
  readonly close: () => Promise<void>;
};

const retryMs = 50;

/**
 * Starts a balancer without replicas. A client of a Kubernetes Service reconnects when a replica refuses the
 * connection. Here the client is already connected, so the balancer tries the next replica.
 */
export async function startBalancer(): Promise<Balancer> {
  let ports: readonly number[] = [];
  let turn = 0;
  const open = new Set<Socket>();

  const connectToReplica = async (client: Socket): Promise<Socket | undefined> => {
    for (let attempts = 1; !client.destroyed; attempts += 1) {
      const port = ports[(turn += 1) % ports.length];
      const found = port === undefined ? undefined : await tryConnect(port);
      if (found) return found;
      if (attempts % Math.max(1, ports.length) === 0) await sleep(retryMs);
    }
    return undefined;
  };

  const server = createServer({ allowHalfOpen: true, pauseOnConnect: true, noDelay: true }, (client) => {
    open.add(client);
    client.once('close', () => open.delete(client)).on('error', () => client.destroy());
    void connectToReplica(client).then((upstream) => {
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
}

function tryConnect(port: number): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
    socket.once('connect', () => resolve(socket));
    socket.once('error', () => resolve(undefined));
  });
}

/** Connects two sockets: an error closes both; a half-close lets the other side finish. */
function join(one: Socket, other: Socket): void {
  for (const [from, to] of [
    [one, other],
    [other, one],
  ] as const) {
    from.pipe(to);
    from.on('error', () => to.resetAndDestroy());
    from.on('close', () => to.destroySoon());
  }
}
