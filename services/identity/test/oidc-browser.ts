import type { Answer, RunningIdentity } from './running-identity.ts';

/** A started sign-in: the redirect address and the cookie. */
export type StartedFlow = { url: URL; state: string; nonce: string; cookie: string; answer: Answer };

/** A browser with its own cookies, which sends requests to identity as the edge does. */
export function createBrowser(identity: RunningIdentity) {
  const jar = new Map<string, string>();
  const ask = async (
    path: string,
    cookie = [...jar].map(([key, value]) => `${key}=${value}`).join('; '),
  ): Promise<Answer> => {
    const answer = await identity.ask(path, cookie ? { headers: { cookie } } : {});
    for (const set of answer.cookies) {
      const [name = '', value = ''] = (set.split(';')[0] as string).split(/=(.*)/s);
      if (set.includes('Max-Age=0')) jar.delete(name);
      else if (name.includes('oidc_flow')) jar.set(name, value);
    }
    return answer;
  };
  return {
    jar,
    begin: async (): Promise<StartedFlow> => {
      const answer = await ask('/api/auth/oidc/login');
      const url = new URL(String(answer.body['authorization_url']));
      const get = (name: string): string => url.searchParams.get(name) ?? '';
      return { url, state: get('state'), nonce: get('nonce'), cookie: answer.cookies.at(-1) ?? '', answer };
    },
    /** Sends the callback with the parameters of the provider. */
    back: (query: Record<string, string>, cookie?: string): Promise<Answer> =>
      ask(`/api/auth/oidc/callback?${new URLSearchParams(query).toString()}`, cookie),
  };
}
