import { SaxesParser } from 'saxes';

export type XmlElement = { name: string; attributes: Map<string, string>; children: XmlNode[] };
/** `raw`: XML that is written unchanged. */
export type XmlNode = XmlElement | string | { raw: string };

/** Deeper than any word processor writes. */
const maxDepth = 200;
const header = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const main = 'http://schemas.openxmlformats.org/wordprocessingml/2006/main';

export class XmlRefused extends Error {}

/** Counts the elements and attributes of several parts: a small file can describe very many. */
export type XmlBudget = { nodes: number };

/**
 * Reads XML strictly, without document type declarations, and so without entities. Prefixes are kept; `w` must stand for
 * WordprocessingML. @throws XmlRefused
 */
export function readXml(bytes: Uint8Array, budget: XmlBudget): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const root: XmlElement = { name: '', attributes: new Map(), children: [] };
  const open = [root];
  parser.on('error', (error) => {
    throw new XmlRefused(error.message);
  });
  parser.on('doctype', () => {
    throw new XmlRefused('a document type declaration');
  });
  parser.on('opentag', ({ name, prefix, uri, attributes }) => {
    const entries = Object.entries(attributes).map(([key, { value }]) => [key, value] as const);
    budget.nodes -= 1 + entries.length;
    if (budget.nodes < 0) throw new XmlRefused('too many elements');
    if (open.length > maxDepth) throw new XmlRefused('too many nested elements');
    if (prefix === 'w' && uri !== main) throw new XmlRefused('another variant of the format');
    const element: XmlElement = { name, attributes: new Map(entries), children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  const addText = (text: string): void => void open.at(-1)?.children.push(text);
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => void open.pop());
  parser.write(decode(bytes)).close();
  const element = root.children.find((child) => isElement(child));
  if (!element) throw new XmlRefused('no element');
  return element;
}

export function writeXml(element: XmlElement): Uint8Array {
  const pieces = [header];
  write(element, pieces);
  return new TextEncoder().encode(pieces.join(''));
}

export function isElement(node: XmlNode): node is XmlElement {
  return typeof node !== 'string' && 'children' in node;
}

export function childrenOf({ children }: XmlElement, name?: string): XmlElement[] {
  return children.filter((child) => isElement(child)).filter((child) => name === undefined || child.name === name);
}

/** The element and all below it, in the order of the document. */
export function* elementsOf(element: XmlElement): Generator<XmlElement> {
  const waiting = [element];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    yield next;
    for (let i = next.children.length - 1; i >= 0; i -= 1) {
      const child = next.children[i];
      if (child !== undefined && isElement(child)) waiting.push(child);
    }
  }
}

export function newElement(
  name: string,
  attributes: Readonly<Record<string, string>> = {},
  children: XmlNode[] = [],
): XmlElement {
  return { name, attributes: new Map(Object.entries(attributes)), children };
}

function write(node: XmlNode, pieces: string[]): void {
  if (typeof node === 'string') return void pieces.push(escaped(node));
  if (!isElement(node)) return void pieces.push(node.raw);
  pieces.push('<', node.name);
  for (const [key, value] of node.attributes) pieces.push(' ', key, '="', escaped(value, true), '"');
  if (node.children.length === 0) return void pieces.push('/>');
  pieces.push('>');
  for (const child of node.children) write(child, pieces);
  pieces.push('</', node.name, '>');
}

const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string, isAttribute = false): string {
  return text.replaceAll(isAttribute ? /[&<>"\t\n\r]/g : /[&<>\r]/g, (character) => {
    return entities[character] ?? `&#${character.charCodeAt(0)};`;
  });
}

/** UTF-8, or UTF-16 by its byte order mark: Office Open XML has no other encodings. */
function decode(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new XmlRefused('an invalid encoding', { cause });
  }
}
