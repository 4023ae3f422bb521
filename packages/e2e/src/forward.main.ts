import { connect, createServer } from 'node:net';

// Runs in a network namespace: SOCKET PORT. What connects to the socket, a file, reaches the port of the loopback.
const [socket, port] = process.argv.slice(2);
createServer((outside) => {
  const inside = connect(Number(port), '127.0.0.1');
  outside.on('error', () => inside.destroy()).pipe(inside);
  inside.on('error', () => outside.destroy()).pipe(outside);
}).listen(socket);
