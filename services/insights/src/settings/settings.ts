import { insightsGroup, type SettingChanges, type SettingValues } from '@overtone/contracts';
import { createSettingsStore, withChanges, type SettingsDb } from '@overtone/database';
import type { KeyRing } from '@overtone/service-kit';

export type InsightsSettings = SettingValues<typeof insightsGroup>;

/** The settings of all slices: what is done automatically, and who may use language models of their own. */
export function createSettings({ keyRing }: { keyRing: () => KeyRing }) {
  const store = createSettingsStore({ table: 'insights_settings', keyRing });
  return {
    read: async (db: SettingsDb): Promise<InsightsSettings> => {
      const { values } = await store.read(db, insightsGroup);
      return withChanges(insightsGroup, values, {});
    },
    change: (tx: SettingsDb, changes: SettingChanges<typeof insightsGroup>, by: string): Promise<void> =>
      store.change(tx, insightsGroup, { changes, by, validate: () => undefined }),
  };
}

export type Settings = ReturnType<typeof createSettings>;
