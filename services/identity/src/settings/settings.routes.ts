import { authConfigRoutes, internalRoutes } from '@overtone/contracts';
import { handle, type Route } from '@overtone/service-kit';
import { clientOf } from '../client.ts';
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
    handle(authConfigRoutes.authConfigAudit, (r) => view.history({ category: r.params.category, ...r.query })),
    handle(authConfigRoutes.authConfigOf, (r) => view.flat(r.params.category)),
    handle(authConfigRoutes.updateAuthConfig, async (r) => {
      const context = { userId: r.caller.userId, client: clientOf(r) };
      const { keys, warnings, switchedOff } = await changes.update(r.params.category, r.body, context);
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
    handle(authConfigRoutes.sourceSessions, (r) => sourceSessions.count(r.params.category)),
    handle(authConfigRoutes.endSourceSessions, async (r) => {
      const { accounts, sessions } = await sourceSessions.end(r.params.category, {
        caller: r.caller,
        client: clientOf(r),
      });
      return { success: true as const, accounts, sessions_terminated: sessions };
    }),
    handle(authConfigRoutes.migrateAuthConfig, async (r) => {
      const keys = await changes.seed({ userId: r.caller.userId, client: clientOf(r) });
      const message =
        keys.length === 0 ? 'There was nothing to store' : 'The settings of the environment are stored now';
      return { success: true as const, migrated_count: keys.length, message };
    }),
    handle(authConfigRoutes.testAuthConfig, (r) =>
      testConnection(r.params.category, r.body, { userId: r.caller.userId, client: clientOf(r) }),
    ),
    handle(internalRoutes.edgeSettings, async () => {
      // The edge sends this request after the event, possibly to a replica that has not reloaded the settings yet.
      await settings.refresh();
      const { rate_limit_enabled: limited, rate_limit_auth_per_minute: perMinute } = settings.current();
      return { signInPerMinute: limited ? perMinute : null };
    }),
  ];
}
