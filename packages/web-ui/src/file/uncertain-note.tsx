import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon, Button, Tooltip } from '@mantine/core';
import { useMemo, type MouseEvent } from 'react';
import { Icon } from '../ui/icons.tsx';
import css from './file.module.css';
import { countDoubts } from './transcript.ts';
import type { Transcript } from './use-transcript.ts';

type Props = {
  readonly transcript: Transcript;
  readonly onMove: (by: 1 | -1) => void;
  /** Says that the selected word is right; null for those who may only read. */
  readonly onAccept: (() => void) | null;
};

/** How many words may be wrong, what their marks mean, and the way from one to the next. */
export function UncertainNote({ transcript, onMove, onAccept }: Props) {
  const { words, some, strong } = useMemo(() => countDoubts(transcript.loaded), [transcript.loaded]);
  const uncertain = some + strong;
  if (uncertain === 0) return null;
  // One word in a thousand is not “0 %”.
  const share = uncertain * 200 < words ? t`under 1 %` : `${Math.round((uncertain / words) * 100)} %`;
  return (
    <div className={css['uncertain']} data-testid="legend">
      <p className={css['legend']}>
        {plural(uncertain, {
          one: `# word may be wrong (${share})`,
          other: `# words may be wrong (${share})`,
        })}
        {'. '}
        <Trans>
          Underlined: <span data-unsure="some">perhaps wrong</span>, <span data-unsure="strong">probably wrong</span>
        </Trans>
      </p>
      <Tooltip label={t`Previous uncertain word (Alt+Shift+U)`}>
        <ActionIcon aria-label={t`Previous uncertain word`} onMouseDown={keepFocus} onClick={() => onMove(-1)}>
          <Icon name="chevronUp" size={18} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t`Next uncertain word (Alt+U)`}>
        <ActionIcon aria-label={t`Next uncertain word`} onMouseDown={keepFocus} onClick={() => onMove(1)}>
          <Icon name="chevronDown" size={18} />
        </ActionIcon>
      </Tooltip>
      {onAccept && (
        <Tooltip label={t`It is right; go to the next one (Alt+A)`}>
          <Button size="compact-xs" variant="default" onMouseDown={keepFocus} onClick={onAccept}>
            {t`Accept`}
          </Button>
        </Tooltip>
      )}
    </div>
  );
}

/** The selected word stays selected. */
function keepFocus(event: MouseEvent): void {
  event.preventDefault();
}
