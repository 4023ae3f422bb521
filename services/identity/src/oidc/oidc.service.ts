import type { AuthSettings } from '@overtone/contracts';
import { unavailable, type Client } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { methodOff, type Provisioning, type Refuse } from '../provisioning/provisioning.ts';
import type { Settings } from '../live-settings.ts';
import type { Issued } from '../sessions/sessions.ts';
import { newFlow, wasStartedWith, type Flow, type FlowCookies } from './flow.ts';
import { flowStore } from './flow.store.ts';
import { missingSetting, admissionFaultOf, personOf } from './oidc.ts';
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
export type Browser = { cookies: ReadonlyMap<string, string>; secure: boolean };

/** Sign-in at an identity provider: `begin` redirects to it, `finish` handles its callback. */
export function createOidc(deps: OidcDeps) {
  const { settings, provider, flows, provisioning } = deps;

  const enabledSettings = (): AuthSettings => {
    const current = settings.current();
    if (!current.oidc_enabled) throw methodOff();
    return current;
  };

  const refuse = (client: Client, failure: Omit<ProviderFailure, 'ok'>, username?: string): Promise<Error> => {
    const { errorCode, reason, cause } = failure;
    return deps.refuse(client, { method: 'oidc', errorCode, reason, cause, username });
  };

  return {
    begin: async ({ cookies, secure }: Browser, client: Client): Promise<{ url: string; cookies: string[] }> => {
      const current = enabledSettings();
      const flow = newFlow(current);
      const started = await beginAtProvider(provider, current, flow);
      if (!started.ok) {
        const cause = await refuse(client, started);
        throw unavailable('service_unavailable', 'The identity provider cannot be used at the moment', { cause });
      }
      return { url: started.url, cookies: [...flows.clearOld(cookies, secure), flows.seal(flow, secure)] };
    },

    finish: async (query: CallbackQuery, browser: Browser, client: Client): Promise<Issued> => {
      const current = enabledSettings();
      const flow = await takeFlow(deps, current, query, browser);
      if (typeof flow === 'string') throw await refuse(client, { errorCode: 'INVALID_STATE', reason: flow });
      if (flow.test) throw await refuse(client, { errorCode: 'INVALID_STATE', reason: 'test_sign_in' });
      const { code, iss, error } = query;
      if (error !== undefined) throw await refuse(client, { errorCode: 'PROVIDER_ERROR', reason: word(error) });
      const identified = await provider.finish(current, flow, { code, iss, state: flow.state });
      if (!identified.ok) throw await refuse(client, identified);
      const isAdminRoleSet = settings.effective().origins.oidc_admin_role !== 'default';
      const person = personOf(identified.claims, current, isAdminRoleSet);
      const reason = admissionFaultOf(person, current);
      if (reason) throw await refuse(client, { errorCode: 'NOT_ADMITTED', reason }, person.login);
      return provisioning.signIn(person, client);
    },

    cookieToClear: (query: CallbackQuery, { secure }: Browser): string[] =>
      query.state ? [flows.clear(query.state, secure)] : [],
  };
}

export function beginAtProvider(provider: Provider, settings: AuthSettings, flow: Flow): ReturnType<Provider['begin']> {
  const missing = missingSetting(settings);
  return missing
    ? Promise.resolve({ ok: false, errorCode: 'PROVIDER_UNAVAILABLE', reason: `missing_${missing}` })
    : provider.begin(settings, flow);
}

/** The flow of this callback, which no other callback can use. @returns a reason when this one cannot use it either. */
export async function takeFlow(
  { db, flows }: Pick<OidcDeps, 'db' | 'flows'>,
  settings: AuthSettings,
  { state }: CallbackQuery,
  { cookies, secure }: Browser,
): Promise<Flow | string> {
  if (!state) return 'no_state';
  const opened = flows.read(cookies, state, secure, Date.now());
  if (!opened.ok) return opened.reason;
  if (!wasStartedWith(opened.flow, settings)) return 'settings_changed';
  return (await flowStore.spend(db, state)) ? opened.flow : 'replayed';
}

function word(text: string): string {
  return text.replaceAll(/[^\w.-]/g, '?').slice(0, 60);
}

export type Oidc = ReturnType<typeof createOidc>;
