import { t } from '@lingui/core/macro';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { call } from '../api/client.ts';
import { notify, notifyError } from '../ui/notify.ts';
import type { VoiceSuggestion } from './voice-queries.ts';

type Decision = { suggestion: Pick<VoiceSuggestion, 'voice' | 'profile'>; action: 'accept' | 'reject' };

/** Accepts or rejects a suggestion who speaks. */
export function useDecision() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ suggestion: { voice, profile }, action }: Decision) =>
      call('POST /api/speakers/{uuid}/verify', {
        params: { uuid: voice.speaker_uuid },
        body: { action, profile_uuid: profile.uuid },
      }),
    onSuccess: (_, { suggestion: { profile }, action }) =>
      notify(action === 'accept' ? t`Named ${profile.name}.` : t`${profile.name} won’t be suggested here again.`),
    onError: (error) => notifyError(t`The decision wasn’t saved`, error),
    onSettled: (_data, _error, { suggestion: { voice } }) => {
      void client.invalidateQueries({ queryKey: ['file', voice.file_uuid] });
      return client.invalidateQueries({ queryKey: ['voices'] });
    },
  });
}
