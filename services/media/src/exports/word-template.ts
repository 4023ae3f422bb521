import { unzipSync } from 'fflate';
import { placeholdersOf, replacePlaceholders } from '../ports/word-placeholders.ts';
import {
  documentOf,
  kindOf,
  newXmlBudget,
  packageRoot,
  readPackage,
  targetOf,
  writePackage,
  type WordPackage,
} from '../ports/word-package.ts';
import {
  childrenOf,
  elementsOf,
  isElement,
  newElement,
  readXml,
  writeXml,
  type XmlElement,
} from '../ports/xml-tree.ts';
import { createStyleNames, tableStyle } from './word-template-styles.ts';

type Filling = {
  /** The values of placeholders. */
  values: Readonly<Record<string, string>>;
  lineNumbers: boolean;
};
type Files = Readonly<Record<string, Uint8Array>>;

const relationshipTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const partTypes = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const coreTypes = 'http://schemas.openxmlformats.org/package/2006';

/** The names of the placeholders in the text of a template. */
export async function placeholdersInText(template: Uint8Array): Promise<ReadonlySet<string>> {
  const { parts, main } = await open(template);
  const body = readXml(parts.get(main)?.bytes ?? new Uint8Array(), newXmlBudget());
  const names = [...elementsOf(body)].filter(({ name }) => name === 'w:p').flatMap(placeholdersOf);
  return new Set(names);
}

/**
 * Writes a transcript in the form of a template: `document` is the transcript as a Word document of its own, whose text,
 * comments, and those styles and lists that the template lacks, are brought into the template.
 */
export async function fillTemplate(
  template: Uint8Array,
  document: Uint8Array,
  { values, lineNumbers }: Filling,
): Promise<Uint8Array> {
  const own = unzipSync(document);
  const { main, ...pack } = await open(template);
  const budget = newXmlBudget();
  const treeOf = (path: string): XmlElement | undefined => {
    const part = pack.parts.get(path);
    return part && readXml(part.bytes, budget);
  };
  const body = treeOf(main);
  if (!body) throw new Error('the template has no document');

  let text = bodyOf(own);
  const styles = await addStyles(pack, main, { own, treeOf });
  text = styles.renamed(withTableStyle(text));
  text = addNumbering(pack, main, { own, treeOf, text });
  addComments(pack, main, own, styles.renamed);
  addProperties(pack, own);
  text = withFreeBookmarks(text, body);

  const section = insert(body, text);
  if (lineNumbers) numberLines(section);
  replacePlaceholders(body, { ...values, transcript: '' });
  save(pack, main, body);
  for (const one of pack.relationships.get(main) ?? []) {
    if (!['header', 'footer'].includes(kindOf(one))) continue;
    const path = targetOf(main, one);
    const tree = treeOf(path);
    if (!tree) continue;
    replacePlaceholders(tree, { ...values, transcript: '' });
    save(pack, path, tree);
  }
  return writePackage(pack);
}

async function open(template: Uint8Array): Promise<WordPackage & { main: string }> {
  const pack = await readPackage(template, newXmlBudget());
  const main = documentOf(pack);
  if (main === undefined) throw new Error('the template has no document');
  return { ...pack, main };
}

function save({ parts }: WordPackage, path: string, tree: XmlElement): void {
  const part = parts.get(path);
  if (part) parts.set(path, { ...part, bytes: writeXml(tree) });
}

/** The text of our own document, without its section. It has `<` in no other place. */
function bodyOf(own: Files): string {
  const xml = textOf(own, 'word/document.xml');
  return xml.slice(xml.indexOf('<w:body>') + '<w:body>'.length, xml.lastIndexOf('<w:sectPr'));
}

function textOf(own: Files, path: string): string {
  return new TextDecoder().decode(own[path] ?? new Uint8Array());
}

/** Lines of a table are those of the table style. */
function withTableStyle(text: string): string {
  const [first = '', ...rest] = text.split('<w:tblBorders>');
  const end = '</w:tblBorders>';
  return [first, ...rest.map((part) => part.slice(part.indexOf(end) + end.length))]
    .join('')
    .replaceAll('<w:tblPr>', `<w:tblPr><w:tblStyle w:val="${tableStyle}"/>`);
}

type Sources = { own: Files; treeOf: (path: string) => XmlElement | undefined };

async function addStyles(pack: WordPackage, main: string, { own, treeOf }: Sources) {
  const ours = readXml(own['word/styles.xml'] ?? new Uint8Array(), newXmlBudget());
  const path = pathOf(pack, main, 'styles');
  const tree = path === undefined ? undefined : treeOf(path);
  const used = [bodyOf(own), textOf(own, 'word/comments.xml'), `<w:tblStyle w:val="${tableStyle}"/>`].join('');
  const styles = createStyleNames(tree ?? newElement('w:styles', namespaceOf(ours)), ours, used);
  if (path === undefined) addPart(pack, main, 'styles', writeXml(styles.tree));
  else save(pack, path, styles.tree);
  return styles;
}

/** Our bullets, behind the lists of the template. @returns the text with their new numbers. */
function addNumbering(pack: WordPackage, main: string, { own, treeOf, text }: Sources & { text: string }): string {
  if (!text.includes('<w:numId ')) return text;
  const path = pathOf(pack, main, 'numbering');
  const tree = path === undefined ? undefined : treeOf(path);
  if (path === undefined || !tree) {
    addPart(pack, main, 'numbering', own['word/numbering.xml'] ?? new Uint8Array());
    return text;
  }
  const ours = readXml(own['word/numbering.xml'] ?? new Uint8Array(), newXmlBudget());
  const lists = highest(tree, 'w:abstractNum', 'w:abstractNumId') + 1;
  const numbers = highest(tree, 'w:num', 'w:numId') + 1;
  const abstract = childrenOf(ours, 'w:abstractNum').map((list) =>
    withoutForeign(shifted(list, 'w:abstractNumId', lists)),
  );
  const concrete = childrenOf(ours, 'w:num').map((num) => {
    for (const id of childrenOf(num, 'w:abstractNumId')) shifted(id, 'w:val', lists);
    return withoutForeign(shifted(num, 'w:numId', numbers));
  });
  // Definitions stand before their uses, and those before anything else.
  const at = tree.children.findIndex((child) => isElement(child) && child.name === 'w:num');
  tree.children.splice(at < 0 ? afterLast(tree, 'w:abstractNum') : at, 0, ...abstract);
  tree.children.splice(afterLast(tree, 'w:num', 'w:abstractNum'), 0, ...concrete);
  save(pack, path, tree);
  return text.replaceAll(
    /(<w:numId w:val=")(\d+)"/g,
    (_, start: string, id: string) => `${start}${Number(id) + numbers}"`,
  );
}

function highest(tree: XmlElement, name: string, attribute: string): number {
  return childrenOf(tree, name).reduce((most, { attributes }) => {
    const id = Number(attributes.get(attribute));
    return Number.isSafeInteger(id) && id < 1_000_000_000 ? Math.max(most, id) : most;
  }, 0);
}

function shifted(element: XmlElement, attribute: string, by: number): XmlElement {
  element.attributes.set(attribute, String(Number(element.attributes.get(attribute)) + by));
  return element;
}

/** Attributes of extensions need a namespace that the template may not declare. */
function withoutForeign(element: XmlElement): XmlElement {
  for (const { attributes } of elementsOf(element))
    for (const key of attributes.keys()) if (!key.startsWith('w:')) attributes.delete(key);
  return element;
}

function afterLast(tree: XmlElement, ...names: readonly string[]): number {
  return tree.children.findLastIndex((child) => isElement(child) && names.includes(child.name)) + 1;
}

function addComments(pack: WordPackage, main: string, own: Files, renamed: (xml: string) => string): void {
  const comments = textOf(own, 'word/comments.xml');
  if (comments === '' || !textOf(own, 'word/document.xml').includes('<w:commentReference ')) return;
  addPart(pack, main, 'comments', new TextEncoder().encode(renamed(comments)));
}

/** Title and author of the transcript in place of those of the template. */
function addProperties({ parts, relationships }: WordPackage, own: Files): void {
  const path = 'docProps/core.xml';
  const bytes = own[path];
  if (!bytes) return;
  parts.set(path, { type: 'application/vnd.openxmlformats-package.core-properties+xml', bytes });
  const list = relationships.get(packageRoot) ?? [];
  const type = `${coreTypes}/relationships/metadata/core-properties`;
  relationships.set(packageRoot, [...list, { id: freeId(list), type, target: `/${path}`, isExternal: false }]);
}

function addPart({ parts, relationships }: WordPackage, main: string, kind: string, bytes: Uint8Array): void {
  const list = relationships.get(main) ?? [];
  let path = `word/${kind}.xml`;
  for (let i = 1; parts.has(path); i += 1) path = `word/${kind}${i}.xml`;
  parts.set(path, { type: `${partTypes}.${kind}+xml`, bytes });
  const type = `${relationshipTypes}/${kind}`;
  relationships.set(main, [...list, { id: freeId(list), type, target: `/${path}`, isExternal: false }]);
}

function freeId(list: readonly { id: string }[]): string {
  const ids = new Set(list.map(({ id }) => id));
  let number = list.length + 1;
  while (ids.has(`rIdT${number}`)) number += 1;
  return `rIdT${number}`;
}

function pathOf({ relationships }: WordPackage, main: string, kind: string): string | undefined {
  const found = relationships.get(main)?.find((one) => kindOf(one) === kind);
  return found && targetOf(main, found);
}

/** Ids of bookmarks are unique in a document. */
function withFreeBookmarks(text: string, body: XmlElement): string {
  const ids = [...elementsOf(body)]
    .filter(({ name }) => name === 'w:bookmarkStart')
    .map(({ attributes }) => Number(attributes.get('w:id')))
    .filter((id) => Number.isSafeInteger(id) && id >= 0 && id < 1_000_000_000);
  const offset = ids.reduce((most, id) => Math.max(most, id), 0) + 1;
  return text.replaceAll(
    /(<w:bookmark(?:Start|End)(?: w:name="[^"]*")? w:id=")(\d+)"/g,
    (_, start: string, id: string) => `${start}${Number(id) + offset}"`,
  );
}

const containers: ReadonlySet<string> = new Set(['w:body', 'w:tc', 'w:sdtContent']);
/** What a paragraph is kept for. */
const contents: ReadonlySet<string> = new Set(['w:sectPr', 'w:drawing', 'w:pict', 'w:object', 'w:fldChar', 'w:br']);

/**
 * Puts the transcript in place of the paragraph with its placeholder; without one at the end. @returns the properties of
 * its section.
 */
function insert(document: XmlElement, text: string): XmlElement {
  const [body] = childrenOf(document, 'w:body');
  if (!body) throw new Error('the template has no text');
  if (childrenOf(body, 'w:sectPr').length === 0) body.children.push(newElement('w:sectPr'));
  const raw = { raw: text };
  const place = findPlace(document);
  if (place) {
    const { parent, paragraph } = place;
    replacePlaceholders(paragraph, { transcript: '' });
    const at = parent.children.indexOf(paragraph);
    const isEmpty = isEmptyParagraph(paragraph);
    const isEnd = [...elementsOf(paragraph)].some(({ name }) => name === 'w:sectPr');
    parent.children.splice(isEmpty || isEnd ? at : at + 1, isEmpty && text !== '' ? 1 : 0, raw);
  } else {
    const at = body.children.findLastIndex((child) => isElement(child) && child.name === 'w:sectPr');
    const before = body.children.findLastIndex((child, i) => i < at && isElement(child));
    const last = body.children[before];
    const replaces = text !== '' && last !== undefined && isElement(last) && isEmptyParagraph(last);
    body.children.splice(replaces ? before : at, replaces ? 1 : 0, raw);
  }
  return sectionBehind(document, raw);
}

function findPlace(document: XmlElement): { parent: XmlElement; paragraph: XmlElement } | undefined {
  for (const parent of elementsOf(document)) {
    if (!containers.has(parent.name)) continue;
    const paragraph = childrenOf(parent, 'w:p').find((one) => placeholdersOf(one).includes('transcript'));
    if (paragraph) return { parent, paragraph };
  }
  return undefined;
}

function isEmptyParagraph(paragraph: XmlElement): boolean {
  if (paragraph.name !== 'w:p') return false;
  return [...elementsOf(paragraph)].every(
    ({ name, children }) =>
      !contents.has(name) &&
      (name !== 'w:t' || children.every((child) => typeof child !== 'string' || child.trim() === '')),
  );
}

/** The first section that ends behind the transcript. */
function sectionBehind(document: XmlElement, raw: object): XmlElement {
  let isBehind = false;
  let found: XmlElement | undefined;
  const visit = (element: XmlElement): void => {
    for (const child of element.children) {
      if (found) return;
      if (child === raw) isBehind = true;
      else if (typeof child !== 'string' && isElement(child)) {
        if (isBehind && child.name === 'w:sectPr') found = child;
        else if (child.name !== 'w:sectPrChange') visit(child);
      }
    }
  };
  visit(document);
  if (!found) throw new Error('the template has no section');
  return found;
}

/** In the order of the schema. */
const beforeLineNumbers: ReadonlySet<string> = new Set(
  'headerReference footerReference footnotePr endnotePr type pgSz pgMar paperSrc pgBorders'
    .split(' ')
    .map((name) => `w:${name}`),
);

function numberLines(section: XmlElement): void {
  const others = section.children.filter((child) => !isElement(child) || child.name !== 'w:lnNumType');
  const at = others.findLastIndex((child) => isElement(child) && beforeLineNumbers.has(child.name)) + 1;
  const numbers = newElement('w:lnNumType', { 'w:countBy': '1', 'w:restart': 'newPage', 'w:distance': '400' });
  section.children = others.toSpliced(at, 0, numbers);
}

function namespaceOf({ attributes }: XmlElement): Record<string, string> {
  return { 'xmlns:w': attributes.get('xmlns:w') ?? '' };
}
