import { labelRpc } from '@overtone/contracts';
import { rpc, type Slice } from '@overtone/service-kit';
import { createLabels, type LabelsDeps } from './labels.service.ts';

/** Labels and speaker names that insights suggests. */
export function createLabelsSlice(dependencies: LabelsDeps): Slice {
  const labels = createLabels(dependencies);
  return {
    rpcs: [
      rpc(labelRpc.labelAccess, labels.access),
      rpc(labelRpc.labelContext, labels.context),
      rpc(labelRpc.applyLabels, labels.apply),
      rpc(labelRpc.removeLabels, labels.remove),
      rpc(labelRpc.nameSpeakers, labels.nameSpeakers),
      rpc(labelRpc.listOwned, labels.owned),
    ],
  };
}
