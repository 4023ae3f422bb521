import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { startNginx } from '@overtone/testkit/nginx';
import { startSignIn } from '@overtone/testkit/product';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { rawRequest } from '../../test/raw-request.ts';
import { watchDatabase } from '../../test/sessions-of.ts';

const path = '/api/auth/proxy/authenticate';
// The example for operators.
const example = readFileSync(new URL('../../../../deploy/nginx/trusted-header.conf', import.meta.url), 'utf8');
const secret = 'a long random secret';

function basic(user: string, password: string): string {
  return `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
}

const product = await stopAfterFile(
  startSignIn({
    identity: {
      PROXY_ENABLED: 'true',
      PROXY_TRUSTED_PROXIES: '127.0.0.1',
      PROXY_SHARED_SECRET: secret,
      PROXY_GROUPS_HEADER: 'X-Forwarded-Groups',
    },
    edge: { TRUSTED_PROXIES: '127.0.0.1' },
  }),
);
const nginx = await stopAfterFile(
  startNginx({
    files: { people: 'una:{PLAIN}her password\n' },
    server: example.replace('http://127.0.0.1:8080', product.edge.url),
  }),
);
const database = await watchDatabase(product.database.url);

async function people() {
  return (await database.rows<{ email: string }>(`select email from "user" where auth_type = 'proxy'`)).map(
    (row) => row.email,
  );
}

function through(...lines: string[]) {
  return rawRequest(nginx.port, path, lines);
}

describe('sign-in through nginx', () => {
  it('is not reached without its password', async () => {
    expect((await through()).status).toBe(401);
    expect((await through(basic('una', 'wrong'), 'X-Forwarded-User: una')).status).toBe(401);
    expect(await database.sessions()).toBe(0);
  });

  it('is refused without nginx, for lack of the secret or of the trusted address', async () => {
    const lines = ['X-Forwarded-User: una', 'X-Forwarded-Email: una@example.org'];
    expect((await rawRequest(product.edge.port, path, lines)).status).toBe(401);
    const stranger = [...lines, `X-Proxy-Secret: ${secret}`];
    expect((await rawRequest(product.edge.port, path, stranger, { localAddress: '127.0.0.9' })).status).toBe(401);
    expect(await database.sessions()).toBe(0);
  });

  it('opens a session for the person that nginx asserts', async () => {
    const { status, json } = await through(basic('una', 'her password'));
    expect(status).toBe(200);
    expect(json).toMatchObject({ token_type: 'bearer' });
    expect(await people()).toEqual(['una@example.org']);
  });

  it('revokes the role of a person who left all groups, although nginx drops empty headers', async () => {
    await database.rows(
      `insert into group_mapping (source, claim_value, grants_role) values ('proxy', 'Bosses', 'admin')`,
    );
    await database.rows(`update "user" set role = 'admin' where proxy_user = 'una'`);
    expect((await through(basic('una', 'her password'))).status).toBe(200);
    expect(await database.rows(`select role from "user" where proxy_user = 'una'`)).toEqual([{ role: 'user' }]);
  });

  it.each([
    'X-Forwarded-User: root',
    'x-forwarded-user: root',
    'X_Forwarded_User: root',
    'X.Forwarded.User: root',
    'X-Forwarded_User: root',
    'X%2DForwarded%2DUser: root',
    'X-Forwarded-Email: root@example.org',
    'X_Forwarded_Email: root@example.org',
    'Connection: X-Forwarded-User',
    'Connection: keep-alive, x_forwarded_user',
    'X-Proxy-Secret: guess',
  ])('ignores an identity header of its client: %s', async (line) => {
    const { status } = await through(basic('una', 'her password'), line);
    expect([200, 400, 401]).toContain(status);
    expect(await people()).toEqual(['una@example.org']);
    expect(await database.rows(`select 1 from audit_log where username like 'root%'`)).toEqual([]);
  });
});
