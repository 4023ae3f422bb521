import { t } from '@lingui/core/macro';
import { speakerName } from '@overtone/contracts/speakers';
import { ActionIcon, Group, Menu, Tooltip, UnstyledButton } from '@mantine/core';
import { memo, useRef, type CSSProperties, type ReactElement } from 'react';
import type { Segment } from '../api/queries.ts';
import { Icon } from '../ui/icons.tsx';
import { useFocusReturn } from '../ui/use-focus-return.ts';
import { clock, moment } from '../lib/format.ts';
import type { SpeakerLook } from './file-context.ts';
import css from './file.module.css';
import { RedactedPart } from './redacted-part.tsx';
import { redactionsOfTokens } from './redactions.ts';
import { SegmentEditor, type SpeakerPart } from './segment-editor.tsx';
import { doubtOf, tokensOf, type Match } from './transcript.ts';

export type RowActions = {
  readonly onEdit: (segment: Segment) => void;
  readonly onClose: (segmentId: string) => void;
  readonly onFocus: (segmentId: string) => void;
  readonly takeFocus: (segmentId: string) => number | null;
  readonly onCopyLink: (seconds: number) => void;
  readonly onDelete: (segment: Segment) => Promise<unknown>;
  readonly onSave: (segment: Segment, text: string) => Promise<void>;
  readonly onSplit: (segment: Segment, before: string, after: string) => Promise<void>;
  readonly onAssign: (segment: Segment, parts: readonly SpeakerPart[]) => Promise<void>;
  readonly onRetime: (segment: Segment, edge: 'start_time' | 'end_time', by: number) => Promise<void>;
  readonly onMerge: (segment: Segment, text: string) => Promise<void>;
  readonly onSpeaker: (segment: Segment, speaker: string | null) => void;
  readonly onSeek: (seconds: number) => void;
};
type Props = {
  readonly fileId: string;
  readonly segment: Segment;
  readonly index: number;
  readonly isTurnStart: boolean;
  readonly speakers: ReadonlyMap<string, SpeakerLook>;
  readonly hits: readonly Match[];
  readonly currentHit: Match | null;
  readonly editing: boolean;
  readonly editable: boolean;
  readonly actions: RowActions;
};

function editedText({ edited_at, edited_by_name }: Segment): string {
  const edited = edited_by_name === null ? t`Edited` : t`Edited by ${edited_by_name}`;
  return edited_at === null ? edited : `${edited}, ${moment(edited_at)}`;
}

/** One passage: its time, its speaker at the start of a turn, and its clickable words. */
export const SegmentRow = memo(
  ({ fileId, segment, index, isTurnStart, speakers, hits, currentHit, editing, editable, actions }: Props) => {
    const look = segment.speaker ? speakers.get(segment.speaker.uuid) : undefined;
    const name = look?.name ?? (segment.speaker ? speakerName(segment.speaker) : t`No speaker`);
    const color = { color: look?.color ?? 'var(--mantine-color-dimmed)' } satisfies CSSProperties;
    const row = useRef<HTMLElement>(null);
    // Not to the button: the next Space and arrow keys are for playing.
    useFocusReturn(editing, () => row.current);
    return (
      <article
        ref={row}
        tabIndex={-1}
        className={css['row']}
        data-seg={index}
        data-testid="segment"
        data-turn={isTurnStart || undefined}
        aria-label={`${name}, ${clock(segment.start_time)}`}
      >
        {isTurnStart && (
          <div className={css['speaker']}>
            <SpeakerMenu segment={segment} speakers={speakers} editable={editable} onPick={actions.onSpeaker}>
              <UnstyledButton
                className={css['speakerName']}
                style={color}
                data-testid="segment-speaker"
                aria-label={t`Change speaker: ${name}`}
                disabled={!editable}
              >
                <span className={css['dot']} />
                <span title={name}>{name}</span>
              </UnstyledButton>
            </SpeakerMenu>
          </div>
        )}
        <UnstyledButton
          className={css['time']}
          aria-label={t`Play from ${clock(segment.start_time)}`}
          onClick={() => actions.onSeek(segment.start_time)}
        >
          {clock(segment.start_time)}
        </UnstyledButton>
        {editing ? (
          <SegmentEditor
            fileId={fileId}
            segment={segment}
            isFirst={index === 0}
            takeFocus={actions.takeFocus}
            onFocus={actions.onFocus}
            onDelete={actions.onDelete}
            onSave={actions.onSave}
            onSplit={actions.onSplit}
            speakers={speakers}
            onAssign={actions.onAssign}
            onRetime={actions.onRetime}
            onMerge={actions.onMerge}
            onClose={actions.onClose}
          />
        ) : (
          <>
            <Words segment={segment} hits={hits} currentHit={currentHit} />
            {editable && (
              <Group gap={0} className={css['tools'] ?? ''}>
                <Tooltip label={t`Edit (E)`}>
                  <ActionIcon
                    size="md"
                    aria-label={t`Edit passage at ${clock(segment.start_time)}`}
                    onClick={() => actions.onEdit(segment)}
                  >
                    <Icon name="edit" size={16} />
                  </ActionIcon>
                </Tooltip>
                {!isTurnStart && (
                  <SpeakerMenu segment={segment} speakers={speakers} editable onPick={actions.onSpeaker}>
                    <ActionIcon size="md" aria-label={t`Speaker of passage at ${clock(segment.start_time)}`}>
                      <Icon name="user" size={16} />
                    </ActionIcon>
                  </SpeakerMenu>
                )}
                <Tooltip label={t`Copy link to this moment`}>
                  <ActionIcon
                    size="md"
                    aria-label={t`Copy link to ${clock(segment.start_time)}`}
                    onClick={() => actions.onCopyLink(segment.start_time)}
                  >
                    <Icon name="link" size={16} />
                  </ActionIcon>
                </Tooltip>
              </Group>
            )}
          </>
        )}
      </article>
    );
  },
);
SegmentRow.displayName = 'SegmentRow';

function Words({ segment, hits, currentHit }: Pick<Props, 'segment' | 'hits' | 'currentHit'>) {
  const redactions = redactionsOfTokens(segment);
  if (segment.withheld)
    return (
      <p className={`${css['text']} ${css['withheld']}`} data-testid="withheld">
        {t`This passage is hidden until it has been checked for personal data.`}
      </p>
    );
  return (
    <p className={css['text']}>
      {tokensOf(segment).map((token, i) => {
        const hit = hits.find(({ first, last }) => i >= first && i <= last);
        return (
          <span key={i}>
            <span
              data-w={i}
              data-t={token.start}
              data-hit={hit ? (hit === currentHit ? 'current' : 'yes') : undefined}
              data-unsure={doubtOf(token.confidence) ?? undefined}
              data-overlap={token.overlap ? '' : undefined}
            >
              <RedactedPart redaction={redactions[i]} text={token.text} />
            </span>{' '}
          </span>
        );
      })}
      {segment.edited && (
        <span className={css['edited']} title={editedText(segment)}>
          {t`edited`}
        </span>
      )}
    </p>
  );
}

type SpeakerMenuProps = {
  readonly segment: Segment;
  readonly speakers: ReadonlyMap<string, SpeakerLook>;
  readonly editable: boolean;
  readonly onPick: (segment: Segment, speaker: string | null) => void;
  readonly children: ReactElement;
};

function SpeakerMenu({ segment, speakers, editable, onPick, children }: SpeakerMenuProps) {
  return editable ? (
    <Menu width={220} position="bottom-start">
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{t`Speaker of this passage`}</Menu.Label>
        <Menu.RadioGroup value={segment.speaker?.uuid ?? null} onChange={(uuid) => onPick(segment, uuid)}>
          {[...speakers.values()].map(({ speaker, name, color }) => (
            <Menu.RadioItem key={speaker.uuid} value={speaker.uuid} closeMenuOnClick>
              <span className={css['speakerItem']}>
                <span className={css['dot']} style={{ color }} />
                {name}
              </span>
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
      </Menu.Dropdown>
    </Menu>
  ) : (
    children
  );
}
