import { createServer, connect, type AddressInfo, type Socket } from 'node:net';
import { cleanUpAfterFile } from '@overtone/testkit/cleanup';

/** `pass`: forwards everything. `hang`: accepts connections and bytes without a response. `cut`: closes connections at the first byte. */
type Mode = 'pass' | 'hang' | 'cut';

/** RFC 4511, 4.3: `[APPLICATION 2] NULL` after the number of the message. A client sends it alone. */
function isUnbind(data: Buffer): boolean {
  return data.length <= 10 && data.at(-2) === 0x42 && data.at(-1) === 0;
}

/** A proxy in front of a server that counts bytes, and can hang or close connections. */
export async function startLineTo(port: number) {
  let mode: Mode = 'pass';
  let bytes = 0;
  let connections = 0;
  const open = new Set<Socket>();
  const keep = (socket: Socket) => {
    open.add(socket);
    socket.on('error', () => {}).on('close', () => open.delete(socket));
    return socket;
  };
  const server = createServer((near) => {
    connections += 1;
    keep(near);
    const far = keep(connect(port, '127.0.0.1'));
    near.on('data', (data) => {
      if (!isUnbind(data)) bytes += data.length;
      if (mode === 'pass') far.write(data);
      if (mode === 'cut') near.destroy();
    });
    far.on('data', (data) => void (mode === 'pass' && near.write(data)));
    near.on('close', () => far.destroy());
    far.on('close', () => mode === 'pass' && near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUpAfterFile(async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return {
    url: `ldap://127.0.0.1:${(server.address() as AddressInfo).port}`,
    set: (next: Mode) => void (mode = next),
    /** All bytes sent to the server, but for the ends of connections: those are sent after the results were used. */
    bytes: () => bytes,
    connections: () => connections,
    /** Closes all connections. */
    drop: () => {
      for (const socket of open) socket.destroy();
    },
  };
}
