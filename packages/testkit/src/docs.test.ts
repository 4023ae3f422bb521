import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = resolve(import.meta.dirname, '../../..');
const folders = ['packages', 'services', 'docs', 'deploy', 'k8s'];

/** Files and folders of the repository with a leading slash; installed and built ones are left out. */
function listPaths(folder: string): string[] {
  return readdirSync(resolve(root, `.${folder}`), { withFileTypes: true }).flatMap((entry) => {
    if (['node_modules', 'dist', 'generated'].includes(entry.name)) return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? [path, ...listPaths(path)] : [path];
  });
}

const paths = [...readdirSync(root).map((name) => `/${name}`), ...folders.flatMap((name) => listPaths(`/${name}`))];
const services = readdirSync(resolve(root, 'services'));
const pages = [
  'README.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...paths.filter((path) => /^\/docs\/.*\.md$|^\/(packages|services)\/[^/]+\/README\.md$/.test(path)),
];

function codeSpansOf(text: string): string[] {
  return [...text.replaceAll(/^```[^]*?^```$/gm, '').matchAll(/`([^`\n]+)`/g)].map((match) => match[1] as string);
}

const source = /\.(ts|tsx|mjs|css|prisma|sql|ya?ml|conf|md|sh)$/;
/** The repository's paths among the words of a code span. `*` and `<name>` stand for any name. */
function pathsIn(span: string): string[] {
  const words = span.split(' ').filter((word) => /^[\w.@*<>-]+(\/[\w.@*<>-]+)*\/?$/.test(word));
  return words.filter((word) => {
    const [first = '', second] = word.split('/');
    if (second === undefined) return /\.tsx?$/.test(word);
    return !word.includes('node_modules') && (source.test(word) || [...folders, ...services].includes(first));
  });
}

/** Whether a path of the repository ends with these names. */
function exists(path: string): boolean {
  const escaped = path.replace(/\/$/, '').replaceAll('.', '\\.');
  const pattern = new RegExp(`/${escaped.replaceAll(/<\w+>|\*/g, '[^/]*')}$`);
  return paths.some((existing) => pattern.test(existing));
}

function read(page: string): string {
  return readFileSync(resolve(root, `./${page}`), 'utf8');
}

describe.each(pages)('%s', (page) => {
  it('names only files and folders that exist', () => {
    const named = codeSpansOf(read(page))
      .flatMap(pathsIn)
      .filter((path) => !path.startsWith('./'));
    expect(named.filter((path) => !exists(path))).toEqual([]);
  });
});

describe('docs/where-to-change.md', () => {
  const text = read('docs/where-to-change.md');
  /** The rows below the heading of a folder: the change, its first file and its first test. */
  const rows = text
    .split('\n## ')
    .slice(1)
    .flatMap((section) => {
      const folder = /: (\S+)$/m.exec(section)![1]!;
      const lines = section.split('\n').filter((line) => line.startsWith('| '));
      return lines.map((line) => ({ folder, line, cells: codeSpansOf(line) }));
    });
  /** The file that a cell names, relative to the folder, its sources, the contracts or the repository. */
  const fileOf = (folder: string, name: string) =>
    ['', `${folder}/src/`, `${folder}/`, 'packages/contracts/src/']
      .map((start) => `/${start}${name}`)
      .find((path) => paths.includes(path));
  const testOf = (file: string, test: string | undefined, folder: string) => {
    if (test?.startsWith('./')) return fileOf(folder, `${file.slice(1, file.lastIndexOf('/'))}/${test.slice(2)}`);
    if (test !== undefined) return fileOf(folder, test);
    const name = file.slice(1).replace(/\.tsx?$/, '');
    return fileOf(folder, `${name}.test.ts`) ?? fileOf(folder, `${name}.it.test.ts`);
  };

  it('is a short page of many rows', () => {
    expect(rows.length).toBeGreaterThan(100);
    expect(Buffer.byteLength(text)).toBeLessThanOrEqual(12 * 1024);
  });

  it('names a first file and a first test for each change', () => {
    const wrong = rows.filter(({ folder, cells: [file, test] }) => {
      const found = fileOf(folder, file ?? '');
      return found === undefined || testOf(found, test, folder) === undefined;
    });
    expect(wrong.map(({ line }) => line)).toEqual([]);
  });

  it('has its details in a README of each folder', () => {
    const folders = [...new Set(rows.map(({ folder }) => folder))].filter((folder) => folder !== 'packages');
    expect(folders.filter((folder) => !detailsOf(`${folder}/README.md`).length)).toEqual([]);
  });
});

/** The rows of "Where to change what" of a README. */
function detailsOf(page: string): string[] {
  const section = read(page).split('\n## Where to change what\n')[1] ?? '';
  return section.split('\n').filter((line) => line.startsWith('| ') && line.includes('`'));
}

describe.each(pages.filter((page) => detailsOf(page).length > 0))('where to change what: %s', (page) => {
  const filesOf = (row: string) =>
    codeSpansOf(row)
      .flatMap(pathsIn)
      .filter((path) => source.test(path) && !/[*<]/.test(path));
  const textOf = (file: string) => read(paths.find((path) => path.endsWith(`/${file}`)) ?? file);

  it('names only identifiers that occur in a file of their row', () => {
    const missing = detailsOf(page).flatMap((row) => {
      const text = filesOf(row).map(textOf).join('\n');
      return codeSpansOf(row).filter((span) => /^[a-z]+[A-Z]\w+$/.test(span) && !text.includes(span));
    });
    expect(missing).toEqual([]);
  });
});

describe('CHANGELOG.md', () => {
  it('has a dated heading for the version of package.json', () => {
    const { version } = JSON.parse(read('package.json')) as { version: string };
    expect(read('CHANGELOG.md')).toMatch(
      new RegExp(`^## \\[${version.replaceAll('.', '\\.')}\\] - \\d{4}-\\d\\d-\\d\\d$`, 'm'),
    );
  });
});

describe('docs/data-map.md', () => {
  const map = read('docs/data-map.md');

  it('names only tables that docs/architecture.md lists', () => {
    const ownership = read('docs/architecture.md');
    const tables = codeSpansOf(map).filter((span) => /^[a-z]+(_[a-z]+)*$/.test(span));
    expect(tables.length).toBeGreaterThan(20);
    expect(tables.filter((table) => !new RegExp(`\\b${table}\\b`).test(ownership))).toEqual([]);
  });
});
