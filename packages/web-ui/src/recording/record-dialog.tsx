import { msg, t } from '@lingui/core/macro';
import {
  Alert,
  Button,
  Group,
  NativeSelect,
  SegmentedControl,
  SimpleGrid,
  Stack,
  Text,
  TextInput,
} from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { bytes, clock, duration } from '../lib/format.ts';
import { translateOnRead } from '../lib/language.ts';
import { session } from '../state/services.ts';
import { Confirm } from '../ui/confirm.tsx';
import { ErrorNote } from '../ui/error-note.tsx';
import { Icon } from '../ui/icons.tsx';
import { useUnsaved } from '../ui/unsaved.tsx';
import { chunkStore } from './chunk-store.ts';
import css from './recording.module.css';
import {
  canRecordTabs,
  createRecorder,
  openSources,
  SourceError,
  type Recorder,
  type SourceProblem,
} from './recorder.ts';
import { bitsPerSecond, defaultChoice, maxMinutesChoices, pickType, recordingName } from './recording.ts';
import type { RecordingChoice, RecordingQuality, RecordingSource } from './recording.ts';
import { createRecordingSender, maxWaitingBytes, type RecordingSender } from './recording-sender.ts';
import { createRecordingTransfer } from './recording-transfer.adapter.ts';
import { Dialog } from '../ui/dialog.tsx';

const transfer = createRecordingTransfer(session.renew);

type Active = {
  readonly recorder: Recorder;
  readonly sender: RecordingSender;
  readonly upload: string;
  readonly name: string;
};

/** Records in the browser. What is recorded is sent at once, so that a crash loses a few seconds only. */
export function RecordDialog({ onClose }: { onClose: () => void }) {
  const [active, setActive] = useState<Active | null>(null);
  return (
    <Dialog
      onClose={onClose}
      title={<b>{t`Record`}</b>}
      withCloseButton={active === null}
      closeOnClickOutside={false}
      closeOnEscape={active === null}
    >
      <div data-testid="record-dialog">
        {active === null ? (
          <RecordForm onStarted={setActive} onClose={onClose} />
        ) : (
          <Recording active={active} onClose={onClose} />
        )}
      </div>
    </Dialog>
  );
}

const problemTexts: Record<SourceProblem, string> = translateOnRead({
  insecure: msg`Browsers record only on pages with HTTPS. Ask an administrator to set up HTTPS.`,
  unsupported: msg`This browser can’t record. Use a current Chrome, Edge, Firefox or Safari.`,
  denied: msg`The browser didn’t allow it. Allow the microphone for this page in the browser’s address bar, and try again.`,
  no_device: msg`No microphone was found, or another program uses it.`,
  no_sound: msg`The tab was shared without its sound. Choose a tab and turn on “Also share tab audio”.`,
});

function useChoice() {
  return useLocalStorage<RecordingChoice>({
    key: 'overtone-recording',
    defaultValue: defaultChoice,
    getInitialValueInEffect: false,
  });
}

function RecordForm({ onStarted, onClose }: { onStarted: (active: Active) => void; onClose: () => void }) {
  const [choice, setChoice] = useChoice();
  const [title, setTitle] = useState('');
  const [problem, setProblem] = useState<SourceProblem | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [starting, setStarting] = useState(false);
  const isClosed = useRef(false);
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
    };
  }, []);
  const start = async (): Promise<void> => {
    setStarting(true);
    setProblem(null);
    setError(null);
    try {
      const active = await startRecording(choice, title.trim());
      // A dialog that was closed while the browser asked for the microphone must not record unseen.
      if (isClosed.current) await discardRecording(active);
      else onStarted(active);
    } catch (failure) {
      if (failure instanceof SourceError) setProblem(failure.problem);
      else setError(failure);
      setStarting(false);
    }
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      <Stack gap="md">
        {problem !== null && (
          <Alert color="red" variant="light" icon={<Icon name="alert" />} role="alert">
            {problemTexts[problem]}
          </Alert>
        )}
        {error !== null && <ErrorNote error={error} title={t`The recording couldn’t be started`} />}
        <TextInput
          label={t`Title`}
          description={t`Leave blank to use the date and time.`}
          value={title}
          maxLength={255}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
        <SourceField value={choice.source} onChange={(source) => setChoice({ ...choice, source })} />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="sm">
          <NativeSelect
            label={t`Quality`}
            value={choice.quality}
            data={[
              { value: 'standard', label: t`Standard (speech)` },
              { value: 'high', label: t`High` },
              { value: 'maximum', label: t`Maximum (music)` },
            ]}
            onChange={(event) => setChoice({ ...choice, quality: event.currentTarget.value as RecordingQuality })}
          />
          <NativeSelect
            label={t`Stop after`}
            value={String(choice.maxMinutes)}
            data={maxMinutesChoices.map((minutes) => ({ value: String(minutes), label: duration(minutes * 60) }))}
            onChange={(event) => setChoice({ ...choice, maxMinutes: Number(event.currentTarget.value) })}
          />
        </SimpleGrid>
        <Text size="sm" c="dimmed">
          {t`Saved as you speak. If this page closes, you keep what was recorded.`}
        </Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {t`Cancel`}
          </Button>
          <Button
            type="submit"
            color="red"
            loading={starting}
            data-autofocus
            leftSection={<Icon name="record" size={18} />}
          >
            {t`Start recording`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type SourceProps = { readonly value: RecordingSource; readonly onChange: (source: RecordingSource) => void };

function SourceField({ value, onChange }: SourceProps) {
  if (!canRecordTabs()) return null;
  return (
    <div>
      <Text size="sm" fw={500} mb={4} id="record-source">
        {t`Record`}
      </Text>
      <SegmentedControl
        fullWidth
        aria-labelledby="record-source"
        value={value}
        onChange={(next) => onChange(next)}
        data={[
          { value: 'microphone', label: t`Microphone` },
          { value: 'tab', label: t`A tab` },
          { value: 'both', label: t`Both` },
        ]}
      />
    </div>
  );
}

async function startRecording({ source, quality }: RecordingChoice, title: string): Promise<Active> {
  const streams = await openSources(canRecordTabs() ? source : 'microphone');
  const release = (): void => streams.forEach((stream) => stream.getTracks().forEach((track) => track.stop()));
  try {
    const type = pickType((candidate) => MediaRecorder.isTypeSupported(candidate));
    if (type === null) throw new SourceError('unsupported');
    const now = new Date();
    const name = recordingName(type, now);
    const upload = await transfer.create({
      filename: name,
      filetype: type.split(';', 1)[0] ?? type,
      recorded_date: now.toISOString(),
      allow_duplicate: 'true',
      ...(title === '' ? {} : { title }),
    });
    const sender = createRecordingSender({ upload, transfer, store: chunkStore });
    const recorder = createRecorder(streams, { type, bitsPerSecond: bitsPerSecond[quality] }, sender.add);
    recorder.start();
    return { recorder, sender, upload, name };
  } catch (error) {
    release();
    throw error;
  }
}

async function discardRecording({ recorder, sender, upload }: Active): Promise<void> {
  sender.stop();
  await recorder.stop();
  await transfer.cancel(upload).catch(() => undefined);
  await chunkStore.remove(upload).catch(() => undefined);
}

function Recording({ active, onClose }: { active: Active; onClose: () => void }) {
  const { recorder, sender, upload, name } = active;
  const [{ maxMinutes }] = useChoice();
  const [paused, setPaused] = useState(false);
  const [step, setStep] = useState<'recording' | 'finishing' | 'failed'>('recording');
  const seconds = useSeconds(recorder);
  const { phase, waitingBytes, error } = useSyncExternalStore(sender.state.subscribe, sender.state.get);
  const client = useQueryClient();
  const navigate = useNavigate();
  const finish = async (): Promise<void> => {
    setStep('finishing');
    await recorder.stop();
    try {
      await sender.finish();
      await client.invalidateQueries({ queryKey: ['files'] });
      onClose();
      await navigate({ to: '/files/$uuid', params: { uuid: upload }, ignoreBlocker: true });
    } catch {
      setStep('failed');
    }
  };
  const [asking, setAsking] = useState(false);
  const discard = async (): Promise<void> => {
    await discardRecording(active);
    onClose();
  };
  useUnsaved(step !== 'failed', () => void discard());
  const mustStop = seconds >= maxMinutes * 60 || waitingBytes > maxWaitingBytes || phase === 'failed';
  const finishOnce = useRef(finish);
  useEffect(() => {
    finishOnce.current = finish;
  });
  useEffect(() => recorder.onEnded(() => void finishOnce.current()), [recorder]);
  useEffect(() => {
    if (mustStop && step === 'recording') void finishOnce.current();
  }, [mustStop, step]);
  const togglePause = (): void => {
    if (paused) recorder.resume();
    else recorder.pause();
    setPaused(!paused);
  };
  return (
    <Stack gap="md" data-testid="recording" data-step={step} data-paused={paused}>
      <Group gap="md" wrap="nowrap">
        <span className={css['dot']} data-paused={paused || step !== 'recording'} aria-hidden="true" />
        <Text size="xl" fw={600} className="ot-tabular" data-testid="recording-time">
          {clock(seconds)}
        </Text>
        <Text size="sm" c="dimmed" role="status">
          {step === 'finishing'
            ? t`Saving`
            : paused
              ? t`Paused`
              : t`Recording. Stops after ${duration(maxMinutes * 60)}.`}
        </Text>
      </Group>
      <LevelMeter recorder={recorder} active={!paused && step === 'recording'} />
      {phase === 'waiting' && (
        <Alert color="yellow" variant="light" icon={<Icon name="plug" />} role="status">
          {t`The server can’t be reached. The recording continues: ${bytes(waitingBytes)} wait in this browser.`}
        </Alert>
      )}
      {step === 'failed' ? (
        <Failed sender={sender} error={error} name={name} onClose={onClose} />
      ) : (
        <Group justify="space-between">
          <Button variant="subtle" color="gray" disabled={step !== 'recording'} onClick={() => setAsking(true)}>
            {t`Discard`}
          </Button>
          <Group gap="sm">
            <Button
              variant="default"
              disabled={step !== 'recording'}
              leftSection={<Icon name={paused ? 'play' : 'pause'} size={18} />}
              onClick={togglePause}
            >
              {paused ? t`Resume` : t`Pause`}
            </Button>
            <Button
              loading={step === 'finishing'}
              leftSection={<Icon name="check" size={18} />}
              onClick={() => void finish()}
            >
              {t`Stop and save`}
            </Button>
          </Group>
        </Group>
      )}
      {asking && step === 'recording' && (
        <Confirm
          title={t`Discard this recording?`}
          action={t`Discard`}
          keep={paused ? t`Keep it` : t`Continue recording`}
          run={discard}
          onDone={() => undefined}
          onClose={() => setAsking(false)}
        >
          {t`What was recorded so far is deleted permanently.`}
        </Confirm>
      )}
    </Stack>
  );
}

type FailedProps = {
  readonly sender: RecordingSender;
  readonly error: unknown;
  readonly name: string;
  readonly onClose: () => void;
};

/** Parts the server rejected can be saved locally. */
function Failed({ sender, error, name, onClose }: FailedProps) {
  const rest = sender.unsent();
  const save = (): void => {
    const url = URL.createObjectURL(rest);
    const link = document.createElement('a');
    link.href = url;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 10_000);
  };
  return (
    <>
      <ErrorNote error={error} title={t`The end of the recording wasn’t accepted`} />
      <Group justify="flex-end">
        {rest.size > 0 && (
          <Button variant="default" onClick={save}>
            {t`Save the rest on this computer (${bytes(rest.size)})`}
          </Button>
        )}
        <Button onClick={onClose}>{t`Close`}</Button>
      </Group>
    </>
  );
}

function useSeconds(recorder: Recorder): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(recorder.seconds()), 250);
    return () => clearInterval(timer);
  }, [recorder]);
  return seconds;
}

/** Drawn without React, because it changes with every frame. */
function LevelMeter({ recorder, active }: { recorder: Recorder; active: boolean }) {
  const bar = useRef<HTMLDivElement>(null);
  const meter = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let frame = 0;
    const draw = (): void => {
      const level = active ? recorder.level() : 0;
      bar.current?.style.setProperty('transform', `scaleX(${level})`);
      meter.current?.setAttribute('aria-valuenow', String(Math.round(level * 100)));
      if (active) frame = requestAnimationFrame(draw);
    };
    draw();
    return () => cancelAnimationFrame(frame);
  }, [recorder, active]);
  return (
    <div
      ref={meter}
      className={css['meter']}
      role="meter"
      aria-label={t`Loudness`}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={0}
      data-testid="level"
    >
      <div ref={bar} className={css['bar']} />
    </div>
  );
}
