import { dirname, join } from 'node:path/posix';
import { buffer } from 'node:stream/consumers';
import { zipSync } from 'fflate';
import { fromBuffer, type Entry, type ZipFile } from 'yauzl';
import { childrenOf, newElement, readXml, writeXml, type XmlBudget } from './xml-tree.ts';

/** A part of a package of Office Open XML (ISO/IEC 29500-2). */
export type Part = { type: string; bytes: Uint8Array };
export type Relationship = { id: string; type: string; target: string; isExternal: boolean };
/** The parts by their path, without the content types and relationships, which are in `relationships` by path. */
export type WordPackage = { parts: Map<string, Part>; relationships: Map<string, Relationship[]> };

export class PackageRefused extends Error {
  readonly isTooLarge: boolean;

  constructor(message: string, { isTooLarge = false, cause }: { isTooLarge?: boolean; cause?: unknown } = {}) {
    super(message, { cause });
    this.isTooLarge = isTooLarge;
  }
}

/** The owner of the relationships of the package itself. */
export const packageRoot = '';
const contentTypes = '[Content_Types].xml';
const relationshipsType = 'application/vnd.openxmlformats-package.relationships+xml';
const typesNamespace = 'http://schemas.openxmlformats.org/package/2006/content-types';
const relationshipsNamespace = 'http://schemas.openxmlformats.org/package/2006/relationships';

/** More than any letterhead needs; what a file declares does not count. */
const limits = { entries: 1_000, bytes: 40 * 1024 * 1024, xmlBytes: 10 * 1024 * 1024, nodes: 400_000 };

export function newXmlBudget(): XmlBudget {
  return { nodes: limits.nodes };
}

/** Reads a package, however hostile it is. @throws PackageRefused, XmlRefused */
export async function readPackage(bytes: Uint8Array, budget: XmlBudget): Promise<WordPackage> {
  const files = await unpack(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  const xml = [...files].filter(([path]) => /\.(?:xml|rels)$/i.test(path));
  if (xml.reduce((sum, [, content]) => sum + content.length, 0) > limits.xmlBytes)
    throw new PackageRefused('too much text', { isTooLarge: true });
  const typeOf = readTypes(files, budget);
  const parts = new Map<string, Part>();
  const relationships = new Map<string, Relationship[]>();
  for (const [path, content] of files) {
    const owner = ownerOf(path);
    if (owner !== undefined) relationships.set(owner, readRelationships(content, budget));
    else if (path !== contentTypes) parts.set(path, { type: typeOf(path), bytes: content });
  }
  return { parts, relationships };
}

/** The package as a file. */
export function writePackage({ parts, relationships }: WordPackage): Uint8Array {
  const types = [...parts].map(([path, { type }]) =>
    newElement('Override', { PartName: `/${path}`, ContentType: type }),
  );
  const defaults = [
    newElement('Default', { Extension: 'rels', ContentType: relationshipsType }),
    newElement('Default', { Extension: 'xml', ContentType: 'application/xml' }),
  ];
  // Without a prototype: a part may have any name.
  const files = Object.create(null) as Record<string, Uint8Array>;
  files[contentTypes] = writeXml(newElement('Types', { xmlns: typesNamespace }, [...defaults, ...types]));
  for (const [owner, list] of relationships)
    if (list.length > 0) files[relationshipsPath(owner)] = writeRelationships(list);
  for (const [path, { bytes }] of parts) files[path] = bytes;
  return zipSync(files);
}

/** `header` of `http://schemas.openxmlformats.org/officeDocument/2006/relationships/header`. */
export function kindOf({ type }: Relationship): string {
  return type.slice(type.lastIndexOf('/') + 1);
}

/** The path of the part that a relationship of another one names. */
export function targetOf(owner: string, { target }: Relationship): string {
  const path = target.startsWith('/') ? target.slice(1) : join(dirname(owner), target);
  return path.replace(/^\.\//, '');
}

/** The part that is the document. */
export function documentOf({ relationships }: WordPackage): string | undefined {
  const found = relationships.get(packageRoot)?.find((one) => kindOf(one) === 'officeDocument');
  return found && targetOf(packageRoot, found);
}

async function unpack(bytes: Buffer): Promise<Map<string, Uint8Array>> {
  const zip = await new Promise<ZipFile>((resolve, reject) => {
    fromBuffer(bytes, { lazyEntries: true, strictFileNames: false, validateEntrySizes: true }, (cause, opened) =>
      cause ? reject(new PackageRefused('no ZIP archive', { cause })) : resolve(opened),
    );
  });
  const files = new Map<string, Uint8Array>();
  if (zip.entryCount > limits.entries) throw new PackageRefused('too many files', { isTooLarge: true });
  let left = limits.bytes;
  const take = async (entry: Entry): Promise<void> => {
    if (entry.fileName.endsWith('/')) return;
    left -= entry.uncompressedSize;
    if (left < 0) throw new PackageRefused('too large when it is unpacked', { isTooLarge: true });
    // Names only find parts: no file is written under them.
    if (files.has(entry.fileName)) throw new PackageRefused('two files with one name');
    files.set(entry.fileName, await content(zip, entry));
  };
  await new Promise<void>((resolve, reject) => {
    const fail = (cause: unknown): void =>
      reject(cause instanceof PackageRefused ? cause : new PackageRefused('a damaged ZIP archive', { cause }));
    zip.on('entry', (entry) => void take(entry).then(() => zip.readEntry(), fail));
    zip.once('end', resolve).on('error', fail);
    zip.readEntry();
  });
  return files;
}

/** Fails when the content has another size than the archive states. */
async function content(zip: ZipFile, entry: Entry): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(buffer(stream))));
  });
}

function readTypes(files: ReadonlyMap<string, Uint8Array>, budget: XmlBudget): (path: string) => string {
  const bytes = files.get(contentTypes);
  if (!bytes) throw new PackageRefused('no content types');
  const all = childrenOf(readXml(bytes, budget));
  const valuesOf = (element: string, key: string): Map<string, string> =>
    new Map(
      all
        .filter(({ name }) => name === element)
        .map(({ attributes }) => [(attributes.get(key) ?? '').toLowerCase(), attributes.get('ContentType') ?? '']),
    );
  const [byName, byExtension] = [valuesOf('Override', 'PartName'), valuesOf('Default', 'Extension')];
  return (path) => {
    const name = path.toLowerCase();
    return byName.get(`/${name}`) ?? byExtension.get(name.slice(name.lastIndexOf('.') + 1)) ?? '';
  };
}

/** `word/document.xml` of `word/_rels/document.xml.rels`. */
function ownerOf(path: string): string | undefined {
  const found = /^(.*?)_rels\/([^/]*)\.rels$/.exec(path);
  return found ? `${found[1]}${found[2]}` : undefined;
}

function relationshipsPath(owner: string): string {
  const slash = owner.lastIndexOf('/') + 1;
  return `${owner.slice(0, slash)}_rels/${owner.slice(slash)}.rels`;
}

function readRelationships(bytes: Uint8Array, budget: XmlBudget): Relationship[] {
  return childrenOf(readXml(bytes, budget), 'Relationship').map(({ attributes }) => ({
    id: attributes.get('Id') ?? '',
    type: attributes.get('Type') ?? '',
    target: attributes.get('Target') ?? '',
    isExternal: attributes.get('TargetMode') === 'External',
  }));
}

function writeRelationships(list: readonly Relationship[]): Uint8Array {
  const elements = list.map(({ id, type, target, isExternal }) =>
    newElement('Relationship', {
      Id: id,
      Type: type,
      Target: target,
      ...(isExternal ? { TargetMode: 'External' } : {}),
    }),
  );
  return writeXml(newElement('Relationships', { xmlns: relationshipsNamespace }, elements));
}
