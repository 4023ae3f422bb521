import { rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { startTemplateServer } from './template.ts';
import type { TestServer } from './servers.ts';

// One per test run: holds the servers that all test files share, and ends when its parent closes our input,
// however the parent ends. The servers start when the first test asks.
const socket = process.argv[2]!;
let postgres: Promise<TestServer> | undefined;

const server = createServer((_request, response) => {
  postgres ??= startTemplateServer();
  postgres.then(
    ({ url }) => response.end(JSON.stringify({ url })),
    (error: unknown) => {
      postgres = undefined;
      response.statusCode = 500;
      response.end(String(error));
    },
  );
});

async function end(): Promise<void> {
  const running = await postgres?.catch(() => undefined);
  await running?.stop();
  await rm(socket, { force: true });
  process.exit(0);
}

server.listen(socket);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined); // the parent decides
process.stdin.resume().on('end', () => void end());
