import { describe, expect, it } from '@jest/globals';
import { createAuthority, purposes, selfSigned, type CertificateOptions } from '@overtone/testkit/certificates';
import { answers, entry, message, result, type Asked, type Line } from '@overtone/testkit/ldap';
import { cleanUpAfterTest } from '@overtone/testkit/cleanup';
import {
  baseDn,
  configFor,
  person,
  startScriptedDirectory,
  type ScriptedDirectory,
} from '../../test/scripted-directory.ts';
import { createDirectory, type DirectoryConfig } from '../index.ts';

const dayMs = 86_400_000;

const authority = await createAuthority({ subject: { CN: 'Directory authority' } });
function serverCertificate(more: Partial<CertificateOptions> = {}): CertificateOptions {
  return {
    subject: { CN: 'localhost' },
    purposes: [purposes.server],
    dnsNames: ['localhost'],
    ipAddresses: ['127.0.0.1'],
    ...more,
  };
}

async function good() {
  const { pem, keyPem } = await authority.issue(serverCertificate());
  return { cert: pem, key: keyPem };
}

/** Agrees to StartTLS, and does not otherwise answer in the directory's place. */
function agrees(before?: (line: Line, id: number) => void) {
  return {
    on: (asked: Asked, line: Line): boolean => {
      if (asked.kind !== 'extended') return false;
      if (before === undefined) line.send(message(asked.id, result(answers.extended, 0)));
      else before(line, asked.id);
      line.startTls();
      return true;
    },
  };
}

async function signIn(scripted: ScriptedDirectory, more: Partial<DirectoryConfig> = {}) {
  const server = await startScriptedDirectory({ tls: await good(), ...scripted });
  const config = configFor({ url: `localhost:${server.port}` }, { caPem: authority.pem, ...more });
  const directory = createDirectory(config);
  cleanUpAfterTest(server.stop);
  cleanUpAfterTest(directory.close);
  const answer = await directory.authenticate('alice', 'alice-secret');
  return { server, answer, short: answer.outcome === 'yes' ? 'yes' : answer.reason };
}

const startTls = { useTls: true } as const;
const ldaps = { useSsl: true } as const;

describe('an encrypted connection', () => {
  it('signs in over StartTLS with only the request for it in clear text', async () => {
    const { short, server } = await signIn(agrees(), startTls);
    expect(short).toBe('yes');
    const clear = server.clearText().toString('latin1');
    expect(clear).toContain('1.3.6.1.4.1.1466.20037');
    expect(clear).not.toMatch(/svc|alice|secret/);
  });

  it('signs in over LDAPS without a byte in clear text', async () => {
    const { short, server } = await signIn({ ldaps: true }, ldaps);
    expect(short).toBe('yes');
    expect(server.clearText()).toHaveLength(0);
  });

  const wrong: [string, () => Promise<{ cert: string; key: string }>][] = [
    [
      'for another name',
      async () => keyed(await authority.issue(serverCertificate({ dnsNames: ['other.example'], ipAddresses: [] }))),
    ],
    [
      'that has ended',
      async () => keyed(await authority.issue(serverCertificate({ notBefore: ago(9), notAfter: ago(1) }))),
    ],
    [
      'that is not valid yet',
      async () => keyed(await authority.issue(serverCertificate({ notBefore: ago(-1), notAfter: ago(-9) }))),
    ],
    [
      'of an unknown authority',
      async () => keyed(await (await createAuthority({ subject: { CN: 'Another' } })).issue(serverCertificate())),
    ],
    ['that vouches for itself', async () => keyed(await selfSigned(serverCertificate()))],
    [
      'that is for clients only',
      async () => keyed(await authority.issue(serverCertificate({ purposes: [purposes.client] }))),
    ],
  ];

  it.each(wrong)('refuses a certificate %s, over LDAPS', async (_name, make) => {
    const { short, server } = await signIn({ ldaps: true, tls: await make() }, ldaps);
    expect(short).toBe('tls_failed');
    expect(server.requests).toHaveLength(0);
  });

  it.each(wrong)('refuses a certificate %s, over StartTLS, and says nothing in clear text', async (_name, make) => {
    const { short, server } = await signIn({ ...agrees(), tls: await make() }, startTls);
    expect(short).toBe('tls_failed');
    expect(server.clearText().toString('latin1')).not.toMatch(/svc|alice|secret/);
  });

  it.each(['TLSv1', 'TLSv1.1'] as const)('refuses %s', async (version) => {
    const tls = { ...(await good()), minVersion: version, maxVersion: version, ciphers: 'DEFAULT:@SECLEVEL=0' };
    expect((await signIn({ ldaps: true, tls }, ldaps)).short).toBe('tls_failed');
    expect((await signIn({ ...agrees(), tls }, startTls)).short).toBe('tls_failed');
  });

  it('takes TLS 1.2', async () => {
    expect((await signIn({ ldaps: true, tls: { ...(await good()), maxVersion: 'TLSv1.2' } }, ldaps)).short).toBe('yes');
  });
});

describe('StartTLS is never given up', () => {
  const noSecret = (clear: Buffer) => expect(clear.toString('latin1')).not.toMatch(/svc|alice|secret/);

  it.each([1, 2, 8, 13, 50, 51, 52, 53, 80])('when the server answers with result %i', async (code) => {
    const refuse = (asked: Asked, line: Line): boolean => {
      if (asked.kind === 'extended') line.send(message(asked.id, result(answers.extended, code)));
      return asked.kind === 'extended';
    };
    const { short, server } = await signIn({ on: refuse }, startTls);
    expect(short).toBe('tls_failed');
    noSecret(server.clearText());
  });

  const broken: [string, (line: Line, id: number) => void][] = [
    ['closes', (line) => line.socket().end()],
    ['says nothing', () => {}],
    ['answers with the result of a bind', (line, id) => line.send(message(id, result(answers.bind, 0)))],
    ['answers another question', (line, id) => line.send(message(id + 1, result(answers.extended, 0)))],
    ['answers in another protocol', (line) => line.send(Buffer.from('220 ready for TLS\r\n'))],
    ['answers without an end', (line) => line.send(Buffer.from([0x30, 0x84, 0x7f, 0, 0, 0]))],
    ['agrees and stays silent', (line, id) => line.send(message(id, result(answers.extended, 0)))],
    ['agrees and closes', (line, id) => line.socket().end(message(id, result(answers.extended, 0)))],
  ];
  it.each(broken)('when the server %s', async (_name, answer) => {
    const on = (asked: Asked, line: Line): boolean => {
      if (asked.kind === 'extended') answer(line, asked.id);
      return asked.kind === 'extended';
    };
    const { answer: found, server } = await signIn({ on }, { ...startTls, timeoutSeconds: 1 });
    expect(found.outcome).toBe('unknown');
    noSecret(server.clearText());
  });

  // What stands behind the answer in clear text would otherwise be read as the first words of the encrypted server.
  const injected = Buffer.concat([
    message(2, result(answers.bind, 0)),
    message(3, entry(`uid=alice,ou=people,${baseDn}`, person('alice').attributes)),
    message(3, result(answers.done, 0)),
  ]);
  it.each([
    ['in the same packet', (line: Line, id: number) => line.send(message(id, result(answers.extended, 0)), injected)],
    [
      'in the next packet',
      (line: Line, id: number) => {
        line.send(message(id, result(answers.extended, 0)));
        line.send(injected);
      },
    ],
    [
      'a single byte',
      (line: Line, id: number) => line.send(message(id, result(answers.extended, 0)), Buffer.from([0x30])),
    ],
  ] as [string, (line: Line, id: number) => void][])(
    'bytes behind its answer end the connection: %s',
    async (_name, before) => {
      const { answer, server } = await signIn(agrees(before), startTls);
      expect(answer).toMatchObject({ outcome: 'unknown', reason: 'tls_failed' });
      noSecret(server.clearText());
      expect(server.requests.filter((asked) => asked.kind !== 'extended')).toHaveLength(0);
    },
  );

  it('after a reconnect', async () => {
    const server = await startScriptedDirectory({ tls: await good(), ...agrees() });
    const directory = createDirectory(
      configFor({ url: `localhost:${server.port}` }, { caPem: authority.pem, ...startTls }),
    );
    cleanUpAfterTest(directory.close);
    expect((await directory.authenticate('alice', 'alice-secret')).outcome).toBe('yes');
    await server.stop();
    const { outcome } = await directory.authenticate('alice', 'alice-secret');
    expect(outcome).toBe('unknown');
    noSecret(server.clearText());
  });
});

function keyed({ pem, keyPem }: { pem: string; keyPem: string }) {
  return { cert: pem, key: keyPem };
}

function ago(days: number): Date {
  return new Date(Date.now() - days * dayMs);
}
