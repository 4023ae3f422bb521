import { t } from '@lingui/core/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../../api/client.ts';
import { clock } from '../../lib/format.ts';
import { copyAndNotify } from '../../ui/copy-text.ts';
import { notify, notifyError } from '../../ui/notify.ts';
import { linkTo } from '../copy-link.ts';
import type { FileContext, SpeakerLook } from '../file-context.ts';
import { commentsQuery, type HighlightColor } from './comment-queries.ts';
import { notesOf, type Place } from './notes.ts';

/** Comments and highlights of the open recording, and what begins new ones. */
export function useComments({ file, player, speakers }: FileContext, selected: () => Place | null) {
  const client = useQueryClient();
  const threads = useQuery({ ...commentsQuery(file), enabled: file.total_segments > 0 }).data?.threads;
  const notes = useMemo(() => notesOf(threads ?? []), [threads]);
  const [color, setColor] = useState<HighlightColor>('yellow');
  const [place, setPlace] = useState<Place | null>(null);
  const [chosen, setChosen] = useState<string | null>(null);
  const add = useMutation({
    mutationFn: ({ start, end, color: chosenColor }: Place & { color: HighlightColor }) =>
      call('POST /api/files/{uuid}/comments', {
        params: { uuid: file.uuid },
        body: { start_time: start, end_time: end, color: chosenColor },
      }),
    onError: (error) => notifyError(t`The words weren’t highlighted`, error),
    onSettled: () => void client.invalidateQueries({ queryKey: ['comments', file.uuid] }),
  });
  return {
    threads,
    notes,
    color,
    /** Where a new comment is being written. */
    place,
    chosen,
    /** The thread whose words were pressed; null: none any more. */
    choose: setChosen,
    start: (): void => {
      const now = player.now();
      setPlace(selected() ?? { start: now, end: now, quote: '', speakers: [] });
    },
    close: (): void => setPlace(null),
    copyQuote: (): void => {
      const words = selected();
      if (words) void copyQuote(words, speakers);
      else notify(t`Select the words first.`);
    },
    highlight: (wanted: HighlightColor): void => {
      setColor(wanted);
      const words = selected();
      if (words) add.mutate({ ...words, color: wanted });
      else notify(t`Select the words first.`);
    },
  };
}

/** Copies words with their speakers, their time and a link to the second. */
async function copyQuote({ start, quote, speakers }: Place, looks: ReadonlyMap<string, SpeakerLook>): Promise<void> {
  const names = speakers.flatMap((uuid) => looks.get(uuid)?.name ?? []);
  const source = [...names, clock(start)].join(', ');
  const text = `“${quote}” (${source})\n${linkTo(start)}`;
  await copyAndNotify(text, t`Quote copied.`, t`The quote couldn’t be copied`);
}
