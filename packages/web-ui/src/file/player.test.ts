import { beforeAll, describe, expect, it } from '@jest/globals';
import { createPlayer } from './player.ts';

beforeAll(() => {
  Object.assign(globalThis, { requestAnimationFrame: () => 0, cancelAnimationFrame: () => undefined });
});

/** A media element of 60 seconds that is moved by the test. */
class Media extends EventTarget {
  readonly readyState = 4;
  readonly duration = 60;
  playbackRate = 1;
  muted = false;
  currentTime = 0;
  play(): Promise<void> {
    this.dispatchEvent(new Event('play'));
    return Promise.resolve();
  }
  pause(): void {
    this.dispatchEvent(new Event('pause'));
  }
  reach(seconds: number): void {
    this.currentTime = seconds;
    this.dispatchEvent(new Event('timeupdate'));
  }
}

function start() {
  const media = new Media();
  const player = createPlayer({ renew: () => Promise.resolve(false), findFailure: () => Promise.resolve(null) });
  player.attach(media as unknown as HTMLMediaElement);
  media.dispatchEvent(new Event('loadedmetadata'));
  return { media, player };
}

describe('createPlayer', () => {
  it('goes back by the chosen seconds at a pause, and not before the beginning', () => {
    const { media, player } = start();
    player.setPreferences({ rewind: 2 });
    player.play();
    media.reach(10);
    player.toggle();
    expect(player.now()).toBe(8);
    player.play();
    media.reach(1);
    player.toggle();
    expect(player.now()).toBe(0);
  });

  it('stays where it is at a pause without such a choice', () => {
    const { media, player } = start();
    player.play();
    media.reach(10);
    player.toggle();
    expect(player.now()).toBe(10);
  });

  it('repeats a part from its end', () => {
    const { media, player } = start();
    player.play();
    player.setLoop({ start: 5, end: 8 });
    expect(player.now()).toBe(5);
    media.reach(8);
    expect(player.now()).toBe(5);
  });

  it('ends the repetition with a jump out of the part, and keeps it with a jump within it', () => {
    const { player } = start();
    player.setLoop({ start: 5, end: 8 });
    player.seek(7);
    expect(player.state.get().loop).not.toBeNull();
    player.skip(10);
    expect([player.now(), player.state.get().loop]).toEqual([17, null]);
  });

  it('does not repeat a part that is too short to be audible', () => {
    const { player } = start();
    player.setLoop({ start: 5, end: 5 });
    expect(player.state.get().loop).toBeNull();
  });
});
