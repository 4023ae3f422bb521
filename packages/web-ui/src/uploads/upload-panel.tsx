import { plural, t } from '@lingui/core/macro';
import { ActionIcon, Anchor, Button, Group, Progress, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { useElementSize, useMergedRef } from '@mantine/hooks';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { Icon, type IconName } from '../ui/icons.tsx';
import { uploads } from '../state/services.ts';
import { permission, turnOnNotifications } from '../ui/show-notice.ts';
import { bytes, timeLeft } from '../lib/format.ts';
import { assertNever } from '../lib/assert-never.ts';
import { openUpload } from './upload-intake.ts';
import css from './upload-panel.module.css';
import { isFinished, secondsLeft, type Upload } from '../state/upload.ts';

/** The uploads of this browser, in a corner of every page. */
export function UploadPanel() {
  const list = useSyncExternalStore(uploads.list.subscribe, uploads.list.get);
  const [open, setOpen] = useState(true);
  const { ref, height } = useElementSize<HTMLElement>();
  useEffect(() => {
    const { style } = document.documentElement;
    style.setProperty('--ot-uploads', `${list.length === 0 ? 0 : height}px`);
  }, [height, list.length]);
  const allDone = list.length > 0 && list.every(({ phase }) => phase.name === 'done');
  const panel = useRef<HTMLElement>(null);
  const panelRef = useMergedRef(ref, panel);
  useEffect(() => {
    // It stays as it is under the pointer or the focus of a person who is about to use it.
    if (!allDone || !panel.current?.matches(':hover, :focus-within')) setOpen(!allDone);
  }, [allDone]);
  if (list.length === 0) return null;
  const active = list.filter(
    ({ phase }) => phase.name === 'sending' || phase.name === 'queued' || phase.name === 'waiting',
  );
  const summary =
    active.length > 0
      ? t`Uploading ${plural(active.length, { one: '# recording', other: '# recordings' })}`
      : summaryOf(list);
  return (
    <section ref={panelRef} className={css['panel']} aria-label={t`Uploads`} data-testid="upload-panel">
      <div className={css['head']}>
        <Text fw={600} size="sm" style={{ flex: 1 }} aria-live="polite">
          {summary}
        </Text>
        {active.length === 0 && list.some(isFinished) && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={uploads.clearFinished}>
            {t`Clear`}
          </Button>
        )}
        <ActionIcon
          aria-label={open ? t`Collapse uploads` : t`Expand uploads`}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Icon name={open ? 'chevronDown' : 'chevronUp'} size={18} />
        </ActionIcon>
      </div>
      {open && (
        <ul className={css['list']}>
          {list.map((upload) => (
            <UploadRow key={upload.id} upload={upload} />
          ))}
        </ul>
      )}
      {open && <NotifyButton />}
    </section>
  );
}

/** The browser asks for the permission only after this click. */
function NotifyButton() {
  const [state, setState] = useState(permission);
  if (state !== 'default') return null;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      fullWidth
      leftSection={<Icon name="bell" size={16} />}
      onClick={() => void turnOnNotifications().then(() => setState(permission))}
    >
      {t`Notify me when a transcript is ready`}
    </Button>
  );
}

function summaryOf(list: readonly Upload[]): string {
  const waiting = list.filter(({ phase }) => phase.name !== 'done' && phase.name !== 'paused').length;
  if (waiting > 0) return plural(waiting, { one: '# upload needs attention', other: '# uploads need attention' });
  return list.some(({ phase }) => phase.name === 'paused') ? t`Uploads paused` : t`Uploads finished`;
}

function UploadRow({ upload }: { upload: Upload }) {
  const percent = upload.size === 0 ? 0 : (upload.sent / upload.size) * 100;
  const { phase } = upload;
  const isEnded = phase.name === 'done' || phase.name === 'duplicate';
  return (
    <li className={css['item']} data-testid="upload-item" data-phase={phase.name}>
      <Group gap={4} wrap="nowrap">
        <Text size="sm" truncate style={{ flex: 1 }} title={upload.name}>
          {upload.options.title || upload.name}
        </Text>
        <RowButtons upload={upload} />
      </Group>
      {!isEnded && (
        <Progress
          value={percent}
          size="sm"
          mt={6}
          aria-label={t`Upload of ${upload.name}`}
          color={phase.name === 'failed' ? 'red' : phase.name === 'sending' ? 'petrol' : 'gray'}
        />
      )}
      <Text size="xs" c={phase.name === 'failed' ? 'red' : 'dimmed'} mt={6} className="ot-tabular">
        {phaseText(upload)}
      </Text>
      <NextStep upload={upload} />
    </li>
  );
}

function phaseText(upload: Upload): string {
  const { phase } = upload;
  const amount = t`${bytes(upload.sent)} of ${bytes(upload.size)}`;
  switch (phase.name) {
    case 'queued':
      return t`Waiting for other uploads · ${bytes(upload.size)}`;
    case 'sending':
      if (upload.sent >= upload.size) return t`Checking the upload`;
      return upload.speed === null
        ? amount
        : t`${amount} · ${bytes(upload.speed)}/s · ${timeLeft(secondsLeft(upload))}`;
    case 'paused':
      return t`Paused at ${amount}`;
    case 'waiting':
      return t`Connection lost. Resumes automatically.`;
    case 'needs_file':
      return t`Interrupted at ${amount}. Choose the same file again to resume.`;
    case 'duplicate':
      return phase.message;
    case 'failed':
      return phase.message;
    case 'done':
      return t`Uploaded. Transcribing next.`;
    default:
      return assertNever(phase);
  }
}

function RowButtons({ upload }: { upload: Upload }) {
  const { id, name, phase } = upload;
  switch (phase.name) {
    case 'sending':
    case 'waiting':
    case 'queued':
      return (
        <>
          <RowButton icon="pause" label={t`Pause ${name}`} onClick={() => uploads.pause(id)} />
          <RowButton icon="close" label={t`Cancel ${name}`} onClick={() => uploads.cancel(id)} />
        </>
      );
    case 'paused':
      return (
        <>
          <RowButton icon="play" label={t`Resume ${name}`} onClick={() => uploads.resume(id)} />
          <RowButton icon="close" label={t`Cancel ${name}`} onClick={() => uploads.cancel(id)} />
        </>
      );
    case 'failed':
      return (
        <>
          {phase.retryable && <RowButton icon="retry" label={t`Retry ${name}`} onClick={() => uploads.retry(id)} />}
          <RowButton icon="close" label={t`Remove ${name}`} onClick={() => uploads.cancel(id)} />
        </>
      );
    case 'needs_file':
    case 'duplicate':
    case 'done':
      return <RowButton icon="close" label={t`Remove ${name}`} onClick={() => uploads.cancel(id)} />;
    default:
      return assertNever(phase);
  }
}

function RowButton({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon size="md" aria-label={label} onClick={onClick}>
        <Icon name={icon} size={16} />
      </ActionIcon>
    </Tooltip>
  );
}

function NextStep({ upload }: { upload: Upload }) {
  const { phase, id } = upload;
  if (phase.name === 'needs_file') {
    return (
      <Button size="compact-sm" variant="light" mt={6} onClick={openUpload}>
        {t`Choose the file`}
      </Button>
    );
  }
  if (phase.name === 'done' && phase.fileId !== null) {
    return (
      <Anchor component={Link} to={`/files/${phase.fileId}`} size="sm">
        {t`Open`}
        <VisuallyHidden> {upload.name}</VisuallyHidden>
      </Anchor>
    );
  }
  if (phase.name !== 'duplicate') return null;
  return (
    <Group gap="xs" mt={6}>
      {phase.existing !== null && (
        <Button component={Link} to={`/files/${phase.existing}`} size="compact-sm" variant="light">
          {t`Open existing`}
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={() => uploads.uploadAnyway(id)}>
        {t`Upload anyway`}
      </Button>
    </Group>
  );
}
