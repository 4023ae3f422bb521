import { observable, type Observable } from '../lib/observable.ts';

export type PlayerState = {
  readonly playing: boolean;
  readonly duration: number | null;
  readonly rate: number;
  readonly muted: boolean;
  readonly buffering: boolean;
  readonly failed: boolean;
};
export type Player = {
  readonly state: Observable<PlayerState>;
  readonly attach: (element: HTMLMediaElement | null) => void;
  readonly now: () => number;
  readonly seek: (seconds: number) => void;
  readonly skip: (seconds: number) => void;
  readonly play: () => void;
  readonly toggle: () => void;
  readonly setRate: (rate: number) => void;
  readonly toggleMuted: () => void;
  /** Called with the position on every frame while it plays, and after every seek. */
  readonly onTick: (listener: (seconds: number) => void) => () => void;
};

export const rates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;
const initial: PlayerState = { playing: false, duration: null, rate: 1, muted: false, buffering: false, failed: false };

/** One media element with its state and its clock. React renders on a change of state, never on a tick. */
export function createPlayer(renew: () => Promise<boolean>): Player {
  const state = observable<PlayerState>(initial);
  const ticks = new Set<(seconds: number) => void>();
  let media: HTMLMediaElement | null = null;
  let detach = new AbortController();
  let pendingSeek: number | null = null;
  let frame = 0;
  let renewedAt = 0;

  const update = (next: Partial<PlayerState>): void => state.set({ ...state.get(), ...next });
  const now = (): number => pendingSeek ?? media?.currentTime ?? 0;
  const tick = (): void => {
    for (const listener of ticks) listener(now());
  };
  const loop = (): void => {
    tick();
    frame = requestAnimationFrame(loop);
  };
  const seek = (seconds: number): void => {
    const end = state.get().duration;
    const target = Math.max(0, end === null ? seconds : Math.min(seconds, Math.max(0, end - 0.05)));
    if (media && media.readyState >= 1) media.currentTime = target;
    else pendingSeek = target;
    tick();
  };
  const play = (): void => void media?.play().catch(() => update({ playing: false }));
  const recover = async (element: HTMLMediaElement): Promise<void> => {
    // A media element cannot renew the session. It is loaded again at the same position, at most every 30 seconds.
    const position = now();
    const wasPlaying = state.get().playing;
    if (performance.now() - renewedAt < 30_000 || !(await renew().catch(() => false)))
      return update({ failed: true, playing: false });
    renewedAt = performance.now();
    pendingSeek = position;
    element.load();
    if (wasPlaying) play();
  };
  const addListeners = (element: HTMLMediaElement): void => {
    const on = (name: keyof HTMLMediaElementEventMap, handle: () => void): void =>
      element.addEventListener(name, handle, { signal: detach.signal });
    on('loadedmetadata', () => {
      update({ duration: Number.isFinite(element.duration) ? element.duration : null, failed: false });
      element.playbackRate = state.get().rate;
      if (pendingSeek !== null) element.currentTime = pendingSeek;
      pendingSeek = null;
      tick();
    });
    on('durationchange', () => update({ duration: Number.isFinite(element.duration) ? element.duration : null }));
    on('play', () => {
      update({ playing: true });
      cancelAnimationFrame(frame);
      loop();
    });
    on('pause', () => {
      update({ playing: false });
      cancelAnimationFrame(frame);
      tick();
    });
    on('waiting', () => update({ buffering: true }));
    on('playing', () => update({ buffering: false, failed: false }));
    on('seeked', tick);
    on('timeupdate', tick);
    on('ratechange', () => update({ rate: element.playbackRate }));
    on('volumechange', () => update({ muted: element.muted }));
    on('error', () => void recover(element));
  };
  return {
    state,
    now,
    seek,
    play,
    attach: (element) => {
      detach.abort();
      detach = new AbortController();
      cancelAnimationFrame(frame);
      media = element;
      state.set({ ...initial, rate: state.get().rate, muted: state.get().muted });
      if (!element) return;
      element.muted = state.get().muted;
      addListeners(element);
    },
    skip: (seconds) => seek(now() + seconds),
    toggle: () => (state.get().playing ? media?.pause() : play()),
    setRate: (rate) => {
      if (media) media.playbackRate = rate;
      update({ rate });
    },
    toggleMuted: () => {
      if (media) media.muted = !media.muted;
    },
    onTick: (listener) => {
      ticks.add(listener);
      listener(now());
      return () => void ticks.delete(listener);
    },
  };
}

/** The next rate up or down. */
export function nextRate(rate: number, by: 1 | -1): number {
  const at = rates.findIndex((known) => Math.abs(known - rate) < 0.01);
  return rates[Math.min(rates.length - 1, Math.max(0, (at === -1 ? 2 : at) + by))] ?? 1;
}
