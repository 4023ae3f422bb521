import { WebSocketServer } from 'ws';

// The peer of the push channel: a bare `ws` server that broadcasts each client message to all clients.
const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
server.on('connection', (socket) => {
  socket.on('message', (data) => {
    const text = (data as Buffer).toString();
    for (const client of server.clients) client.send(text);
  });
});
server.on('listening', () => {
  const address = server.address();
  if (address && typeof address === 'object') process.stdout.write(`${address.port}\n`);
});
