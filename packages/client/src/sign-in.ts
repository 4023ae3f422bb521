import { createClient, type Client } from './client.ts';
import type { ResponseBody } from './routes.ts';

type Tokens = ResponseBody<'POST /api/auth/token'>;

/**
 * Signs in with user name (or e-mail address) and password, and keeps the session: an expired access token is renewed
 * once for all requests that met it.
 * @throws ApiError when the sign-in is refused.
 */
export async function signIn(url: string, username: string, password: string): Promise<Client> {
  const anonymous = createClient({ url, credentials: { headers: () => ({}), renew: () => Promise.resolve(false) } });
  let tokens: Tokens = await anonymous.call('POST /api/auth/token', {
    body: { username, password },
    encoding: 'form',
  });
  let renewal: Promise<boolean> | undefined;
  const bearer = (): string => `Bearer ${tokens.access_token}`;
  const refresh = async (): Promise<boolean> => {
    try {
      tokens = await anonymous.call('POST /api/auth/token/refresh', { body: { refresh_token: tokens.refresh_token } });
      return true;
    } catch {
      return false;
    }
  };
  return createClient({
    url,
    credentials: {
      headers: () => ({ authorization: bearer() }),
      renew: async ({ authorization }) => {
        // Another request has renewed the session since this one was sent.
        if (authorization !== bearer()) return true;
        return (renewal ??= refresh().finally(() => (renewal = undefined)));
      },
    },
  });
}
