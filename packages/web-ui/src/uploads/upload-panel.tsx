import { ActionIcon, Anchor, Button, Group, Progress, Text, Tooltip, VisuallyHidden } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState, useSyncExternalStore } from 'react';
import { Icon, type IconName } from '../app/icons.tsx';
import { uploads } from '../app/services.ts';
import { permission, turnOnNotifications } from '../app/show-notice.ts';
import { bytes, plural, timeLeft } from '../lib/format.ts';
import { assertNever } from '../lib/assert-never.ts';
import { openUpload } from './upload-intake.ts';
import css from './upload-panel.module.css';
import { secondsLeft, type Upload } from './upload.ts';

/** The uploads of this page, at the lower corner; stays while one moves between pages. */
export const UploadPanel = () => {
  const list = useSyncExternalStore(uploads.list.subscribe, uploads.list.get);
  const [open, setOpen] = useState(true);
  if (list.length === 0) return null;
  const moving = list.filter(
    (u) => u.phase.name === 'sending' || u.phase.name === 'queued' || u.phase.name === 'waiting',
  );
  const words = moving.length > 0 ? `Uploading ${plural(moving.length, 'recording')}` : summaryOf(list);
  return (
    <section className={css['panel']} aria-label="Uploads" data-testid="upload-panel">
      <div className={css['head']}>
        <Text fw={600} size="sm" style={{ flex: 1 }} aria-live="polite">
          {words}
        </Text>
        {moving.length === 0 && (
          <Button size="compact-xs" variant="subtle" color="gray" onClick={uploads.clearFinished}>
            Clear
          </Button>
        )}
        <ActionIcon
          aria-label={open ? 'Fold uploads' : 'Unfold uploads'}
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
};

/** The browser asks for the permission only after this click. */
const NotifyButton = () => {
  const [answer, setAnswer] = useState(permission);
  if (answer !== 'default') return null;
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      fullWidth
      leftSection={<Icon name="bell" size={16} />}
      onClick={() => void turnOnNotifications().then(() => setAnswer(permission))}
    >
      Notify me when a transcript is ready
    </Button>
  );
};

const summaryOf = (list: readonly Upload[]): string => {
  const needs = list.filter((u) => u.phase.name !== 'done' && u.phase.name !== 'paused').length;
  if (needs > 0) return `${plural(needs, 'upload')} ${needs === 1 ? 'needs' : 'need'} you`;
  return list.some((u) => u.phase.name === 'paused') ? 'Uploads paused' : 'Uploads finished';
};

const UploadRow = ({ upload }: { upload: Upload }) => {
  const percent = upload.size === 0 ? 0 : (upload.sent / upload.size) * 100;
  const { phase } = upload;
  const over = phase.name === 'done' || phase.name === 'duplicate';
  return (
    <li className={css['item']} data-testid="upload-item" data-phase={phase.name}>
      <Group gap={4} wrap="nowrap">
        <Text size="sm" truncate style={{ flex: 1 }} title={upload.name}>
          {upload.options.title || upload.name}
        </Text>
        <RowButtons upload={upload} />
      </Group>
      {!over && (
        <Progress
          value={percent}
          size="sm"
          mt={6}
          aria-label={`Upload of ${upload.name}`}
          color={phase.name === 'failed' ? 'red' : phase.name === 'sending' ? 'petrol' : 'gray'}
        />
      )}
      <Text size="xs" c={phase.name === 'failed' ? 'red' : 'dimmed'} mt={6} className="ot-tabular">
        {phaseWords(upload)}
      </Text>
      <NextStep upload={upload} />
    </li>
  );
};

const phaseWords = (upload: Upload): string => {
  const { phase } = upload;
  const amount = `${bytes(upload.sent)} of ${bytes(upload.size)}`;
  switch (phase.name) {
    case 'queued':
      return `Waiting for other uploads · ${bytes(upload.size)}`;
    case 'sending':
      if (upload.sent >= upload.size) return 'Checking what arrived';
      return upload.speed === null ? amount : `${amount} · ${bytes(upload.speed)}/s · ${timeLeft(secondsLeft(upload))}`;
    case 'paused':
      return `Paused at ${amount}`;
    case 'waiting':
      return `Connection lost at ${amount}. Continues automatically.`;
    case 'needs_file':
      return `Interrupted at ${amount}. Choose the same file again to continue from there.`;
    case 'duplicate':
      return phase.words;
    case 'failed':
      return phase.code === null ? phase.words : `${phase.words} (${phase.code})`;
    case 'done':
      return 'Uploaded. Transcription starts automatically.';
    default:
      return assertNever(phase);
  }
};

const RowButtons = ({ upload }: { upload: Upload }) => {
  const { id, name, phase } = upload;
  switch (phase.name) {
    case 'sending':
    case 'waiting':
    case 'queued':
      return (
        <>
          <Small icon="pause" label={`Pause ${name}`} onClick={() => uploads.pause(id)} />
          <Small icon="close" label={`Cancel ${name}`} onClick={() => uploads.cancel(id)} />
        </>
      );
    case 'paused':
      return (
        <>
          <Small icon="play" label={`Resume ${name}`} onClick={() => uploads.resume(id)} />
          <Small icon="close" label={`Cancel ${name}`} onClick={() => uploads.cancel(id)} />
        </>
      );
    case 'failed':
      return (
        <>
          {phase.retryable && <Small icon="retry" label={`Retry ${name}`} onClick={() => uploads.retry(id)} />}
          <Small icon="close" label={`Remove ${name}`} onClick={() => uploads.cancel(id)} />
        </>
      );
    case 'needs_file':
    case 'duplicate':
    case 'done':
      return <Small icon="close" label={`Remove ${name}`} onClick={() => uploads.cancel(id)} />;
    default:
      return assertNever(phase);
  }
};

const Small = ({ icon, label, onClick }: { icon: IconName; label: string; onClick: () => void }) => (
  <Tooltip label={label}>
    <ActionIcon size="md" aria-label={label} onClick={onClick}>
      <Icon name={icon} size={16} />
    </ActionIcon>
  </Tooltip>
);

const NextStep = ({ upload }: { upload: Upload }) => {
  const { phase, id } = upload;
  if (phase.name === 'needs_file') {
    return (
      <Button size="compact-sm" variant="light" mt={6} onClick={openUpload}>
        Choose the file
      </Button>
    );
  }
  if (phase.name === 'done' && phase.fileId !== null) {
    return (
      <Anchor component={Link} to={`/files/${phase.fileId}`} size="sm">
        Open<VisuallyHidden> {upload.name}</VisuallyHidden>
      </Anchor>
    );
  }
  if (phase.name !== 'duplicate') return null;
  return (
    <Group gap="xs" mt={6}>
      {phase.existing !== null && (
        <Button component={Link} to={`/files/${phase.existing}`} size="compact-sm" variant="light">
          Open the existing one
        </Button>
      )}
      <Button size="compact-sm" variant="default" onClick={() => uploads.uploadAnyway(id)}>
        Upload anyway
      </Button>
    </Group>
  );
};
