import { t } from '@lingui/core/macro';
import { clock } from '../../lib/format.ts';
import { copyText } from '../../lib/copy-text.ts';
import { notify, notifyError } from '../../ui/notify.ts';
import { linkTo } from '../copy-link.ts';
import type { SpeakerLook } from '../file-context.ts';
import type { Place } from './notes.ts';

/** Copies words with their speakers, their time and a link to the second. */
export async function copyQuote(
  { start, quote, speakers }: Place,
  looks: ReadonlyMap<string, SpeakerLook>,
): Promise<void> {
  const names = speakers.flatMap((uuid) => looks.get(uuid)?.name ?? []);
  const source = [...names, clock(start)].join(', ');
  try {
    await copyText(`“${quote}” (${source})\n${linkTo(start)}`);
    notify(t`Quote copied.`);
  } catch (error) {
    notifyError(t`The quote couldn’t be copied`, error);
  }
}
