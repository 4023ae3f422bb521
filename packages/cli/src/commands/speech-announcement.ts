import { planSpeech, transferBytes } from '@overtone/models';
import { messageOf } from '../refusal.ts';
import type { Terminal } from '../terminal.ts';
import { size, speechModelHint } from './models.command.ts';

/** Says which speech model is fetched in the background, or how to get one. Never throws: the instance runs without a model, too. */
export async function announceSpeechModel(cacheDir: string, terminal: Terminal): Promise<void> {
  try {
    const [entry] = (await planSpeech(cacheDir, process.env))?.entries ?? [];
    if (entry) {
      terminal.line();
      terminal.line(`  The speech model ${entry.name} (${size(transferBytes(entry))}) is fetched in the background.`);
      terminal.line('  Progress: ./overtone status. Without it, or any other: OT_SPEECH_MODEL=none');
      return;
    }
    const { hint, catalogueFault } = await speechModelHint(cacheDir);
    if (catalogueFault !== null) terminal.warn(catalogueFault);
    for (const line of hint?.lines ?? []) terminal.line(`  ${line}`);
  } catch (error) {
    terminal.warn(`no speech model is fetched: ${messageOf(error)}`);
  }
}
