import { describe, expect, it } from '@jest/globals';
import { EditorState } from 'prosemirror-state';
import { randomFrom, testSeed } from '@overtone/testkit/seed';
import { docOf, indexAt, indexesOf, passagesOf, replacePassages, schema, startsOf } from './schema.ts';

function passages(ids: readonly string[]) {
  return ids.map((uuid) => schema.nodes.passage.create({ uuid }, schema.text(`text of ${uuid}`)));
}

describe('the groups of a document', () => {
  it(`keep all other passages in their order when some are replaced (seed ${testSeed})`, () => {
    const random = randomFrom(testSeed);
    let next = 0;
    const made = (count: number): string[] => Array.from({ length: count }, () => `${(next += 1)}`);
    let ids = made(60);
    let state = EditorState.create({ schema, doc: docOf(passages(ids)) });
    for (let step = 0; step < 150; step += 1) {
      const from = random(ids.length + 1);
      const to = from + random(Math.min(random(5) === 0 ? 80 : 4, ids.length - from + 1));
      const added = made(random(10) === 0 ? random(80) : random(4));
      const kept = new Map(passagesOf(state.doc).map((node) => [String(node.attrs['uuid']), node]));
      const { tr } = state;
      replacePassages(tr, from, to, passages(added));
      state = state.apply(tr);
      ids = ids.toSpliced(from, to - from, ...added);
      const now = passagesOf(state.doc);
      expect(now.map(({ attrs }) => attrs['uuid'] as string)).toEqual(ids);
      // What was not replaced is the same object: it is not drawn again.
      expect(now.every((node) => (kept.get(String(node.attrs['uuid'])) ?? node) === node)).toBe(true);
    }
    for (const { childCount } of state.doc.children) expect(childCount).toBeGreaterThan(0);
    expect(Math.max(...state.doc.children.map(({ childCount }) => childCount))).toBeLessThanOrEqual(75);
  });

  it('keep few siblings in a document of ten hours', () => {
    const { doc } = EditorState.create({
      schema,
      doc: docOf(passages(Array.from({ length: 12_000 }, (_, i) => `${i}`))),
    });
    expect(doc.childCount + Math.max(...doc.children.map(({ childCount }) => childCount))).toBeLessThan(600);
  });

  it('stay when passages of several are deleted, and no empty one is left', () => {
    const state = EditorState.create({ schema, doc: docOf(passages(['1', '2', '3', '4', '5', '6']), 2) });
    const { tr } = state;
    replacePassages(tr, 1, 5, []);
    expect(tr.doc.children.map(({ childCount }) => childCount)).toEqual([1, 1]);
    expect(passagesOf(tr.doc).map(({ attrs }) => attrs['uuid'] as string)).toEqual(['1', '6']);
  });

  it('are not counted where a passage is found by its position or by its id', () => {
    const doc = docOf(passages(['1', '2', '3', '4', '5']), 2);
    expect(startsOf(doc).map((at) => doc.nodeAt(at))).toEqual([...passagesOf(doc)]);
    expect(startsOf(doc).map((at) => indexAt(doc.resolve(at + 1)))).toEqual([0, 1, 2, 3, 4]);
    expect([indexAt(doc.resolve(0)), indexAt(doc.resolve(doc.content.size))]).toEqual([0, 5]);
    expect(['1', '2', '3', '4', '5'].map((uuid) => indexesOf(doc).get(uuid))).toEqual([0, 1, 2, 3, 4]);
  });
});
