import { readdirSync } from 'node:fs';
import { markFolder } from '@overtone/service-kit/folder-marker';
import type { DataFolder } from '../paths.ts';
import { readInstance, writeInstance } from './instance.ts';

const stores = ['objects', 'search'] as const;

/**
 * Marks the folders of the stores at the first start, and at the first start after an update from a version that did not.
 * Later an empty folder may stand in their place, such as an unmounted disk, so none is marked twice; nor is an empty one
 * while the library has recordings.
 */
export async function markStores(folder: DataFolder, hasRecordings: () => Promise<boolean>): Promise<void> {
  const instance = readInstance(folder);
  if (instance === undefined) return;
  const marked = new Set(instance.marked);
  for (const store of stores) {
    if (marked.has(store) || (isEmpty(folder[store]) && (await hasRecordings()))) continue;
    await markFolder(folder[store]);
    marked.add(store);
  }
  if (marked.size > (instance.marked?.length ?? 0)) writeInstance(folder, { ...instance, marked: [...marked] });
}

function isEmpty(folder: string): boolean {
  try {
    return readdirSync(folder).length === 0;
  } catch {
    return true;
  }
}
