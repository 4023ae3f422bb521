import { useEffect } from 'react';
import { rewinds, type Player, type PlayerPreferences } from './player.ts';

type Playback = { readonly position: number; readonly rate: number; readonly visit: string };

/**
 * Restores position and speed of this tab after a reload. A link to a moment takes precedence on its first visit.
 * @param visit identifies the history entry: a reload has the same one
 */
export function usePlaybackMemory(player: Player, fileId: string, visit: string, linked: boolean): void {
  useEffect(() => {
    const stored = readPlayback(fileId);
    if (stored) {
      player.setRate(stored.rate);
      if (!linked || stored.visit === visit) player.seek(stored.position);
    }
    const save = (): void => writePlayback(fileId, { position: player.now(), rate: player.state.get().rate, visit });
    const timer = setInterval(() => player.state.get().playing && save(), 1000);
    const unsubscribe = player.state.subscribe(save);
    addEventListener('pagehide', save);
    return () => {
      clearInterval(timer);
      unsubscribe();
      removeEventListener('pagehide', save);
      save();
    };
  }, [player, fileId, visit, linked]);
}

const preferencesKey = 'overtone-playback';

/** Keeps how this person listens, for all recordings on this device. */
export function usePlaybackPreferences(player: Player): void {
  useEffect(() => {
    player.setPreferences(readPreferences());
    return player.state.subscribe(() => {
      const { rewind, follow } = player.state.get();
      const known = readPreferences();
      if (known.rewind === rewind && known.follow === follow) return;
      try {
        localStorage.setItem(preferencesKey, JSON.stringify({ rewind, follow }));
      } catch {
        // Without storage the choice ends with the page.
      }
    });
  }, [player]);
}

function readPreferences(): PlayerPreferences {
  try {
    const { rewind, follow } = JSON.parse(localStorage.getItem(preferencesKey) ?? '') as Partial<PlayerPreferences>;
    return { rewind: rewinds.find((known) => known === rewind) ?? 0, follow: follow !== false };
  } catch {
    return { rewind: 0, follow: true };
  }
}

function key(fileId: string): string {
  return `overtone-playback:${fileId}`;
}

function readPlayback(fileId: string): Playback | null {
  try {
    const { position, rate, visit } = JSON.parse(sessionStorage.getItem(key(fileId)) ?? '') as Partial<Playback>;
    return typeof position === 'number' && typeof rate === 'number' && rate >= 0.25 && rate <= 4
      ? { position, rate, visit: String(visit) }
      : null;
  } catch {
    return null;
  }
}

function writePlayback(fileId: string, playback: Playback): void {
  try {
    sessionStorage.setItem(key(fileId), JSON.stringify(playback));
  } catch {
    // Without storage a reload starts at the beginning.
  }
}
