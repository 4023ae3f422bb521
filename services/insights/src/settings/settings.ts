import { insightsGroup, type SettingChanges, type SettingValues } from '@overtone/contracts';
import { createSettingsStore, type SettingChange, type SettingsDb } from '@overtone/database';
import type { KeyRing } from '@overtone/service-kit';

export type InsightsSettings = SettingValues<typeof insightsGroup>;

/** The settings of all slices: what is done automatically, and who may use language models of their own. */
export function createSettings({ keyRing }: { keyRing: () => KeyRing }) {
  const store = createSettingsStore({ table: 'insights_settings', keyRing });
  return {
    read: (db: SettingsDb): Promise<InsightsSettings> => store.values(db, insightsGroup),
    items: (db: SettingsDb) => store.items(db, insightsGroup),
    change: (
      tx: SettingsDb,
      changes: SettingChanges<typeof insightsGroup>,
      by: string,
    ): Promise<SettingChange<typeof insightsGroup>> => store.change(tx, insightsGroup, { changes, by }),
  };
}

export type Settings = ReturnType<typeof createSettings>;
