import { beforeEach, describe, expect, it } from '@jest/globals';
import { createReplay, type Replay } from './replay.ts';

let replay: Replay;

function addFact(owner: string, seq: number, at = seq) {
  replay.advanceTo(seq);
  replay.add(owner, { seq, at, message: { type: 'file_deleted', seq, data: { file_id: owner } } });
}

function seqs(owner: string, since: number) {
  return replay.missed(owner, since, replay.last())?.map((fact) => fact.seq) ?? null;
}

beforeEach(() => {
  replay = createReplay({ keepMs: 100, maxPerUser: 3 });
  replay.reset(10);
});

describe('replay', () => {
  it("returns later facts of the user's own files only", () => {
    addFact('a', 11);
    addFact('b', 12);
    addFact('a', 13);
    expect(seqs('a', 11)).toEqual([13]);
    expect(seqs('a', 10)).toEqual([11, 13]);
    expect(seqs('a', 13)).toEqual([]);
  });
  it('requires a resync when the last sequence is older than the known stream', () => {
    expect(seqs('a', 9)).toBeNull();
  });
  it('requires a resync when the last sequence is in the future, as after a new stream', () => {
    expect(seqs('a', 11)).toBeNull();
  });
  it('requires a resync when more was missed than is kept', () => {
    for (const seq of [11, 12, 13, 14]) addFact('a', seq);
    expect(seqs('a', 10)).toBeNull();
    expect(seqs('a', 11)).toEqual([12, 13, 14]);
  });
  it("is complete for a user after other users' old facts were pruned", () => {
    addFact('b', 11, 0);
    addFact('a', 12, 150);
    replay.prune(200);
    expect(seqs('a', 10)).toEqual([12]);
    expect(seqs('b', 10)).toBeNull();
  });
  it('excludes facts that were sent live', () => {
    addFact('a', 11);
    addFact('a', 12);
    expect(replay.missed('a', 10, 11)?.map((fact) => fact.seq)).toEqual([11]);
  });
});
