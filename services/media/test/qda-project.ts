import { strFromU8, unzipSync } from 'fflate';
import { allElements, parseXml, type XmlElement } from './xml.ts';

/** Of the schema (QDA-XML 1.0): the elements that one may contain, in their order, and its attributes. */
const schema: Readonly<Record<string, { inside: string[]; needs: string[]; may?: string[] }>> = {
  Project: {
    inside: ['Users', 'CodeBook', 'Sources'],
    needs: ['name'],
    may: ['xmlns', 'origin', 'creatingUserGUID', 'creationDateTime'],
  },
  Users: { inside: ['User'], needs: [] },
  User: { inside: [], needs: ['guid'], may: ['name', 'id'] },
  CodeBook: { inside: ['Codes'], needs: [] },
  Codes: { inside: ['Code'], needs: [] },
  Code: { inside: ['Description', 'Code'], needs: ['guid', 'name', 'isCodable'], may: ['color'] },
  Sources: { inside: ['TextSource'], needs: [] },
  TextSource: {
    inside: ['Description', 'PlainTextSelection'],
    needs: ['guid', 'plainTextPath'],
    may: ['name', 'creatingUser', 'creationDateTime'],
  },
  PlainTextSelection: {
    inside: ['Description', 'Coding'],
    needs: ['guid', 'startPosition', 'endPosition'],
    may: ['name', 'creatingUser', 'creationDateTime'],
  },
  Coding: { inside: ['CodeRef'], needs: ['guid'], may: ['creatingUser', 'creationDateTime'] },
  CodeRef: { inside: [], needs: ['targetGUID'] },
  Description: { inside: [], needs: [] },
};
const notEmpty = new Set(['Users', 'CodeBook', 'Codes', 'Sources', 'Coding']);
const guid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/** Reads a project as other programs do. @throws when it does not follow the schema, or names what is not in it. */
export function readProject(bytes: Uint8Array) {
  const files = unzipSync(bytes);
  const root = parseXml(strFromU8(files['project.qde'] ?? new Uint8Array()));
  check(root);
  const ids = ['User', 'Code', 'TextSource', 'PlainTextSelection', 'Coding'].flatMap((name) =>
    elementsIn(root, name).map(({ attributes }) => attributes['guid'] ?? ''),
  );
  if (new Set(ids).size !== ids.length || !ids.every((id) => guid.test(id))) throw new Error('ids');
  const texts = elementsIn(root, 'TextSource').map((source) => {
    const path = source.attributes['plainTextPath']?.replace('internal://', 'sources/') ?? '';
    const file = files[path];
    if (!file) throw new Error(`missing ${path}`);
    return { source, id: source.attributes['guid'] ?? '', characters: Array.from(strFromU8(file)) };
  });
  const coded = texts.flatMap(({ source, characters }) =>
    elementsIn(source, 'PlainTextSelection').map((selection) => {
      const [from, to] = ['startPosition', 'endPosition'].map((name) => Number(selection.attributes[name]));
      const coding = elementsIn(selection, 'Coding')[0];
      const { guid: id, creatingUser: by, creationDateTime: at } = coding?.attributes ?? {};
      const code = elementsIn(selection, 'CodeRef')[0]?.attributes['targetGUID'];
      for (const named of [code, by]) if (named !== undefined && !ids.includes(named)) throw new Error(named);
      return { text: characters.slice(from, to).join(''), coding: id, code, by, at };
    }),
  );
  return { root, coded, sources: texts.map(({ id }) => id), texts: texts.map(({ characters }) => characters.join('')) };
}

export function elementsIn(root: XmlElement, name: string): XmlElement[] {
  return allElements(root).filter((element) => element.name === name);
}

function check(element: XmlElement): void {
  const rule = schema[element.name];
  if (!rule) throw new Error(`unknown ${element.name}`);
  const names = Object.keys(element.attributes);
  const missing = rule.needs.filter((name) => !names.includes(name));
  const unknown = names.filter((name) => ![...rule.needs, ...(rule.may ?? [])].includes(name));
  if (missing.length + unknown.length > 0) throw new Error(`${element.name}: ${[...missing, ...unknown].join()}`);
  const inside = element.children.filter((child) => typeof child !== 'string');
  if (inside.length === 0 && notEmpty.has(element.name)) throw new Error(`empty ${element.name}`);
  const places = inside.map(({ name }) => rule.inside.indexOf(name));
  if (places.some((place, i) => place < (places[i - 1] ?? 0))) throw new Error(`order in ${element.name}`);
  for (const child of inside) check(child);
}
