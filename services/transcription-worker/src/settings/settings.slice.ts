import { engineSettingsRpc, transcriptionEvents } from '@overtone/contracts';
import type { Bus, Log, Slice } from '@overtone/service-kit';
import { createLiveSettings, type LiveSettings } from './settings.ts';

type Deps = { environment: Readonly<Record<string, unknown>>; bus: Bus; log: Log };

/** Keeps the settings current: at the start, at every change, and every few seconds in case a change was missed. */
export function createSettingsSlice({ environment, bus, log }: Deps): Slice & { settings: LiveSettings } {
  const settings = createLiveSettings({
    environment,
    readStored: async () => (await bus.request(engineSettingsRpc.read, {})).stored,
    onFailure: (err) => log.debug({ err }, 'engine settings not read'),
  });
  let timer: NodeJS.Timeout | undefined;
  return {
    settings,
    parts: [
      {
        name: 'engine settings',
        start: async () => {
          bus.subscribeLive(transcriptionEvents.settingsChanged, () => void settings.refresh());
          await settings.refresh();
          timer = setInterval(() => void settings.refresh(), 5_000);
        },
        stop: async () => clearInterval(timer),
      },
    ],
  };
}
