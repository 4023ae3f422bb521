import { isAppError } from '@overtone/service-kit/errors';
import { findPlaceholders } from '../ports/word-placeholders.ts';
import {
  documentOf,
  kindOf,
  newXmlBudget,
  packageRoot,
  PackageRefused,
  readPackage,
  targetOf,
  writePackage,
  type Part,
  type Relationship,
  type WordPackage,
} from '../ports/word-package.ts';
import {
  childrenOf,
  elementsOf,
  isElement,
  readXml,
  writeXml,
  XmlRefused,
  type XmlBudget,
  type XmlElement,
} from '../ports/xml-tree.ts';
import { wordTemplateErrors as errors } from './word-templates.ts';

/** A document for storage: rebuilt of the parts that are known to be harmless. */
export type CheckedTemplate = { content: Uint8Array; placeholders: string[] };

const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml';
const documentType = `${word}.document.main+xml`;
/** A template (.dotx) becomes a document. */
const acceptedTypes: ReadonlySet<string> = new Set([documentType, `${word}.template.main+xml`]);

/** Kinds of parts that a document refers to and that run nothing and load nothing. */
const kept: ReadonlySet<string> = new Set(
  (
    'officeDocument extended-properties custom-properties styles settings fontTable theme numbering header footer ' +
    'footnotes endnotes image hyperlink customXml customXmlProps font themeOverride chart chartUserShapes chartStyle ' +
    'chartColorStyle diagramData diagramLayout diagramQuickStyle diagramColors diagramDrawing printerSettings hdphoto'
  ).split(' '),
);
const macros: ReadonlySet<string> = new Set(['vbaProject', 'wordVbaData', 'vbaProjectSignature']);
/** The template that a document was made of: Word would look for it. Exports need neither it nor remarks of its authors. */
const dropped: ReadonlySet<string> = new Set(
  (
    'attachedTemplate core-properties thumbnail comments commentsExtended commentsIds commentsExtensible people ' +
    'glossaryDocument webSettings stylesWithEffects keyMapCustomizations attachedToolbars'
  ).split(' '),
);
/** Elements that belong to dropped parts. */
const droppedElements: ReadonlySet<string> = new Set([
  'w:attachedTemplate',
  'w:linkStyles',
  'w:commentRangeStart',
  'w:commentRangeEnd',
  'w:commentReference',
]);
const allowedLinks = /^(?:https?:|mailto:|tel:|#)/i;
const elsewhere = /^\s*(?:[a-z][a-z0-9+.-]+:|\/\/|\\\\)/i;
const addressKeys: ReadonlySet<string> = new Set(['src', 'o:href', 'r:href', 'xlink:href', 'href']);
const linkKeys: ReadonlySet<string> = new Set(['href', 'xlink:href']);
/** In pictures (SVG), what `href` names is loaded. */
const imageElements: ReadonlySet<string> = new Set(['image', 'svg:image', 'use', 'feImage', 'v:imagedata']);
/** Fields that load a file, or start a program. */
const loadingFields = /^\s*(?:DDE|DDEAUTO|INCLUDE|INCLUDEPICTURE|INCLUDETEXT|IMPORT|LINK|DATABASE|RD)\b/i;

/** Checks a document that becomes a template. @throws AppError that says what is wrong with it. */
export async function checkTemplate(bytes: Uint8Array): Promise<CheckedTemplate> {
  try {
    return await check(bytes);
  } catch (error) {
    if (isAppError(error)) throw error;
    if (error instanceof PackageRefused && error.isTooLarge) throw errors.tooLarge({ cause: error });
    if (error instanceof PackageRefused || error instanceof XmlRefused) throw errors.invalid(error);
    throw error;
  }
}

async function check(bytes: Uint8Array): Promise<CheckedTemplate> {
  const given = await readPackage(bytes, newXmlBudget());
  const main = documentOf(given);
  const type = main === undefined ? undefined : given.parts.get(main)?.type;
  if (type?.includes('macroEnabled')) throw errors.macros();
  if (main === undefined || type === undefined || !acceptedTypes.has(type)) throw new PackageRefused('no document');
  const rest: WordPackage = { parts: new Map(), relationships: new Map() };
  const trees = new Map<string, XmlElement>();
  const budget = newXmlBudget();
  const waiting = [packageRoot];
  for (let owner = waiting.pop(); owner !== undefined; owner = waiting.pop()) {
    const tree = trees.get(owner);
    const used = tree ? referencesIn(tree) : new Set<string>();
    const relationships = (given.relationships.get(owner) ?? []).filter((one) => keeps(one, used));
    rest.relationships.set(owner, relationships);
    for (const one of relationships) {
      if (one.isExternal) continue;
      const path = targetOf(owner, one);
      if (rest.parts.has(path)) continue;
      const part = given.parts.get(path);
      if (!part) throw new PackageRefused(`${path} is missing`);
      rest.parts.set(path, checkedPart(part, path, trees, budget));
      waiting.push(path);
    }
  }
  const body = trees.get(main);
  if (body?.name !== 'w:document' || childrenOf(body, 'w:body').length !== 1) throw new PackageRefused('no text');
  rest.parts.set(main, { type: documentType, bytes: rest.parts.get(main)?.bytes ?? new Uint8Array() });
  return { content: writePackage(rest), placeholders: findPlaceholders([...trees.values()]) };
}

/** Whether a relationship stays. `used`: ids that its owner refers to. */
function keeps(one: Relationship, used: ReadonlySet<string>): boolean {
  const kind = kindOf(one);
  if (macros.has(kind)) throw errors.macros();
  if (dropped.has(kind)) return false;
  if (one.isExternal) {
    if (kind === 'hyperlink' && allowedLinks.test(one.target)) return true;
    throw errors.external(one.target);
  }
  if (kept.has(kind)) return true;
  // What nothing refers to can be left out; what is shown somewhere cannot.
  if (used.has(one.id)) throw errors.embedded(kind.slice(0, 100));
  return false;
}

/** Values of attributes with a prefix, such as `r:id`. */
function referencesIn(tree: XmlElement): Set<string> {
  const used = new Set<string>();
  for (const { attributes } of elementsOf(tree))
    for (const [name, value] of attributes) if (name.includes(':')) used.add(value);
  return used;
}

const harmlessBytes =
  /^(?:image\/|application\/(?:x-font|vnd\.openxmlformats-officedocument\.(?:obfuscatedFont|wordprocessingml\.printerSettings)))/;

function checkedPart(part: Part, path: string, trees: Map<string, XmlElement>, budget: XmlBudget): Part {
  const isXml = part.type.endsWith('xml') || /\.(?:xml|svg|vml)$/i.test(path);
  if (!isXml && harmlessBytes.test(part.type)) return part;
  if (!isXml) throw errors.embedded((part.type || path).slice(0, 100));
  const tree = readXml(part.bytes, budget);
  for (const element of elementsOf(tree)) removeDropped(element);
  refuseLoading(tree);
  trees.set(path, tree);
  // Serialised from the checked tree, so that an export contains only what was checked.
  return { type: part.type, bytes: writeXml(tree) };
}

function removeDropped(element: XmlElement): void {
  element.children = element.children.filter((child) => !isElement(child) || !droppedElements.has(child.name));
}

/** @throws AppError for fields and pictures whose content is elsewhere. */
function refuseLoading(tree: XmlElement): void {
  let instruction: string[] = [];
  const endField = (): void => {
    const text = instruction.join('');
    instruction = [];
    if (loadingFields.test(text)) throw errors.external(text.trim());
  };
  for (const element of elementsOf(tree)) {
    if (element.name === 'w:fldChar' || element.name === 'w:p') endField();
    if (element.name === 'w:instrText') instruction.push(textIn(element));
    if (element.name === 'w:fldSimple') {
      endField();
      instruction.push(element.attributes.get('w:instr') ?? '');
      endField();
    }
    const loaded = addressesOf(element).find((address) => elsewhere.test(address));
    if (loaded !== undefined) throw errors.external(loaded);
  }
  endField();
}

/** Addresses in an element that are loaded when a document is opened; links are not. */
function addressesOf({ name, attributes }: XmlElement): string[] {
  return [...attributes].flatMap(([key, value]) => {
    if (!addressKeys.has(key) || /^data:image\//i.test(value)) return [];
    const isLink = linkKeys.has(key) && !imageElements.has(name) && allowedLinks.test(value);
    return isLink ? [] : [value];
  });
}

function textIn({ children }: XmlElement): string {
  return children.filter((child) => typeof child === 'string').join('');
}
