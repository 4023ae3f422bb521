import { t } from '@lingui/core/macro';
import { Alert, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Fragment } from 'react';
import { Icon } from '../ui/icons.tsx';
import { QueryStatus } from '../ui/query-status.tsx';
import { contentTypeLabels, titleOf } from './labels.ts';
import { activePromptsQuery } from './prompt-queries.ts';
import css from './prompts.module.css';

/** Which prompt is used for which kind of recording. */
export function ActivePrompts() {
  const active = useQuery(activePromptsQuery);
  if (!active.data) return <QueryStatus of={active} failure={t`The prompts in use couldn’t be loaded`} height={140} />;
  const { items } = active.data;
  const replaced = items.filter((item) => item.is_fallback).map((item) => contentTypeLabels[item.content_type]);
  return (
    <Stack gap="sm">
      {replaced.length > 0 && (
        <Alert variant="light" color="yellow" icon={<Icon name="alert" />} data-testid="prompt-fallback">
          {t`The prompt you had chosen was deleted or is no longer shared. The built-in one is used instead, for: ${replaced.join(', ')}.`}
        </Alert>
      )}
      <dl className={css['active']} data-testid="active-prompts">
        {items.map(({ content_type, prompt }) => (
          <Fragment key={content_type}>
            <dt>{contentTypeLabels[content_type]}</dt>
            <dd dir="auto">
              {titleOf(prompt).name}
              {prompt.is_system && (
                <Text span size="xs" c="dimmed">
                  {' '}
                  {t`(built-in)`}
                </Text>
              )}
            </dd>
          </Fragment>
        ))}
      </dl>
      <Text size="sm" c="dimmed">
        {t`A recording with the tag meeting, interview, podcast, documentary or lecture uses the prompt of that kind. All others use the one for any recording.`}
      </Text>
    </Stack>
  );
}
