import { t } from '@lingui/core/macro';
import { useMemo, useRef } from 'react';
import { ApiError } from '../api/problem.ts';
import { notify, notifyError } from '../ui/notify.ts';
import { useFile } from './file-context.ts';
import { doubtOf, findDoubtful, positionAt, tokensOf } from './transcript.ts';
import { useSegmentReplacement } from './use-edits.ts';
import type { Transcript } from './use-transcript.ts';

type UncertainWords = {
  /** Moves the position of the player to the next or the previous word that may be wrong, and shows it. */
  readonly move: (by: 1 | -1) => void;
  /** Saves that the word at the position of the player is right, and goes to the next one. */
  readonly accept: () => Promise<void>;
};

/** A time within a word, which a player that rounds times does not take for the word before it. */
const intoWordSeconds = 0.01;

export function useUncertain({ loaded }: Pick<Transcript, 'loaded'>, onShow: (index: number) => void): UncertainWords {
  const { file, player } = useFile();
  const replace = useSegmentReplacement(file.uuid);
  const latest = useRef({ loaded, onShow, isSaving: false });
  Object.assign(latest.current, { loaded, onShow });
  return useMemo(() => {
    const move = (by: 1 | -1): void => {
      const found = findDoubtful(latest.current.loaded, player.now(), by);
      if (!found)
        return notify(by === 1 ? t`No uncertain word after this one.` : t`No uncertain word before this one.`);
      player.seek(found.token.start + intoWordSeconds);
      latest.current.onShow(found.index);
    };
    const accept = async (): Promise<void> => {
      const position = positionAt(latest.current.loaded, player.now());
      const segment = latest.current.loaded.find(({ index }) => index === position?.index)?.segment;
      const token = segment && tokensOf(segment)[position?.word ?? -1];
      if (!segment || !token || doubtOf(token.confidence) === null) return move(1);
      if (latest.current.isSaving) return;
      latest.current.isSaving = true;
      try {
        await replace([segment], [{ uuid: segment.uuid, accepted_words: [token.start] }]);
        move(1);
      } catch (error) {
        if (!(error instanceof ApiError && error.status === 409)) notifyError(t`The word wasn’t accepted`, error);
      } finally {
        latest.current.isSaving = false;
      }
    };
    return { move, accept };
  }, [player, replace]);
}
