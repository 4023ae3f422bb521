import { msg, plural, t } from '@lingui/core/macro';
import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';
import { clock, moment, percent } from '../../lib/format.ts';
import { translateOnRead } from '../../lib/language.ts';
import { QueryStatus } from '../../ui/query-status.tsx';
import { engineWithModel } from '../../ui/engine-names.ts';
import { useFile } from '../file-context.ts';
import type { Transcript } from '../use-transcript.ts';
import { judgeSound, qualityOf, type Confidence, type Quality, type SoundFault } from './quality.ts';
import css from './quality.module.css';

type Accuracy = ResponseBody<'GET /api/files/{uuid}/transcript/accuracy'>;

const stepLabels: Record<keyof Confidence, string> = translateOnRead({
  sure: msg`The engine is sure`,
  some: msg`Perhaps wrong`,
  strong: msg`Probably wrong`,
  unknown: msg`Typed or checked by a person`,
});
const steps = ['sure', 'some', 'strong', 'unknown'] as const;

type Props = { readonly transcript: Transcript; readonly onJump: (seconds: number) => void };

/** How good the transcript is: what the engine says of its words, and what people have corrected. */
export function QualityPanel({ transcript, onJump }: Props) {
  const quality = useMemo(() => qualityOf(transcript.loaded), [transcript.loaded]);
  return (
    <Stack gap="md" data-testid="quality">
      <ConfidenceNote quality={quality} complete={transcript.complete} />
      {quality.worst.length > 0 && (
        <div>
          <p className={css['heading']}>{t`Check these passages first`}</p>
          <div className={css['places']} data-testid="worst">
            {quality.worst.map(({ start, doubted, words }) => (
              <Anchor
                key={start}
                component="button"
                type="button"
                size="sm"
                underline="always"
                title={t`${doubted} of ${words} words may be wrong`}
                onClick={() => onJump(start)}
              >
                {clock(start)}
              </Anchor>
            ))}
          </div>
        </div>
      )}
      {quality.overlap > 0 && (
        <Text size="sm" data-testid="overlap-share">
          {t`${percent(quality.overlap, quality.words)} of the words were spoken while two people spoke at once. They are often wrong.`}
        </Text>
      )}
      <SoundNote />
      <AccuracyNote />
    </Stack>
  );
}

function ConfidenceNote({ quality, complete }: { quality: Quality; complete: boolean }) {
  const { words, unknown } = quality;
  if (words === 0) return null;
  if (unknown === words)
    return <Text size="sm" c="dimmed">{t`There is no confidence of an engine for the words of this transcript.`}</Text>;
  const shown = steps.filter((step) => quality[step] > 0);
  return (
    <div>
      <p className={css['heading']}>
        {complete
          ? plural(words, { one: 'Confidence of # word', other: 'Confidence of # words' })
          : plural(words, { one: 'Confidence of the first # word', other: 'Confidence of the first # words' })}
      </p>
      <div className={css['bar']} aria-hidden="true">
        {shown.map((step) => (
          <div key={step} data-step={step} style={{ flexGrow: quality[step] }} />
        ))}
      </div>
      <ul className={css['steps']} style={{ marginTop: '0.5rem' }} data-testid="confidence">
        {shown.map((step) => (
          <li key={step}>
            <span className={css['swatch']} data-step={step} aria-hidden="true" />
            <span>{stepLabels[step]}</span>
            <span className={css['share']}>{percent(quality[step], words)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}

const soundFaults: Record<SoundFault, string> = translateOnRead({
  quiet: msg`The recording is very quiet. A microphone nearer to the speakers helps.`,
  noisy: msg`There is much noise or music beside the voices. Words are often wrong there.`,
  clipped: msg`Parts were recorded too loud and are distorted.`,
});

function SoundNote() {
  const { sound_level: sound } = useFile().file;
  if (sound === null) return null;
  const faults = judgeSound(sound);
  return (
    <div data-testid="sound">
      <p className={css['heading']}>{t`Sound`}</p>
      <Text size="sm">
        {t`Voices ${decibels(sound.level_db)}, pauses ${decibels(sound.noise_db)}`}
        {sound.clipped > 0 && <> · {t`${percent(sound.clipped, 1)} too loud`}</>}
      </Text>
      {faults.length === 0 ? (
        <Text size="xs" c="dimmed">{t`Loud enough, and the voices stand out clearly.`}</Text>
      ) : (
        faults.map((fault) => (
          <Text key={fault} size="sm">
            {soundFaults[fault]}
          </Text>
        ))
      )}
    </div>
  );
}

function decibels(value: number): string {
  return `${Math.round(value)}\u00a0dB`.replace('-', '\u2212');
}

function AccuracyNote() {
  const { file } = useFile();
  const accuracy = useQuery({
    queryKey: ['file', file.uuid, 'accuracy', file.transcript_version],
    queryFn: ({ signal }) => call('GET /api/files/{uuid}/transcript/accuracy', { params: { uuid: file.uuid }, signal }),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => (state.data?.pending ? 10_000 : false),
  });
  if (!accuracy.data)
    return <QueryStatus of={accuracy} failure={t`The corrected words couldn’t be counted`} height={40} />;
  const { items, pending, masked } = accuracy.data;
  if (masked)
    return (
      <Text size="sm" c="dimmed">
        {t`Parts of this transcript are masked. What was corrected is counted for people who see all of it.`}
      </Text>
    );
  const current = items.find((item) => item.current);
  const earlier = items.filter((item) => !item.current);
  if (items.length === 0 && !pending && file.engine?.provider === 'import') return null;
  return (
    <div data-testid="accuracy">
      <p className={css['heading']}>{t`Corrected by people`}</p>
      <Text size="sm">{currentText(current, pending)}</Text>
      {current && (
        <Text size="xs" c="dimmed">
          {t`Case and punctuation don’t count. Errors that haven’t been corrected yet aren’t included.`}
        </Text>
      )}
      {earlier.length > 0 && (
        <ul className={css['steps']} style={{ marginTop: '0.5rem' }}>
          {earlier.map((item) => (
            <li key={item.transcribed_at}>
              <span />
              <span title={moment(item.transcribed_at)}>{t`Earlier: ${engineWithModel(item.engine)}`}</span>
              <span className={css['share']}>{percent(item.errors, item.words)}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function currentText(item: Accuracy['items'][number] | undefined, pending: boolean): string {
  if (!item) return pending ? t`The corrected words are being counted.` : t`This transcript hasn’t been corrected yet.`;
  const { errors, words } = item;
  const text = t`${percent(errors, words)} of the words were wrong: ${plural(errors, { one: '# error', other: '# errors' })} in ${plural(words, { one: '# word', other: '# words' })}.`;
  return pending ? `${text} ${t`The last corrections are being counted.`}` : text;
}
