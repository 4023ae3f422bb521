import { SaxesParser } from 'saxes';

export type XmlElement = {
  name: string;
  /** Namespace of the element. */
  uri: string;
  attributes: Record<string, string>;
  children: (XmlElement | string)[];
};

/** Reads XML strictly, with its namespaces. @throws Error at the first fault. */
export function parseXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true });
  const root: XmlElement = { name: '', uri: '', attributes: {}, children: [] };
  const open = [root];
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, uri, attributes }) => {
    const values = Object.entries(attributes).map(([key, { value }]) => [key, value] as const);
    const element = { name, uri, attributes: Object.fromEntries(values), children: [] };
    open.at(-1)?.children.push(element);
    open.push(element);
  });
  parser.on('text', (part) => open.at(-1)?.children.push(part));
  parser.on('closetag', () => open.pop());
  parser.write(text).close();
  const [element] = root.children.filter((child) => typeof child !== 'string');
  if (!element) throw new Error('no element');
  return element;
}

export function textOf({ children }: XmlElement): string {
  return children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
}

/** The element and all elements below it. */
export function allElements(element: XmlElement): XmlElement[] {
  return [element, ...element.children.flatMap((child) => (typeof child === 'string' ? [] : allElements(child)))];
}
