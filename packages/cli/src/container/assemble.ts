import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { z } from 'zod';
import { productFolder } from '../paths.ts';
import { Refusal } from '../refusal.ts';
import { lastLines, run } from '../setup/run.ts';
import { serviceNames } from '../supervisor/plan.ts';

const manifestSchema = z.object({ name: z.string(), dependencies: z.record(z.string(), z.string()).optional() });

const rootFiles = ['package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml'];
const notShipped = new Set(['node_modules', 'dist', 'test', 'bench', 'prisma', 'README.md', 'tsconfig.json']);
const ui = 'packages/web-ui/dist';

/** The commands `backup`, `backups` and `restore` run in the image that has the programs of PostgreSQL. */
const alsoShipped: Readonly<Record<string, readonly string[]>> = { operations: ['packages/cli'] };

/** The folders of the workspace that an image contains: of the service, and of our packages that it uses. */
export function foldersOf(service: string, root = productFolder): string[] {
  const folders = new Set<string>();
  const visit = (folder: string) => {
    if (folders.has(folder)) return;
    folders.add(folder);
    const { dependencies = {} } = manifestSchema.parse(
      JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')),
    );
    for (const [name, version] of Object.entries(dependencies)) {
      if (version.startsWith('workspace:')) visit(join('packages', name.replace('@overtone/', '')));
    }
  };
  visit(join('services', service));
  for (const folder of alsoShipped[service] ?? []) visit(folder);
  return [...folders];
}

/**
 * Puts what the image of a service holds into a folder: its sources and those of our packages it uses, without tests,
 * the packages of the lock file that these need in production, and for the edge the browser application. Sources stay
 * outside node_modules, where Node would not take types off them.
 * @param store Folder of pnpm's packages, when it is not the one that pnpm would choose for the target.
 */
export async function assemble(service: string, target: string, store?: string): Promise<void> {
  if (!serviceNames().includes(service)) throw new Refusal(`There is no service "${service}".`);
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  for (const file of rootFiles) cpSync(join(productFolder, file), join(target, file));
  for (const folder of foldersOf(service)) {
    cpSync(join(productFolder, folder), join(target, folder), { recursive: true, filter: isShipped });
  }
  if (service === 'edge-gateway') copyUi(target);
  const args = ['install', '--prod', '--frozen-lockfile', '--prefer-offline', '--reporter=append-only'];
  const { code, output } = await run('pnpm', store === undefined ? args : [...args, '--store-dir', store], {
    cwd: target,
    // Its questions (may node_modules be replaced?) would wait for ever in a build.
    env: { CI: 'true' },
  });
  if (code !== 0) throw new Refusal(`The packages of ${service} could not be installed:\n${lastLines(output, 20)}`);
}

function copyUi(target: string): void {
  const from = join(productFolder, ui);
  if (!existsSync(join(from, 'index.html'))) throw new Refusal('The browser application is not built yet.');
  cpSync(from, join(target, 'ui'), { recursive: true, filter: (path) => !path.endsWith('.map') });
}

function isShipped(path: string): boolean {
  const name = basename(path);
  return !notShipped.has(name) && !name.endsWith('.test.ts') && !name.endsWith('.tsbuildinfo');
}
