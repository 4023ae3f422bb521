import { t } from '@lingui/core/macro';
import { Anchor, Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useLocalStorage } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { call } from '../api/client.ts';
import { FailureNote } from '../ui/error-note.tsx';
import { notify } from '../ui/notify.ts';
import { useFocusReturn } from '../ui/use-focus-return.ts';
import { isSameChoice, type ExportChoice } from './export-choice.ts';
import { offeredTemplatesQuery, refreshTemplates, type ExportTemplate } from './template-queries.ts';

type Props = { readonly choice: ExportChoice; readonly onChange: (next: ExportChoice) => void };

/** Templates: own ones and those of others, and the present options as a new one. */
export function TemplateChoice({ choice, onChange }: Props) {
  const client = useQueryClient();
  const templates = useQuery(offeredTemplatesQuery).data ?? [];
  const [chosenId, setChosenId] = useLocalStorage({ key: 'overtone-export-template', defaultValue: '' });
  const [naming, setNaming] = useState(false);
  const saveButton = useRef<HTMLButtonElement>(null);
  useFocusReturn(naming, () => saveButton.current);
  const chosen = templates.find(({ uuid }) => uuid === chosenId);
  const changed = chosen !== undefined && !isSameChoice(chosen, choice);
  const keep = useMutation({
    mutationFn: ({ uuid }: ExportTemplate) =>
      call('PUT /api/export-templates/{uuid}', { params: { uuid }, body: { ...choice } }),
    onSuccess: async () => {
      await refreshTemplates(client);
      notify(t`Template changed.`);
    },
  });
  const choose = (uuid: string): void => {
    setChosenId(uuid);
    keep.reset();
    const template = templates.find((one) => one.uuid === uuid);
    if (template) onChange({ format: template.format, options: template.options });
  };
  return (
    <Stack gap="xs" role="group" aria-label={t`Export template`}>
      {templates.length > 0 && (
        <NativeSelect
          label={t`Template`}
          data={optionsOf(templates)}
          value={chosen?.uuid ?? ''}
          onChange={(event) => choose(event.currentTarget.value)}
        />
      )}
      {changed && (
        <Text size="xs" c="dimmed" role="status">
          {t`The options differ from the template.`}
        </Text>
      )}
      {keep.error && <FailureNote error={keep.error} title={t`The template wasn’t changed`} />}
      {naming ? (
        <NewTemplate
          choice={choice}
          onDone={(uuid) => {
            setNaming(false);
            if (uuid !== null) setChosenId(uuid);
          }}
        />
      ) : (
        <Group gap="xs">
          {changed && chosen.my_permission !== 'viewer' && (
            <Button variant="default" size="compact-sm" loading={keep.isPending} onClick={() => keep.mutate(chosen)}>
              {t`Change the template`}
            </Button>
          )}
          <Button ref={saveButton} variant="default" size="compact-sm" onClick={() => setNaming(true)}>
            {t`Save as template`}
          </Button>
          {templates.length > 0 && (
            <Anchor component={Link} to="/export-templates" size="sm">
              {t`All templates`}
            </Anchor>
          )}
        </Group>
      )}
    </Stack>
  );
}

function optionsOf(templates: readonly ExportTemplate[]) {
  return [
    { value: '', label: t`No template` },
    ...templates.map(({ uuid, name, owner_name: owner }) => ({
      value: uuid,
      label: owner === null ? name : `${name} (${owner})`,
    })),
  ];
}

/** Asks for the name of a new template. */
function NewTemplate({ choice, onDone }: { choice: ExportChoice; onDone: (uuid: string | null) => void }) {
  const client = useQueryClient();
  const [name, setName] = useState('');
  const create = useMutation({
    mutationFn: () => call('POST /api/export-templates', { body: { name: name.trim(), ...choice } }),
    onSuccess: async ({ uuid }) => {
      await refreshTemplates(client);
      notify(t`Template saved.`);
      onDone(uuid);
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== '' && !create.isPending) create.mutate();
      }}
    >
      <Stack gap="xs">
        <TextInput
          label={t`Name of the template`}
          autoFocus
          maxLength={120}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          // Escape closes this form, not the dialog around it.
          data-mantine-stop-propagation
          onKeyDown={({ key, nativeEvent }) => {
            if (key === 'Escape' && !nativeEvent.isComposing && !create.isPending) onDone(null);
          }}
        />
        {create.error && <FailureNote error={create.error} title={t`The template wasn’t saved`} />}
        <Group gap="xs">
          <Button type="submit" size="compact-sm" disabled={name.trim() === ''} loading={create.isPending}>
            {t`Save template`}
          </Button>
          <Button variant="default" size="compact-sm" disabled={create.isPending} onClick={() => onDone(null)}>
            {t`Don’t save`}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
