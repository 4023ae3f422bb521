import { describe, expect, it } from '@jest/globals';
import { createPace, createPieceProgress } from './piece-progress.ts';

describe('the progress of a recording that is sent in pieces', () => {
  const start = (pace = createPace()) => {
    const clock = { now: 0 };
    const progress = createPieceProgress({ seconds: 1_000, pace, now: () => clock.now });
    const wait = (seconds: number): void => void (clock.now += seconds * 1_000);
    return { pace, progress, wait };
  };

  it('stays at 0 until a piece was answered, because the speed of the server is not known', () => {
    const { progress, wait } = start();
    progress.begin(500);
    wait(60);
    expect(progress.share()).toBe(0);
  });

  it('grows within a piece at the speed of the earlier ones, and never reaches its end', () => {
    const { progress, wait } = start();
    const answer = progress.begin(500);
    wait(50);
    answer();
    expect(progress.share()).toBe(0.5);
    progress.begin(500);
    wait(20);
    expect(progress.share()).toBeCloseTo(0.7, 5);
    wait(10_000);
    expect(progress.share()).toBeCloseTo(0.975, 5);
  });

  it('counts pieces that are recognised at the same time', () => {
    const pace = createPace();
    pace.add({ sound: 100, wall: 10 });
    const { progress, wait } = start(pace);
    const [first] = [progress.begin(500), progress.begin(500)];
    wait(10);
    expect(progress.share()).toBeCloseTo(0.2, 5);
    first?.();
    expect(progress.share()).toBeGreaterThan(0.5);
  });

  it('never decreases when the server has become slower', () => {
    const pace = createPace();
    pace.add({ sound: 1_000, wall: 1 });
    const { progress, wait } = start(pace);
    progress.begin(500);
    wait(1);
    const before = progress.share();
    for (let i = 0; i < 8; i++) pace.add({ sound: 1, wall: 100 });
    expect(progress.share()).toBe(before);
  });

  it('follows the newest pieces of a server', () => {
    const pace = createPace();
    pace.add({ sound: 1_000, wall: 1 });
    for (let i = 0; i < 8; i++) pace.add({ sound: 10, wall: 1 });
    expect(pace.soundPerSecond()).toBe(10);
  });
});
