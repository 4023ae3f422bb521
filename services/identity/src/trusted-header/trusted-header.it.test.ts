import { beforeAll, describe, expect, it } from '@jest/globals';
import { startSignIn } from '@overtone/testkit/product';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { rawRequest } from '../../test/raw-request.ts';
import { watchDatabase } from '../../test/sessions-of.ts';

const path = '/api/auth/proxy/authenticate';
const trusted = '127.0.0.1';
// Another address of the loopback interface: a socket from an untrusted peer.
const stranger = '127.0.0.9';
const secret = 'known to the proxy alone';

const product = await stopAfterFile(
  startSignIn({
    identity: {
      PROXY_ENABLED: 'true',
      PROXY_TRUSTED_PROXIES: `${trusted}/32, 2001:db8::/32`,
      PROXY_GROUPS_HEADER: 'X-Forwarded-Groups',
      PROXY_SHARED_SECRET: secret,
    },
    // The edge may trust X-Forwarded-For of a proxy; for identity headers only the peer of the socket counts.
    edge: { TRUSTED_PROXIES: '127.0.0.0/8' },
  }),
);
const database = await watchDatabase(product.database.url);

const proof = `X-Proxy-Secret: ${secret}`;

function ask(lines: readonly string[], from = trusted) {
  return rawRequest(product.edge.port, path, [proof, ...lines], { localAddress: from });
}

const spellings: [string, string[]][] = [
  ['underscores', ['X_Forwarded_User: root']],
  ['one underscore', ['X-Forwarded_User: root']],
  ['underscores in small letters', ['x_forwarded_user: root']],
  ['the name a gateway interface gives it', ['HTTP_X_FORWARDED_USER: root']],
  ['no dashes', ['XForwardedUser: root']],
  ['two dashes', ['X--Forwarded-User: root']],
  ['a dash at the end', ['X-Forwarded-User-: root']],
  ['a dash before', ['-X-Forwarded-User: root']],
  ['dots', ['X.Forwarded.User: root']],
  ['escaped dashes', ['X%2DForwarded%2DUser: root']],
  ['an escaped letter', ['X-Forwarded-%55ser: root']],
  ['an escaped underscore', ['X%5FForwarded%5FUser: root']],
  ['tildes', ['X~Forwarded~User: root']],
  ['bars', ['X|Forwarded|User: root']],
  ['plus signs', ['X+Forwarded+User: root']],
  ['an exclamation mark', ['X-Forwarded-User!: root']],
  ['a quote', ["X-Forwarded-User': root"]],
  ['a space before the colon', ['X-Forwarded-User : root']],
  ['a tab before the colon', ['X-Forwarded-User\t: root']],
  ['a space before the name', [' X-Forwarded-User: root']],
  ['a continued line', ['Accept: */*', '\tX-Forwarded-User: root']],
  ['a NUL in the name', ['X-Forwarded-User\0: root']],
  ['a byte beyond ASCII in the name', ['X-Forwarded-Us\u00e9r: root']],
  ['no name', [': root']],
  ['a value that is continued', ['X-Forwarded-User: una', ' root']],
  ['a lone carriage return in the value', ['X-Forwarded-User: una\rX: y']],
  ['a lone line feed before it', ['Accept: */*\nX-Forwarded-User: una\nX-Forwarded-User: root']],
  ['a NUL in the value', ['X-Forwarded-User: una\0']],
  ['a control character', ['X-Forwarded-User: una\u0001']],
  ['a tab in the value', ['X-Forwarded-User: una\troot']],
  ['DEL', ['X-Forwarded-User: una\u007f']],
  ['a no-break space', ['X-Forwarded-User: una\u00c2\u00a0']],
  ['a space without width', ['X-Forwarded-User: una\u00e2\u0080\u008b']],
  ['letters that run backwards', ['X-Forwarded-User: \u00e2\u0080\u00aeanu']],
  ['bytes that are no UTF-8', ['X-Forwarded-User: una\u00ff']],
  ['overlong UTF-8', ['X-Forwarded-User: \u00c1\u0081na']],
  ['an encoded word', ['X-Forwarded-User: =?UTF-8?B?cm9vdA==?=']],
  ['two names joined by a comma', ['X-Forwarded-User: una, root']],
  ['a comma and nothing', ['X-Forwarded-User: una,']],
  ['nothing', ['X-Forwarded-User:']],
  ['only spaces', ['X-Forwarded-User:    ']],
  ['more than 320 bytes', [`X-Forwarded-User: ${'u'.repeat(321)}`]],
  ['more than any header may have', [`X-Forwarded-User: ${'u'.repeat(20_000)}`]],
  ['the name of another product (1)', ['X-Remote-User: root']],
  ['the name of another product (2)', ['Remote-User: root']],
  ['the name of another product (3)', ['X-Auth-Request-User: root']],
  ['the name of another product (4)', ['X-WEBAUTH-USER: root']],
  ['a certificate name', ['X-SSL-Client-S-DN: CN=root']],
  ['our own statement, forged', ['X-Overtone-Forwarded: eyJhbGciOiJub25lIn0.e30.']],
  ['basic credentials', ['Authorization: Basic cm9vdDpyb290']],
];
const repeated: [string, string[]][] = [
  ['twice the same', ['X-Forwarded-User: una', 'X-Forwarded-User: una']],
  ['twice in other letters', ['X-Forwarded-User: una', 'x-forwarded-user: root']],
  ['with underscores beside it', ['X-Forwarded-User: una', 'X_Forwarded_User: root']],
  ['with underscores before it', ['X_FORWARDED_USER: root', 'X-Forwarded-User: una']],
  ['bound to the connection', ['X-Forwarded-User: una', 'Connection: close, X-Forwarded-User']],
  ['bound to the connection in small letters', ['Connection: x-forwarded-user', 'X-Forwarded-User: una']],
  ['bound to the connection with underscores', ['Connection: X_Forwarded_User, close', 'X-Forwarded-User: una']],
  ['with two secrets', ['X-Forwarded-User: una', 'X-Proxy-Secret: guess']],
  ['with groups twice', ['X-Forwarded-User: una', 'X-Forwarded-Groups: a', 'X-Forwarded-Groups: admins']],
  ['with groups in another spelling', ['X-Forwarded-User: una', 'X_Forwarded_Groups: admins']],
];
const forgedOrigins = [
  'X-Forwarded-For: 127.0.0.1',
  'X-Real-IP: 127.0.0.1',
  'Forwarded: for=127.0.0.1',
  'X-Forwarded-For: ::ffff:127.0.0.1, 127.0.0.1',
  'X-Overtone-Peer: 127.0.0.1',
];

describe('a header in any other spelling opens no session', () => {
  it.each(spellings)('%s, from the trusted proxy', async (_name, lines) => {
    const { status, head } = await ask(lines);
    expect([400, 401, 431]).toContain(status);
    expect(head.toLowerCase()).not.toContain('set-cookie');
    expect(await database.sessions()).toBe(0);
  });

  it.each([...spellings, ...repeated])('%s, from another peer', async (_name, lines) => {
    const { status } = await ask(lines, stranger);
    expect([400, 401, 431]).toContain(status);
    expect(await database.sessions()).toBe(0);
  });

  it.each(['Sec-Fetch-Site: cross-site', 'Origin: https://evil.example.org', 'Origin: null'])(
    'sent cross-site by a browser (%s), from the trusted proxy or another peer',
    async (line) => {
      const lines = ['X-Forwarded-User: una', line];
      expect([(await ask(lines)).status, (await ask(lines, stranger)).status]).toEqual([403, 403]);
      expect(await database.sessions()).toBe(0);
    },
  );

  it.each(repeated)('%s, from the trusted proxy', async (_name, lines) => {
    expect((await ask(lines)).status).toBe(401);
    expect(await database.sessions()).toBe(0);
  });

  it.each(forgedOrigins)('from an untrusted peer with %s', async (line) => {
    expect((await ask(['X-Forwarded-User: una', line], stranger)).status).toBe(401);
    expect(await database.lastRefusal()).toBe('UNTRUSTED_PROXY identity_header_from_untrusted_peer');
    expect(await database.sessions()).toBe(0);
  });

  it('in a trailer after the body', async () => {
    const lines = ['Transfer-Encoding: chunked', 'Trailer: X-Forwarded-User'];
    const tail = '0\r\nX-Forwarded-User: una\r\n\r\n';
    const { status } = await rawRequest(product.edge.port, path, [proof, ...lines], { tail });
    expect(status).toBe(401);
    expect(await database.sessions()).toBe(0);
  });
});

describe('the shared secret', () => {
  it.each([
    ['none', []],
    ['an empty one', ['X-Proxy-Secret:']],
    ['a wrong one', ['X-Proxy-Secret: wrong']],
    ['a part of it', [`X-Proxy-Secret: ${secret.slice(0, -1)}`]],
    ['one in other letters', [`X-Proxy-Secret: ${secret.toUpperCase()}`]],
  ])('is required: %s opens no session', async (_name, lines) => {
    const { status } = await rawRequest(product.edge.port, path, ['X-Forwarded-User: una', ...lines]);
    expect(status).toBe(401);
    expect(await database.lastRefusal()).toBe('INVALID_PROXY_SECRET shared_secret');
  });
});

describe('every refusal', () => {
  it('has the same response, and a record with its reason', async () => {
    const refusals = await Promise.all([
      ask(['X-Forwarded-User: una'], stranger),
      ask(['X-Forwarded-User: una, root']),
      ask([]),
      rawRequest(product.edge.port, path, ['X-Forwarded-User: una']),
    ]);
    const bodies = refusals.map(({ status, json: { request_id: _id, ...body } }) => ({ status, body }));
    expect(new Set(bodies.map((body) => JSON.stringify(body))).size).toBe(1);
    expect(bodies[0]).toMatchObject({ status: 401, body: { code: 'invalid_credentials' } });
  });
});

describe('a trusted proxy', () => {
  const subjectOf = async (user: string) =>
    (
      await database.rows<{ email: string; full_name: string; auth_type: string; role: string }>(
        'select email, full_name, auth_type, role from "user" where proxy_user = $1',
        [user],
      )
    )[0];

  it('signs in the person that it asserts, with the usual cookies', async () => {
    const { status, json, head } = await ask([
      'x-forwarded-user: una',
      'X-Forwarded-Email: una@example.org',
      'X-Forwarded-Name: \u00c3\u009cnal, Una',
    ]);
    expect(status).toBe(200);
    expect(json).toMatchObject({ token_type: 'bearer', expires_in: 900 });
    for (const cookie of ['access_token=', 'refresh_token=', 'csrf_token='])
      expect(head.toLowerCase()).toContain(`set-cookie: ${cookie}`);
    expect(await subjectOf('una')).toEqual({
      email: 'una@example.org',
      full_name: 'Ünal, Una',
      auth_type: 'proxy',
      role: 'user',
    });
  });

  it('finds the same account again; names are case-sensitive', async () => {
    await ask(['X-Forwarded-User: una', 'X-Forwarded-Email: una@example.org']);
    await ask(['X-Forwarded-User: UNA', 'X-Forwarded-Email: una.two@example.org']);
    expect(await subjectOf('UNA')).toMatchObject({ email: 'una.two@example.org' });
    expect(await subjectOf('una')).toMatchObject({ email: 'una@example.org' });
  });

  it('cannot take over an account by naming its address', async () => {
    const { status } = await ask(['X-Forwarded-User: mallory', `X-Forwarded-Email: ${product.admin.email}`]);
    expect(status).toBe(401);
    expect(await subjectOf('mallory')).toBeUndefined();
  });
});

describe('groups from a trusted proxy', () => {
  const person = ['X-Forwarded-User: gina', 'X-Forwarded-Email: gina@example.org'];
  const role = async () =>
    (await database.rows<{ role: string }>(`select role from "user" where proxy_user = 'gina'`))[0]?.role;
  beforeAll(async () => {
    await database.rows(
      `insert into group_mapping (source, claim_value, grants_role) values ('proxy', 'Bosses', 'admin')`,
    );
  });

  it('make an administrator by a mapping, compared verbatim', async () => {
    await ask([...person, 'X-Forwarded-Groups: staff, bosses']);
    expect(await role()).toBe('user');
    await ask([...person, 'X-Forwarded-Groups: staff, Bosses']);
    expect(await role()).toBe('admin');
  });

  it('change nothing when the header is absent', async () => {
    await ask(person);
    expect(await role()).toBe('admin');
  });

  it('are none when the header is empty', async () => {
    await ask([...person, 'X-Forwarded-Groups:']);
    expect(await role()).toBe('user');
  });
});
