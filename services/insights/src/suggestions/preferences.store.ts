import {
  labelGroup,
  type AutoLabelPreference,
  type BodyOf,
  type LabelSettings,
  type SettingChanges,
  type suggestionRoutes,
} from '@overtone/contracts';
import { createSettingsStore, type SettingChange, type SettingsStore } from '@overtone/database';
import type { KeyRing } from '@overtone/service-kit';
import type { Db, Tx } from '../database.ts';
import { effectivePreference } from './suggestions.ts';

type Change = BodyOf<(typeof suggestionRoutes)['updateAutoLabelPreference']>;

/** The settings for everybody, and what each person chose. */
export function createPreferences({ db, keyRing }: { db: Db; keyRing: () => KeyRing }) {
  const settings: SettingsStore = createSettingsStore({ table: 'insights_settings', keyRing });
  const readSettings = (source: Db | Tx = db): Promise<LabelSettings> => settings.values(source, labelGroup);
  const read = async (userId: string): Promise<AutoLabelPreference> => {
    const [all, own] = await Promise.all([readSettings(), db.autoLabelPreference.findUnique({ where: { userId } })]);
    return effectivePreference(all, own);
  };
  return {
    changeSettings: (
      tx: Tx,
      changes: SettingChanges<typeof labelGroup>,
      by: string,
    ): Promise<SettingChange<typeof labelGroup>> => settings.change(tx, labelGroup, { changes, by }),
    settingItems: () => settings.items(db, labelGroup),
    readSettings,
    read,
    change: async (userId: string, change: Change): Promise<AutoLabelPreference> => {
      const data = {
        ...(change.enabled === undefined ? {} : { enabled: change.enabled }),
        ...(change.confidence_threshold === undefined ? {} : { confidenceThreshold: change.confidence_threshold }),
        ...(change.tags_enabled === undefined ? {} : { tagsEnabled: change.tags_enabled }),
        ...(change.collections_enabled === undefined ? {} : { collectionsEnabled: change.collections_enabled }),
      };
      await db.autoLabelPreference.upsert({ where: { userId }, create: { userId, ...data }, update: data });
      return read(userId);
    },
    reset: async (userId: string): Promise<AutoLabelPreference> => {
      await db.autoLabelPreference.deleteMany({ where: { userId } });
      return read(userId);
    },
  };
}

export type Preferences = ReturnType<typeof createPreferences>;
