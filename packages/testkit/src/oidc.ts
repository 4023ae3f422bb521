import { generateKeyPairSync } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Provider, type Configuration } from 'oidc-provider';
import { inMemory } from './oidc-memory.ts';

export { halfHash, startScriptedProvider, type ScriptedProvider, type TokenAnswer } from './scripted-provider.ts';

/** What the provider says of a person besides the subject. */
export type ProviderUser = Readonly<Record<string, unknown>>;

export type OidcProvider = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** People by subject; may be changed at any time. */
  readonly users: Map<string, ProviderUser>;
  /**
   * Goes through the sign-in at the provider as a browser would.
   * @returns the address the browser ends at: the callback with `code` or `error`, `state` and `iss`.
   */
  readonly signIn: (authorizationUrl: string, user: string) => Promise<URL>;
  readonly stop: () => Promise<void>;
};

const signingKey = {
  ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }),
  kid: 'key-of-this-run',
  alg: 'RS256',
  use: 'sig',
};

/** A real OpenID provider on loopback. */
export async function startOidcProvider(options: {
  redirectUris: readonly string[];
  users?: Readonly<Record<string, ProviderUser>>;
  /** Whether the ID token carries the claims of the scopes, as most providers do; else only the user info does. */
  scopesInIdToken?: boolean;
}): Promise<OidcProvider> {
  const client = { id: 'overtone', secret: 'a secret of this test, long enough', redirectUris: options.redirectUris };
  const users = new Map(Object.entries(options.users ?? {}));
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, configuration(client, users, options.scopesInIdToken ?? true));
  const callback = provider.callback();
  server.on('request', (req, res) => {
    if (!req.url?.startsWith('/interaction/')) void callback(req, res);
    else interact(provider, users, req, res).catch((error: unknown) => res.writeHead(500).end(String(error)));
  });
  return {
    issuer,
    clientId: client.id,
    clientSecret: client.secret,
    users,
    signIn: (authorizationUrl, user) => {
      const url = new URL(authorizationUrl);
      url.searchParams.set('login_hint', user);
      return browse(url.href, issuer);
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function configuration(
  client: { id: string; secret: string; redirectUris: readonly string[] },
  users: Map<string, ProviderUser>,
  scopesInIdToken: boolean,
): Configuration {
  return {
    adapter: inMemory(),
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [...client.redirectUris],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    jwks: { keys: [signingKey] },
    pkce: { required: () => true },
    scopes: ['openid', 'email', 'profile', 'groups'],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username'],
      groups: ['groups', 'realm_access', '_claim_names'],
    },
    conformIdTokenClaims: !scopesInIdToken,
    features: { devInteractions: { enabled: false } },
    ttl: { AccessToken: 300, IdToken: 300, Session: 600, Interaction: 300, Grant: 600, AuthorizationCode: 60 },
    cookies: { keys: ['of this test'] },
    interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
    findAccount: (_ctx, sub) => {
      const user = users.get(sub);
      return user && { accountId: sub, claims: () => ({ sub, ...user }) };
    },
  };
}

/** Signs in the user of the login hint and consents to all scopes, without a page. */
async function interact(
  provider: Provider,
  users: Map<string, ProviderUser>,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const { prompt, params, session } = await provider.interactionDetails(req, res);
  const hint = String(params['login_hint']);
  if (prompt.name === 'login') {
    const result = users.has(hint) ? { login: { accountId: hint } } : { error: 'access_denied' };
    return provider.interactionFinished(req, res, result, { mergeWithLastSubmission: false });
  }
  const grant = new provider.Grant({ accountId: String(session?.accountId), clientId: String(params['client_id']) });
  grant.addOIDCScope(String(params['scope']));
  const grantId = await grant.save();
  return provider.interactionFinished(req, res, { consent: { grantId } }, { mergeWithLastSubmission: true });
}

/** A browser without a window: follows redirects with its cookies until it leaves the provider. */
async function browse(from: string, issuer: string): Promise<URL> {
  const jar = new Map<string, string>();
  let at = new URL(from);
  for (let i = 0; i < 12 && at.origin === issuer; i++) {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: { cookie } });
    for (const set of response.headers.getSetCookie()) {
      const [name = '', value = ''] = (set.split(';')[0] as string).split(/=(.*)/s);
      if (value) jar.set(name, value);
      else jar.delete(name);
    }
    const next = response.headers.get('location');
    if (!next)
      throw new Error(`The provider stopped with ${response.status}: ${(await response.text()).slice(0, 300)}`);
    at = new URL(next, at);
  }
  return at;
}
