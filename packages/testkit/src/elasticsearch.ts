import { fileURLToPath } from 'node:url';
import { freePort } from '@overtone/cli/servers';
import { start, type TestServer } from './servers.ts';

/**
 * Starts a process that answers as an Elasticsearch server does, as far as our adapter asks one: no such server can be
 * installed where the tests run. The contract of search indexes runs through it; what it holds ends with it.
 */
export async function startSearchServer(): Promise<TestServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  return await start(
    () => ({
      name: 'search-server',
      command: process.execPath,
      args: [fileURLToPath(new URL('elasticsearch.main.ts', import.meta.url)), String(port)],
      env: {},
      stopSignal: 'SIGKILL',
      probe: () =>
        fetch(url).then(
          (response) => response.ok,
          () => false,
        ),
    }),
    { port, url },
  );
}
