import { once } from 'node:events';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { freePort } from '@overtone/testkit';

/** A TCP proxy that can be closed, reopened and frozen, to simulate network failures; it records what clients send. */
export async function startGate(target: string) {
  const to = new URL(target);
  const sockets = new Set<Socket>();
  let frozen = false;
  let sentText = '';
  const applyFreeze = (socket: Socket): void => void (frozen ? socket.pause() : socket.resume());
  const track = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    return socket;
  };
  const forward = (socket: Socket): void => {
    const onward = track(connect(Number(to.port), to.hostname));
    track(socket);
    socket.on('data', (chunk: Buffer) => (sentText += chunk.toString('latin1')));
    socket.on('data', (chunk) => onward.write(chunk)).on('close', () => onward.destroy());
    onward.on('data', (chunk) => socket.write(chunk)).on('close', () => socket.destroy());
    for (const end of [socket, onward]) applyFreeze(end);
  };
  let server: Server = createServer(forward);
  // Reserved, so that nothing else listens on it while the proxy is closed.
  const port = await freePort();
  const listen = async (): Promise<void> => void (await once(server.listen(port, '127.0.0.1'), 'listening'));
  await listen();
  const shut = async (): Promise<void> => {
    const closed = new Promise((done) => server.close(done));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const setFrozen = (freeze: boolean): void => {
    frozen = freeze;
    for (const socket of sockets) applyFreeze(socket);
  };
  const proxyUrl = new URL(target);
  proxyUrl.hostname = '127.0.0.1';
  proxyUrl.port = String(port);
  return {
    url: proxyUrl.toString(),
    /** Refuses new connections and cuts existing ones. */
    shut,
    open: async (): Promise<void> => {
      if (server.listening) return;
      server = createServer(forward);
      await listen();
    },
    /** Accepts connections but forwards no data. */
    freeze: () => setFrozen(true),
    thaw: () => setFrozen(false),
    /** Subjects that were published to a broker since the last call. */
    published: (): string[] => {
      const subjects = [...sentText.matchAll(/(?:^|\r\n)H?PUB (\S+)/g)].map((match) => match[1] ?? '');
      sentText = '';
      return subjects;
    },
  };
}
