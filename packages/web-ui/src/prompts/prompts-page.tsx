import { t } from '@lingui/core/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../api/client.ts';
import { Confirm } from '../ui/confirm.tsx';
import { FilterSelect } from '../ui/filter-select.tsx';
import { Icon } from '../ui/icons.tsx';
import { notify } from '../ui/notify.ts';
import { Pager } from '../ui/pager.tsx';
import { Pane, Section } from '../ui/pane.tsx';
import { Empty, QueryStatus } from '../ui/query-status.tsx';
import { SearchBox } from '../ui/search-box.tsx';
import { ActivePrompts } from './active-prompts.tsx';
import { contentTypeLabels, sourceLabels } from './labels.ts';
import { newPrompt, PromptDialog } from './prompt-dialog.tsx';
import { PromptEntry, type PromptAction } from './prompt-entry.tsx';
import { pageSize, promptsQuery, type PromptFilter, type PromptItem, type PromptSource } from './prompt-queries.ts';
import { EditPrompt, ShowPrompt } from './prompt-text.tsx';

type Dialog = { action: PromptAction; item: PromptItem } | { action: 'create' } | null;
const everything: PromptFilter = { text: '', contentType: '', source: '', page: 1 };

/** What summaries pay attention to: built-in prompts, own ones and those that people share. */
export function PromptsPage() {
  const [filter, setFilter] = useState(everything);
  const [dialog, setDialog] = useState<Dialog>(null);
  const prompts = useQuery(promptsQuery(filter));
  const change = (next: Partial<PromptFilter>): void => setFilter({ ...filter, page: 1, ...next });
  const isFiltered = filter.text !== '' || filter.contentType !== '' || filter.source !== '';
  return (
    <Pane
      title={t`Prompts`}
      actions={
        <Button leftSection={<Icon name="plus" size={17} />} onClick={() => setDialog({ action: 'create' })}>
          {t`New prompt`}
        </Button>
      }
    >
      <Text c="dimmed" size="sm" mb="lg" maw={640}>
        {t`A prompt says what a summary pays attention to. It is sent to the language model together with the transcript; without a language model it has no effect.`}
      </Text>
      <Stack gap="lg">
        <Section title={t`In use`}>
          <ActivePrompts />
        </Section>
        <div>
          <div className="ot-bar" role="search" aria-label={t`Find prompts`}>
            <SearchBox label={t`Name of a prompt`} value={filter.text} onChange={(text) => change({ text })} />
            <FilterSelect
              label={t`Kind of recording`}
              any={t`Every kind`}
              labels={contentTypeLabels}
              value={filter.contentType}
              onChange={(contentType) => change({ contentType })}
            />
            <FilterSelect
              label={t`Origin`}
              any={t`From everyone`}
              labels={sourceLabels}
              value={filter.source}
              onChange={(source) => change({ source: source as PromptSource })}
            />
          </div>
          <QueryStatus of={prompts} failure={t`The prompts couldn’t be loaded`} />
          {prompts.data?.total === 0 && (
            <Empty>{isFiltered ? t`No prompt matches.` : t`There are no prompts yet.`}</Empty>
          )}
          {prompts.data && prompts.data.total > 0 && (
            <>
              <ul className="ot-list" data-testid="prompts">
                {prompts.data.items.map((item) => (
                  <PromptEntry key={item.uuid} item={item} onAction={(action) => setDialog({ action, item })} />
                ))}
              </ul>
              <Pager
                page={filter.page}
                total={prompts.data.total}
                size={pageSize}
                onPage={(page) => change({ page })}
              />
            </>
          )}
        </div>
      </Stack>
      {dialog && <PromptDialogs dialog={dialog} onClose={() => setDialog(null)} />}
    </Pane>
  );
}

function PromptDialogs({ dialog, onClose }: { dialog: NonNullable<Dialog>; onClose: () => void }) {
  const client = useQueryClient();
  if (dialog.action === 'create') return <PromptDialog fields={newPrompt} onClose={onClose} />;
  const { action, item } = dialog;
  if (action === 'show') return <ShowPrompt item={item} onClose={onClose} />;
  if (action !== 'delete') return <EditPrompt item={item} isCopy={action === 'copy'} onClose={onClose} />;
  return (
    <Confirm
      title={t`Delete the prompt ${item.name}?`}
      action={t`Delete the prompt`}
      run={() => call('DELETE /api/prompts/{uuid}', { params: { uuid: item.uuid } })}
      onDone={() => {
        notify(t`Prompt deleted.`);
        void client.invalidateQueries({ queryKey: ['prompts'] });
      }}
      onClose={onClose}
    >
      <Text size="sm">{t`Summaries that were made with it stay. People who use it get the built-in prompt.`}</Text>
    </Confirm>
  );
}
