import { t } from '@lingui/core/macro';
import { ActionIcon, Button, Group, Menu, Tooltip } from '@mantine/core';
import type { ClipKind } from '@overtone/contracts';
import type { MouseEvent } from 'react';
import { Icon } from '../../ui/icons.tsx';
import { isFocusLost } from '../../ui/keep-focus.ts';
import { colorNames } from './color-names.ts';
import { colors, type HighlightColor } from './comment-queries.ts';
import css from './comments.module.css';

type Props = {
  readonly color: HighlightColor;
  readonly onComment: () => void;
  readonly onHighlight: (color: HighlightColor) => void;
  readonly onCode: () => void;
  readonly onCopy: () => void;
  /** Which parts of the recording can be cut out. */
  readonly clips: readonly ClipKind[];
  readonly onClip: (kind: ClipKind) => void;
};

/** Comments on the selected words, highlights them, copies them as a quote, and downloads their sound or video. */
export function CommentTools({ color, onComment, onHighlight, onCode, onCopy, clips, onClip }: Props) {
  return (
    <Group gap={4} wrap="nowrap">
      <Tooltip label={t`Comment on the selected words, or on this moment (Alt+C)`}>
        <ActionIcon
          aria-label={t`Comment`}
          onMouseDown={keepSelection}
          onClick={(event) => {
            // The dialog returns the focus: to the text, or to this button.
            if (isFocusLost(document)) event.currentTarget.focus();
            onComment();
          }}
        >
          <Icon name="comment" size={18} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t`Highlight the selected words (Alt+H)`}>
        <ActionIcon aria-label={t`Highlight`} onMouseDown={keepSelection} onClick={() => onHighlight(color)}>
          <Icon name="marker" size={18} className={css['marker'] ?? ''} data-color={color} />
        </ActionIcon>
      </Tooltip>
      <Tooltip label={t`Give a code to the selected words (Alt+G)`}>
        <ActionIcon
          aria-label={t`Give code`}
          onMouseDown={keepSelection}
          onClick={(event) => {
            if (isFocusLost(document)) event.currentTarget.focus();
            onCode();
          }}
        >
          <Icon name="tag" size={18} />
        </ActionIcon>
      </Tooltip>
      <Menu position="bottom-end" returnFocus={false}>
        <Menu.Target>
          <Button
            size="compact-xs"
            variant="subtle"
            color="gray"
            px={4}
            aria-label={t`More for the selected words`}
            onMouseDown={keepSelection}
          >
            <Icon name="chevronDown" size={14} />
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{t`Highlight`}</Menu.Label>
          {colors.map((one) => (
            <Menu.Item
              key={one}
              leftSection={<span className={css['swatch']} data-color={one} />}
              onMouseDown={keepSelection}
              onClick={() => onHighlight(one)}
            >
              {colorNames[one]}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item onMouseDown={keepSelection} onClick={onCopy}>
            {t`Copy as a quote`}
          </Menu.Item>
          {clips.map((kind) => (
            <Menu.Item key={kind} onMouseDown={keepSelection} onClick={() => onClip(kind)}>
              {kind === 'sound' ? t`Download as sound` : t`Download as video`}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

/** The words stay selected. */
function keepSelection(event: MouseEvent): void {
  event.preventDefault();
}
