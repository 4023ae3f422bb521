import { t } from '@lingui/core/macro';
import { NativeSelect, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ResponseBody } from '@overtone/client';
import { call } from '../../api/client.ts';
import { contentTypeLabels, titleOf } from '../../prompts/labels.ts';
import { promptChoicesQuery, type PromptItem } from '../../prompts/prompt-queries.ts';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { languageChoice } from '../../uploads/languages.ts';
import { useFile } from '../file-context.ts';
import { modelStatusQuery } from './summary-queries.ts';

type Model = ResponseBody<'GET /api/llm/status'>;

/** Orders a summary, with a prompt and an output language. */
export function SummaryDialog({ onClose }: { onClose: () => void }) {
  const { file } = useFile();
  const client = useQueryClient();
  const [promptId, setPromptId] = useState('');
  const [language, setLanguage] = useState('');
  const model = useQuery(modelStatusQuery);
  const prompts = useQuery(promptChoicesQuery);
  const order = useMutation({
    mutationFn: () =>
      call('POST /api/files/{uuid}/summarize', {
        params: { uuid: file.uuid },
        body: {
          force_regenerate: true,
          ...(promptId === '' ? {} : { prompt_uuid: promptId }),
          ...(language === '' ? {} : { language }),
        },
      }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ['summary', file.uuid] });
      onClose();
    },
  });
  const withModel = model.data?.available !== false;
  return (
    <FormDialog
      title={t`Create a summary`}
      action={t`Create summary`}
      actionFirst
      sending={order}
      failure={t`The summary wasn’t created`}
      onSubmit={() => order.mutate()}
      onClose={onClose}
    >
      {withModel && (
        <>
          <NativeSelect
            label={t`Prompt`}
            data={[{ value: '', label: t`As chosen on the page Prompts` }, ...choicesOf(prompts.data?.items ?? [])]}
            value={promptId}
            onChange={(event) => setPromptId(event.currentTarget.value)}
          />
          <NativeSelect
            label={t`Language of the summary`}
            data={[
              { value: '', label: t`As spoken` },
              ...languageChoice(null).options.filter(({ value }) => value !== ''),
            ]}
            value={language}
            onChange={(event) => setLanguage(event.currentTarget.value)}
          />
        </>
      )}
      <Text size="sm" c="dimmed" data-testid="summary-destination">
        {destinationOf(model.data)}
      </Text>
    </FormDialog>
  );
}

/** What is sent where. */
function destinationOf(model: Model | undefined): string {
  if (!model) return t`The transcript is sent to the language model that is set up for you.`;
  if (!model.available)
    return t`No language model is set up. The most important sentences of the transcript are selected on this server; nothing is sent anywhere.`;
  return t`The transcript is sent to ${model.host ?? ''} (${model.provider ?? ''}, ${model.model ?? ''}). Masked parts are left out.`;
}

function choicesOf(prompts: readonly PromptItem[]) {
  return prompts
    .filter(({ content_type }) => content_type !== 'speaker_identification')
    .map((prompt) => ({ value: prompt.uuid, label: `${titleOf(prompt).name} · ${originOf(prompt)}` }));
}

function originOf({ is_system, is_own, owner_name, content_type }: PromptItem): string {
  if (is_system) return t`built-in`;
  return is_own || owner_name === null ? contentTypeLabels[content_type] : t`by ${owner_name}`;
}
