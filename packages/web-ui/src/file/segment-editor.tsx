import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Group, Kbd, Stack, Text, Textarea } from '@mantine/core';
import { useEffect, useRef, useState, type KeyboardEvent } from 'react';
import { messageOf } from '../api/problem.ts';
import type { Segment } from '../api/queries.ts';
import { askToDiscard } from '../ui/unsaved.tsx';
import { clock } from '../lib/format.ts';
import type { SpeakerLook } from './file-context.ts';
import css from './file.module.css';
import { isOutdated, usePassageDraft } from './passage-drafts.ts';
import { isConflict } from './use-edits.ts';

export type SpeakerPart = { readonly text: string; readonly speaker_uuid?: string };

type Props = {
  readonly fileId: string;
  readonly segment: Segment;
  readonly isFirst: boolean;
  /** Where the caret goes, once after the person opened this editor, but not when a draft opened it. */
  readonly takeFocus: (segmentId: string) => number | null;
  readonly onFocus: (segmentId: string) => void;
  readonly onDelete: (segment: Segment) => Promise<unknown>;
  readonly onSave: (segment: Segment, text: string) => Promise<void>;
  /** Saves the text as two passages, or as one with the passage before. */
  readonly onSplit: (segment: Segment, before: string, after: string) => Promise<void>;
  readonly onMerge: (segment: Segment, text: string) => Promise<void>;
  readonly speakers: ReadonlyMap<string, SpeakerLook>;
  /** Saves the parts as passages, the selected one with another speaker. */
  readonly onAssign: (segment: Segment, parts: readonly SpeakerPart[]) => Promise<void>;
  readonly onRetime: (segment: Segment, edge: 'start_time' | 'end_time', by: number) => Promise<void>;
  readonly onClose: (segmentId: string) => void;
};

/** Seconds by which a key moves the start or the end of a passage. */
const retimeStep = 0.1;

/** Edits a passage in place. The typed text is a draft until it is saved or discarded. */
export function SegmentEditor({
  fileId,
  segment,
  isFirst,
  takeFocus,
  onFocus,
  onDelete,
  onSave,
  onSplit,
  onMerge,
  speakers,
  onAssign,
  onRetime,
  onClose,
}: Props) {
  const { draft, setText, drop } = usePassageDraft(fileId, segment);
  const [restored] = useState(draft !== undefined);
  const [error, setError] = useState<unknown>(null);
  const [saving, setSaving] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  const frame = useRef<HTMLDivElement>(null);
  const text = draft?.text ?? segment.text;
  const conflict = !saving && draft !== undefined && isOutdated(draft, segment);

  useEffect(() => {
    const caret = takeFocus(segment.uuid);
    if (caret === null) return;
    field.current?.focus({ preventScroll: true });
    field.current?.setSelectionRange(caret, caret);
    // The player must not cover the buttons.
    frame.current?.scrollIntoView({ block: 'nearest' });
  }, [takeFocus, segment.uuid]);

  function close(): void {
    drop();
    onClose(segment.uuid);
  }
  async function cancel(): Promise<void> {
    if (draft === undefined || (await askToDiscard())) close();
  }
  async function remove(): Promise<void> {
    if (draft !== undefined && !(await askToDiscard())) return;
    // A failed deletion shows its own message, and the editor stays open.
    await onDelete(segment).then(close, () => undefined);
  }
  async function save(): Promise<void> {
    const trimmed = text.trim();
    if (trimmed === segment.text) return close();
    await send(() => onSave(segment, trimmed));
  }
  /** Saves and closes. When it fails the text stays in the editor. */
  async function send(work: () => Promise<void>): Promise<void> {
    setSaving(true);
    setError(null);
    try {
      await work();
      close();
    } catch (failure) {
      setError(failure);
      setSaving(false);
    }
  }
  /** @returns whether the key changes the passage, not its text */
  function changePassage(key: string): boolean {
    const { selectionStart: from = 0, selectionEnd: to = 0 } = field.current ?? {};
    if (key === 'Backspace' && from === 0 && to === 0 && !isFirst) {
      void send(() => onMerge(segment, text.trim()));
      return true;
    }
    const [before, after] = [text.slice(0, from).trim(), text.slice(to).trim()];
    if (key === 'Enter' && before !== '' && after !== '') void send(() => onSplit(segment, before, after));
    return key === 'Enter';
  }
  /** With Alt: a digit gives the selection to a speaker, an arrow moves the start, or with Shift the end. */
  function changeSpeech({ code, shiftKey }: KeyboardEvent): boolean {
    const look = [...speakers.values()][Number(/^(?:Digit|Numpad)([1-9])$/.exec(code)?.[1]) - 1];
    if (look) assign(look.speaker.uuid);
    const by = { ArrowUp: -retimeStep, ArrowDown: retimeStep }[code];
    if (by !== undefined) void retime(shiftKey ? 'end_time' : 'start_time', by);
    return look !== undefined || by !== undefined;
  }
  function assign(speaker: string): void {
    const { selectionStart: from = 0, selectionEnd: to = 0 } = field.current ?? {};
    if (text.trim() === '') return;
    const selected = text.slice(from, to).trim();
    const parts: SpeakerPart[] =
      selected === ''
        ? [{ text: text.trim(), speaker_uuid: speaker }]
        : [
            { text: text.slice(0, from).trim() },
            { text: selected, speaker_uuid: speaker },
            { text: text.slice(to).trim() },
          ];
    void send(() => onAssign(segment, parts));
  }
  async function retime(edge: 'start_time' | 'end_time', by: number): Promise<void> {
    setSaving(true);
    setError(null);
    await onRetime(segment, edge, by).catch(setError);
    setSaving(false);
  }
  function onKeyDown(event: KeyboardEvent): void {
    if (event.key === 'Escape') {
      event.preventDefault();
      void cancel();
    } else if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      if (!conflict && !saving) void save();
    } else if (event.nativeEvent.isComposing || conflict || saving) {
      return;
    } else if (event.altKey ? changeSpeech(event) : changePassage(event.key)) {
      event.preventDefault();
    }
  }
  return (
    <Stack gap="xs" className={css['editor'] ?? ''} ref={frame} data-editing>
      <Textarea
        ref={field}
        aria-label={t`Text of the passage at ${clock(segment.start_time)}`}
        autosize
        minRows={2}
        maxLength={20_000}
        value={text}
        readOnly={saving}
        onChange={(event) => setText(event.currentTarget.value)}
        onFocus={() => onFocus(segment.uuid)}
        onKeyDown={onKeyDown}
        styles={{ input: { fontSize: '1.0625rem', lineHeight: 1.65 } }}
      />
      {conflict ? (
        <Alert role="alert" color="yellow" variant="light" title={t`Someone else edited this passage`}>
          <Stack gap="xs">
            <Text size="sm">{t`Your text is above. Their text:`}</Text>
            <Text size="sm" component="blockquote" m={0} className={css['theirs'] ?? ''}>
              {segment.text}
            </Text>
            <Group gap="xs">
              <Button size="xs" loading={saving} onClick={() => void save()}>
                {t`Keep mine`}
              </Button>
              <Button size="xs" variant="default" onClick={close}>
                {t`Use theirs`}
              </Button>
            </Group>
          </Stack>
        </Alert>
      ) : (
        <>
          {error !== null && !isConflict(error) && (
            <Alert role="alert" color="red" variant="light" title={t`Not saved`}>
              <Text size="sm">{t`${messageOf(error)} Your text is kept as a draft.`}</Text>
            </Alert>
          )}
          <Group gap="xs">
            <Button size="xs" loading={saving} onClick={() => void save()}>
              {t`Save`}
            </Button>
            <Button size="xs" variant="default" onClick={() => void cancel()}>
              {t`Cancel`}
            </Button>
            <Button size="xs" variant="subtle" color="red" onClick={() => void remove()}>
              {t`Delete passage`}
            </Button>
            {restored && draft !== undefined ? (
              <Text size="xs" c="dimmed" role="status">
                {t`Draft restored`}
              </Text>
            ) : (
              <Text size="xs" c="dimmed" visibleFrom="sm">
                <Trans>
                  <Kbd size="xs">Enter</Kbd> splits, <Kbd size="xs">Ctrl</Kbd> <Kbd size="xs">Enter</Kbd> saves,{' '}
                  <Kbd size="xs">Esc</Kbd> cancels
                </Trans>
              </Text>
            )}
          </Group>
        </>
      )}
    </Stack>
  );
}
