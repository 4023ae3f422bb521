import {
  engineSettings,
  engineSettingsRoutes,
  engineSettingsRpc,
  toSettingItems,
  transcriptionEvents,
  type AnswerOf,
} from '@overtone/contracts';
import type { Outbox, SettingsStore } from '@overtone/database';
import { handle, rpc, type Slice } from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { operatorOf, recordOperation } from '../operator.ts';
import type { Workers } from '../workers/workers.ts';
import { environmentOf, validateEngineSettings } from './settings.ts';

type Deps = { db: Db; outbox: Outbox; store: SettingsStore; workers: Pick<Workers, 'reports'> };
type Answer = AnswerOf<typeof engineSettingsRoutes.engineSettings>;

/** The engine settings: shown and changed by administrators, read by the workers. */
export function createSettingsSlice({ db, outbox, store, workers }: Deps): Slice {
  const show = async (): Promise<Answer> => {
    const stored = await store.read(db, engineSettings);
    const reports = workers.reports();
    const environment = environmentOf(
      engineSettings.fields,
      reports.map(({ settings }) => settings),
    );
    return { settings: toSettingItems(engineSettings, stored, environment), workers: reports };
  };
  return {
    routes: [
      handle(engineSettingsRoutes.engineSettings, show),
      handle(engineSettingsRoutes.updateEngineSettings, async (request) => {
        const { body: changes, caller } = request;
        const keys = Object.keys(changes);
        await db.$transaction(async (tx) => {
          const { details } = await store.change(tx, engineSettings, {
            changes,
            by: caller.userId,
            validate: validateEngineSettings,
          });
          await recordOperation(tx, outbox, operatorOf(request), 'engine_settings_changed', details);
          await outbox.add(tx, transcriptionEvents.settingsChanged, { group: 'engine', keys });
        });
        return await show();
      }),
    ],
    rpcs: [
      rpc(engineSettingsRpc.read, async () => {
        const { values } = await store.read(db, engineSettings);
        return { stored: values };
      }),
    ],
  };
}
