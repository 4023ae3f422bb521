import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { listInstalled, notVerified, verifyModel } from '@overtone/models';
import { messageOf } from '../refusal.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Records the hashes of the models that an instance used before models had to be verified, once: a file in the model
 * folder remembers it. Models that are copied into the folder later need `models verify`.
 */
export async function adoptModels(
  cacheDir: string,
  { wasUsedBefore, terminal }: { wasUsedBefore: boolean; terminal: Pick<Terminal, 'step' | 'done' | 'warn'> },
): Promise<void> {
  const marker = join(cacheDir, '.models-need-verification');
  if (existsSync(marker)) return;
  try {
    const models = wasUsedBefore ? await listInstalled(cacheDir) : [];
    for (const { name, fault } of models) {
      if (fault !== notVerified) continue;
      terminal.step(`recording the hashes of the model ${name}`);
      const { fault: difference } = await verifyModel(cacheDir, name);
      if (difference === null) terminal.done(`recorded the hashes of the model ${name}`);
      else terminal.warn(`the model ${name} is not used: ${difference}`);
    }
    writeFileSync(marker, 'Models without a verification are not loaded: docs/models.md\n');
  } catch (error) {
    terminal.warn(`the models in ${cacheDir} could not be verified: ${messageOf(error)}`);
  }
}
