import { randomBytes } from 'node:crypto';
import { request } from 'node:http';
import { databaseUrl, startTemplateServer, statement, template } from './template.ts';

/** A database of one's own with every migration applied. */
export type TestDatabase = {
  /** For the owner, who may do everything. */
  readonly url: string;
  /** For the role of a service, with that service's rights only. */
  readonly urlFor: (role: string) => string;
  readonly drop: () => Promise<void>;
};

let own: Promise<string> | undefined;

/** A copy of the template database; takes about 50 ms. */
export async function createDatabase(): Promise<TestDatabase> {
  const server = await sharedServer();
  const name = `test_${randomBytes(6).toString('hex')}`;
  await statement(server, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  return {
    url: databaseUrl(server, name),
    urlFor: (role) => databaseUrl(server, name, role),
    drop: async () => await statement(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
}

// The run's shared server under Jest; elsewhere (a bench) one that ends with this process.
async function sharedServer(): Promise<string> {
  const host = process.env['OVERTONE_TEST_HOST'];
  if (host !== undefined) return (JSON.parse(await ask(host)) as { url: string }).url;
  own ??= startTemplateServer().then(({ url }) => url);
  return await own;
}

async function ask(socketPath: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    // A kept connection may be closed by the host at the moment it is used again.
    request({ socketPath, path: '/', agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text);
        else reject(new Error(`The test database cannot be made: ${text}`));
      });
    })
      .on('error', reject)
      .end();
  });
}
