import { t } from '@lingui/core/macro';
import { UnstyledButton } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import type { MouseEvent } from 'react';
import { call } from '../api/client.ts';
import { kindLabels } from '../ui/masked-kinds.tsx';
import { notifyError } from '../ui/notify.ts';
import { useFile } from './file-context.ts';
import css from './file.module.css';
import { fileRedactionQuery } from './redaction-queries.ts';
import type { Redaction } from './redactions.ts';

type Props = { readonly redaction: Redaction | undefined; readonly text: string };

/** A word of the text; for a masked part its placeholder, which can be revealed by those who may. */
export function RedactedPart({ redaction, text }: Props) {
  return redaction ? <Placeholder redaction={redaction} text={text} /> : text;
}

function Placeholder({ redaction: { uuid, kind }, text }: { redaction: Redaction; text: string }) {
  const { file } = useFile();
  const { data } = useQuery(fileRedactionQuery(file.uuid));
  // The revealed text lives in this component only: nothing else may show or keep it.
  const reveal = useMutation({
    gcTime: 0,
    mutationFn: () =>
      call('POST /api/files/{uuid}/redactions/{redaction_uuid}/reveal', {
        params: { uuid: file.uuid, redaction_uuid: uuid },
      }),
    onError: (error) => notifyError(t`The text wasn’t revealed`, error),
  });
  const masked = t`Masked: ${kindLabels[kind]}`;
  if (!data?.can_reveal)
    return (
      <span className={css['redacted']} title={masked} data-redacted={kind}>
        {text}
      </span>
    );
  const toggle = (event: MouseEvent): void => {
    // A click on a word otherwise starts playback there.
    event.stopPropagation();
    if (reveal.data) reveal.reset();
    else reveal.mutate();
  };
  const shown = reveal.data?.text ?? text;
  return (
    <UnstyledButton
      className={css['redacted']}
      title={masked}
      aria-label={reveal.data ? t`Hide ${shown}` : t`Reveal ${shown}`}
      aria-pressed={reveal.data !== undefined}
      data-redacted={kind}
      onClick={toggle}
    >
      {shown}
    </UnstyledButton>
  );
}
