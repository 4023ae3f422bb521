import { t } from '@lingui/core/macro';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { call } from '../../api/client.ts';
import { notify, notifyError } from '../../ui/notify.ts';
import type { FileContext } from '../file-context.ts';
import { commentsQuery, type HighlightColor } from './comment-queries.ts';
import { copyQuote } from './copy-quote.ts';
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
