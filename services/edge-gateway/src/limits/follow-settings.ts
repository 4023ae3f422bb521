import { identityEvents, type EdgeSettings } from '@overtone/contracts';
import type { Bus, Log, Part } from '@overtone/service-kit';

type Deps = {
  bus: Bus;
  log: Log;
  ask: () => Promise<EdgeSettings>;
  apply: (settings: EdgeSettings) => void;
};

/** Until identity has replied once, and afterwards in case an event was missed. */
const firstEveryMs = 500;
const thenEveryMs = 30_000;

/**
 * Keeps the settings that the edge enforces: asked for at the start, at every change, and from time to time. While
 * identity does not answer, what was last known counts; in the beginning that is the default.
 */
export function followSettings({ bus, log, ask, apply }: Deps): Part {
  let timer: NodeJS.Timeout | undefined;
  let known = false;
  let newest = 0;
  let stopped = false;

  const look = async (): Promise<void> => {
    clearTimeout(timer);
    const mine = ++newest;
    try {
      const settings = await ask();
      // A later question may have been answered first.
      if (mine === newest) apply(settings);
      known = true;
    } catch (err) {
      log.debug({ err: err as Error }, 'settings were not learnt this time');
    }
    if (mine === newest && !stopped) timer = setTimeout(() => void look(), known ? thenEveryMs : firstEveryMs);
  };

  return {
    name: 'settings',
    start: async () => {
      bus.subscribeLive(identityEvents.settingsChanged, () => void look());
      bus.onRenewal(() => void look());
      await look();
    },
    stop: async () => {
      stopped = true;
      clearTimeout(timer);
    },
  };
}
