import { engineSettingsRpc, transcriptionEvents } from '@overtone/contracts';
import type { Bus, Log, Slice } from '@overtone/service-kit';
import { createLiveSettings, type LiveSettings } from './settings.ts';

type Deps = { environment: Readonly<Record<string, unknown>>; bus: Bus; log: Log };

/** In case a change was missed although the broker was connected. */
const readEveryMs = 60_000;
const retryMs = 5_000;

/** Keeps the settings current: at the start, at every change, after a reconnection, and every minute. */
export function createSettingsSlice({ environment, bus, log }: Deps): Slice & { settings: LiveSettings } {
  let readAt = -Infinity;
  const settings = createLiveSettings({
    environment,
    readStored: async () => {
      const { stored } = await bus.request(engineSettingsRpc.read, {});
      readAt = performance.now();
      return stored;
    },
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
          bus.onRenewal(() => void settings.refresh());
          const refreshOld = () => {
            if (performance.now() - readAt > readEveryMs) void settings.refresh();
          };
          timer = setInterval(refreshOld, retryMs);
        },
        stop: async () => clearInterval(timer),
      },
    ],
  };
}
