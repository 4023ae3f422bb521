import type { AuthSettings } from '@overtone/contracts';
import { unavailable } from '@overtone/service-kit';
import type { Client } from '../client.ts';
import type { Db } from '../database.ts';
import { methodOff, type Provisioning, type Refuse } from '../provisioning/provisioning.ts';
import type { Issued } from '../sessions/sessions.ts';
import type { SettingsWithOrigins } from '../settings/settings.ts';
import { newSecret, type Flow, type FlowCookies } from './flow.ts';
import { flowStore } from './flow.store.ts';
import { issuerOf, missingSetting, notAdmitted, personOf } from './oidc.ts';
import type { Failed, Provider } from './provider.ts';

type Deps = {
  db: Db;
  settings: SettingsWithOrigins;
  provider: Provider;
  flows: FlowCookies;
  provisioning: Provisioning;
  refuse: Refuse;
};
export type Answer = {
  code?: string | undefined;
  state?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
};
type Browser = { cookies: ReadonlyMap<string, string>; secure: boolean };

const word = (text: string): string => text.replaceAll(/[^\w.-]/g, '?').slice(0, 60);

/** Sign-in at an identity provider, in two halves: away to it, and back with its answer. */
export const createOidc = (d: Deps) => {
  const inForce = (): AuthSettings => {
    const settings = d.settings.current();
    if (!settings.oidc_enabled) throw methodOff();
    return settings;
  };

  const refused = (client: Client, f: Omit<Failed, 'ok'>, username?: string): Promise<Error> =>
    d.refuse(client, { method: 'oidc', errorCode: f.errorCode, reason: f.reason, cause: f.cause, username });

  /** The flow this answer belongs to: begun by this browser, with these settings, and not finished yet. */
  const flowOf = async (answer: Answer, { cookies, secure }: Browser, s: AuthSettings): Promise<Flow | string> => {
    if (!answer.state) return 'no_state';
    const opened = d.flows.read(cookies, answer.state, secure, Date.now());
    if (!opened.ok) return opened.reason;
    const { flow } = opened;
    if (flow.issuer !== issuerOf(s) || flow.clientId !== s.oidc_client_id || flow.redirectUri !== s.oidc_callback_url)
      return 'settings_changed';
    return (await flowStore.spend(d.db, flow.state)) ? flow : 'replayed';
  };

  return {
    begin: async (browser: Browser, client: Client): Promise<{ url: string; cookies: string[] }> => {
      const s = inForce();
      const missing = missingSetting(s);
      const flow: Flow = {
        state: newSecret(),
        nonce: newSecret(),
        verifier: newSecret(),
        issuer: issuerOf(s),
        clientId: s.oidc_client_id,
        redirectUri: s.oidc_callback_url,
        startedAt: Date.now(),
      };
      const begun: Failed | { ok: true; url: string } = missing
        ? { ok: false, errorCode: 'PROVIDER_UNAVAILABLE', reason: `missing_${missing}` }
        : await d.provider.begin(s, flow);
      if (!begun.ok) {
        const cause = await refused(client, begun);
        throw unavailable('service_unavailable', 'The identity provider cannot be used at the moment', { cause });
      }
      const { cookies, secure } = browser;
      return { url: begun.url, cookies: [...d.flows.clearOld(cookies, secure), d.flows.seal(flow, secure)] };
    },

    finish: async (answer: Answer, browser: Browser, client: Client): Promise<Issued> => {
      const s = inForce();
      const flow = await flowOf(answer, browser, s);
      if (typeof flow === 'string') throw await refused(client, { errorCode: 'INVALID_STATE', reason: flow });
      if (answer.error !== undefined)
        throw await refused(client, { errorCode: 'PROVIDER_ERROR', reason: word(answer.error) });
      const { code, iss } = answer;
      const identified = await d.provider.finish(s, flow, { code, iss, state: flow.state });
      if (!identified.ok) throw await refused(client, identified);
      const person = personOf(identified.claims, s, d.settings.effective().origins.oidc_admin_role !== 'default');
      const reason = notAdmitted(person, s);
      if (reason) throw await refused(client, { errorCode: 'NOT_ADMITTED', reason }, person.login);
      return d.provisioning.signIn(person, client);
    },

    cookieToClear: (answer: Answer, { secure }: Browser): string[] =>
      answer.state ? [d.flows.clear(answer.state, secure)] : [],
  };
};
export type Oidc = ReturnType<typeof createOidc>;
