import type { KeyRing, Slice } from '@overtone/service-kit';
import type { Sessions } from '../sessions/sessions.ts';
import { createSettingChanges, type SettingChangesDeps } from './changes.service.ts';
import { createConnectionTest, type ConnectionTestDeps } from './connection-test.service.ts';
import { settingsRoutes } from './settings.routes.ts';
import { createSettingsView } from './settings.read-model.ts';
import type { SettingsService } from './settings.service.ts';
import type { Values } from './settings.ts';
import { createSourceSessions } from './source-sessions.service.ts';

type Deps = Omit<SettingChangesDeps & ConnectionTestDeps, 'environment' | 'keyRing' | 'caFile'> & {
  settings: SettingsService;
  sessions: Sessions;
  env: { seeds: Values; keyRing: () => KeyRing; LDAP_TLS_CA_FILE?: string | undefined };
};

/** The sign-in settings, as administrators read, change and test them. */
export function createSettingsSlice(deps: Deps): Slice {
  const { db, settings, sessions, env } = deps;
  const { seeds: environment, keyRing, LDAP_TLS_CA_FILE: caFile } = env;
  return {
    routes: settingsRoutes({
      settings,
      view: createSettingsView({ db, settings, environment }),
      changes: createSettingChanges({ ...deps, environment, keyRing }),
      testConnection: createConnectionTest({ ...deps, environment, caFile }),
      sourceSessions: createSourceSessions({ db, settings, sessions }),
    }),
  };
}
