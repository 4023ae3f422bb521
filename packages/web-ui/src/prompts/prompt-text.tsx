import { t } from '@lingui/core/macro';
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { QueryStatus } from '../ui/query-status.tsx';
import { titleOf } from './labels.ts';
import { promptQuery, type PromptItem, type PromptText } from './prompt-queries.ts';
import { newPrompt, PromptDialog } from './prompt-dialog.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { startOf } from '../lib/characters.ts';

type Props = { readonly item: PromptItem; readonly onClose: () => void };

/** Shows the instructions of a prompt. */
export function ShowPrompt({ item, onClose }: Props) {
  const prompt = useQuery(promptQuery(item.uuid));
  const { name, description } = titleOf(item);
  return (
    <Dialog onClose={onClose} size="lg" title={<b style={{ overflowWrap: 'anywhere' }}>{name}</b>}>
      <Stack gap="sm">
        {description !== '' && (
          <Text size="sm" c="dimmed">
            {description}
          </Text>
        )}
        {prompt.data ? (
          <Text
            size="sm"
            style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}
            data-testid="prompt-text"
            tabIndex={0}
            role="region"
            aria-label={t`Instructions`}
          >
            {prompt.data.text}
          </Text>
        ) : (
          <QueryStatus of={prompt} failure={t`The prompt couldn’t be loaded`} />
        )}
      </Stack>
    </Dialog>
  );
}

/** Loads a prompt for its form: to change it, or as the beginning of a copy. */
export function EditPrompt({ item, isCopy, onClose }: Props & { readonly isCopy: boolean }) {
  const prompt = useQuery(promptQuery(item.uuid));
  if (!prompt.data)
    return (
      <Dialog onClose={onClose} title={<b>{isCopy ? t`New prompt` : t`Change the prompt`}</b>}>
        <QueryStatus of={prompt} failure={t`The prompt couldn’t be loaded`} />
      </Dialog>
    );
  return isCopy ? (
    <PromptDialog fields={copyOf(prompt.data)} copyOf={item.uuid} onClose={onClose} />
  ) : (
    <PromptDialog uuid={item.uuid} fields={fieldsOf(prompt.data)} onClose={onClose} />
  );
}

function fieldsOf({ name, description, text, content_type, tags }: PromptText) {
  return { ...newPrompt, name, description, text, content_type, tags };
}

function copyOf(prompt: PromptText) {
  const { name, description } = titleOf(prompt);
  return { ...fieldsOf(prompt), description, name: startOf(t`Copy of ${name}`, 100) };
}
