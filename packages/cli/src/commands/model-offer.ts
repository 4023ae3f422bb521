import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { transferBytes, type CatalogueEntry } from '@overtone/models';
import { messageOf } from '../refusal.ts';
import { ask, canAsk, cancelOnInterrupt, type Terminal } from '../terminal.ts';
import { pullEntry, size, speechModelHint } from './models.command.ts';

type Offer = { readonly cacheDir: string; readonly isFirstStart: boolean; readonly terminal: Terminal };

/**
 * Offers the speech model that suits this machine, until one is installed or the offer was declined. Without a terminal the
 * first start prints the command instead. Never throws: the instance runs without a model, too.
 */
export async function offerSpeechModel({ cacheDir, isFirstStart, terminal }: Offer): Promise<void> {
  try {
    const { hint, catalogueFault } = await speechModelHint(cacheDir);
    if (catalogueFault !== null) terminal.warn(catalogueFault);
    if (hint === undefined) return;
    const { entry, lines, command } = hint;
    const asks = entry !== null && canAsk() && !hasOtherEngine() && !existsSync(declinedFile(cacheDir));
    if (!asks && !isFirstStart) return;
    terminal.line();
    for (const line of lines) if (!asks || line !== command) terminal.line(`  ${line}`);
    if (!asks) return;
    const answer = await ask(`  ${question(entry)} [y/N] `);
    // Ctrl-D is no answer: the next start asks again.
    if (answer === undefined) return terminal.line();
    if (/^\s*y(es)?\s*$/i.test(answer)) return await fetchModel(entry, { cacheDir, command, terminal });
    rememberDeclined(cacheDir);
    terminal.line(`  ${command}`);
  } catch (error) {
    terminal.warn(`no speech model is installed: ${messageOf(error)}`);
  }
}

function question(entry: CatalogueEntry): string {
  const { name, url, acceptance } = entry.licence;
  const fetched = `${entry.name} (${size(transferBytes(entry))})`;
  return acceptance ? `Accept the licence ${name} (${url}) and fetch ${fetched} now?` : `Fetch ${fetched} now?`;
}

/** An operator who configured an endpoint does not wait for a model. */
function hasOtherEngine(): boolean {
  return Boolean(process.env['ASR_OPENAI_BASE_URL']);
}

type Fetch = { cacheDir: string; command: string; terminal: Terminal };

async function fetchModel(entry: CatalogueEntry, { cacheDir, command, terminal }: Fetch): Promise<void> {
  try {
    await cancelOnInterrupt((signal) =>
      pullEntry(entry, { cacheDir, acceptLicence: entry.licence.acceptance, signal, terminal }),
    );
  } catch (error) {
    terminal.warn(`${entry.name} is not installed: ${messageOf(error)}`);
    terminal.line(`  The next pull continues where this one ended. ${command}`);
  }
}

function declinedFile(cacheDir: string): string {
  return join(cacheDir, '.speech-model-declined');
}

function rememberDeclined(cacheDir: string): void {
  mkdirSync(cacheDir, { recursive: true });
  writeFileSync(declinedFile(cacheDir), 'Delete this file, and the next start offers a speech model again.\n');
}
