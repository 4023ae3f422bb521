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

/** One media element, its state as a value, and its clock; React renders on state, never on the clock. */
export const createPlayer = (renew: () => Promise<boolean>): Player => {
  const state = observable<PlayerState>(initial);
  const ticks = new Set<(seconds: number) => void>();
  let media: HTMLMediaElement | null = null;
  let detach = new AbortController();
  let wanted: number | null = null;
  let frame = 0;
  let renewedAt = 0;

  const patch = (next: Partial<PlayerState>): void => state.set({ ...state.get(), ...next });
  const now = (): number => wanted ?? media?.currentTime ?? 0;
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
    else wanted = target;
    tick();
  };
  const play = (): void => void media?.play().catch(() => patch({ playing: false }));
  const recover = async (own: HTMLMediaElement): Promise<void> => {
    // A media element cannot renew the session by itself: load again where it stood, but not for ever.
    const at = now();
    const wasPlaying = state.get().playing;
    if (performance.now() - renewedAt < 30_000 || !(await renew().catch(() => false)))
      return patch({ failed: true, playing: false });
    renewedAt = performance.now();
    wanted = at;
    own.load();
    if (wasPlaying) play();
  };
  const listen = (own: HTMLMediaElement): void => {
    const on = (name: keyof HTMLMediaElementEventMap, handle: () => void): void =>
      own.addEventListener(name, handle, { signal: detach.signal });
    on('loadedmetadata', () => {
      patch({ duration: Number.isFinite(own.duration) ? own.duration : null, failed: false });
      own.playbackRate = state.get().rate;
      if (wanted !== null) own.currentTime = wanted;
      wanted = null;
      tick();
    });
    on('durationchange', () => patch({ duration: Number.isFinite(own.duration) ? own.duration : null }));
    on('play', () => {
      patch({ playing: true });
      cancelAnimationFrame(frame);
      loop();
    });
    on('pause', () => {
      patch({ playing: false });
      cancelAnimationFrame(frame);
      tick();
    });
    on('waiting', () => patch({ buffering: true }));
    on('playing', () => patch({ buffering: false, failed: false }));
    on('seeked', tick);
    on('timeupdate', tick);
    on('ratechange', () => patch({ rate: own.playbackRate }));
    on('volumechange', () => patch({ muted: own.muted }));
    on('error', () => void recover(own));
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
      listen(element);
    },
    skip: (seconds) => seek(now() + seconds),
    toggle: () => (state.get().playing ? media?.pause() : play()),
    setRate: (rate) => {
      if (media) media.playbackRate = rate;
      patch({ rate });
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
};

/** The next rate up or down. */
export const nextRate = (rate: number, by: 1 | -1): number => {
  const at = rates.findIndex((r) => Math.abs(r - rate) < 0.01);
  return rates[Math.min(rates.length - 1, Math.max(0, (at === -1 ? 2 : at) + by))] ?? 1;
};
