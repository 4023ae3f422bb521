import { beforeEach, describe, expect, test } from '@jest/globals';
import { createReplay, type Replay } from './replay.ts';

let replay: Replay;
const tell = (owner: string, seq: number, at = seq) => {
  replay.reached(seq);
  replay.add(owner, { seq, at, message: { type: 'file_deleted', seq, data: { file_id: owner } } });
};
const seqs = (owner: string, since: number) => replay.missed(owner, since, replay.last())?.map((f) => f.seq) ?? null;

beforeEach(() => {
  replay = createReplay({ keepMs: 100, maxPerUser: 3 });
  replay.begin(10);
});

describe('who comes back', () => {
  test('is told what came after the last he saw, of his own files only', () => {
    tell('a', 11);
    tell('b', 12);
    tell('a', 13);
    expect(seqs('a', 11)).toEqual([13]);
    expect(seqs('a', 10)).toEqual([11, 13]);
    expect(seqs('a', 13)).toEqual([]);
  });
  test('fetches everything anew when he was away since before what is known', () => {
    expect(seqs('a', 9)).toBeNull();
  });
  test('fetches everything anew when he names a future: the stream is another one', () => {
    expect(seqs('a', 11)).toBeNull();
  });
  test('fetches everything anew when more was missed than is kept', () => {
    for (const seq of [11, 12, 13, 14]) tell('a', seq);
    expect(seqs('a', 10)).toBeNull();
    expect(seqs('a', 11)).toEqual([12, 13, 14]);
  });
  test("is not troubled by other people's old facts being let go", () => {
    tell('b', 11, 0);
    tell('a', 12, 150);
    replay.prune(200);
    expect(seqs('a', 10)).toEqual([12]);
    expect(seqs('b', 10)).toBeNull();
  });
  test('is not told again what he was told live', () => {
    tell('a', 11);
    tell('a', 12);
    expect(replay.missed('a', 10, 11)?.map((f) => f.seq)).toEqual([11]);
  });
});
