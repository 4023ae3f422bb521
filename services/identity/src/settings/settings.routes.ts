import { authConfigRoutes, internalRoutes } from '@overtone/contracts';
import { clientOf, handle, type Route } from '@overtone/service-kit';
import type { SettingChanges } from './changes.service.ts';
import type { ConnectionTest } from './connection-test.service.ts';
import type { SettingsService } from './settings.service.ts';
import type { SettingsView } from './settings.read-model.ts';
import type { SourceSessions } from './source-sessions.service.ts';

type Deps = {
  settings: Pick<SettingsService, 'current' | 'refresh'>;
  view: SettingsView;
  changes: SettingChanges;
  testConnection: ConnectionTest;
  sourceSessions: SourceSessions;
};

export function settingsRoutes({ settings, view, changes, testConnection, sourceSessions }: Deps): Route[] {
  return [
    handle(authConfigRoutes.authConfig, () => view.all()),
    handle(authConfigRoutes.authConfigStatus, async () => view.status()),
    handle(authConfigRoutes.authConfigAudit, (request) =>
      view.history({ category: request.params.category, ...request.query }),
    ),
    handle(authConfigRoutes.authConfigOf, (request) => view.flat(request.params.category)),
    handle(authConfigRoutes.updateAuthConfig, async (request) => {
      const context = { userId: request.caller.userId, client: clientOf(request) };
      const { keys, warnings, switchedOff } = await changes.update(request.params.category, request.body, context);
      const remaining = switchedOff && (await sourceSessions.count(switchedOff));
      const message = keys.length === 0 ? 'Nothing has changed' : 'The settings are effective';
      return {
        success: true as const,
        message,
        updated_count: keys.length,
        updated_keys: keys,
        warnings,
        remaining_sessions: remaining && { accounts: remaining.accounts, sessions: remaining.sessions },
      };
    }),
    handle(authConfigRoutes.sourceSessions, (request) => sourceSessions.count(request.params.category)),
    handle(authConfigRoutes.endSourceSessions, async (request) => {
      const { accounts, sessions } = await sourceSessions.end(request.params.category, {
        caller: request.caller,
        client: clientOf(request),
      });
      return { success: true as const, accounts, sessions_terminated: sessions };
    }),
    handle(authConfigRoutes.migrateAuthConfig, async (request) => {
      const keys = await changes.seed({ userId: request.caller.userId, client: clientOf(request) });
      const message =
        keys.length === 0 ? 'There was nothing to store' : 'The settings of the environment are stored now';
      return { success: true as const, migrated_count: keys.length, message };
    }),
    handle(authConfigRoutes.testAuthConfig, (request) =>
      testConnection(request.params.category, request.body, {
        userId: request.caller.userId,
        client: clientOf(request),
      }),
    ),
    handle(internalRoutes.edgeSettings, async () => {
      // The edge sends this request after the event, possibly to a replica that has not reloaded the settings yet.
      await settings.refresh();
      const { rate_limit_enabled: limited, rate_limit_auth_per_minute: perMinute } = settings.current();
      return { signInPerMinute: limited ? perMinute : null };
    }),
  ];
}
