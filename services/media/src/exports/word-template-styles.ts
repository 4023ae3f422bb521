import { childrenOf, elementsOf, newElement, type XmlElement } from '../ports/xml-tree.ts';

/** The style of our tables. */
export const tableStyle = 'TableGrid';
const reference = /(<w:(?:pStyle|rStyle|tblStyle) w:val=")([^"]*)"/g;
const links = ['w:basedOn', 'w:next', 'w:link'];

/**
 * Which styles of a template our text has: those of the same name and kind, whatever their ids are. Ours are added to
 * `template` where it has none. `used`: XML with references to our styles.
 */
export function createStyleNames(template: XmlElement, ours: XmlElement, used: string) {
  const taken = new Set(childrenOf(template, 'w:style').map(idOf));
  const byName = new Map(childrenOf(template, 'w:style').map((style) => [nameOf(style), idOf(style)]));
  const own = new Map([...childrenOf(ours, 'w:style'), gridStyle()].map((style) => [idOf(style), style]));
  const usual = childrenOf(template, 'w:style').find(
    ({ attributes }) => attributes.get('w:type') === 'paragraph' && isOn(attributes.get('w:default')),
  );
  const ids = new Map<string, string>();
  const added: XmlElement[] = [];
  const take = (id: string): void => {
    const style = own.get(id);
    if (!style || ids.has(id)) return;
    const known = id === 'Normal' && usual ? idOf(usual) : byName.get(nameOf(style));
    ids.set(id, known ?? freeId(id, taken));
    if (known !== undefined) return;
    added.push(style);
    for (const link of links) for (const { attributes } of childrenOf(style, link)) take(attributes.get('w:val') ?? '');
  };
  take('Normal');
  for (const [, , id = ''] of used.matchAll(reference)) take(id);
  for (const style of added) template.children.push(adapted(style, ids, taken));
  return {
    tree: template,
    /** The same XML with the ids of the template. */
    renamed: (xml: string): string =>
      xml.replaceAll(reference, (_, start: string, id: string) => `${start}${escaped(ids.get(id) ?? id)}"`),
  };
}

function adapted(style: XmlElement, ids: ReadonlyMap<string, string>, taken: ReadonlySet<string>): XmlElement {
  style.attributes.set('w:styleId', ids.get(idOf(style)) ?? idOf(style));
  style.children = style.children.filter((child) => {
    if (typeof child === 'string' || !('name' in child) || !links.includes(child.name)) return true;
    const target = child.attributes.get('w:val') ?? '';
    const known = ids.get(target) ?? (taken.has(target) ? target : undefined);
    if (known !== undefined) child.attributes.set('w:val', known);
    return known !== undefined;
  });
  for (const { attributes } of elementsOf(style))
    for (const key of attributes.keys()) if (!key.startsWith('w:')) attributes.delete(key);
  return style;
}

function idOf({ attributes }: XmlElement): string {
  return attributes.get('w:styleId') ?? '';
}

/** Names of styles are compared without case: Word writes `heading 1` for what it shows as `Heading 1`. */
function nameOf(style: XmlElement): string {
  const name = childrenOf(style, 'w:name')[0]?.attributes.get('w:val') ?? '';
  return `${style.attributes.get('w:type') ?? 'paragraph'} ${name.toLowerCase()}`;
}

function isOn(value: string | undefined): boolean {
  return value === '1' || value === 'true' || value === 'on';
}

function freeId(id: string, taken: Set<string>): string {
  let free = id;
  for (let i = 1; taken.has(free); i += 1) free = `${id}${i}`;
  taken.add(free);
  return free;
}

function escaped(id: string): string {
  return id.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function gridStyle(): XmlElement {
  const borders = ['top', 'left', 'bottom', 'right', 'insideH', 'insideV'].map((side) =>
    newElement(`w:${side}`, { 'w:val': 'single', 'w:sz': '4', 'w:space': '0', 'w:color': 'auto' }),
  );
  return newElement('w:style', { 'w:type': 'table', 'w:styleId': tableStyle }, [
    newElement('w:name', { 'w:val': 'Table Grid' }),
    newElement('w:basedOn', { 'w:val': 'TableNormal' }),
    newElement('w:tblPr', {}, [newElement('w:tblBorders', {}, borders)]),
  ]);
}
