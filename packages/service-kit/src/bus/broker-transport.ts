import type { Socket } from 'node:net';
import type { ConnectionOptions, NatsConnection } from 'nats';
import { NatsConnectionImpl, setTransportFactory } from 'nats/lib/nats-base-client/internal_mod.js';
import { nodeResolveHost, NodeTransport } from 'nats/lib/src/node_transport.js';

/**
 * Connects as `connect` of nats.js 2 does, which leaves the socket of every attempt open that it gives up
 * (nats-io/nats.js#64). When a broker that hung continues, it greets those too. The client notices the end of such a
 * connection, takes it for the end of its current one and makes another: the broker then knows two, both subscribed,
 * and refuses replies to requests that came over the older one.
 *
 * A connection that was made once is made again, also when the broker refuses the password for a while: nats.js would not
 * try again after the second refusal.
 */
export async function connectBroker(options: ConnectionOptions): Promise<NatsConnection> {
  setTransportFactory({ factory: () => new BrokerTransport(), dnsResolveFn: nodeResolveHost });
  const nc = await NatsConnectionImpl.connect(options);
  (nc as NatsConnectionImpl).options.ignoreAuthErrorAbort = true;
  return nc;
}

/** A socket to the broker that is closed with the attempt that it belongs to. */
class BrokerTransport extends NodeTransport {
  #givenUp = false;

  override async dial(address: { hostname: string; port: number }): Promise<Socket> {
    const socket = await super.dial(address);
    if (!this.#givenUp) return socket;
    socket.destroy();
    throw new Error('the attempt to connect was given up');
  }

  override async close(error?: Error): Promise<void> {
    if (this.connected) return super.close(error);
    this.#givenUp = true;
    (this.socket as Socket | undefined)?.destroy();
  }

  /** At once: the client would first wait until a broker that hangs has read everything. */
  override disconnect(): void {
    void this.close();
  }
}
