import type { AuthSettings } from '@overtone/contracts';
import { unavailable } from '@overtone/service-kit';
import type { Client } from '../client.ts';
import type { Db } from '../database.ts';
import { methodOff, type Provisioning, type Refuse } from '../provisioning/provisioning.ts';
import type { Settings } from '../live-settings.ts';
import type { Issued } from '../sessions/sessions.ts';
import { newSecret, type Flow, type FlowCookies } from './flow.ts';
import { flowStore } from './flow.store.ts';
import { issuerOf, missingSetting, admissionFaultOf, personOf } from './oidc.ts';
import type { ProviderFailure, Provider } from './provider.ts';

export type OidcDeps = {
  db: Db;
  settings: Settings & { effective: () => { origins: { oidc_admin_role: string } } };
  provider: Provider;
  flows: FlowCookies;
  provisioning: Provisioning;
  refuse: Refuse;
};
export type CallbackQuery = {
  code?: string | undefined;
  state?: string | undefined;
  iss?: string | undefined;
  error?: string | undefined;
};
type Browser = { cookies: ReadonlyMap<string, string>; secure: boolean };

/** Sign-in at an identity provider: `begin` redirects to it, `finish` handles its callback. */
export function createOidc(deps: OidcDeps) {
  const enabledSettings = (): AuthSettings => {
    const settings = deps.settings.current();
    if (!settings.oidc_enabled) throw methodOff();
    return settings;
  };

  const refuse = (client: Client, flow: Omit<ProviderFailure, 'ok'>, username?: string): Promise<Error> =>
    deps.refuse(client, {
      method: 'oidc',
      errorCode: flow.errorCode,
      reason: flow.reason,
      cause: flow.cause,
      username,
    });

  /** The flow of this callback. @returns a reason when this browser did not start it, it was finished, or the settings changed. */
  const flowOf = async (
    query: CallbackQuery,
    { cookies, secure }: Browser,
    settings: AuthSettings,
  ): Promise<Flow | string> => {
    if (!query.state) return 'no_state';
    const opened = deps.flows.read(cookies, query.state, secure, Date.now());
    if (!opened.ok) return opened.reason;
    const { flow } = opened;
    if (
      flow.issuer !== issuerOf(settings) ||
      flow.clientId !== settings.oidc_client_id ||
      flow.redirectUri !== settings.oidc_callback_url
    )
      return 'settings_changed';
    return (await flowStore.spend(deps.db, flow.state)) ? flow : 'replayed';
  };

  return {
    begin: async (browser: Browser, client: Client): Promise<{ url: string; cookies: string[] }> => {
      const settings = enabledSettings();
      const missing = missingSetting(settings);
      const flow: Flow = {
        state: newSecret(),
        nonce: newSecret(),
        verifier: newSecret(),
        issuer: issuerOf(settings),
        clientId: settings.oidc_client_id,
        redirectUri: settings.oidc_callback_url,
        startedAt: Date.now(),
      };
      const started: ProviderFailure | { ok: true; url: string } = missing
        ? { ok: false, errorCode: 'PROVIDER_UNAVAILABLE', reason: `missing_${missing}` }
        : await deps.provider.begin(settings, flow);
      if (!started.ok) {
        const cause = await refuse(client, started);
        throw unavailable('service_unavailable', 'The identity provider cannot be used at the moment', { cause });
      }
      const { cookies, secure } = browser;
      return { url: started.url, cookies: [...deps.flows.clearOld(cookies, secure), deps.flows.seal(flow, secure)] };
    },

    finish: async (query: CallbackQuery, browser: Browser, client: Client): Promise<Issued> => {
      const settings = enabledSettings();
      const flow = await flowOf(query, browser, settings);
      if (typeof flow === 'string') throw await refuse(client, { errorCode: 'INVALID_STATE', reason: flow });
      if (query.error !== undefined)
        throw await refuse(client, { errorCode: 'PROVIDER_ERROR', reason: word(query.error) });
      const { code, iss } = query;
      const identified = await deps.provider.finish(settings, flow, { code, iss, state: flow.state });
      if (!identified.ok) throw await refuse(client, identified);
      const person = personOf(
        identified.claims,
        settings,
        deps.settings.effective().origins.oidc_admin_role !== 'default',
      );
      const reason = admissionFaultOf(person, settings);
      if (reason) throw await refuse(client, { errorCode: 'NOT_ADMITTED', reason }, person.login);
      return deps.provisioning.signIn(person, client);
    },

    cookieToClear: (query: CallbackQuery, { secure }: Browser): string[] =>
      query.state ? [deps.flows.clear(query.state, secure)] : [],
  };
}

function word(text: string): string {
  return text.replaceAll(/[^\w.-]/g, '?').slice(0, 60);
}

export type Oidc = ReturnType<typeof createOidc>;
