import { readFileSync } from 'node:fs';
import { request } from 'node:https';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { createAuthority, keyUses, purposes, type Issued } from '@overtone/testkit/certificates';
import { startNginx } from '@overtone/testkit/nginx';
import { startSignIn } from '@overtone/testkit/product';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { rawRequest } from '../../test/raw-request.ts';
import { watchDatabase } from '../../test/sessions-of.ts';

const example = readFileSync(new URL('../../../../deploy/nginx/client-certificates.conf', import.meta.url), 'utf8');
const path = '/api/auth/pki/authenticate';
const day = 86_400_000;

/** Serves the revocation list. */
async function serveCrl(text: string) {
  const server = createServer((_req, res) => {
    served.asked += 1;
    res.end(served.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const served = {
    text,
    asked: 0,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/list.crl`,
    stop: () => void server.close(),
  };
  return served;
}

const root = await createAuthority({ subject: { O: 'Example', CN: 'Root' } });
const middle = await root.authority({ subject: { O: 'Example', CN: 'Issuing' } });
const revoked = await middle.issue({ subject: { O: 'Example', CN: 'Ron Revoked' } });
const crl = await stopAfterFile(serveCrl((await middle.revoke([revoked])) + (await root.revoke([]))));
const server = await root.issue({
  subject: { CN: 'localhost' },
  purposes: [purposes.server],
  keyUsage: [keyUses.digitalSignature],
  ipAddresses: ['127.0.0.1'],
});
const product = await stopAfterFile(
  startSignIn({
    identity: {
      PKI_ENABLED: 'true',
      PKI_TRUSTED_PROXIES: '127.0.0.1',
      PKI_CA_CERT: root.pem + middle.pem,
      PKI_VERIFY_REVOCATION: 'true',
      PKI_CRL_URL: crl.url,
      PKI_ADMIN_DNS: 'CN=Ada Admin,O=Example; CN=Bob,O=Example',
    },
    edge: { TRUSTED_PROXIES: '127.0.0.1' },
  }),
);
const nginx = await stopAfterFile(
  startNginx({
    tls: true,
    files: { 'server.pem': server.pem, 'server.key': server.keyPem },
    // The example for operators.
    server: example.replace('http://127.0.0.1:8080', product.edge.url),
  }),
);
const database = await watchDatabase(product.database.url);

type Answer = { status: number; body: Record<string, unknown>; cookies: string[] };

function present(certificate: Issued | undefined, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const identity = certificate ? { cert: certificate.pem, key: certificate.keyPem } : {};
    const options = { method: 'POST', ca: root.pem, agent: false as const, headers, ...identity };
    const req = request(`${nginx.url}${path}`, options, (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (part: string) => (text += part));
      res.on('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
          cookies: res.headers['set-cookie'] ?? [],
        }),
      );
    });
    req.on('error', reject).end();
  });
}

const alice = { O: 'Example', CN: 'Alice Example' };

async function userOf(cn: string) {
  return (
    await database.rows<{ email: string; role: string; auth_type: string }>(
      `select email, role, auth_type from "user" where full_name = $1`,
      [cn],
    )
  )[0];
}

describe('a certificate through nginx that is refused opens no session', () => {
  const cases: [string, string, () => Promise<Issued | undefined>][] = [
    ['none', 'INVALID_CERTIFICATE no_certificate', async () => undefined],
    [
      'an expired one',
      'INVALID_CERTIFICATE expired',
      () =>
        middle.issue({
          subject: alice,
          notBefore: new Date(Date.now() - 9 * day),
          notAfter: new Date(Date.now() - day),
        }),
    ],
    [
      'one that is not valid yet',
      'INVALID_CERTIFICATE not_yet_valid',
      () => middle.issue({ subject: alice, notBefore: new Date(Date.now() + day) }),
    ],
    [
      'one for another purpose',
      'INVALID_CERTIFICATE purpose',
      () => middle.issue({ subject: alice, purposes: [purposes.email] }),
    ],
    [
      'one of another authority',
      'INVALID_CERTIFICATE unknown_issuer',
      async () => (await createAuthority({ subject: { O: 'Example', CN: 'Issuing' } })).issue({ subject: alice }),
    ],
    [
      'one whose authority is missing between',
      'INVALID_CERTIFICATE unknown_issuer',
      async () => (await root.authority({ subject: { CN: 'Unknown one' } })).issue({ subject: alice }),
    ],
    ['a revoked one', 'INVALID_CERTIFICATE revoked', async () => revoked],
  ];
  it.each(cases)('%s: %s', async (_name, refusal, certificate) => {
    const given = await certificate();
    // nginx itself refuses some of them, with its own page.
    const { status, cookies } = await present(given);
    expect([400, 401]).toContain(status);
    expect(cookies).toEqual([]);
    // Identity also refuses them when a proxy does not check the certificate.
    const header = given ? [`X-Client-Cert: ${encodeURIComponent(given.pem)}`] : [];
    const direct = await rawRequest(product.edge.port, path, header);
    expect(direct).toMatchObject({ status: 401, json: { code: 'invalid_credentials' } });
    expect(await database.lastRefusal()).toBe(refusal);
    expect(await database.sessions()).toBe(0);
  });
});

describe('a certificate that does not come from the proxy opens no session', () => {
  const header = async () => `X-Client-Cert: ${encodeURIComponent((await middle.issue({ subject: alice })).pem)}`;

  it('when the client sends it directly, without the proxy', async () => {
    const { status } = await rawRequest(product.edge.port, path, [await header()], { localAddress: '127.0.0.9' });
    expect(status).toBe(401);
    expect(await database.lastRefusal()).toBe('UNTRUSTED_PROXY identity_header_from_untrusted_peer');
    expect(await database.sessions()).toBe(0);
  });

  it.each(['X-Client-Cert', 'x-client-cert', 'X_Client_Cert', 'X-Client_Cert', 'X-Client-Cert-Chain', 'Client-Cert'])(
    'when the client sends %s through the proxy',
    async (name) => {
      const pem = encodeURIComponent((await middle.issue({ subject: alice })).pem);
      expect((await present(undefined, { [name]: pem })).status).toBe(401);
      expect(await database.sessions()).toBe(0);
    },
  );

  it.each(['Connection: X-Client-Cert', 'connection: close, x_client_cert'])(
    'when the Connection header names it: %s',
    async (line) => {
      const { status } = await rawRequest(product.edge.port, path, [await header(), line]);
      expect(status).toBe(401);
      expect(await database.lastRefusal()).toBe('INVALID_HEADER hop_by_hop');
      expect(await database.sessions()).toBe(0);
    },
  );
});

describe('a good certificate through nginx', () => {
  it('signs its subject in, with the cookies of HTTPS', async () => {
    const certificate = await middle.issue({ subject: alice, emails: ['alice@example.org'] });
    const { status, body, cookies } = await present(certificate);
    expect(status).toBe(200);
    expect(body).toMatchObject({ token_type: 'bearer' });
    expect(cookies).toHaveLength(3);
    expect(cookies.every((cookie) => cookie.includes('Secure'))).toBe(true);
    expect(await userOf('Alice Example')).toEqual({ email: 'alice@example.org', role: 'user', auth_type: 'pki' });
  });

  it('of the same subject with a new key signs in to the same account', async () => {
    const before = await database.rows('select uuid from "user"');
    expect((await present(await middle.issue({ subject: alice, emails: ['alice@example.org'] }))).status).toBe(200);
    expect(await database.rows('select uuid from "user"')).toEqual(before);
  });

  it('makes an administrator of a subject that is listed as one', async () => {
    expect((await present(await middle.issue({ subject: { O: 'Example', CN: 'Ada Admin' } }))).status).toBe(200);
    expect(await userOf('Ada Admin')).toEqual({ email: 'ada.admin@pki.local', role: 'admin', auth_type: 'pki' });
  });

  it('is checked against a revocation list that is fetched once', () => {
    expect(crl.asked).toBe(1);
  });
});
