import { dirname, join } from 'node:path/posix';
import { strFromU8 } from 'fflate';
import { allElements, parseXml, type XmlElement } from './xml.ts';

/** Names of the main namespace, in order. */
function inOrder(names: string): string[] {
  return names.split(' ').map((name) => (name === '*' ? name : `w:${name}`));
}

/** Order of the children in the schema of WordprocessingML (ECMA-376, transitional). */
const sequences: Readonly<Record<string, readonly string[]>> = {
  'w:document': inOrder('background body'),
  'w:p': inOrder('pPr *'),
  'w:r': inOrder('rPr *'),
  'w:tbl': inOrder('tblPr tblGrid tr'),
  'w:tr': inOrder('tblPrEx trPr tc'),
  'w:tc': inOrder('tcPr *'),
  'w:pPr': inOrder(
    'pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd ' +
      'tabs suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi ' +
      'adjustRightInd snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc ' +
      'textDirection textAlignment textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange',
  ),
  'w:sectPr': inOrder(
    'headerReference footerReference footnotePr endnotePr type pgSz pgMar paperSrc pgBorders lnNumType ' +
      'pgNumType cols formProt vAlign noEndnote titlePg textDirection bidi rtlGutter docGrid ' +
      'printerSettings sectPrChange',
  ),
  'w:tblPr': inOrder(
    'tblStyle tblpPr tblOverlap bidiVisual tblStyleRowBandSize tblStyleColBandSize tblW jc ' +
      'tblCellSpacing tblInd tblBorders shd tblLayout tblCellMar tblLook tblCaption',
  ),
  'w:tcPr': inOrder(
    'cnfStyle tcW gridSpan hMerge vMerge tcBorders shd noWrap tcMar textDirection tcFitText vAlign hideMark',
  ),
  'w:style': inOrder(
    'name aliases basedOn next link autoRedefine hidden uiPriority semiHidden unhideWhenUsed qFormat ' +
      'locked personal personalCompose personalReply rsid pPr rPr tblPr trPr tcPr tblStylePr',
  ),
};

/** What a word processor would refuse or repair in a package of Office Open XML, in words. */
export function schemaErrors(files: Readonly<Record<string, Uint8Array>>): string[] {
  const parts = new Map<string, XmlElement>();
  const errors: string[] = [];
  for (const [path, bytes] of Object.entries(files)) {
    if (!/\.(xml|rels)$/.test(path)) continue;
    try {
      parts.set(path, parseXml(strFromU8(bytes)));
    } catch (error) {
      errors.push(`${path}: ${String(error)}`);
    }
  }
  for (const [path, root] of parts) {
    if (path.endsWith('.rels')) errors.push(...brokenTargets(path, root, files));
    for (const element of allElements(root)) errors.push(...misplaced(element).map((error) => `${path}: ${error}`));
  }
  return [...errors, ...untyped(parts.get('[Content_Types].xml'), Object.keys(files)), ...brokenReferences(parts)];
}

function misplaced({ name, children }: XmlElement): string[] {
  const order = sequences[name];
  if (!order) return [];
  let at = 0;
  return children.flatMap((child) => {
    if (typeof child === 'string') return child.trim() === '' ? [] : [`text in ${name}`];
    const exact = order.indexOf(child.name);
    const place = exact < 0 ? order.indexOf('*') : exact;
    if (place < 0) return [`${child.name} in ${name}`];
    if (place < at) return [`${child.name} in ${name} stands too late`];
    at = place;
    return [];
  });
}

function brokenTargets(path: string, root: XmlElement, files: Readonly<Record<string, unknown>>): string[] {
  const folder = join(dirname(path), '..');
  return allElements(root).flatMap(({ name, attributes: { Target = '', TargetMode } }) => {
    if (name !== 'Relationship' || TargetMode === 'External') return [];
    const target = Target.startsWith('/') ? Target.slice(1) : join(folder, Target);
    return target in files ? [] : [`${path}: ${Target} does not exist`];
  });
}

/** Each part has a content type. */
function untyped(types: XmlElement | undefined, paths: readonly string[]): string[] {
  const all = types ? allElements(types) : [];
  const extensions = new Set(all.map(({ attributes }) => attributes['Extension']));
  const names = new Set(all.map(({ attributes }) => attributes['PartName']));
  return paths
    .filter((path) => path !== '[Content_Types].xml')
    .filter((path) => !names.has(`/${path}`) && !extensions.has(path.split('.').at(-1)))
    .map((path) => `${path} has no content type`);
}

/** Styles and bookmarks that are named exist; ids of bookmarks are unique. */
function brokenReferences(parts: ReadonlyMap<string, XmlElement>): string[] {
  const [body, styles] = ['word/document.xml', 'word/styles.xml'].map((path) => parts.get(path));
  if (!body || !styles) return [];
  const elements = allElements(body);
  const valuesOf = (from: readonly XmlElement[], name: string, attribute: string): string[] =>
    from.flatMap((element) => (element.name === name ? (element.attributes[attribute] ?? []) : []));
  const known = new Set(valuesOf(allElements(styles), 'w:style', 'w:styleId'));
  const marks = valuesOf(elements, 'w:bookmarkStart', 'w:name');
  const ids = valuesOf(elements, 'w:bookmarkStart', 'w:id');
  return [
    ...[...valuesOf(elements, 'w:pStyle', 'w:val'), ...valuesOf(elements, 'w:rStyle', 'w:val')]
      .filter((style) => !known.has(style))
      .map((style) => `style ${style} does not exist`),
    ...valuesOf(elements, 'w:hyperlink', 'w:anchor')
      .filter((anchor) => !marks.includes(anchor))
      .map((anchor) => `bookmark ${anchor} does not exist`),
    ...(new Set(ids).size < ids.length || new Set(marks).size < marks.length ? ['a bookmark occurs twice'] : []),
  ];
}
