import { randomUUID } from 'node:crypto';
import { modelJobs, modelRoutes, modelRpc, type InputOf, type JobDef, type ReplyOf } from '@overtone/contracts';
import type { Outbox } from '@overtone/database';
import { putJob } from '@overtone/jobs';
import {
  conflict,
  handle,
  invalid,
  isAppError,
  notFound,
  unavailable,
  type Bus,
  type Slice,
} from '@overtone/service-kit';
import type { Db } from '../database.ts';
import { operatorOf, recordOperation, type Operator } from '../operator.ts';

type Deps = { db: Db; outbox: Outbox; bus: Bus };
type Overview = ReplyOf<typeof modelRpc.models>;
type ModelAction = 'model_pulled' | 'model_verified' | 'model_removed';

/** The models of the workers: their list, and the jobs that change them. */
export function createModelsSlice({ db, outbox, bus }: Deps): Slice {
  const readModels = (): Promise<Overview> => bus.request(modelRpc.models, {}).catch(throwEngineMissing);
  const record = (operator: Operator, action: ModelAction, name: string, then: () => Promise<unknown>) =>
    db.$transaction(async (tx) => {
      await recordOperation(tx, outbox, operator, action, { model: name });
      // Last: without a broker nothing is recorded.
      await then();
    });
  const put = <J extends JobDef>(job: J, input: InputOf<J>) =>
    putJob(bus, job, randomUUID(), input).catch(throwBrokerUnavailable);

  return {
    routes: [
      handle(modelRoutes.models, readModels),
      handle(modelRoutes.pullModel, async (request) => {
        const { name } = request.params;
        const acceptLicence = request.body.accept_licence;
        const { catalogue, tasks } = await readModels();
        const entry = catalogue.find((model) => model.name === name);
        if (!entry) throw notFound(`The catalogue has no model ${name}.`);
        if (entry.licence.acceptance && !acceptLicence)
          throw invalid('licence_required', `${name} needs your acceptance of its licence, ${entry.licence.name}.`);
        if (tasks.some((task) => task.name === name && task.state === 'running'))
          throw conflict('pull_running', `${name} is being downloaded or verified. Wait until it has ended.`);
        await record(operatorOf(request), 'model_pulled', name, () => put(modelJobs.pull, { name, acceptLicence }));
        return { queued: true as const };
      }),
      handle(modelRoutes.verifyModel, async (request) => {
        const { name } = request.params;
        const { installed } = await readModels();
        if (!installed.some((model) => model.name === name)) throw modelMissing(name);
        await record(operatorOf(request), 'model_verified', name, () => put(modelJobs.verify, { name }));
        return { queued: true as const };
      }),
      handle(modelRoutes.removeModel, async (request) => {
        const { name } = request.params;
        const { removed } = await bus.request(modelRpc.removeModel, { name }).catch(throwEngineMissing);
        if (!removed) throw modelMissing(name);
        await record(operatorOf(request), 'model_removed', name, () => Promise.resolve());
        return { removed: true as const };
      }),
    ],
  };
}

function modelMissing(name: string) {
  return notFound(`No model ${name} is installed.`);
}

function throwEngineMissing(cause: unknown): never {
  if (isAppError(cause) && cause.code === 'broker_unavailable') throw cause;
  throw unavailable('engine_missing', 'No worker with a model folder answers.', { cause });
}

function throwBrokerUnavailable(cause: unknown): never {
  throw unavailable('broker_unavailable', 'The message broker does not answer.', { cause });
}
