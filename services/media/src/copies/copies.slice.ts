import { maskedAudioRpc } from '@overtone/contracts';
import { periodic, restingPeriodic, rpc, type Slice } from '@overtone/service-kit';
import type { Copies } from './copies.service.ts';

const queueEveryMs = 5_000;
const forgetEveryMs = 600_000;

/** Copies of recordings that workers make: for players, without masked parts, and clips. */
export function createCopiesSlice(copies: Copies): Slice {
  return {
    rpcs: [
      rpc(maskedAudioRpc.claimMaskedAudio, copies.claim),
      rpc(maskedAudioRpc.completeMaskedAudio, copies.complete),
      rpc(maskedAudioRpc.failMaskedAudio, copies.fail),
    ],
    periodics: [
      restingPeriodic('queue copies of recordings', queueEveryMs, copies.createQueue()),
      periodic('delete old copies of recordings', forgetEveryMs, copies.forget),
    ],
  };
}
