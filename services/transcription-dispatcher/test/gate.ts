import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';

/** A way to a server that can be shut, opened and frozen: what a network does to a service. */
export const startGate = async (target: string) => {
  const to = new URL(target);
  const sockets = new Set<Socket>();
  let frozen = false;
  const hold = (socket: Socket): void => void (frozen ? socket.pause() : socket.resume());
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    return socket;
  };
  const pass = (socket: Socket): void => {
    const onward = keep(connect(Number(to.port), to.hostname));
    keep(socket);
    socket.on('data', (d) => onward.write(d)).on('close', () => onward.destroy());
    onward.on('data', (d) => socket.write(d)).on('close', () => socket.destroy());
    for (const end of [socket, onward]) hold(end);
  };
  let server: Server = createServer(pass);
  const listen = (port: number): Promise<void> => new Promise((done) => server.listen(port, '127.0.0.1', () => done()));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const shut = async (): Promise<void> => {
    const closed = new Promise((done) => server.close(done));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  const still = (now: boolean): void => {
    frozen = now;
    for (const socket of sockets) hold(socket);
  };
  const here = new URL(target);
  here.hostname = '127.0.0.1';
  here.port = String(port);
  return {
    url: here.toString(),
    /** Refuses, and cuts whoever is there. */
    shut,
    open: async (): Promise<void> => {
      if (server.listening) return;
      server = createServer(pass);
      await listen(port);
    },
    /** Takes connections and says nothing. */
    freeze: () => still(true),
    thaw: () => still(false),
    close: shut,
  };
};
