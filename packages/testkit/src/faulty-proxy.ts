import { connect, createServer, type Socket } from 'node:net';

/** What happens to the bytes of a connection that go one way, once so many of them have passed. */
export type LineFault = {
  readonly kind: 'cut' | 'stall' | 'delay' | 'corrupt' | 'drop' | 'repeat';
  readonly towards: 'client' | 'server';
  /** The number of the byte at which it happens, from 0. */
  readonly at: number;
};

/** A TCP proxy between a client and a real server that does to its connections what networks do. */
export type FaultyProxy = {
  readonly port: number;
  /** The faults of the connections from now on, by their number from 1. */
  readonly suffer: (faults: (connection: number) => readonly LineFault[]) => void;
  /** From now on the connections that are open pass nothing on and stay open; new ones do not suffer. */
  readonly silenceOpen: () => void;
  /** How many connections there were since then. */
  readonly connections: () => number;
  readonly stop: () => Promise<void>;
};

const delayMs = 25;

/** Starts one in front of a port of this machine; without faults it passes everything on. */
export async function startFaultyProxy(target: { readonly port: number }): Promise<FaultyProxy> {
  let faults: (connection: number) => readonly LineFault[] = () => [];
  let count = 0;
  const open = new Set<Socket>();
  const silent = new WeakSet<Socket>();
  const keep = (socket: Socket): Socket => {
    open.add(socket);
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => open.delete(socket));
    return socket;
  };
  const server = createServer((accepted) => {
    count += 1;
    const client = keep(accepted);
    const upstream = keep(connect({ port: target.port, host: '127.0.0.1' }));
    client.on('close', () => upstream.destroy());
    upstream.on('close', () => client.destroy());
    const mine = faults(count);
    const isSilent = (): boolean => silent.has(client);
    const faultsTowards = (end: LineFault['towards']): readonly LineFault[] =>
      mine.filter(({ towards }) => towards === end);
    pass(upstream, client, { faults: faultsTowards('client'), isSilent });
    pass(client, upstream, { faults: faultsTowards('server'), isSilent });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    suffer: (next) => {
      faults = next;
      count = 0;
    },
    silenceOpen: () => {
      for (const socket of open) silent.add(socket);
    },
    connections: () => count,
    stop: async () => {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Passes bytes on in their order; a fault strikes the chunk that holds its byte. */
function pass(
  from: Socket,
  to: Socket,
  { faults, isSilent }: { faults: readonly LineFault[]; isSilent: () => boolean },
): void {
  let passed = 0;
  let stalled = false;
  let before = Promise.resolve();
  const send = (bytes: Buffer): void => {
    if (to.writable) to.write(bytes);
  };
  const struck = async (chunk: Buffer): Promise<void> => {
    const start = passed;
    passed += chunk.length;
    const fault = faults.find(({ at }) => at >= start && at < passed);
    if (stalled || isSilent()) return;
    if (fault === undefined) return send(chunk);
    const [head, tail] = [chunk.subarray(0, fault.at - start), chunk.subarray(fault.at - start)];
    switch (fault.kind) {
      case 'cut':
        send(head);
        to.end();
        from.destroy();
        return;
      case 'stall':
        stalled = true;
        return send(head);
      case 'delay':
        send(head);
        await new Promise((resolve) => setTimeout(resolve, delayMs));
        return send(tail);
      case 'corrupt':
        return send(Buffer.concat([head, Buffer.from([tail[0]! ^ (1 << (fault.at % 8))]), tail.subarray(1)]));
      case 'drop':
        return send(Buffer.concat([head, tail.subarray(1)]));
      case 'repeat':
        return send(Buffer.concat([chunk, tail]));
    }
  };
  from.on('data', (chunk: Buffer) => {
    before = before.then(() => struck(chunk));
  });
  from.on('end', () => {
    before = before.then(() => void (isSilent() || to.end()));
  });
}
