import { t } from '@lingui/core/macro';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import type { FileDetail } from '../../api/queries.ts';
import { codingsQuery } from '../../codes/code-queries.ts';
import { notify } from '../../ui/notify.ts';
import type { CodeMark, Place } from '../comments/notes.ts';

/** Codes of the open recording, and what gives one to the selected words. */
export function useCodings(file: FileDetail, selected: () => Place | null) {
  const codings = useQuery({ ...codingsQuery(file), enabled: file.total_segments > 0 }).data?.codings;
  const marks = useMemo(
    (): CodeMark[] =>
      (codings ?? []).map(({ name, color, start_time: start, end_time: end }) => ({ name, color, start, end })),
    [codings],
  );
  const [place, setPlace] = useState<Place | null>(null);
  return {
    codings,
    marks,
    /** What gets a code. */
    place,
    close: (): void => setPlace(null),
    start: (): void => {
      const words = selected();
      if (words) setPlace(words);
      else notify(t`Select the words first.`);
    },
  };
}
