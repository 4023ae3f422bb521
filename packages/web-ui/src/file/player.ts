import { observable, type Observable } from '../lib/observable.ts';

/**
 * Why the recording cannot be played. `masking`: a copy without its masked parts is being made; `converting`: one that
 * browsers play.
 */
export type PlayFailure = 'masking' | 'masking_failed' | 'converting' | 'unplayable';
/** Seconds of the recording. */
type Span = { readonly start: number; readonly end: number };
export type PlayerPreferences = {
  /** Seconds that a pause goes back, so that no word is missed. */
  readonly rewind: number;
  /** Whether the page scrolls along. */
  readonly follow: boolean;
};
export type PlayerState = PlayerPreferences & {
  /** The part that is repeated. */
  readonly loop: Span | null;
  readonly playing: boolean;
  readonly duration: number | null;
  readonly rate: number;
  readonly muted: boolean;
  readonly buffering: boolean;
  readonly failure: PlayFailure | null;
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
  readonly setPreferences: (next: Partial<PlayerPreferences>) => void;
  /** Repeats a part, or stops repeating. */
  readonly setLoop: (part: Span | null) => void;
  /** Called with the position on every frame while it plays, and after every seek. */
  readonly onTick: (listener: (seconds: number) => void) => () => void;
};

export const rates = [0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;
/** Seconds. */
const shortestLoop = 0.3;
export const rewinds = [0, 1, 2, 3, 5] as const;
const initial: PlayerState = {
  playing: false,
  duration: null,
  rate: 1,
  muted: false,
  buffering: false,
  failure: null,
  rewind: 0,
  follow: true,
  loop: null,
};

const retryMaskingMs = 3_000;
/** A recording that the server sends is loaded again so often, before it counts as unplayable. */
const maxReloads = 3;
const reloadMs = 500;

export type PlayerDeps = {
  readonly renew: () => Promise<boolean>;
  /** A media element does not say why its address could not be loaded. @returns null when it can be loaded now */
  readonly findFailure: () => Promise<PlayFailure | null>;
};

/** One media element with its state and its clock. React renders on a change of state, never on a tick. */
export function createPlayer({ renew, findFailure }: PlayerDeps): Player {
  const state = observable<PlayerState>(initial);
  let media: HTMLMediaElement | null = null;
  let detach = new AbortController();
  let pendingSeek: number | null = null;
  let reloads = 0;
  const renewSession = limitRenewals(renew);

  const update = (next: Partial<PlayerState>): void => state.set({ ...state.get(), ...next });
  const now = (): number => pendingSeek ?? media?.currentTime ?? 0;
  const clock = createClock(now);
  const seek = (seconds: number): void => {
    const target = Math.max(0, Math.min(seconds, (state.get().duration ?? Infinity) - 0.05));
    if (media && media.readyState >= 1) media.currentTime = target;
    else pendingSeek = target;
    clock.tick();
  };
  const play = (): void => void media?.play().catch(() => update({ playing: false }));
  const pause = (): void => {
    media?.pause();
    const { rewind, loop } = state.get();
    if (rewind > 0) seek(Math.max(loop?.start ?? 0, now() - rewind));
  };
  clock.onTick((seconds) => {
    const { loop, playing } = state.get();
    if (loop && playing && seconds >= loop.end) seek(loop.start);
  });
  /** A jump out of the repeated part ends the repetition. */
  const goTo = (seconds: number): void => {
    const { loop } = state.get();
    if (loop && (seconds < loop.start || seconds >= loop.end)) update({ loop: null });
    seek(seconds);
  };
  const applyPending = (element: HTMLMediaElement): void => {
    reloads = 0;
    element.playbackRate = state.get().rate;
    if (pendingSeek !== null) element.currentTime = pendingSeek;
    pendingSeek = null;
    clock.tick();
  };
  const recover = async (element: HTMLMediaElement): Promise<void> => {
    // A media element cannot renew the session. It is loaded again at the same position.
    const position = now();
    const wasPlaying = state.get().playing;
    const loadAgain = (): void => {
      if (media !== element) return;
      pendingSeek = position;
      element.load();
    };
    const found = await findFailure().catch(() => 'unplayable' as const);
    // The connection broke, or the copy without masked parts has been finished in the meantime.
    if (found === null && reloads < maxReloads) {
      reloads += 1;
      window.setTimeout(loadAgain, reloads * reloadMs);
      return;
    }
    const failure = found ?? 'unplayable';
    if (failure === 'masking' || failure === 'converting') window.setTimeout(loadAgain, retryMaskingMs);
    if (failure !== 'unplayable') return update({ failure, playing: false });
    if (!(await renewSession())) return update({ failure, playing: false });
    loadAgain();
    if (wasPlaying) play();
  };
  return {
    state,
    now,
    seek: goTo,
    play,
    attach: (element) => {
      detach.abort();
      detach = new AbortController();
      clock.stop();
      media = element;
      const { rate, muted, rewind, follow } = state.get();
      state.set({ ...initial, rate, muted, rewind, follow });
      if (!element) return;
      element.muted = muted;
      followElement(element, { update, clock, onLoaded: applyPending, onError: recover, signal: detach.signal });
    },
    skip: (seconds) => goTo(now() + seconds),
    toggle: () => (state.get().playing ? pause() : play()),
    setRate: (rate) => {
      if (media) media.playbackRate = rate;
      update({ rate });
    },
    toggleMuted: () => {
      if (media) media.muted = !media.muted;
    },
    setPreferences: update,
    setLoop: (part) => {
      // A shorter one would only be a noise.
      const loop = part && part.end - part.start >= shortestLoop ? part : null;
      update({ loop });
      if (loop) seek(loop.start);
    },
    onTick: clock.onTick,
  };
}

/** Renews the session at most every 30 seconds: an element that keeps failing has another problem. */
function limitRenewals(renew: () => Promise<boolean>): () => Promise<boolean> {
  let renewedAt = 0;
  return async () => {
    if (performance.now() - renewedAt < 30_000 || !(await renew().catch(() => false))) return false;
    renewedAt = performance.now();
    return true;
  };
}

type Clock = ReturnType<typeof createClock>;

/** Notifies its listeners of the position, on every frame while it runs. */
function createClock(now: () => number) {
  const listeners = new Set<(seconds: number) => void>();
  let frame = 0;
  const tick = (): void => {
    for (const listener of listeners) listener(now());
  };
  const loop = (): void => {
    tick();
    frame = requestAnimationFrame(loop);
  };
  const stop = (): void => cancelAnimationFrame(frame);
  return {
    tick,
    stop,
    start: (): void => {
      stop();
      loop();
    },
    onTick: (listener: (seconds: number) => void): (() => void) => {
      listeners.add(listener);
      listener(now());
      return () => void listeners.delete(listener);
    },
  };
}

type Followers = {
  readonly update: (next: Partial<PlayerState>) => void;
  readonly clock: Clock;
  readonly onLoaded: (element: HTMLMediaElement) => void;
  readonly onError: (element: HTMLMediaElement) => Promise<void>;
  readonly signal: AbortSignal;
};

/** Updates state and clock by the events of the element. */
function followElement(element: HTMLMediaElement, { update, clock, onLoaded, onError, signal }: Followers): void {
  const on = (name: keyof HTMLMediaElementEventMap, handle: () => void): void =>
    element.addEventListener(name, handle, { signal });
  on('loadedmetadata', () => {
    update({ duration: durationOf(element), failure: null });
    onLoaded(element);
  });
  on('durationchange', () => update({ duration: durationOf(element) }));
  on('play', () => {
    update({ playing: true });
    clock.start();
  });
  on('pause', () => {
    update({ playing: false });
    clock.stop();
    clock.tick();
  });
  on('waiting', () => update({ buffering: true }));
  on('playing', () => update({ buffering: false, failure: null }));
  on('seeked', clock.tick);
  on('timeupdate', clock.tick);
  on('ratechange', () => update({ rate: element.playbackRate }));
  on('volumechange', () => update({ muted: element.muted }));
  on('error', () => void onError(element));
}

/** Null while the length is not known. */
function durationOf({ duration }: HTMLMediaElement): number | null {
  return Number.isFinite(duration) ? duration : null;
}

/** The next rate up or down. */
export function nextRate(rate: number, by: 1 | -1): number {
  const at = rates.findIndex((known) => Math.abs(known - rate) < 0.01);
  return rates[Math.min(rates.length - 1, Math.max(0, (at === -1 ? 2 : at) + by))] ?? 1;
}
