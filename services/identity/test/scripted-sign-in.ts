import { expect } from '@jest/globals';
import { startScriptedProvider, type TokenAnswer } from '@overtone/testkit/oidc';
import { stopAfterFile } from '@overtone/testkit/cleanup';
import { createBrowser, type StartedFlow } from './oidc-browser.ts';
import { setUpIdentity, startIdentity, type Answer } from './running-identity.ts';
import { watchDatabase } from './sessions-of.ts';

export const callbackUrl = 'http://localhost:8080/login';

/** Identity with a provider whose responses the test defines, and access to the database. */
export async function startScriptedSignIn() {
  const provider = await stopAfterFile(startScriptedProvider());
  const settings = {
    OIDC_ENABLED: 'true',
    OIDC_DISCOVERY_URL: provider.issuer,
    OIDC_CLIENT_ID: 'overtone',
    OIDC_CLIENT_SECRET: 'a client secret',
    OIDC_CALLBACK_URL: callbackUrl,
    // Short for tests of an unresponsive provider, long enough for a busy machine.
    OIDC_TIMEOUT: '4',
  };
  const { backends, identity } = await setUpIdentity(settings);
  const database = await watchDatabase(backends.database.url);
  return {
    provider,
    identity,
    database,
    browser: () => createBrowser(identity),
    /** A second replica of identity on the same database. */
    replica: () => startIdentity(backends, settings),
    /** A complete sign-in with a scripted token endpoint. @returns the response of identity. */
    signInWith: async (
      token: (begun: StartedFlow) => TokenAnswer,
      query: (begun: StartedFlow) => Record<string, string> = () => ({}),
    ): Promise<Answer> => {
      const browser = createBrowser(identity);
      const begun = await browser.begin();
      provider.token = token(begun);
      return browser.back({ code: 'a-code', state: begun.state, ...query(begun) });
    },
    good: ({ nonce }: StartedFlow): TokenAnswer => provider.answer(provider.sign(provider.claims(nonce))),
    /** Expects the generic response, no session, and an audit record with the reason. */
    expectRefusal: async (answer: Answer, why: string): Promise<void> => {
      expect(answer.status).toBe(401);
      expect(answer.body).toMatchObject({ code: 'invalid_credentials', detail: 'Incorrect username or password' });
      expect(answer.cookies.every((cookie) => cookie.includes('Max-Age=0'))).toBe(true);
      expect(await database.lastRefusal()).toBe(why);
      expect(await database.sessions()).toBe(0);
    },
  };
}
