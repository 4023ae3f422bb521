import { t } from '@lingui/core/macro';
import { Group, NativeSelect } from '@mantine/core';
import type { ResponseBody } from '@overtone/client';
import type { SpeechOptions } from '../state/upload.ts';

type Limits = Pick<ResponseBody<'GET /api/files/upload-limits'>, 'translates' | 'providers'>;
type Props = {
  readonly limits: Limits | undefined;
  readonly value: SpeechOptions;
  readonly onChange: (next: SpeechOptions) => void;
};

/** What the engines offer beyond the language: an English translation, and the choice of a provider. */
export function EngineOptionsFields({ limits, value, onChange }: Props) {
  const translates = limits?.translates ?? null;
  const providers = limits?.providers ?? [];
  const { task: _task, ...withoutTask } = value;
  const { provider: _provider, ...withoutProvider } = value;
  if (translates !== true && providers.length === 0) return null;
  return (
    <Group gap="sm" align="flex-start" wrap="wrap">
      {translates === true && (
        <NativeSelect
          label={t`Transcript`}
          value={value.task ?? 'transcribe'}
          data={[
            { value: 'transcribe', label: t`In the spoken language` },
            { value: 'translate', label: t`Translated to English` },
          ]}
          onChange={(event) =>
            onChange(event.currentTarget.value === 'translate' ? { ...value, task: 'translate' } : withoutTask)
          }
          style={{ flex: '1 1 14rem' }}
        />
      )}
      {providers.length > 0 && (
        <NativeSelect
          label={t`Speech service`}
          value={value.provider ?? ''}
          data={[{ value: '', label: t`Automatic` }, ...providers.map(({ id, name }) => ({ value: id, label: name }))]}
          onChange={(event) => {
            const { value: chosen } = event.currentTarget;
            onChange(chosen === '' ? withoutProvider : { ...value, provider: chosen });
          }}
          style={{ flex: '1 1 14rem' }}
        />
      )}
    </Group>
  );
}
