import { elementsOf, isElement, type XmlElement } from './xml-tree.ts';

const placeholder = /\{\{\s{0,5}([a-z_]{1,30})\s{0,5}\}\}/gi;
const maxNames = 50;

/** The names in double braces in a document, each once: `title` of `{{title}}`. */
export function findPlaceholders(trees: readonly XmlElement[]): string[] {
  const names = new Set<string>();
  for (const tree of trees) {
    for (const element of elementsOf(tree)) {
      if (element.name === 'w:p') for (const name of placeholdersOf(element)) names.add(name);
      if (names.size >= maxNames) return [...names];
    }
  }
  return [...names];
}

/** The names in one paragraph. */
export function placeholdersOf(paragraph: XmlElement): string[] {
  return [...textOf(textsOf(paragraph)).matchAll(placeholder)].map(([, name = '']) => name.toLowerCase());
}

/** Replaces the placeholders that have a value, also where a word processor has split one into several runs. */
export function replacePlaceholders(tree: XmlElement, values: Readonly<Partial<Record<string, string>>>): void {
  for (const element of elementsOf(tree)) if (element.name === 'w:p') replaceIn(textsOf(element), values);
}

type Match = { start: number; end: number; value: string };

function replaceIn(texts: readonly XmlElement[], values: Readonly<Partial<Record<string, string>>>): void {
  const whole = textOf(texts);
  const matches = [...whole.matchAll(placeholder)].flatMap(({ 0: text, 1: name = '', index: start }): Match[] => {
    const value = Object.hasOwn(values, name.toLowerCase()) ? values[name.toLowerCase()] : undefined;
    return value === undefined ? [] : [{ start, end: start + text.length, value }];
  });
  if (matches.length === 0) return;
  let next = 0;
  let from = 0;
  for (const text of texts) {
    const to = from + textOf([text]).length;
    const pieces: string[] = [];
    let at = from;
    for (let match = matches[next]; match && match.start < to; match = matches[next]) {
      // The value stands where the placeholder begins.
      if (match.start >= from) pieces.push(whole.slice(at, match.start), match.value);
      at = Math.min(match.end, to);
      if (match.end > to) break;
      next += 1;
    }
    pieces.push(whole.slice(at, to));
    text.children = [pieces.join('')];
    text.attributes.set('xml:space', 'preserve');
    from = to;
  }
}

/** The texts of a paragraph without those of paragraphs in it: a text box stands in a run. */
function textsOf(paragraph: XmlElement): XmlElement[] {
  return paragraph.children.flatMap((child) => {
    if (!isElement(child) || child.name === 'w:p') return [];
    return child.name === 'w:t' ? [child] : textsOf(child);
  });
}

function textOf(texts: readonly XmlElement[]): string {
  return texts.flatMap(({ children }) => children.filter((child) => typeof child === 'string')).join('');
}
