import { t } from '@lingui/core/macro';
import { Badge, Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { formatNumber, moment } from '../lib/format.ts';
import { Confirm } from '../ui/confirm.tsx';
import { Icon } from '../ui/icons.tsx';
import { notify, notifyError } from '../ui/notify.ts';
import { Empty } from '../ui/query-status.tsx';
import { adviceOf, fieldsOf, hostOf, kindLabels } from './labels.ts';
import { ModelDialog } from './model-dialog.tsx';
import type { LanguageModel, ModelActions } from './model-queries.ts';
import { TestNote } from './test-note.tsx';

type Props = {
  readonly models: readonly LanguageModel[];
  readonly scope: 'system' | 'own';
  readonly actions: ModelActions;
  readonly mayChange: boolean;
  readonly emptyText: string;
};

/** Language models with their state, and what can be done with them. */
export function ModelList({ models, scope, actions, mayChange, emptyText }: Props) {
  const client = useQueryClient();
  const [adding, setAdding] = useState(false);
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: ['language-models'] });
  return (
    <Stack gap="md">
      {models.length === 0 && <Empty>{emptyText}</Empty>}
      {models.map((model) => (
        <ModelEntry
          key={model.uuid}
          model={model}
          scope={scope}
          actions={actions}
          mayChange={mayChange}
          refresh={refresh}
        />
      ))}
      {mayChange && (
        <Group>
          <Button
            variant={models.length === 0 ? 'filled' : 'default'}
            leftSection={<Icon name="plus" size={16} />}
            onClick={() => setAdding(true)}
          >
            {t`Add a language model`}
          </Button>
        </Group>
      )}
      {adding && (
        <ModelDialog model={null} scope={scope} actions={actions} onDone={refresh} onClose={() => setAdding(false)} />
      )}
    </Stack>
  );
}

type EntryProps = Pick<Props, 'scope' | 'actions' | 'mayChange'> & {
  readonly model: LanguageModel;
  readonly refresh: () => Promise<unknown>;
};

function ModelEntry({ model, scope, actions, mayChange, refresh }: EntryProps) {
  const [open, setOpen] = useState<'edit' | 'remove' | null>(null);
  const test = useMutation({
    mutationFn: () => actions.test({ ...fieldsOf(model), uuid: model.uuid }),
    onSettled: refresh,
    onError: (error) => notifyError(t`The test wasn’t possible`, error),
  });
  const activate = useMutation({
    mutationFn: (uuid: string | null) => actions.activate(uuid),
    onSuccess: refresh,
    onError: (error) => notifyError(t`The language model wasn’t changed`, error),
  });
  const close = (): void => setOpen(null);
  const { name } = model;
  return (
    <section className="ot-card" style={{ padding: '1rem' }} data-testid="language-model" data-name={name}>
      <ModelHead model={model} />
      {!test.data && model.test_ok === false && model.test_message !== null && (
        <Text size="sm" c="red" mt={4} style={{ overflowWrap: 'anywhere' }}>
          {model.test_message}
        </Text>
      )}
      <Group gap="xs" mt="sm">
        {mayChange && (
          <>
            <Button
              size="compact-sm"
              variant="default"
              loading={activate.isPending}
              aria-label={model.is_active ? t`Stop using: ${name}` : t`Use: ${name}`}
              onClick={() => activate.mutate(model.is_active ? null : model.uuid)}
            >
              {model.is_active ? t`Stop using` : t`Use`}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              loading={test.isPending}
              aria-label={t`Test: ${name}`}
              onClick={() => test.mutate()}
            >
              {t`Test`}
            </Button>
            <Button size="compact-sm" variant="default" aria-label={t`Edit: ${name}`} onClick={() => setOpen('edit')}>
              {t`Edit`}
            </Button>
          </>
        )}
        <Button
          size="compact-sm"
          variant="subtle"
          color="red"
          aria-label={t`Remove: ${name}`}
          onClick={() => setOpen('remove')}
        >
          {t`Remove`}
        </Button>
      </Group>
      <div aria-live="polite" style={test.data ? { marginTop: '0.75rem' } : undefined}>
        {test.data && !test.isPending && <TestNote result={test.data} />}
      </div>
      {open === 'edit' && (
        <ModelDialog model={model} scope={scope} actions={actions} onDone={refresh} onClose={close} />
      )}
      {open === 'remove' && (
        <Confirm
          title={t`Remove this language model?`}
          action={t`Remove`}
          run={() => actions.remove(model.uuid)}
          onDone={() => {
            notify(t`Removed.`);
            void refresh();
          }}
          onClose={close}
        >
          <Text>{t`${name} and its key are deleted. Summaries that it made stay.`}</Text>
        </Confirm>
      )}
    </section>
  );
}

function ModelHead({ model }: { model: LanguageModel }) {
  const { name, is_active: isActive, effective_context_tokens: tokens, paused_until: pausedUntil } = model;
  return (
    <>
      <Group gap="xs">
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {name}
        </Text>
        {isActive && <Badge variant="light">{t`in use`}</Badge>}
        {pausedUntil !== null && <Badge variant="light" color="red">{t`paused`}</Badge>}
        {model.test_ok === false && <Badge variant="light" color="red">{t`test failed`}</Badge>}
      </Group>
      <Text size="sm" c="dimmed" style={{ overflowWrap: 'anywhere' }}>
        {kindLabels[model.kind]} · {model.model} · {hostOf(model)}
      </Text>
      <Text size="sm" c="dimmed">
        {windowSource(model.context_source, formatNumber(tokens))}
        {model.last_tested !== null && ` ${t`Tested ${moment(model.last_tested)}.`}`}
      </Text>
      {pausedUntil !== null && (
        <Text size="sm" c="red" mt={4}>
          {t`Requests are paused until ${moment(pausedUntil)}.`} {adviceOf(model.pause_code)}
        </Text>
      )}
    </>
  );
}

function windowSource(source: LanguageModel['context_source'], tokens: string): string {
  if (source === 'entered') return t`Context window: ${tokens} tokens, as entered.`;
  if (source === 'server') return t`Context window: ${tokens} tokens, as the server reports.`;
  return t`Context window: ${tokens} tokens, because the server does not report it.`;
}
