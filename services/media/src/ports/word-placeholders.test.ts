import { describe, expect, it } from '@jest/globals';
import { growthOf, linearGrowth } from '@overtone/testkit/growth';
import { findPlaceholders, replacePlaceholders } from './word-placeholders.ts';
import { elementsOf, readXml, type XmlElement } from './xml-tree.ts';

const namespace = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"';

function paragraph(...texts: string[]): XmlElement {
  const runs = texts.map((text) => `<w:r><w:t>${text}</w:t></w:r>`).join('');
  return readXml(Buffer.from(`<w:p ${namespace}>${runs}</w:p>`), { nodes: Infinity });
}
function textsOf(tree: XmlElement): unknown[] {
  return [...elementsOf(tree)].filter(({ name }) => name === 'w:t').flatMap(({ children }) => children);
}

describe('placeholders', () => {
  it.each([
    [['{{a}}'], ['1']],
    [['x{{a}}y{{b}}z'], ['x1y2z']],
    [
      ['x{', '{a', '}}y'],
      ['x1', '', 'y'],
    ],
    [
      ['{{a}', '}{{', 'b}}'],
      ['1', '2', ''],
    ],
    [
      ['{{a}}{{none}}', '{{ A }}'],
      ['1{{none}}', '1'],
    ],
    [['{{a'], ['{{a']],
    [['{{constructor}} {{__proto__}}'], ['{{constructor}} {{__proto__}}']],
  ])('%j become %j', (before, after) => {
    const tree = paragraph(...before);
    replacePlaceholders(tree, { a: '1', b: '2' });
    expect(textsOf(tree)).toEqual(after);
  });

  it('keep a value as text, also when it looks like a placeholder or like markup', () => {
    const tree = paragraph('{{a}}', '{{b}}');
    replacePlaceholders(tree, { a: '{{b}}', b: '<w:br/>$&' });
    expect(textsOf(tree)).toEqual(['{{b}}', '<w:br/>$&']);
  });

  it('in a text box belong to its paragraph', () => {
    const box = '<w:r><w:txbxContent><w:p><w:r><w:t>b}} {{a}}</w:t></w:r></w:p></w:txbxContent></w:r>';
    const xml = `<w:p ${namespace}><w:r><w:t>{{</w:t></w:r>${box}<w:r><w:t>a}}</w:t></w:r></w:p>`;
    const tree = readXml(Buffer.from(xml), { nodes: Infinity });
    expect(findPlaceholders([tree])).toEqual(['a']);
    replacePlaceholders(tree, { a: '1' });
    expect(textsOf(tree).join('')).toBe('1b}} 1');
  });

  it.each([
    ['many', '{{a}} '],
    ['none', '{{ {{'],
  ])('are replaced in a time that grows with the text: %s', async (_, part) => {
    const work = (size: number): void =>
      replacePlaceholders(paragraph(...Array.from({ length: size }, () => part)), { a: '1' });
    expect(await growthOf((size) => size, 4_000, work)).toBeLessThan(linearGrowth);
  });
});
