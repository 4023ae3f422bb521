import { createHash, generateKeyPairSync, sign as signBytes, type KeyObject } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What the token endpoint does: an answer, or something no honest server does. */
export type TokenAnswer =
  | { status?: number; headers?: Record<string, string>; body: string | Buffer | Record<string, unknown> }
  /** `hang`: nothing ever; `reset`: the connection breaks; `half`: the answer stops in the middle; `drip`: byte by byte. */
  | 'hang'
  | 'reset'
  | 'half'
  | 'drip';

/** An identity provider that answers what a test tells it to, with a real key to sign with. */
export type ScriptedProvider = {
  readonly issuer: string;
  readonly key: KeyObject;
  readonly kid: string;
  /** Members that replace those of the discovery document; undefined takes one out. */
  metadata: Record<string, unknown>;
  /** Replaces the whole discovery answer. */
  discovery: TokenAnswer | undefined;
  keys: Record<string, unknown>[];
  jwks: TokenAnswer | undefined;
  token: TokenAnswer;
  userInfo: TokenAnswer;
  /** Paths asked for, in order. */
  readonly asked: string[];
  /** Form fields and headers of the last token request. */
  readonly lastToken: () => { form: URLSearchParams; authorization: string | undefined };
  /** Claims of a good ID token for this nonce. */
  readonly claims: (nonce: string, change?: Record<string, unknown>) => Record<string, unknown>;
  /** Signs a token with the key of this provider, or with none at all. */
  readonly sign: (claims: unknown, header?: Record<string, unknown>, key?: KeyObject) => string;
  /** A token endpoint's good answer around an ID token. */
  readonly answer: (idToken: unknown, change?: Record<string, unknown>) => TokenAnswer;
  readonly stop: () => Promise<void>;
};

const hashes: Readonly<Record<string, string>> = { '256': 'sha256', '384': 'sha384', '512': 'sha512' };
/** Access token of every good answer. */
const accessToken = 'an access token';

/** Left half of the hash, as `at_hash` wants it. */
export function halfHash(text: string, algorithm = 'sha256'): string {
  const digest = createHash(algorithm).update(text).digest();
  return digest.subarray(0, digest.length / 2).toString('base64url');
}

function send(req: IncomingMessage, res: ServerResponse, answer: TokenAnswer): void {
  if (answer === 'hang') return;
  if (answer === 'reset') return void req.socket.resetAndDestroy();
  if (answer === 'half') {
    res.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
    res.write('{"access_token":');
    setTimeout(() => req.socket.destroy(), 20);
    return;
  }
  if (answer === 'drip') {
    res.writeHead(200, { 'content-type': 'application/json' });
    const timer = setInterval(() => res.write(' '), 50);
    return void res.on('close', () => clearInterval(timer));
  }
  const { status = 200, headers = { 'content-type': 'application/json' }, body } = answer;
  res.writeHead(status, headers);
  res.end(typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body));
}

async function formOf(req: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const chunk of req) text += String(chunk);
  return new URLSearchParams(text);
}

/** Starts one; client id and audience are `overtone`. */
export async function startScriptedProvider(): Promise<ScriptedProvider> {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const kid = 'key-1';
  const sockets = new Set<Socket>();
  const asked: string[] = [];
  let last = { form: new URLSearchParams(), authorization: undefined as string | undefined };
  const server = createServer((req, res) => {
    const path = (req.url ?? '').split('?')[0] as string;
    asked.push(path);
    if (path.endsWith('/.well-known/openid-configuration'))
      return send(req, res, provider.discovery ?? { body: { ...document, ...provider.metadata } });
    if (path === '/jwks') return send(req, res, provider.jwks ?? { body: { keys: provider.keys } });
    if (path === '/userinfo') return send(req, res, provider.userInfo);
    if (path !== '/token') return void res.writeHead(404).end();
    void formOf(req).then((form) => {
      last = { form, authorization: req.headers.authorization };
      send(req, res, provider.token);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const document: Record<string, unknown> = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256', 'ES256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
  };

  const provider: ScriptedProvider = {
    issuer,
    key: privateKey,
    kid,
    metadata: {},
    discovery: undefined,
    keys: [{ ...publicKey.export({ format: 'jwk' }), kid, use: 'sig', alg: 'RS256' }],
    jwks: undefined,
    token: { body: {} },
    userInfo: { status: 404, body: {} },
    asked,
    lastToken: () => last,
    claims: (nonce, change = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const good = { iss: issuer, sub: 'subject-1', aud: 'overtone', exp: now + 300, iat: now, nonce };
      return { ...good, email: 'una@example.org', groups: ['staff'], realm_access: { roles: ['user'] }, ...change };
    },
    sign: (claims, header = {}, key = privateKey) => {
      const head: Record<string, unknown> = { alg: 'RS256', kid, typ: 'JWT', ...header };
      const input = `${b64(head)}.${typeof claims === 'string' ? claims : b64(claims)}`;
      if (head['alg'] === 'none') return `${input}.`;
      const hash = hashes[String(head['alg']).slice(-3)] ?? 'sha256';
      const signature = signBytes(hash, Buffer.from(input), { key, dsaEncoding: 'ieee-p1363' });
      return `${input}.${signature.toString('base64url')}`;
    },
    answer: (idToken, change = {}) => ({
      body: { access_token: accessToken, token_type: 'Bearer', expires_in: 300, id_token: idToken, ...change },
    }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  };
  return provider;
}

function b64(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url');
}
