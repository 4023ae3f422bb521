import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { describe, expect, it } from '@jest/globals';
import { createAuthority, keyUses, purposes } from '@overtone/testkit/certificates';
import { startNginx } from '@overtone/testkit/nginx';
import { startSignIn } from '@overtone/testkit/product';
import { stopAfterFile } from '@overtone/testkit/cleanup';

// The example for operators.
const example = readFileSync(new URL('../../../../deploy/nginx/tls.conf', import.meta.url), 'utf8');

const root = await createAuthority({ subject: { O: 'Example', CN: 'Root' } });
const server = await root.issue({
  subject: { CN: 'localhost' },
  purposes: [purposes.server],
  keyUsage: [keyUses.digitalSignature],
  ipAddresses: ['127.0.0.1'],
});
const product = await stopAfterFile(startSignIn({ edge: { TRUSTED_PROXIES: '127.0.0.1' } }));
const nginx = await stopAfterFile(
  startNginx({
    tls: true,
    files: { 'server.pem': server.pem, 'server.key': server.keyPem },
    server: example.replace('http://127.0.0.1:8080', product.edge.url),
  }),
);

const site = 'overtone.example.org';

function signIn(): Promise<{ status: number; cookies: string[] }> {
  return new Promise((resolve, reject) => {
    const headers = { host: site, 'content-type': 'application/x-www-form-urlencoded' };
    const path = `${nginx.url}/api/auth/token`;
    const sent = request(path, { method: 'POST', ca: root.pem, servername: '', headers, agent: false }, (response) => {
      response.resume();
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, cookies: response.headers['set-cookie'] ?? [] }),
      );
    });
    sent.on('error', reject);
    sent.end(new URLSearchParams({ username: product.admin.email, password: product.admin.password }).toString());
  });
}

describe('a proxy that ends TLS', () => {
  it('accepts sign-ins under the name of the site, with Secure cookies', async () => {
    const { status, cookies } = await signIn();
    expect(status).toBe(200);
    expect(cookies.length).toBeGreaterThan(0);
    expect(cookies.filter((cookie) => !cookie.includes('; Secure'))).toEqual([]);
  });

  it('is required for sign-ins under that name: plain HTTP is refused', async () => {
    const body = new URLSearchParams({ username: product.admin.email, password: product.admin.password });
    const direct = await fetch(`${product.edge.url}/api/auth/token`, {
      method: 'POST',
      body,
      headers: { 'x-forwarded-host': site },
    });
    expect([direct.status, await direct.json()]).toMatchObject([400, { code: 'insecure_origin' }]);
  });
});
